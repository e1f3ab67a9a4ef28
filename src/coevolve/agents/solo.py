"""One agent, one task: prompt, action, observation, until the world or a budget says stop.

A language model and an environment enter; a `Trajectory` leaves, always, whoever failed. The record
holds the token ids as the model saw and drew them. Not protected against: an environment that blocks
while `isolate_steps` is off, since such a step runs on the event loop.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from coevolve.agents.action_text import parse
from coevolve.agents.grounding import ground, words
from coevolve.agents.harness import (
    Attempt,
    Exploration,
    Harness,
    derive_seed,
    following_ids,
    harness_from_json,
    harness_to_json,
    malformed_notice,
    opening_ids,
    system_prompt,
    trajectory_id,
)
from coevolve.environments.protocol import Environment, Episode, StepResult, ToolSpec
from coevolve.errors import ModelError
from coevolve.models.grammar import action_grammar
from coevolve.models.protocol import LanguageModel, Sampling
from coevolve.types import Failure, Party, StopReason, Task, Trajectory, Turn

__all__ = [
    "Attempt",
    "Exploration",
    "Harness",
    "harness_from_json",
    "harness_to_json",
    "run_episode",
    "system_prompt",
]

T = TypeVar("T")


@dataclass(slots=True)
class _Run:
    """An episode under way; what is left of it when something fails."""

    turns: list[Turn] = field(default_factory=list)
    busy: Party = Party.ENVIRONMENT  # whose answer is being waited for
    stop: StopReason = StopReason.FAILED
    failure: Failure | None = None


class _Broken(Exception):
    """An episode cannot go on; who failed is known."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.why)
        self.failure = failure


async def run_episode(
    model: LanguageModel, env: Environment, task: Task, *, harness: Harness, attempt: Attempt
) -> Trajectory:
    """Let the model act on one task until it is done or a budget is spent.

    Returns: the record, also where something failed: `failure` then says who, `turns` hold what was
    complete by then and `checks` are empty. A text without a legal action is a turn with an error, and
    `malformed_limit` of them in a row end the episode as spent turns, with the event "malformed_limit";
    so does one and the same call with the same answer `repeat_limit` times in a row, "repeat_limit".

    Raises: only asyncio.CancelledError.
    """
    began = time.monotonic()
    run = _Run()
    checks: tuple[Any, ...] = ()
    try:
        async with asyncio.timeout(attempt.deadline_s):
            run.busy = Party.ENVIRONMENT
            episode = await _of_env(lambda: env.start(task), harness)
            await _converse(model, env, episode, run, (task, harness, attempt))
            run.busy = Party.ENVIRONMENT
            checks = await _of_env(episode.checks, harness)
    except _Broken as broken:
        run.stop, run.failure = StopReason.FAILED, broken.failure
    except TimeoutError:
        why = f"the episode's deadline of {attempt.deadline_s:g} s passed while waiting for the {run.busy}"
        run.stop, run.failure = StopReason.FAILED, Failure(run.busy, why)
    identity = trajectory_id(attempt.version, task, attempt.seed, attempt.tag)
    return Trajectory(
        id=identity,
        session_id=identity,
        task=task,
        version=attempt.version,
        seed=attempt.seed,
        turns=tuple(run.turns),
        stop=run.stop,
        failure=run.failure,
        checks=checks,
        wall_s=time.monotonic() - began,
    )


async def _converse(
    model: LanguageModel,
    env: Environment,
    episode: Episode,
    run: _Run,
    given: tuple[Task, Harness, Attempt],
) -> None:
    """Turn after turn; fills `run.turns` and `run.stop`. Raises _Broken."""
    task, harness, attempt = given
    began = time.monotonic()
    tools = env.tools()
    prompt: tuple[int, ...] = ()
    context = opening_ids(model.chat, env, task, harness)
    observation, malformed, said = task.opening, 0, words(task.opening)
    for index in range(harness.max_turns):
        prompt += context
        if len(prompt) + harness.max_tokens > harness.max_episode_tokens:
            run.stop = StopReason.TOKEN_BUDGET
            return
        if time.monotonic() - began > harness.seconds:
            run.stop = StopReason.TIME_BUDGET
            return
        forced = attempt.explore.tool(tools, attempt.seed, index) if harness.constrained else None
        sampling = _sampling(tools, harness, attempt, index, forced)
        run.busy = Party.MODEL
        turn = await _decide(model, prompt, sampling, tools)
        turn = _grounded(turn, tools, said) if harness.grounded else turn
        run.busy = Party.ENVIRONMENT
        turn, step = await _carry_out(episode, turn, harness)
        malformed = malformed + 1 if turn.action is None else 0
        spent = (
            "malformed_limit" if malformed >= harness.malformed_limit else _stuck(run.turns, turn, harness)
        )
        run.turns.append(
            replace(
                turn,
                index=index,
                observation=observation,
                available=tuple(tool.name for tool in tools),
                explored=forced is not None,
                context_ids=context,
                events=(*turn.events, spent) if spent else turn.events,
            )
        )
        if step is not None and step.done:
            run.stop = StopReason.DONE
            return
        if spent:
            break
        observation = turn.result
        said += words(observation) if step is not None else []  # what the agent made up does not become said
        prompt += turn.output_ids
        context = following_ids(
            model.chat, turn.output_ids, step.speaker if step is not None else "tool", observation
        )
    run.stop = StopReason.TURN_BUDGET


def _sampling(
    tools: tuple[ToolSpec, ...], harness: Harness, attempt: Attempt, index: int, forced: str | None
) -> Sampling:
    return Sampling(
        temperature=attempt.temperature,
        max_tokens=harness.max_tokens,
        seed=derive_seed("turn", attempt.seed, index),
        grammar=action_grammar(tools, harness.max_thought_words, forced) if harness.constrained else None,
        deadline_s=harness.turn_timeout_s,
    )


async def _decide(
    model: LanguageModel, prompt: tuple[int, ...], sampling: Sampling, tools: tuple[ToolSpec, ...]
) -> Turn:
    """Ask the model for one turn and read its text. Raises _Broken."""
    try:
        drawn = await model.complete(prompt, sampling)
    except ModelError as error:
        raise _Broken(Failure(Party.MODEL, error.what)) from error
    except TimeoutError:
        raise
    except Exception as error:  # the boundary to an engine: its bug ends one episode, and is kept
        raise _Broken(Failure(Party.MODEL, _describe(error))) from error
    parsed = parse(drawn.text, tools, cut_off=not drawn.finished)
    return Turn(
        index=0,
        observation="",
        raw=drawn.text,
        thought=parsed.thought,
        action=parsed.action,
        error=parsed.error,
        events=tuple(f"repaired: {note}" for note in parsed.repaired),
        output_ids=drawn.ids,
        logprobs=drawn.logprobs,
    )


def _grounded(turn: Turn, tools: Sequence[ToolSpec], said: Sequence[str]) -> Turn:
    """The turn with the values of its action put right, or with the error of one that nobody said."""
    if turn.action is None:
        return turn
    tool = next(tool for tool in tools if tool.name == turn.action.tool)
    held = ground(turn.action, tool, said)
    if isinstance(held, str):
        return replace(turn, error=held)
    action, notes = held
    return replace(turn, action=action, events=(*turn.events, *(f"repaired: {note}" for note in notes)))


def _stuck(turns: Sequence[Turn], turn: Turn, harness: Harness) -> str | None:
    """The event of an agent that goes round in circles, else None."""
    last = [*turns[1 - harness.repeat_limit :], turn] if harness.repeat_limit > 1 else [turn]
    same = all((t.action, t.result) == (turn.action, turn.result) for t in last)
    return "repeat_limit" if same and len(last) >= harness.repeat_limit else None


async def _carry_out(episode: Episode, turn: Turn, harness: Harness) -> tuple[Turn, StepResult | None]:
    """The turn with what came of it, and the world's answer where it was asked."""
    action = turn.action
    if action is None or turn.error is not None:
        return replace(turn, result=malformed_notice(turn.error or "no action")), None
    step = await _of_env(lambda: _sound(episode.step(action)), harness)
    return replace(turn, result=step.observation, error=step.error, events=turn.events + step.events), step


def _sound(step: StepResult) -> StepResult:
    """The step, if it is one. Raises TypeError: a user's world answered with something else."""
    if not isinstance(step, StepResult):
        raise TypeError(f"step() gave {type(step).__name__}, not StepResult")
    if not isinstance(step.observation, str) or not isinstance(step.error, str | None):
        raise TypeError(f"an observation and an error are text, not {step.observation!r} and {step.error!r}")
    if not isinstance(step.events, tuple) or not all(isinstance(event, str) for event in step.events):
        raise TypeError(f"events are a tuple of texts, not {step.events!r}")
    return step


async def _of_env(call: Callable[[], T], harness: Harness) -> T:
    """An environment's answer. Raises _Broken where it crashes or, isolated, hangs."""
    try:
        if not harness.isolate_steps:
            return call()
        return await asyncio.wait_for(_in_thread(call), harness.step_timeout_s)
    except TimeoutError as error:
        why = f"no answer within {harness.step_timeout_s:g} s" if harness.isolate_steps else _describe(error)
        raise _Broken(Failure(Party.ENVIRONMENT, why)) from error
    except Exception as error:  # the boundary to a world: its crash ends one episode, and is kept
        raise _Broken(Failure(Party.ENVIRONMENT, _describe(error))) from error


async def _in_thread(call: Callable[[], T]) -> T:
    """Run in a daemon thread: unlike an executor's, a hanging one does not hold up the exit."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(act: Callable[[], None]) -> None:
        def unless_over() -> None:
            if not future.done():
                act()

        if not loop.is_closed():
            loop.call_soon_threadsafe(unless_over)

    def work() -> None:
        try:
            value = call()
        except StopIteration as error:  # a future takes any exception but this one
            failed: Exception = RuntimeError(f"StopIteration: {error}")
            settle(lambda: future.set_exception(failed))
        except Exception as error:  # carried over to the awaiting side
            failed = error
            settle(lambda: future.set_exception(failed))
        else:
            settle(lambda: future.set_result(value))

    threading.Thread(target=work, name="environment-step", daemon=True).start()
    return await future


def _describe(error: BaseException) -> str:
    """Type, message and innermost place of an exception, for a person."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" at {code.co_qualname}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{place}"[:500]
