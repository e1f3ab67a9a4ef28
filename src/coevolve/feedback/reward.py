"""Signals become a reward: outcome, total, credit per turn, first wrong turn.

How an episode ended is `coevolve.feedback.outcome`'s to say. A signal with score None is left out of every
sum; where what the outcome counts is unknown, so is the total.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeAlias

import numpy as np

from coevolve.errors import FeedbackError
from coevolve.feedback.outcome import Expectation, LiveRule, judge
from coevolve.feedback.rules import generic_signals
from coevolve.feedback.shaping import event_potentials, shape
from coevolve.types import (
    WRONG_AT,
    Outcome,
    Party,
    Reward,
    Signal,
    SignalKind,
    SignalSource,
    Trajectory,
)

NEEDED_QUESTION = "question_needed_asked"  # how a world's review ends the name of its praise for it
MILESTONES_COUNTED = 4  # per trajectory, so that a long detour over many milestones does not pay
Review: TypeAlias = Callable[[Trajectory], tuple[Signal, ...]]
_NOTHING = Expectation()


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardRule:
    """How signals add up. Shares are of the largest sum they can reach, which becomes a total of 1."""

    outcome_weight: float = 1.0  # of the checks' weighted mean, [-1, 1]
    process_weight: float = 0.3  # of the process signals' sum, held to [-1, 1]
    milestone_reward: float = 0.1  # per milestone: praise named like an event of its turn, 4 at most
    question_reward: float = 0.1  # once, for the question that was needed
    hard_task_bonus: float = 0.3  # a task of difficulty 3 solved
    turn_cost: float = 0.01  # per turn beyond the first
    discount: float = 0.95  # of the outcome's credit, per turn backwards; 1 = even, 0 = the last turn alone
    weights: Mapping[str, float] = field(default_factory=dict)  # factor by signal's name; 0 = not counted
    # Potential by an event of a turn, for the credits alone: see `_credited`.
    shaping: Mapping[str, float] = field(default_factory=dict)
    live: LiveRule = field(default_factory=LiveRule)  # for live sessions

    def __post_init__(self) -> None:
        for name, factor in self.weights.items():
            if not (math.isfinite(factor) and factor >= 0):
                raise FeedbackError(
                    f"RewardRule.weights[{name!r}] is {factor!r}",
                    fix=f'set feedback.weights."{name}" to a number of 0 or more',
                )
        for name, potential in self.shaping.items():
            if not -1 <= potential <= 1:
                raise FeedbackError(
                    f"RewardRule.shaping[{name!r}] is {potential!r}",
                    fix=f'set feedback.shaping."{name}" to a number within -1 and 1',
                )
        for item in fields(self):
            if item.name in ("weights", "shaping", "live"):
                continue
            value = getattr(self, item.name)
            top = 1.0 if item.name == "discount" else math.inf
            if not (math.isfinite(value) and 0 <= value <= top):
                limit = ", 1 at most" if top == 1 else ""
                raise FeedbackError(
                    f"RewardRule.{item.name} is {value!r}",
                    fix=f"set feedback.{item.name} to a number of 0 or more{limit}",
                )
        if self.outcome_weight <= 0:
            raise FeedbackError(
                "RewardRule.outcome_weight is 0", fix="set feedback.outcome_weight to a number above 0"
            )

    @property
    def largest(self) -> float:
        """The largest sum the parts can reach; dividing by it keeps their order, which clipping would not."""
        milestones = MILESTONES_COUNTED * self.milestone_reward
        return (
            self.outcome_weight
            + self.process_weight
            + milestones
            + self.question_reward
            + self.hard_task_bonus
        )


def score(
    trajectory: Trajectory, review: Review, rule: RewardRule, expected: Expectation = _NOTHING
) -> Trajectory:
    """The same trajectory with all signals and a reward.

    Rules are judged anew; what checks, judges, people and behaviour said is kept, so scoring twice equals
    scoring once.

    Args:
        trajectory: raw or scored before.
        review: the environment's own process signals. If it breaks, that is recorded as a signal with
            score None, and the rest still counts.
        rule: how the signals add up.
        expected: what the users of like sessions say; of a live trajectory.

    Raises: FeedbackError: a signal outside its contract (score, weight or turn out of range).
    """
    kept = [s for s in trajectory.signals if s.source is not SignalSource.RULE and s.name != "review"]
    reviewed = _reviewed(trajectory, review)
    spoken = {(s.name, s.turn) for s in reviewed}  # the world knows better: its word replaces a generic one
    generic = [s for s in generic_signals(trajectory) if (s.name, s.turn) not in spoken]
    fresh = [*trajectory.checks, *generic, *reviewed]
    signals = tuple(dict.fromkeys([*fresh, *kept]))
    _validate(trajectory, signals)
    return replace(trajectory, signals=signals, reward=reward(trajectory, signals, rule, expected))


def _reviewed(
    trajectory: Trajectory, review: Callable[[Trajectory], tuple[Signal, ...]]
) -> tuple[Signal, ...]:
    try:
        return tuple(review(trajectory))
    except Exception as broken:  # the world's code: its failure is one trajectory's data
        why = f"the environment's review raised {type(broken).__name__}: {broken}"
        return (Signal("review", None, why, SignalKind.EXPLANATORY),)


def _validate(trajectory: Trajectory, signals: Iterable[Signal]) -> None:
    indices = {turn.index for turn in trajectory.turns}
    for signal in signals:
        fine = signal.score is None or -1 <= signal.score <= 1
        if not fine or not (math.isfinite(signal.weight) and signal.weight >= 0):
            raise FeedbackError(
                f"signal {signal.name!r} of trajectory {trajectory.id} has score {signal.score!r} and weight "
                f"{signal.weight!r}",
                fix="give a score in [-1, 1] (or None for unknown) and a weight of 0 or more",
            )
        if signal.turn is not None and signal.turn not in indices:
            raise FeedbackError(
                f"signal {signal.name!r} of trajectory {trajectory.id} speaks of turn {signal.turn}, "
                f"which is none of its {len(indices)} turns",
                fix="use the index of one of the trajectory's turns, or None for the whole",
            )


def reward(
    trajectory: Trajectory, signals: Sequence[Signal], rule: RewardRule, expected: Expectation = _NOTHING
) -> Reward:
    """Add up.

    Args: expected: what the users of like sessions say; of a live trajectory.

    Returns: total in [-1, 1]; `turns` has one credit per turn, in [-1, 1] before shaping, and is empty where
    the total is unknown (an unknown credit is no 0). A live session that nobody spoke of has a total near 0,
    no outcome and a low confidence.
    """
    signals = _weighed(signals, rule.weights)
    judged = judge(trajectory, signals, rule.live, expected)
    outcome, mean, why = judged.outcome, judged.mean, judged.why
    broken = trajectory.failure is not None and trajectory.failure.party is not Party.AGENT
    wrong = None if broken else _first_wrong(trajectory, signals, outcome)
    if mean is None:
        return Reward(total=None, outcome=None, turns=(), first_wrong=wrong, why=why)
    praise, milestones, faults = _sorted_process(trajectory, signals)
    gains = min(1.0, sum(_value(s) for s in praise)) + max(-1.0, sum(_value(s) for s in faults))
    asked = [s for s in [*praise, *milestones] if s.name.endswith(NEEDED_QUESTION)][:1]
    hard = rule.hard_task_bonus if outcome is Outcome.SUCCESS and trajectory.task.difficulty >= 3 else 0.0
    borne = rule.outcome_weight * mean + hard
    total = borne + rule.process_weight * gains
    total += rule.milestone_reward * sum(min(1.0, _value(s)) for s in milestones)
    total += rule.question_reward * len(asked) - rule.turn_cost * max(0, len(trajectory.turns) - 1)
    per_turn: dict[int, float] = defaultdict(float)
    for weight, group in (
        (rule.process_weight, [*praise, *faults]),
        (rule.milestone_reward, milestones),
        (rule.question_reward, asked),
    ):
        for signal in group:
            if signal.turn is not None:
                per_turn[signal.turn] += weight * max(-1.0, min(1.0, _value(signal)))
    # Users know nothing of milestones and hard tasks: what they said is on the whole scale already.
    largest = rule.outcome_weight if judged.live else rule.largest
    return Reward(
        total=max(-1.0, min(1.0, total / largest)),
        outcome=outcome,
        turns=_credited(trajectory, _credits(trajectory, (borne, largest), wrong, per_turn, rule), rule),
        first_wrong=wrong,
        why=_readable(why, signals, wrong),
        confidence=judged.confidence,
    )


def _weighed(signals: Sequence[Signal], weights: Mapping[str, float]) -> Sequence[Signal]:
    """What is counted, at its weight here; the signals themselves keep the weight they were given."""
    if not weights:
        return signals
    factors = [(signal, weights.get(signal.name, 1.0)) for signal in signals]
    return [replace(signal, weight=signal.weight * factor) for signal, factor in factors if factor]


def _value(signal: Signal) -> float:
    return 0.0 if signal.score is None else signal.score * signal.weight


def _sorted_process(
    trajectory: Trajectory, signals: Sequence[Signal]
) -> tuple[list[Signal], list[Signal], list[Signal]]:
    """Praise, milestones and faults among the judged process signals.

    Praise of one name counts once, so that it cannot be farmed by doing it again. Where a judge names a wrong
    step, that the steps before it were right is no praise, which would make up for it.
    """
    events = {(turn.index, event) for turn in trajectory.turns for event in turn.events}
    judged = [s for s in signals if s.kind is SignalKind.PROCESS and s.score is not None]
    blaming = {s.name for s in judged if s.source is SignalSource.JUDGE and _value(s) < 0}
    positive: dict[str, Signal] = {}
    for signal in judged:
        if _value(signal) > 0 and signal.name not in blaming:
            positive.setdefault(signal.name, signal)
    milestones = [
        s
        for s in positive.values()
        if s.name.startswith("milestone") or (s.turn is not None and (s.turn, s.name) in events)
    ]
    praise = [s for s in positive.values() if s not in milestones]
    return praise, milestones[:MILESTONES_COUNTED], [s for s in judged if _value(s) < 0]


def _first_wrong(trajectory: Trajectory, signals: Sequence[Signal], outcome: Outcome | None) -> int | None:
    wrong = [
        s.turn
        for s in signals
        if (s.kind is SignalKind.PROCESS or s.source is SignalSource.BEHAVIOUR)
        and s.turn is not None
        and s.score is not None
        and s.score <= -WRONG_AT
        and s.weight > 0
    ]
    if wrong:
        return min(wrong)
    failed = outcome in (Outcome.FAILURE, Outcome.PARTIAL)
    return trajectory.turns[-1].index if failed and trajectory.turns else None


def _credits(
    trajectory: Trajectory,
    outcome: tuple[float, float],
    wrong: int | None,
    per_turn: Mapping[int, float],
    rule: RewardRule,
) -> tuple[float, ...]:
    """The outcome over the turns that bear it, later ones more, plus each turn's own signals.

    Blame starts at the first wrong turn: what came before it is not to blame. Praise goes to all turns.
    """
    turns, (borne, largest) = trajectory.turns, outcome
    bears = [not (borne < 0 and wrong is not None and turn.index < wrong) for turn in turns]
    shares = [rule.discount ** (len(turns) - 1 - k) if bears[k] else 0.0 for k in range(len(turns))]
    credits = []
    for k, turn in enumerate(turns):
        value = borne * shares[k] / sum(shares) + per_turn.get(turn.index, 0.0)
        value -= rule.turn_cost if k else 0.0
        credits.append(max(-1.0, min(1.0, value / largest)))
    return tuple(credits)


def _credited(trajectory: Trajectory, credits: tuple[float, ...], rule: RewardRule) -> tuple[float, ...]:
    """The credits with the difference of potentials that each turn makes; undiscounted, as the total is.

    An episode begins and ends at potential 0, so neither the total nor the credits' sum is another one, and
    the best policy stays the best. Clipping the shaped credits would undo that, so they may exceed [-1, 1].
    """
    if not rule.shaping:
        return credits
    return tuple(shape(np.array(credits), event_potentials(trajectory, rule.shaping), 1.0).tolist())


def _readable(why: str, signals: Sequence[Signal], wrong: int | None) -> str:
    at = [s.why for s in signals if s.turn == wrong and s.score is not None and s.score < 0]
    if wrong is None:
        return why
    named = at[0] if at else f"turn {wrong}, the last, since no rule names an earlier one"
    return f"{why}; first wrong: {named}"
