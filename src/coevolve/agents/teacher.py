"""The scripted expert's turns, written as the agent would write them.

An environment with a teacher enters; demonstrations and completions of failed trajectories leave, with
the ids of what the agent would have seen and said. A teacher's turn carries no log-probabilities.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

from coevolve.agents.action_text import parse, render
from coevolve.agents.harness import (
    Harness,
    following_ids,
    malformed_notice,
    opening_ids,
    trajectory_id,
)
from coevolve.environments.protocol import Environment, Episode, Teacher
from coevolve.errors import WorldError
from coevolve.models.protocol import ChatFormat
from coevolve.types import Failure, Party, StopReason, Task, Trajectory, Turn


def demonstrate(env: Environment, task: Task, chat: ChatFormat, harness: Harness) -> Trajectory:
    """The teacher solves one task from its beginning.

    Returns: a trajectory of version "teacher"; whether it succeeded, its checks tell. A crash of the
    world or the teacher is its `failure`.
    Raises: WorldError: the world has no teacher.
    """
    identity = trajectory_id("teacher", task, task.seed, "demonstration")
    blank = Trajectory(
        id=identity,
        session_id=identity,
        task=task,
        version="teacher",
        seed=task.seed,
        turns=(),
        stop=StopReason.FAILED,
    )
    teacher = _teacher(env)
    began = time.monotonic()
    try:
        episode = env.start(task)
        filled = _act_out(env, teacher, episode, blank, (chat, harness, "user"))
    except Exception as error:  # the boundary to a world: its crash is one failed demonstration
        filled = replace(blank, failure=Failure(Party.ENVIRONMENT, f"{type(error).__name__}: {error}"))
    return replace(filled, wall_s=time.monotonic() - began)


def complete(
    env: Environment, trajectory: Trajectory, chat: ChatFormat, harness: Harness, from_turn: int
) -> Trajectory | None:
    """Replay the turns before `from_turn`, then let the teacher finish.

    Args:
        trajectory: one run in this world with this chat format and harness.
        from_turn: index of the first turn that the teacher takes over; 0 is a demonstration after all.

    Returns: a new trajectory with `parent` set; the replayed turns keep their ids. None where the world
    does not answer as recorded, is already done by then, or crashes.
    Raises: WorldError: the world has no teacher.
    """
    teacher = _teacher(env)
    tag = f"completion:{trajectory.id}:{from_turn}"
    identity = trajectory_id(trajectory.version, trajectory.task, trajectory.seed, tag)
    began = time.monotonic()
    kept = replace(
        trajectory,
        id=identity,
        session_id=identity,
        parent=trajectory.id,
        turns=trajectory.turns[:from_turn],
        stop=StopReason.FAILED,
        failure=None,
        checks=(),
        signals=(),
        reward=None,
    )
    try:
        episode = env.start(trajectory.task)
        speaker = _replay(episode, kept.turns)
        if speaker is None:
            return None
        filled = _act_out(env, teacher, episode, kept, (chat, harness, speaker))
    except Exception:  # the boundary to a world: without a faithful replay there is no completion
        return None
    return replace(filled, wall_s=time.monotonic() - began)


def find_parting(env: Environment, trajectory: Trajectory, latest: int) -> int:
    """The first turn of which the teacher would have thought or done otherwise, `latest` at the latest.

    Feedback blames the turn that went wrong, and that may follow from an earlier thought whose action
    happened to be right. A lesson that mends only what followed teaches that thoughts mean nothing.

    Raises: WorldError: the world has no teacher.
    """
    teacher, tools = _teacher(env), env.tools()
    specs = {tool.name: tool for tool in tools}
    with suppress(Exception):  # the boundary to a world: what cannot be asked of it stays as it was judged
        episode = env.start(trajectory.task)
        for turn in trajectory.turns[:latest]:
            thought, action = teacher.act(episode, trajectory.task)
            meant = parse(render(thought, action, specs[action.tool]), tools)
            if turn.action is None or turn.action != meant.action or turn.thought not in ("", meant.thought):
                return turn.index
            episode.step(turn.action)
    return latest


def _teacher(env: Environment) -> Teacher:
    teacher = env.teacher()
    if teacher is None:
        raise WorldError(f"the world {env.name} has no teacher", fix='set teacher = "none" in the TOML')
    return teacher


def _replay(episode: Episode, turns: tuple[Turn, ...]) -> str | None:
    """Who speaks after the recorded actions; None where the world answers otherwise or is done."""
    speaker = "tool"
    for turn in turns:
        if turn.action is None or turn.result == malformed_notice(turn.error or ""):
            speaker = "tool"  # the harness answered, and the world never saw it
            continue
        step = episode.step(turn.action)
        if step.done or (step.observation, step.error) != (turn.result, turn.error):
            return None
        speaker = step.speaker
    return speaker


def _act_out(
    env: Environment,
    teacher: Teacher,
    episode: Episode,
    so_far: Trajectory,
    given: tuple[ChatFormat, Harness, str],
) -> Trajectory:
    """The trajectory with the teacher's turns appended, its stop and its checks."""
    chat, harness, speaker = given
    task, turns = so_far.task, list(so_far.turns)
    specs = {tool.name: tool for tool in env.tools()}
    available = tuple(specs)
    if turns:
        observation = turns[-1].result
        context = following_ids(chat, turns[-1].output_ids, speaker, observation)
    else:
        observation = task.opening
        context = opening_ids(chat, env, task, harness)
    stop = StopReason.TURN_BUDGET
    for index in range(len(turns), harness.max_turns):
        thought, action = teacher.act(episode, task)
        text = render(thought, action, specs[action.tool])
        step = episode.step(action)
        output = chat.encode_output(text)
        turns.append(
            Turn(
                index=index,
                observation=observation,
                raw=text,
                thought=thought,
                action=action,
                result=step.observation,
                error=step.error,
                available=available,
                events=step.events,
                by="teacher",
                context_ids=context,
                output_ids=output,
            )
        )
        if step.done:
            stop = StopReason.DONE
            break
        observation = step.observation
        context = following_ids(chat, output, step.speaker, observation)
    return replace(so_far, turns=tuple(turns), stop=stop, checks=episode.checks())
