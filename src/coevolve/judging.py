"""A judge over what a store holds: trajectories and a rubric enter, opinions are appended as signals.

A trajectory is judged once by a rubric and a model: that they had no answer is an opinion too. An edited
rubric, another model and what the user wrote since are reasons to judge again, and the newest opinion takes
the older one's place. Whether one counts in rewards is for people's labels to say (`feedback.trust`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from coevolve.feedback.classes import CLASS_OF, CLASSES, FailureClass, class_signal, judge_class
from coevolve.feedback.failures import FailureRecord, record_failure
from coevolve.feedback.judge import (
    Opinion,
    Rubric,
    RubricExample,
    judge_pair,
    judge_signal,
    judge_text,
    pair_signals,
)
from coevolve.feedback.steps import Told, judge_steps, step_signals
from coevolve.live import speaks_of
from coevolve.models.protocol import LanguageModel
from coevolve.sections import FeedbackSection
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.store.statements import statements_of
from coevolve.types import Signal, SignalSource, StatementKind, Trajectory, Turn

_AT_ONCE = 8  # trajectories under judgement; each asks for all its votes
_KEPT_AT_ONCE = 32  # opinions of one transaction: what a kill may lose


@dataclass(frozen=True, slots=True)
class Case:
    """What a judge is shown."""

    trajectory: Trajectory
    afterwards: tuple[str, ...] = ()  # what the user wrote about it, in the order in which it was given


def rubrics(section: FeedbackSection) -> list[Rubric]:
    """The rubrics that a [feedback] section states."""
    made = []
    for one in section.rubrics:
        values = asdict(one) | {"examples": tuple(RubricExample(**asdict(e)) for e in one.examples)}
        del values["trusted"]  # of its weight in rewards, not of what is asked
        made.append(Rubric(**values))
    return made


def cases(store: Store, found: Sequence[Trajectory]) -> list[Case]:
    """These trajectories with what their users wrote about them."""
    said = statements_of(store.database, {one.session_id for one in found})
    return [
        Case(
            one,
            tuple(
                str(told.value)
                for told in said.get(one.session_id, ())
                if told.kind is StatementKind.TEXT and speaks_of(told, one)
            ),
        )
        for one in found
    ]


def unjudged(cases: Sequence[Case], rubric: Rubric, model: str) -> list[Case]:
    """Those that this rubric and this model have no opinion on, or of which more was written since."""
    return [
        one
        for one in cases
        if not _judged(one, f"judge.{rubric.name}", rubric, model)
        and (rubric.about == "session" or one.trajectory.turns)
    ]


def unclassified(store: Store, query: Query, model: str) -> list[tuple[Case, FailureRecord]]:
    """Failures whose kind nobody knows, and which this model was not asked about."""
    found = cases(store, store.find(query))
    told = ((one, record_failure(one.trajectory)) for one in found)
    return [
        (one, record)
        for one, record in told
        if record is not None
        and record.kind is FailureClass.UNKNOWN
        and not _judged(one, CLASS_OF, CLASSES, model)
    ]


async def judge_stored(
    store: Store,
    model: LanguageModel,
    rubric: Rubric,
    found: Sequence[Case],
    *,
    seed: int = 0,
    on_done: Callable[[], None] = lambda: None,
) -> list[Opinion]:
    """Opinions on these trajectories, in their order, each kept with its trajectory.

    Raises: StoreError: the store refuses; the opinions kept before stay.
    """

    async def ask(one: Case) -> tuple[Opinion, tuple[Signal, ...]]:
        if rubric.about == "step":
            told = by_steps(one).shown()
            opinion = await judge_steps(model, rubric, told, seed)
            signals = step_signals(opinion, rubric, told.steps, len(one.afterwards))
        else:
            opinion = await judge_text(model, rubric, conversation(one), seed)
            signals = (judge_signal(opinion, rubric, len(one.afterwards)),)
        on_done()
        return opinion, signals

    return await _each(store, found, ask)


async def classify_stored(
    store: Store,
    model: LanguageModel,
    found: Sequence[tuple[Case, FailureRecord]],
    *,
    seed: int = 0,
    on_done: Callable[[], None] = lambda: None,
) -> list[Opinion]:
    """Which kind of failure each of these was, in their order, each kept with its trajectory.

    Raises: StoreError: the store refuses; the opinions kept before stay.
    """
    records = {one.trajectory.id: record for one, record in found}

    async def ask(one: Case) -> tuple[Opinion, tuple[Signal, ...]]:
        record = records[one.trajectory.id]
        opinion = await judge_class(model, f"{conversation(one)}\n\nIt failed: {record.why}", seed)
        on_done()
        return opinion, (class_signal(opinion, record.turn, len(one.afterwards)),)

    return await _each(store, [one for one, _ in found], ask)


async def judge_pair_stored(
    store: Store, model: LanguageModel, rubric: Rubric, pair: tuple[Case, Case], seed: int = 0
) -> Opinion:
    """Which of two trajectories is better by a rubric, in both orders; kept with both of them."""
    first, second = pair
    opinion = await judge_pair(model, rubric, conversation(first), conversation(second), seed)
    said = pair_signals(opinion, rubric, first.trajectory.id, second.trajectory.id)
    await asyncio.to_thread(_keep, store, {one: (signal,) for one, signal in said.items()})
    return opinion


def conversation(case: Case) -> str:
    """A trajectory as a judge reads it, with what its user wrote about it."""
    return by_steps(case).text


def by_steps(case: Case) -> Told:
    """A trajectory and what its user wrote about it, by the agent's turns."""
    opening, turns = case.trajectory.task.opening, case.trajectory.turns
    steps = {}
    for turn in turns:
        lines = [_line("Seen", turn.observation)] if turn.observation != opening else []
        steps[turn.index] = "\n".join(filter(None, [*lines, _done(turn), _line("Error", turn.error or "")]))
    after = [_line("Seen", turns[-1].result)] if turns else []
    after += [_line("The user said afterwards", text) for text in case.afterwards]
    return Told(_line("User", opening), steps, "\n".join(filter(None, after)))


def _line(who: str, text: str) -> str:
    """Further lines of a text are set in, so that it cannot pass for more than its own words."""
    return f"{who}: {text.replace(chr(10), chr(10) + '    ')}" if text else ""


def _judged(case: Case, about: str, rubric: Rubric, model: str) -> bool:
    """Whether there is an opinion of this rubric and model that knows of all that the user wrote."""
    calls = [s.call for s in case.trajectory.signals if _about(s) == about and s.call is not None]
    return any(
        (call.rubric, call.model) == (rubric.id, model) and call.texts >= len(case.afterwards)
        for call in calls
    )


async def _each(
    store: Store, found: Sequence[Case], ask: Callable[[Case], Awaitable[tuple[Opinion, tuple[Signal, ...]]]]
) -> list[Opinion]:
    """Ask of each, some at once, and keep what is said as it comes."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(case: Case) -> tuple[Opinion, tuple[Signal, ...]]:
        async with gate:
            return await ask(case)

    opinions: list[Opinion] = []
    for start in range(0, len(found), _KEPT_AT_ONCE):
        some = found[start : start + _KEPT_AT_ONCE]
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(one(case)) for case in some]
        given = [task.result() for task in asked]
        said = {
            case.trajectory.id: signals
            for case, (opinion, signals) in zip(some, given, strict=True)
            if opinion.asked  # else it is asked again when the model is there
        }
        await asyncio.to_thread(_keep, store, said)
        opinions += [opinion for opinion, _ in given]
    return opinions


def _keep(store: Store, said: Mapping[str, tuple[Signal, ...]]) -> None:
    """Add signals to what the store knows by now: while a judge thought, others may have spoken."""
    store.rescore("judge", said, lambda known: [_with(one, said[one.id]) for one in known])


def _with(one: Trajectory, signals: tuple[Signal, ...]) -> Trajectory:
    """The newest opinion takes the place of an older one on the same; the store's scorings keep both."""
    anew = {_about(signal) for signal in signals}
    others = [s for s in one.signals if s.source is not SignalSource.JUDGE or _about(s) not in anew]
    return replace(one, signals=(*others, *signals))


def _about(signal: Signal) -> str:
    """What an opinion is on. The kind of a failure, whichever it is, is one thing."""
    return CLASS_OF if signal.name.startswith(CLASS_OF) else signal.name


def _done(turn: Turn) -> str:
    if turn.action is None:
        return _line("Agent", turn.raw)
    args = ", ".join(f"{name}={value!r}" for name, value in turn.action.args.items())
    return f"Agent: {turn.action.tool}({args})"
