"""How an episode ended: by the environment's checks, or, for a live one, by what was heard about it.

Signals enter; an outcome leaves with its mean, its confidence and a reason that a person can check.
Unknown stays unknown: an unjudged check is no pass, and a user who said nothing is a neutral prior of low
confidence, which no threshold lets through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from coevolve.errors import FeedbackError
from coevolve.types import (
    Outcome,
    Party,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    StopReason,
    Trajectory,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRule:
    """What a live session was worth. Weights are relative; values are on [0, 1], 0.5 is neutral."""

    user: float = 0.7  # what users said; where nobody spoke, a prior of mean 0.5 takes its place
    behaviour: float = 0.3  # what their behaviour tells, and the silence of all signs is neutral
    business: float = 1.0  # figures joined later; the rest counts only where it was heard
    check: float = 1.0  # what was verified: tests, a schema, a database's state
    judge: float = 0.5
    reviewer: float = 2.0
    prior_confidence: float = 0.1  # of what a silent user would have said
    success_at: float = 0.65  # value from which it is a success
    failure_at: float = 0.35  # value up to which it is a failure
    least_confidence: float = 0.5  # below which the outcome is unknown

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            weight = item.name in _SOURCES
            if not 0 <= value <= (100 if weight else 1):
                raise FeedbackError(
                    f"LiveRule.{item.name} is {value!r}",
                    fix=f"set feedback.live.{item.name} within 0 and {100 if weight else 1}",
                )
        if self.user + self.behaviour <= 0 or self.failure_at >= self.success_at:
            raise FeedbackError(
                "LiveRule hears nobody, or fails what succeeds",
                fix="set feedback.live.user or behaviour above 0, and failure_at below success_at",
            )


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of a session before its own user is heard, and how many voices that counts for."""

    mean: float = 0.5  # [0, 1]
    strength: float = 0.0  # voices; 0 = the user's own word stands alone


@dataclass(frozen=True, slots=True)
class Judged:
    """How an episode ended, as far as anybody can tell."""

    outcome: Outcome | None  # None = unknown
    mean: float | None  # [-1, 1]; of a live session also where the outcome is unknown
    why: str
    confidence: float = 1.0
    live: bool = False  # by who was heard, not by checks


_SOURCES = {
    "user": SignalSource.USER,
    "behaviour": SignalSource.BEHAVIOUR,
    "business": SignalSource.BUSINESS,
    "check": SignalSource.CHECK,
    "judge": SignalSource.JUDGE,
    "reviewer": SignalSource.REVIEWER,
}


def judge(trajectory: Trajectory, signals: Sequence[Signal], rule: LiveRule, expected: Expectation) -> Judged:
    """A world's episode by its checks; a live one by all that was heard, of which checks are a part."""
    if trajectory.task.split is Split.LIVE and trajectory.failure is None:
        return live_outcome(signals, rule, expected)
    return Judged(*judge_outcome(trajectory, signals))


def live_outcome(signals: Sequence[Signal], rule: LiveRule, expected: Expectation) -> Judged:
    """The weighted mean of the sources that were heard.

    A user's words are shrunk towards what users of like sessions say (`expected`), so that one voice
    cannot turn it over. Signs of behaviour add up; each source's other signals are averaged.

    Returns: `mean` = 2 * value - 1, always known; the outcome is None below `rule.least_confidence`.
    """
    heard = [s for s in signals if s.kind is SignalKind.OUTCOME and s.score is not None]
    parts = []  # (weight, value, confidence, words)
    for name, source in _SOURCES.items():
        of_it = [(s, s.score) for s in heard if s.source is source and s.score is not None]
        weight, value, confidence, note = getattr(rule, name), 0.5, 1.0, f"{len(of_it)} heard"
        if source is SignalSource.BEHAVIOUR:
            total = sum(s.weight * score for s, score in of_it)
            value = (max(-1.0, min(1.0, total)) + 1) / 2
            note = f"{len(of_it)} signs"
        elif of_it:
            value = (_mean(of_it) + 1) / 2
            if source is SignalSource.USER and expected.strength > 0:
                voices = len(of_it)
                confidence = voices / (voices + expected.strength)
                value = confidence * value + (1 - confidence) * expected.mean
                note += f", shrunk towards {expected.mean:.2f}"
        elif source is SignalSource.USER:
            value, confidence, note = expected.mean, rule.prior_confidence, "nobody spoke"
        else:
            continue
        parts.append((weight, value, confidence, f"{name} {value:.2f} x {weight:g} ({note})"))
    whole = sum(weight for weight, *_ in parts)
    value = sum(weight * value for weight, value, *_ in parts) / whole
    confidence = sum(weight * sure for weight, _, sure, _ in parts) / whole
    reasons = f"{value:.2f} = " + " + ".join(words for *_, words in parts)
    if confidence < rule.least_confidence:
        return Judged(
            None, 2 * value - 1, f"unknown: confidence {confidence:.2f}; {reasons}", confidence, True
        )
    outcome = Outcome.PARTIAL
    if value >= rule.success_at or value <= rule.failure_at:
        outcome = Outcome.SUCCESS if value >= rule.success_at else Outcome.FAILURE
    return Judged(outcome, 2 * value - 1, f"{outcome.value}: {reasons}", confidence, live=True)


def judge_outcome(
    trajectory: Trajectory, signals: Sequence[Signal] | None = None
) -> tuple[Outcome | None, float | None, str]:
    """Outcome, the checks' weighted mean in [-1, 1], and the reason. None, None where unknown.

    All checks pass: success; some: partial; none: failure. With an unjudged check among them it is
    unknown, unless another failed already. What an environment, model or judge broke is unknown.
    Of a live trajectory, what was verified later is a check too.

    Args: signals: a live one's at the weights that they count with; None = as they were given.
    """
    failure = trajectory.failure
    if failure is not None and failure.party is not Party.AGENT:
        return None, None, f"unknown: the {failure.party.value} failed ({failure.why})"
    checks = _checks(trajectory, signals)
    known = [(c, c.score) for c in checks if c.score is not None]
    passed = [c for c, value in known if value >= 1]
    broke = failure is not None or trajectory.stop is StopReason.FAILED
    if not known:
        if failure is not None:
            return Outcome.FAILURE, -1.0, f"failure: the agent broke ({failure.why})"
        return None, None, "unknown: no check could be judged" if checks else "unknown: there were no checks"
    mean = _mean(known)
    if len(passed) == len(known):
        if len(known) < len(checks):
            unjudged = ", ".join(c.name for c in checks if c.score is None)
            return None, None, f"unknown: could not judge {unjudged}"
        if failure is not None:
            return Outcome.PARTIAL, 0.0, f"partial: every check passed, but the agent broke ({failure.why})"
        if broke:
            return None, None, "unknown: the episode failed, and nobody says who"
        return Outcome.SUCCESS, mean, f"success: all {len(checks)} checks passed"
    failed = "; ".join(f"{c.name} ({c.why})" for c, value in known if value < 1)
    outcome = Outcome.PARTIAL if passed else Outcome.FAILURE
    return outcome, mean, f"{outcome.value}: {len(passed)} of {len(checks)} checks passed; failed: {failed}"


def _checks(trajectory: Trajectory, signals: Sequence[Signal] | None) -> list[Signal]:
    found: Sequence[Signal] = trajectory.checks
    if trajectory.task.split is Split.LIVE:
        found = [*trajectory.checks, *trajectory.signals] if signals is None else signals
        found = [one for one in dict.fromkeys(found) if one.source is SignalSource.CHECK]
    return [one for one in found if one.kind is SignalKind.OUTCOME]


def _mean(known: Sequence[tuple[Signal, float]]) -> float:
    weight = sum(signal.weight for signal, _ in known)
    if weight <= 0:
        return sum(value for _, value in known) / len(known)
    return sum(signal.weight * value for signal, value in known) / weight
