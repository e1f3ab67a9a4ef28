"""One agent, one task: prompt, action, observation, until the world or a budget says stop.

A language model and an environment enter; a `Trajectory` leaves, always, whoever failed. The record
holds the token ids as the model saw and drew them. Not protected against: an environment that blocks
while `isolate_steps` is off, since such a step runs on the event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from coevolve.agents.action_text import parse
from coevolve.agents.boundary import Broken, describe, of_env, sound
from coevolve.agents.grounding import ground, words
from coevolve.agents.harness import (
    Attempt,
    Exploration,
    Harness,
    Retry,
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
            episode = await of_env(lambda: env.start(task), harness)
            await _converse(model, env, episode, run, (task, harness, attempt))
            run.busy = Party.ENVIRONMENT
            checks = await of_env(episode.checks, harness)
    except Broken as broken:
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
        parent=attempt.retry.parent if attempt.retry is not None else None,
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
    """Turn after turn; fills `run.turns` and `run.stop`. Raises Broken."""
    task, harness, attempt = given
    began = time.monotonic()
    tools = env.tools()
    prompt: tuple[int, ...] = ()
    context = opening_ids(model.chat, env, task, harness)
    observation, said = task.opening, words(task.opening)
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
        if index == 0 and attempt.retry is not None:
            turn = await _decide_anew(model, prompt, sampling, tools, attempt.retry)
        else:
            turn = await _decide(model, prompt, sampling, tools)
        turn = _grounded(turn, tools, said) if harness.grounded else turn
        run.busy = Party.ENVIRONMENT
        turn, step = await _carry_out(episode, turn, harness)
        spent = _spent(run.turns, turn, harness)
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
    """Ask the model for one turn and read its text. Raises Broken."""
    try:
        drawn = await model.complete(prompt, sampling)
    except ModelError as error:
        raise Broken(Failure(Party.MODEL, error.what)) from error
    except TimeoutError:
        raise
    except Exception as error:  # the boundary to an engine: its bug ends one episode, and is kept
        raise Broken(Failure(Party.MODEL, describe(error))) from error
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


async def _decide_anew(
    model: LanguageModel,
    prompt: tuple[int, ...],
    sampling: Sampling,
    tools: tuple[ToolSpec, ...],
    retry: Retry,
) -> Turn:
    """The likeliest of several draws that was not tried before. Raises Broken."""
    each = [
        replace(sampling, temperature=retry.temperature, seed=derive_seed("draw", sampling.seed, k))
        for k in range(retry.draws)
    ]
    try:
        async with asyncio.TaskGroup() as group:
            drawing = [group.create_task(_decide(model, prompt, one, tools)) for one in each]
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    drawn = [one.result() for one in drawing]
    new = [turn for turn in drawn if turn.action is not None and turn.raw not in retry.tried]
    return max(new or drawn, key=lambda turn: sum(turn.logprobs))


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


def _spent(turns: Sequence[Turn], turn: Turn, harness: Harness) -> str | None:
    """The event of an agent that writes no actions or goes round in circles, else None."""
    so_far = [*turns, turn]
    if len(so_far) >= harness.malformed_limit and all(
        t.action is None for t in so_far[-harness.malformed_limit :]
    ):
        return "malformed_limit"
    same = all((t.action, t.result) == (turn.action, turn.result) for t in so_far[-harness.repeat_limit :])
    return "repeat_limit" if same and len(so_far) >= harness.repeat_limit else None


async def _carry_out(episode: Episode, turn: Turn, harness: Harness) -> tuple[Turn, StepResult | None]:
    """The turn with what came of it, and the world's answer where it was asked."""
    action = turn.action
    if action is None or turn.error is not None:
        return replace(turn, result=malformed_notice(turn.error or "no action")), None
    step = await of_env(lambda: sound(episode.step(action)), harness)
    return replace(turn, result=step.observation, error=step.error, events=turn.events + step.events), step
