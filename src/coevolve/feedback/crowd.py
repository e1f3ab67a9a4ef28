"""Who speaks, how far their words can be trusted, and where somebody should be asked.

Scored trajectories and their questions enter; expectations that single answers are
shrunk towards, warnings, contradictions and requests leave. Users who answer are not those who do not, and
one of them may be angry at something else: nothing here finds out why, it keeps one voice from counting
as many and says where the voices are not those of all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy import stats
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from coevolve.feedback.behaviour import Nearness
from coevolve.feedback.outcome import Expectation
from coevolve.types import SignalKind, SignalSource, Trajectory

LIKE = 0.5  # mean similarity of their questions from which sessions are alike
VOICES = 2.0  # what is expected counts as much as two users, so that one alone cannot turn it over
_LEAST_CONCENTRATION, _UNKNOWN_CONCENTRATION, _MOST_CONCENTRATION = 0.1, 2.0, 50.0
_TRIFLE = 0.1  # effect below which a difference matters to nobody, however sure it is
_LEAST_CELL = 5.0  # expected count below which a category is put together with others
APART = 1.0  # difference of two sources' means, on [-1, 1], from which they contradict each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """One way in which those who gave feedback differ from those who did not."""

    what: str  # "task type", "language", "turns", "length of the question"
    p: float  # two-sided
    effect: float  # Cramer's V, or the rank-biserial correlation, 0 to 1
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two sources that say the opposite of one trajectory."""

    trajectory: str
    one: SignalSource
    other: SignalSource
    means: tuple[float, float]  # [-1, 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A task type of which too little is known, and how to learn more."""

    type: str
    heard: int
    sessions: int
    ask: str  # "script": the environment can play and check it; "person": somebody has to look


def clusters_of(questions: Mapping[str, str], nearness: Nearness) -> dict[str, int]:
    """Sessions whose questions are alike, by average linkage, which makes no chains of neighbours.

    Each different text is compared with each other one: a second for 2,000, beside what the nearness takes.

    Args: questions: session id -> how it began.

    Returns: session id -> its cluster; -1 = like no other.
    """
    texts = sorted({text for text in questions.values() if text})
    labels = [1] * len(texts)
    if len(texts) > 1:
        away_NN = np.clip(1.0 - np.asarray(nearness(texts), dtype=float), 0.0, None)
        tree = linkage(squareform(away_NN, checks=False), method="average")
        labels = fcluster(tree, 1 - LIKE, criterion="distance").tolist()
    found = dict(zip(texts, labels, strict=True))
    sizes = Counter(found.get(text, -1) for text in questions.values())
    labelled = {session: found.get(text, -1) for session, text in questions.items()}
    return {session: label if sizes[label] > 1 else -1 for session, label in labelled.items()}


def expectations(
    values: Mapping[str, float], clusters: Mapping[str, int], *, strength: float = VOICES
) -> dict[str, Expectation]:
    """What the users of like sessions say, for a session's own user to be shrunk towards.

    A beta-binomial model: the mean of cluster c is drawn from Beta(k m, k (1 - m)) around the mean m of all,
    and each of its users is one draw. The concentration k comes from the spread between clusters against
    that within them (method of moments; Kleinman 1973). A session's own word is left out of what it is
    shrunk towards, and where nobody else has spoken it stands alone.

    Args:
        values: session id -> what its user said, [0, 1].
        clusters: session id -> the cluster of its question; -1 or absent = like no other.
        strength: how many voices the expectation counts for beside the user's own, at most: never for more
            than the others who spoke.

    Returns: one expectation for each session of either mapping.
    """
    groups: dict[int, list[float]] = defaultdict(list)
    for session, value in values.items():
        if (cluster := clusters.get(session, -1)) >= 0:
            groups[cluster].append(value)
    concentration = _concentration([np.array(many) for many in groups.values()])
    total, count = sum(values.values()), len(values)
    found = {}
    for session in dict.fromkeys([*values, *clusters]):
        own, alone = values.get(session, 0.0), int(session in values)
        overall = (0.5 + total - own) / (1 + count - alone)
        like = groups.get(clusters.get(session, -1), [])
        inside = alone if like else 0
        rest, others = sum(like) - own * inside, len(like) - inside
        mean = (concentration * overall + rest) / (concentration + others)
        found[session] = Expectation(mean, min(strength, float(count - alone)))
    return found


def _concentration(groups: Sequence[np.ndarray]) -> float:
    """k = (1 - rho) / rho with rho the correlation within clusters, by one-way analysis of variance."""
    sizes = np.array([len(one) for one in groups], dtype=float)
    total, count = float(sizes.sum()), len(groups)
    if count < 2 or total <= count:
        return _UNKNOWN_CONCENTRATION
    overall = sum(float(one.sum()) for one in groups) / total
    between = sum(len(one) * (float(one.mean()) - overall) ** 2 for one in groups) / (count - 1)
    within = sum(float(((one - one.mean()) ** 2).sum()) for one in groups) / (total - count)
    even = (total - float((sizes**2).sum()) / total) / (count - 1)
    if between + within <= 0:
        return _UNKNOWN_CONCENTRATION
    rho = (between - within) / (between + (even - 1) * within)
    return (
        min(_MOST_CONCENTRATION, max(_LEAST_CONCENTRATION, 1 / rho - 1)) if rho > 0 else _MOST_CONCENTRATION
    )


def biases(
    trajectories: Sequence[Trajectory], languages: Mapping[str, str] | None = None, alpha: float = 0.01
) -> list[Bias]:
    """How sessions with a user's word differ from those without, where the difference is no chance.

    Args: languages: trajectory id -> the language of its question, where it is known.

    Returns: one entry for each feature that differs at level `alpha` (Holm's correction over the features)
        and by more than a trifle (effect of 0.1 and more), the strongest first.
    """
    heard = np.array([_heard(one) for one in trajectories], dtype=bool)
    if heard.all() or not heard.any():
        return []
    found = [_of_kinds("task type", [one.task.type for one in trajectories], heard)]
    if languages:
        found.append(_of_kinds("language", [languages.get(one.id, "?") for one in trajectories], heard))
    turns = np.array([len(one.turns) for one in trajectories], dtype=float)
    words = np.array([len(one.task.opening.split()) for one in trajectories], dtype=float)
    found += [_of_sizes("turns", turns, heard), _of_sizes("words of the question", words, heard)]
    tested = sorted((one for one in found if one is not None), key=lambda one: one.p)
    kept = []
    for rank, one in enumerate(tested):
        if one.p * (len(tested) - rank) > alpha:
            break
        kept.append(one)
    return sorted((one for one in kept if one.effect >= _TRIFLE), key=lambda one: -one.effect)


def contradictions(trajectories: Sequence[Trajectory]) -> list[Contradiction]:
    """Trajectories of which two sources say the opposite, the widest apart first."""
    found = []
    for one in trajectories:
        scores: dict[SignalSource, list[float]] = defaultdict(list)
        for signal in one.signals:
            if signal.kind is SignalKind.OUTCOME and signal.score is not None:
                scores[signal.source].append(signal.score)
        means = {source: float(np.mean(many)) for source, many in scores.items()}
        for (a, first), (b, second) in combinations(sorted(means.items()), 2):
            if abs(first - second) >= APART and first * second <= 0:
                found.append(Contradiction(trajectory=one.id, one=a, other=b, means=(first, second)))
    return sorted(found, key=lambda one: (-abs(one.means[0] - one.means[1]), one.trajectory))


def probes(trajectories: Sequence[Trajectory], playable: frozenset[str], least: int = 10) -> list[Probe]:
    """Task types with fewer than `least` sessions that anybody judged, the least known first.

    Args: playable: types that an environment can play and check by itself, so that a script can ask.
    """
    sessions = Counter(one.task.type for one in trajectories)
    heard = Counter(one.task.type for one in trajectories if one.checks or _heard(one) or _labelled(one))
    for name in playable:
        sessions.setdefault(name, 0)
    missing = [name for name in sessions if heard[name] < least]
    return [
        Probe(
            type=name,
            heard=heard[name],
            sessions=sessions[name],
            ask="script" if name in playable else "person",
        )
        for name in sorted(missing, key=lambda name: (heard[name], -sessions[name], name))
    ]


def _heard(trajectory: Trajectory) -> bool:
    return any(one.source is SignalSource.USER and one.score is not None for one in trajectory.signals)


def _labelled(trajectory: Trajectory) -> bool:
    return any(
        one.source is SignalSource.REVIEWER and one.kind is SignalKind.OUTCOME and one.score is not None
        for one in trajectory.signals
    )


def _of_kinds(what: str, kinds: Sequence[str], heard: np.ndarray) -> Bias | None:
    """Chi-square test on a table of kinds; rare kinds are put together, so that the test holds."""
    counts, share = Counter(kinds), min(heard.mean(), 1 - heard.mean())
    named = [kind if counts[kind] * share >= _LEAST_CELL else "others" for kind in kinds]
    names = sorted(set(named))
    if len(names) < 2:
        return None
    cells = Counter(zip(named, heard.tolist(), strict=True))
    table = np.array([[cells[name, True], cells[name, False]] for name in names], dtype=float)
    result = stats.chi2_contingency(table, correction=False)
    rates = table[:, 0] / table.sum(1)
    most, least = int(rates.argmax()), int(rates.argmin())
    return Bias(
        what=what,
        p=float(result.pvalue),
        effect=float(np.sqrt(result.statistic / len(kinds))),  # two columns: Cramer's V
        why=f"{rates[most]:.0%} of {names[most]} were rated, {rates[least]:.0%} of {names[least]}",
    )


def _of_sizes(what: str, sizes: np.ndarray, heard: np.ndarray) -> Bias | None:
    """Mann-Whitney's test, which asks nothing of the sizes' distribution."""
    spoke, silent = sizes[heard], sizes[~heard]
    if np.ptp(sizes) == 0:
        return None
    result = stats.mannwhitneyu(spoke, silent, method="asymptotic")
    effect = abs(2 * float(result.statistic) / (len(spoke) * len(silent)) - 1)
    why = f"{what}: median {np.median(spoke):g} where the user spoke, {np.median(silent):g} where not"
    return Bias(what=what, p=float(result.pvalue), effect=effect, why=why)
