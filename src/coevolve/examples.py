"""What learners eat: recorded token ids with masks, and preference pairs, made from a pool's entries.

Only ids that a model saw or wrote are used; no text is tokenised here. It does not protect against a
pool whose ids belong to another tokenizer than the learner's: the base model's id on the version does.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, isfinite

from coevolve.errors import PoolError
from coevolve.types import (
    MEASURING,
    WRONG_AT,
    Operation,
    PoolEntry,
    PoolVersion,
    SignalKind,
    SignalSource,
    Trajectory,
    Turn,
)

# What is imitated, and what replay takes first. Corrections need more than one sight, whoever made them; an
# own success shows a sentence that was in no lesson; the demonstrations were learned by heart in the opening.
REPLAY = (Operation.TEACHER_COMPLETION, Operation.OWN_SUCCESS, Operation.DEMONSTRATION)
IMITATED = frozenset(REPLAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One sequence to imitate where `mask` is True. `ids` and `mask` have the same length."""

    ids: tuple[int, ...]
    mask: tuple[bool, ...]  # True only on the agent's (or teacher's) own tokens of good turns
    task_type: str
    entry: str  # the pool entry it was made from


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two continuations of one prompt, at the turn where a better and a worse episode part."""

    prompt_ids: tuple[int, ...]
    chosen_ids: tuple[int, ...]
    rejected_ids: tuple[int, ...]
    task_type: str
    entry: str  # the entry the chosen side comes from


def build_examples(pool: PoolVersion) -> list[Example]:
    """One example per entry to imitate, in the pool's order.

    An entry none of whose turns deserves imitation gives none.

    Raises: PoolError: nothing to imitate at all, an entry without recorded token ids, or one of a split
    that measures.
    """
    _refuse_measuring(pool)
    entries = [entry for entry in pool.entries if entry.operation in IMITATED]
    made = (example_of(one.trajectory, entry=one.id) for one in entries)
    built = [example for example in made if example is not None]
    if not built:
        raise PoolError(
            f"pool {pool.id} holds nothing to imitate ({len(pool.entries)} entries)",
            fix="collect more episodes, add demonstrations ([opening] demonstrations), or set run.teacher; "
            "a run that has begun keeps its settings, so under another run.name",
        )
    return built


def replay_places(pool: PoolVersion) -> dict[str, float]:
    """Entry id -> its place in replay, the lowest first: by `REPLAY`, the most surprising successes first.

    What the agent wrote with ease it would write again, and learning it costs as much as anything else.
    """
    places: dict[str, float] = {}
    for entry in pool.entries:
        if entry.operation is Operation.OWN_SUCCESS:
            nats = surprise(entry.trajectory)
            places[entry.id] = REPLAY.index(entry.operation) - (0.5 if nats is None else 1 - 1 / (1 + nats))
        elif entry.operation in REPLAY:
            places[entry.id] = REPLAY.index(entry.operation)
    return places


def surprise(trajectory: Trajectory) -> float | None:
    """Nats of what the agent wrote, by its own recorded log-probabilities; None where some are missing."""
    known = all(len(turn.logprobs) == len(turn.output_ids) for turn in trajectory.turns)
    nats = -sum(sum(turn.logprobs) for turn in trajectory.turns)
    return nats if known and isfinite(nats) else None


def choose_examples(
    examples: Sequence[Example], fresh: Collection[str], places: Mapping[str, float], count: int, seed: int
) -> list[Example]:
    """At most `count` examples, the same number of each task type as long as it has some.

    Of a type's share up to three quarters go to fresh entries and the rest to replay; a type that has few
    fresh ones replays more, so that what the agent can do already is not unlearned for what it cannot.

    Args:
        fresh: ids of the entries that teach most now, such as this round's corrected failures.
        places: entry id -> its place in replay, the lowest first (see `replay_places`); 0 where not named.
    """
    if len(examples) <= count:
        return list(examples)
    rng = random.Random(f"choose:{seed}")
    by_type: dict[str, list[Example]] = defaultdict(list)
    for example in sorted(examples, key=lambda one: (places.get(one.entry, 0), rng.random())):
        by_type[example.task_type].append(example)
    head = ceil(3 * count / (4 * len(by_type)))
    share = ceil(count / len(by_type))
    hands = []
    for hand in by_type.values():
        new = [one for one in hand if one.entry in fresh]
        old = [one for one in hand if one.entry not in fresh]
        replayed = max(0, share - len(new[:head]))
        hands.append([*new[:head], *old[:replayed], *new[head:], *old[replayed:]])
    dealt = [hand[k] for k in range(max(map(len, hands))) for hand in hands if k < len(hand)]
    return dealt[:count]


def build_pairs(pool: PoolVersion) -> list[Pair]:
    """Preference pairs at the first diverging turn, without repetition, in a fixed order.

    A success against a failure: a teacher's completion against the failure it mends, and each failure
    against the success of the same task that goes along with it longest. A short success against each
    longer one of the same task. Two of the agent's turns that do the same in other words make none.

    Raises: PoolError: an entry without recorded token ids, or one of a split that measures.
    """
    _refuse_measuring(pool)
    return list(dict.fromkeys(_pairs(pool)))


def _refuse_measuring(pool: PoolVersion) -> None:
    """The pool admits none; but a pool can be written by other hands, and a leak here would void the gate."""
    for entry in pool.entries:
        if (split := entry.trajectory.task.split) in MEASURING:
            raise PoolError(
                f"entry {entry.id} of pool {pool.id} is of a {split.value} task, which is never learned from",
                fix="make the pool anew from train tasks with `coevolve evolve`",
            )


def _pairs(pool: PoolVersion) -> Iterator[Pair]:
    by_task: dict[str, list[PoolEntry]] = defaultdict(list)
    for entry in pool.entries:
        by_task[entry.trajectory.task.id].append(entry)
    by_trajectory = {
        entry.trajectory.id: entry for entry in pool.entries if entry.operation is Operation.OWN_FAILURE
    }
    for entry in pool.entries:
        if entry.operation is Operation.TEACHER_COMPLETION:
            for source in entry.sources:
                if source in by_trajectory:
                    yield from _pair(entry, by_trajectory[source])
    for entries in by_task.values():
        good = [entry for entry in entries if entry.operation in IMITATED]
        bad = [entry for entry in entries if entry.operation is Operation.OWN_FAILURE]
        for failed in bad:
            yield from _deepest(good, failed)
        good.sort(key=lambda entry: (len(entry.trajectory.turns), entry.id))
        for longer in good[1:]:
            if len(longer.trajectory.turns) > len(good[0].trajectory.turns):
                yield from _pair(good[0], longer)


def _deepest(good: Sequence[PoolEntry], failed: PoolEntry) -> Iterator[Pair]:
    """The pair whose prompt is longest: it blames the latest turn, which is the most telling."""
    found = [pair for entry in good for pair in _pair(entry, failed)]
    if found:
        yield max(found, key=lambda pair: (len(pair.prompt_ids), pair.entry))


def _pair(better: PoolEntry, worse: PoolEntry) -> Iterator[Pair]:
    prompt: list[int] = []
    for one, other in zip(better.trajectory.turns, worse.trajectory.turns, strict=False):
        _require_ids(better.id, better.trajectory, one)
        _require_ids(worse.id, worse.trajectory, other)
        if one.context_ids != other.context_ids:
            return
        prompt += one.context_ids
        if one.output_ids == other.output_ids:
            prompt += one.output_ids
            continue
        corrected = one.by != other.by  # a teacher's thought against the agent's
        if (one.action != other.action or corrected) and _good(better.trajectory, one):
            yield Pair(
                prompt_ids=tuple(prompt),
                chosen_ids=one.output_ids,
                rejected_ids=other.output_ids,
                task_type=better.trajectory.task.type,
                entry=better.id,
            )
        return


def example_of(trajectory: Trajectory, *, entry: str = "") -> Example | None:
    """A trajectory's good turns as one example; None where it has none.

    Raises: PoolError: a turn without recorded token ids.
    """
    ids: list[int] = []
    mask: list[bool] = []
    end = 0
    for turn in trajectory.turns:
        _require_ids(entry, trajectory, turn)
        good = _good(trajectory, turn)
        ids += [*turn.context_ids, *turn.output_ids]
        mask += [False] * len(turn.context_ids) + [good] * len(turn.output_ids)
        end = len(ids) if good else end
    if not end:
        return None
    return Example(
        ids=tuple(ids[:end]),  # what follows the last good turn teaches nothing
        mask=tuple(mask[:end]),
        task_type=trajectory.task.type,
        entry=entry,
    )


def _good(trajectory: Trajectory, turn: Turn) -> bool:
    """Whether this turn deserves imitation. The teacher's always does, the agent's unless it went wrong.

    Wrong is: no action, text that had to be mended, a fault a rule names, an explored tool that helped
    nothing, and a refused call that a later call of the same tool corrects. A refusal that was worth
    hearing (an expired coupon, a gateway to try again) leaves its turn good.
    """
    if turn.action is None:
        return False
    if turn.by == "teacher" or trajectory.version == "teacher":
        return True
    if any(event.startswith("repaired:") for event in turn.events):
        return False
    scores = [
        signal.score
        for signal in trajectory.signals
        if signal.turn == turn.index
        and signal.kind is SignalKind.PROCESS
        and signal.source is not SignalSource.JUDGE  # a run goes by its world's checks and rules
        and signal.score is not None
    ]
    if any(value <= -WRONG_AT for value in scores):
        return False
    if turn.explored and (turn.error is not None or sum(scores) <= 0):
        return False
    return turn.error is None or (sum(scores) >= 0 and not _corrected(trajectory, turn))


def _corrected(trajectory: Trajectory, turn: Turn) -> bool:
    """Whether a later call of the same tool with other arguments went through."""
    return any(
        later.index > turn.index
        and later.error is None
        and later.action is not None
        and turn.action is not None
        and later.action.tool == turn.action.tool
        and later.action != turn.action
        for later in trajectory.turns
    )


def _require_ids(entry: str, trajectory: Trajectory, turn: Turn) -> None:
    if not turn.output_ids or (not turn.context_ids and turn.index == trajectory.turns[0].index):
        raise PoolError(
            f"entry {entry} (trajectory {trajectory.id}) has no token ids at turn {turn.index}",
            fix="collect it again with a model that records token ids; text is never re-tokenised",
        )
