"""What a person should look at next: scored trajectories enter, a short list with reasons leaves.

Five reasons share the list: sources that contradict each other, a kind of failure that nobody has named yet,
a verdict nobody is sure of, a type of task of which little was heard, and a random share of all, so that what
everybody agrees on is looked at too.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, zip_longest

from coevolve.feedback.crowd import contradictions, probes
from coevolve.feedback.failures import FailureCluster
from coevolve.types import WRONG_AT, Signal, SignalKind, SignalSource, Trajectory

AUDIT_SHARE = 0.2  # of the list, drawn from all


class Ask(StrEnum):
    """Why somebody is asked."""

    DISAGREEMENT = "disagreement"
    NEW_CLUSTER = "new_cluster"
    UNCERTAIN = "uncertain"
    UNHEARD = "unheard"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """One trajectory to look at."""

    trajectory: str
    ask: Ask
    urgency: float  # [0, 1], within its reason
    why: str


def review_queue(
    scored: Sequence[Trajectory],
    clusters: Sequence[FailureCluster],
    labelled: Collection[str],
    count: int,
    seed: int = 0,
) -> list[ReviewItem]:
    """At most `count` trajectories that no person has labelled, each once, the reasons in turn.

    Args:
        clusters: of failures among `scored`; one without a labelled member is new.
        labelled: ids of trajectories that a person has spoken of.
        seed: of the audit; the same trajectories are drawn whoever asks, and however often.
    """
    open_ones = {one.id: one for one in scored if one.id not in labelled}
    urgent = zip_longest(
        _disagreements(open_ones.values()),
        _new_clusters(clusters, labelled),
        _uncertain(open_ones.values()),
        _unheard(scored, open_ones.values()),
    )
    told = (one for one in chain.from_iterable(urgent) if one is not None and one.trajectory in open_ones)
    found: dict[str, ReviewItem] = {}
    for most, items in ((count - math.ceil(AUDIT_SHARE * count), told), (count, _audits(open_ones, seed))):
        for one in items:
            if len(found) >= most:
                break
            found.setdefault(one.trajectory, one)
    return list(found.values())


def _disagreements(open_ones: Collection[Trajectory]) -> Iterable[ReviewItem]:
    """Sources that say the opposite of the whole, and a judge and a rule that do, the widest apart first."""
    found = []
    for one in contradictions(list(open_ones)):
        first, second = one.means
        why = f"{one.one.value} says {first:+.1f}, {one.other.value} says {second:+.1f}"
        found.append(_disagreement(one.trajectory, first - second, why))
    for whole in open_ones:
        judges = [s for s in whole.signals if s.source is SignalSource.JUDGE and s.kind is SignalKind.OUTCOME]
        rule = _rules(whole) if judges else None
        for judge in judges:
            if rule is not None and rule.score and judge.score and judge.score * rule.score < 0:
                why = f"{judge.name} says {judge.score:+.1f}, {rule.name} {rule.score:+.1f}: {rule.why}"
                found.append(_disagreement(whole.id, judge.score - rule.score, why))
    return sorted(found, key=lambda one: (-one.urgency, one.trajectory))


def _disagreement(trajectory: str, apart: float, why: str) -> ReviewItem:
    return ReviewItem(trajectory=trajectory, ask=Ask.DISAGREEMENT, urgency=min(1.0, abs(apart) / 2), why=why)


def _rules(trajectory: Trajectory) -> Signal | None:
    """What rules say loudest of its turns: a turn that is wrong, else a turn that is as right, if no rule
    finds a fault anywhere. Praise along the way says little of an episode that went wrong later.
    """
    said = [
        s
        for s in trajectory.signals
        if s.source is SignalSource.RULE and s.kind is SignalKind.PROCESS and s.score
    ]
    faults = [s for s in said if (s.score or 0) < 0]
    loudest = max(faults or said, key=lambda s: abs(s.score or 0), default=None)
    return loudest if loudest is not None and abs(loudest.score or 0) >= WRONG_AT else None


def _new_clusters(clusters: Sequence[FailureCluster], labelled: Collection[str]) -> Iterable[ReviewItem]:
    total = sum(one.size for one in clusters)
    for one in clusters:
        if labelled and not set(labelled).isdisjoint(one.members):
            continue
        why = f"one of {one.size} failures that read alike, none of them labelled: {one.name}"
        for example in one.examples[:1]:
            yield ReviewItem(trajectory=example, ask=Ask.NEW_CLUSTER, urgency=one.size / total, why=why)


def _uncertain(open_ones: Iterable[Trajectory]) -> Iterable[ReviewItem]:
    """Those of whom something was heard that does not decide. What a world checked is sure; silence is for
    the audit.
    """
    found = []
    for one in open_ones:
        reward = one.reward
        spoken = [s for s in one.signals if s.kind is not SignalKind.EXPLANATORY]
        heard = not one.checks and any(s.score for s in spoken)
        if reward is None or reward.total is None or not heard:
            continue
        urgency = 1 - reward.confidence * abs(reward.total)
        if reward.outcome is None or abs(reward.total) < 0.5:
            why = f"reward {reward.total:+.2f} at confidence {reward.confidence:.2f}: {reward.why}"
            found.append(ReviewItem(trajectory=one.id, ask=Ask.UNCERTAIN, urgency=urgency, why=why))
    return sorted(found, key=lambda one: (-one.urgency, one.trajectory))


def _unheard(scored: Sequence[Trajectory], open_ones: Iterable[Trajectory]) -> Iterable[ReviewItem]:
    """One of each type of which too little is known, the least known first."""
    by_type = {one.task.type: one for one in sorted(open_ones, key=lambda one: one.id)}
    for probe in probes(scored, frozenset()):
        if (one := by_type.get(probe.type)) is not None:
            why = f"of {probe.sessions} sessions of {probe.type}, {probe.heard} were judged"
            urgency = 1 - probe.heard / max(1, probe.sessions)
            yield ReviewItem(trajectory=one.id, ask=Ask.UNHEARD, urgency=urgency, why=why)


def _audits(open_ones: Iterable[str], seed: int) -> list[ReviewItem]:
    order = sorted(open_ones, key=lambda one: hashlib.sha256(f"{seed}:{one}".encode()).digest())
    return [
        ReviewItem(trajectory=one, ask=Ask.AUDIT, urgency=0.0, why="drawn at random from all")
        for one in order
    ]
