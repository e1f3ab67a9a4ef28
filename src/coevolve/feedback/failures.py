"""The error library: failed trajectories enter, classes and named clusters of failures leave.

A failure's class says whose kind of mistake it was: by a person's word, else by rules on its signals, else
by a judge that was asked; where none of them knows, it is unknown. A cluster gathers failures that read
alike. Clusters are of what was seen: an error that happened three times makes none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from coevolve.feedback.classes import FailureClass, said_class
from coevolve.feedback.traces import EVASIVE
from coevolve.need import need
from coevolve.types import Outcome, Party, Signal, SignalKind, SignalSource, Trajectory

_SAME = 0.85  # cosine of two clusters' middles from which they are one
_EMPTY = re.compile(r"the|and|for|was|were|with|that|this|not|but|you|your|have|has|had|are|from|turn")
Embed: TypeAlias = Callable[[Sequence[str]], np.ndarray]  # N texts -> (N, D) unit vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRecord:
    """One failed trajectory in the library."""

    trajectory: str
    version: str
    task_type: str
    kind: FailureClass
    turn: int | None  # where it went wrong
    why: str  # checkable by a person
    text: str  # what it is compared by


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCluster:
    """Failures that read alike."""

    name: str  # the words that set it apart
    kind: FailureClass  # of most of its members
    size: int
    trend: Mapping[str, float]  # version -> share of that version's failures
    examples: tuple[str, ...]  # ids of the three that are most like all others
    members: tuple[str, ...]


_TOOL_CALL = r"unknown_tool|_parameter$|malformed|truncated|unsaid_value|empty_reply|repeated_call"
_NAMES: tuple[tuple[re.Pattern[str], FailureClass], ...] = (
    (re.compile(_TOOL_CALL), FailureClass.TOOL_CALL),
    (re.compile(r"before|without_identity|too_early|unverified|not_asked|needs_"), FailureClass.ORDER),
    (re.compile(r"^violation|forbidden|policy|not_allowed"), FailureClass.POLICY),
    (re.compile(r"ended_without_trying|budget_exhausted"), FailureClass.EVASION),
    (
        re.compile(r"^(looked|fact)\.|not_looked_up|amounts_true|unfounded|made_up|hallucinat"),
        FailureClass.KNOWLEDGE,
    ),
)


def record_failure(trajectory: Trajectory) -> FailureRecord | None:
    """Classify a scored trajectory; None where it did not fail or nobody knows."""
    reward = trajectory.reward
    failed = reward is not None and reward.outcome in (Outcome.FAILURE, Outcome.PARTIAL)
    if not failed and trajectory.failure is None:
        return None
    kind, turn, why = _classified(trajectory)
    return FailureRecord(
        trajectory=trajectory.id,
        version=trajectory.version,
        task_type=trajectory.task.type,
        kind=kind,
        turn=turn,
        why=why,
        text=_told(trajectory, turn, why),
    )


def _classified(trajectory: Trajectory) -> tuple[FailureClass, int | None, str]:
    if (told := said_class(trajectory.signals, SignalSource.REVIEWER)) is not None:
        kind, signal = told
        return kind, signal.turn, signal.why
    kind, turn, why = _by_rules(trajectory)
    told = said_class(trajectory.signals, SignalSource.JUDGE)
    if kind is FailureClass.UNKNOWN and told is not None and told[0] is not FailureClass.UNKNOWN:
        kind, signal = told
        return kind, signal.turn, signal.why
    return kind, turn, why


def _by_rules(trajectory: Trajectory) -> tuple[FailureClass, int | None, str]:
    failure, reward = trajectory.failure, trajectory.reward
    if failure is not None and failure.party is not Party.AGENT:
        blamed = FailureClass.JUDGE if failure.party is Party.JUDGE else FailureClass.ENVIRONMENT
        return blamed, None, failure.why
    if words := _opposite(trajectory.signals):
        return FailureClass.JUDGE, None, words
    turn = reward.first_wrong if reward is not None else None
    spoken = [s for s in trajectory.signals if s.kind is not SignalKind.EXPLANATORY]
    blame = [s for s in spoken if s.score is not None and s.score < 0]
    blame.sort(key=lambda s: (s.turn != turn, s.kind is not SignalKind.PROCESS, s.score or 0.0))
    for signal in blame:
        for pattern, kind in _NAMES:
            if pattern.search(signal.name):
                return kind, signal.turn if signal.turn is not None else turn, signal.why
    last = trajectory.turns[-1] if trajectory.turns else None
    if last is not None and EVASIVE.search(last.raw):
        return FailureClass.EVASION, last.index, f"it ends with: {' '.join(last.raw.split())[-120:]}"
    why = blame[0].why if blame else (reward.why if reward is not None else "")
    return FailureClass.UNKNOWN, turn, why or "no signal says why"


def _opposite(signals: Iterable[Signal]) -> str:
    """Where a judge and a check or a reviewer say the opposite with full voice."""
    scores: dict[SignalSource, list[float]] = defaultdict(list)
    for one in signals:
        if one.kind is SignalKind.OUTCOME and one.score is not None:
            scores[one.source].append(one.score)
    judges = scores.get(SignalSource.JUDGE)
    for source in (SignalSource.REVIEWER, SignalSource.CHECK):
        facts = scores.get(source)
        if judges and facts and min(facts) >= 1 and np.mean(judges) <= -0.5:
            return f"every {source.value} passes, and the judge says {np.mean(judges):+.1f}"
    return ""


def _told(trajectory: Trajectory, turn: int | None, why: str) -> str:
    """What a failure is compared by: why it is one, what was done where it went wrong, and on what."""
    at = next((one for one in trajectory.turns if one.index == turn), None)
    done = "" if at is None or at.action is None else f"{at.thought} {at.action.tool}"
    asked = trajectory.task.opening if at is None else at.observation or trajectory.task.opening
    return " | ".join(_plain(part) for part in (why, done, asked) if part)


def _plain(text: str, most: int = 300) -> str:
    """Without the numbers that make every text one of its own."""
    return re.sub(r"\d+", "#", " ".join(text.split()))[:most]


def cluster_failures(
    records: Sequence[FailureRecord], embed: Embed, order: Sequence[str], least: int = 5
) -> list[FailureCluster]:
    """Failures that read alike, largest first; those like no other are left out.

    Density-based clusters (HDBSCAN, Campello et al. 2013) of the texts' unit vectors, so that their number
    need not be known and an odd one joins none.

    Args:
        order: versions in the order in which they acted, for the trend.
        least: failures that make a cluster.
    """
    if len(records) < 2 * least:
        return []
    sklearn = need("sklearn.cluster", "local")
    vectors_ND = embed([one.text for one in records])
    how = {"min_cluster_size": least, "min_samples": min(3, least), "copy": True}
    labels_N = sklearn.HDBSCAN(**how).fit_predict(vectors_ND)
    if labels_N.max() < 0:  # one kind alone has nothing to stand out from
        labels_N = sklearn.HDBSCAN(**how, allow_single_cluster=True).fit_predict(vectors_ND)
        labels_N = _near_the_middle(labels_N, vectors_ND, least)
    found = _merged(labels_N, vectors_ND)
    totals = Counter(one.version for one in records)
    words = [_words(one.text) for one in records]
    spread = Counter(word for some in words for word in some)
    clusters = []
    for label in sorted(set(found.tolist()) - {-1}):
        places = np.flatnonzero(found == label).tolist()
        middle_D = vectors_ND[places].mean(0)
        likeness = dict(zip(places, (vectors_ND[places] @ middle_D).tolist(), strict=True))
        nearest = sorted(places, key=lambda at: -likeness[at])
        inside = Counter(records[at].version for at in places)
        kinds = Counter(records[at].kind for at in places)
        clusters.append(
            FailureCluster(
                name=_name([words[at] for at in places], spread, len(records)),
                kind=kinds.most_common(1)[0][0],
                size=len(places),
                trend={v: inside[v] / totals[v] for v in order if totals[v]},
                examples=tuple(records[at].trajectory for at in nearest[:3]),
                members=tuple(records[at].trajectory for at in places),
            )
        )
    return sorted(clusters, key=lambda one: (-one.size, one.name))


def _near_the_middle(labels_N: np.ndarray, vectors_ND: np.ndarray, least: int) -> np.ndarray:
    """A single cluster holds whatever is left: only what is like its middle stays, if that is enough."""
    if labels_N.max() < 0:
        return labels_N
    middle_D = vectors_ND[labels_N >= 0].mean(0)
    inside_N = (labels_N >= 0) & (vectors_ND @ middle_D >= _SAME * np.linalg.norm(middle_D))
    return np.where(inside_N & (inside_N.sum() >= least), 0, -1)


def _merged(labels_N: np.ndarray, vectors_ND: np.ndarray) -> np.ndarray:
    """Clusters whose middles mean the same become one, and who is near a middle joins it.

    Density alone parts texts that are equal word for word from those that differ in one.
    """
    kinds = sorted(set(labels_N.tolist()) - {-1})
    if not kinds:
        return labels_N
    middles_KD = np.array([vectors_ND[labels_N == kind].mean(0) for kind in kinds])
    middles_KD /= np.maximum(np.linalg.norm(middles_KD, axis=1, keepdims=True), 1e-9)
    _, groups_K = connected_components(csr_array(middles_KD @ middles_KD.T >= _SAME), directed=False)
    alike_NK = vectors_ND @ middles_KD.T
    nearest_N = groups_K[alike_NK.argmax(1)]
    own_N = groups_K[np.searchsorted(kinds, np.maximum(labels_N, kinds[0]))]
    joined_N = np.where(alike_NK.max(1) >= _SAME, nearest_N, -1)
    return np.where(labels_N >= 0, own_N, joined_N)


def _words(text: str) -> frozenset[str]:
    return frozenset(
        word for word in re.findall(r"[^\W\d]{3,}", text.casefold()) if not _EMPTY.fullmatch(word)
    )


def _name(inside: Sequence[frozenset[str]], spread: Mapping[str, int], total: int) -> str:
    """The words that most members have and few others do."""
    counts = Counter(word for some in inside for word in some)
    rank = {
        word: count / len(inside) - (spread[word] - count) / max(1, total - len(inside))
        for word, count in counts.items()
    }
    best = sorted(rank, key=lambda word: (-rank[word], word))[:4]
    return " ".join(best) or "nothing in common"
