"""A judge over what a store holds: trajectories and a rubric enter, opinions are appended as signals.

Each trajectory is judged once by a rubric: that it had no answer is an opinion too. What an opinion is
worth for rewards is said elsewhere: by the weights in the TOML, and by people's labels (`feedback.trust`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace

from coevolve.feedback.judge import Opinion, Rubric, RubricExample, judge_signal, judge_text
from coevolve.models.protocol import LanguageModel
from coevolve.sections import FeedbackSection
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.types import Signal, Trajectory, Turn

_AT_ONCE = 8  # trajectories under judgement; each asks for all its votes
_KEPT_AT_ONCE = 32  # opinions of one transaction: what a kill may lose


def rubrics(section: FeedbackSection) -> list[Rubric]:
    """The rubrics that a [feedback] section states."""
    made = []
    for one in section.rubrics:
        values = asdict(one) | {"examples": tuple(RubricExample(**asdict(e)) for e in one.examples)}
        made.append(Rubric(**values))
    return made


def unjudged(store: Store, rubric: Rubric, query: Query) -> list[Trajectory]:
    """Those that match and that this rubric has no opinion on."""
    name = f"judge.{rubric.name}"
    return [one for one in store.find(query) if all(signal.name != name for signal in one.signals)]


async def judge_stored(
    store: Store,
    model: LanguageModel,
    rubric: Rubric,
    found: Sequence[Trajectory],
    *,
    seed: int = 0,
    on_done: Callable[[], None] = lambda: None,
) -> list[Opinion]:
    """Opinions on these trajectories, in their order, each kept with its trajectory.

    Raises: StoreError: the store refuses; the opinions kept before stay.
    """
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(trajectory: Trajectory) -> Opinion:
        async with gate:
            opinion = await judge_text(model, rubric, conversation(trajectory), seed)
        on_done()
        return opinion

    opinions: list[Opinion] = []
    for start in range(0, len(found), _KEPT_AT_ONCE):
        some = found[start : start + _KEPT_AT_ONCE]
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(one(trajectory)) for trajectory in some]
        given = [task.result() for task in asked]
        said = {
            one.id: judge_signal(opinion, rubric, trusted=True)
            for one, opinion in zip(some, given, strict=True)
        }
        await asyncio.to_thread(_keep, store, said)
        opinions += given
    return opinions


def _keep(store: Store, said: Mapping[str, Signal]) -> None:
    """Add signals to what the store knows by now: while a judge thought, others may have spoken."""
    store.rescore("judge", said, lambda known: [_with(one, said[one.id]) for one in known])


def _with(one: Trajectory, signal: Signal) -> Trajectory:
    return replace(one, signals=(*one.signals, signal))


def conversation(trajectory: Trajectory) -> str:
    """A trajectory as a judge reads it."""
    lines = [f"User: {trajectory.task.opening}"] if trajectory.task.opening else []
    for turn in trajectory.turns:
        if turn.observation and turn.observation != trajectory.task.opening:
            lines.append(f"Seen: {turn.observation}")
        lines.append(_done(turn))
        if turn.error:
            lines.append(f"Error: {turn.error}")
    return "\n".join(lines)


def _done(turn: Turn) -> str:
    if turn.action is None:
        return f"Agent: {turn.raw}"
    args = ", ".join(f"{name}={value!r}" for name, value in turn.action.args.items())
    return f"Agent: {turn.action.tool}({args})"
