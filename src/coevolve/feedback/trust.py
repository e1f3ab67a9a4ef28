"""How rules and judges fare against people's labels: labelled trajectories enter, figures and names leave.

A label on the whole trajectory is held against what was said of its outcome, one on a turn against what was
said of that turn, and one that names a signal against that signal alone. What people overrule more often
than not is not counted, and a judge is counted only once it was measured. Not protected against: reviewers
who are wrong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scipy import stats

from coevolve.feedback.calibration import Agreement, agreement
from coevolve.feedback.statements import LABEL, LABEL_OF
from coevolve.types import JudgeCall, Signal, SignalKind, SignalSource, Trajectory

OFTEN = 0.25  # share overruled, at the lower end of its interval, from which a signal is reported
WORSE_THAN_NOT = 0.5  # from which it misleads more than it tells
_WORDS = ("bad", "good")
_SURE = 0.9  # of the interval
_HELD = frozenset({SignalSource.RULE, SignalSource.CHECK, SignalSource.JUDGE, SignalSource.BEHAVIOUR})

# A signal's name and source, and of a judge what it was asked and its model: with another one it is another.
Voice: TypeAlias = tuple[str, SignalSource, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFloor:
    """What a judge must show before its word counts."""

    kappa: float = 0.4  # at the lower end of its 90% interval; 0.41 to 0.60 is moderate (Landis, Koch 1977)
    labels: int = 10  # people's labels below which its kappa says nothing yet
    trusted: frozenset[str] = frozenset()  # names of signals of judges that count until they are measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Fared:
    """One signal against people's labels."""

    name: str
    source: SignalSource
    rubric: str = ""  # of a judge, see JudgeCall
    model: str = ""
    labelled: int  # times that a person spoke of the same thing
    overruled: int  # times that they said the opposite
    low: float  # lower end of the 90% interval of the share overruled (Clopper, Pearson 1934)
    muted: bool  # whether it is not counted
    why: str  # of `muted`; of a judge also where it is counted
    agreement: Agreement | None = None  # of a judge

    @property
    def often(self) -> bool:
        """Whether people overrule it so often that somebody should look at it."""
        return self.low >= OFTEN

    @property
    def voice(self) -> Voice:
        """Who it is."""
        return self.name, self.source, self.rubric, self.model


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one judge's words on some trajectories cost."""

    rubric: str  # see JudgeCall
    model: str
    verdicts: int
    unknown: int  # verdicts without a score; a kind of failure has none
    late: int  # votes that did not come in time
    seconds: float
    tokens: int


def against_labels(
    trajectories: Sequence[Trajectory], floor: JudgeFloor | None = None, seed: int = 0
) -> list[Fared]:
    """Every signal that people's labels speak of, and every judge; the most overruled first.

    Args: seed: of the judges' bootstrap.
    """
    floor = floor or JudgeFloor()
    pairs: dict[Voice, list[tuple[bool, bool, float]]] = defaultdict(list)
    for one in trajectories:
        for signal in one.signals:
            if _judges(signal):
                pairs[voice_of(signal)] += []  # a judge that nobody labelled is listed too
        for signal, right in _met(one):
            pairs[voice_of(signal)].append(((signal.score or 0) > 0, right, signal.sureness))
    found = [_fared(voice, said, floor, seed) for voice, said in pairs.items()]
    return sorted(found, key=lambda one: (-one.low, -one.labelled, one.voice))


def voice_of(signal: Signal) -> Voice:
    """Who says a signal."""
    call = signal.call
    return signal.name, signal.source, *((call.rubric, call.model) if call else ("", ""))


def uncounted(fared: Sequence[Fared], floor: JudgeFloor, signals: Iterable[Signal]) -> frozenset[str]:
    """Names of signals that are not counted for a trajectory that has these: what people overrule, and
    judges that were not measured or are below their floor.
    """
    judges = {one.voice: one.muted for one in fared if one.source is SignalSource.JUDGE}
    silent = {one.name for one in fared if one.muted and one.source is not SignalSource.JUDGE}
    silent |= {
        one.name
        for one in signals
        if _judges(one) and judges.get(voice_of(one), one.name not in floor.trusted)
    }
    return frozenset(silent)


def spent(trajectories: Iterable[Trajectory]) -> list[Spent]:
    """What each judge cost by its latest words on these trajectories, the most tokens first."""
    calls: dict[tuple[str, str], list[tuple[JudgeCall, bool]]] = defaultdict(list)
    for one in trajectories:
        said = {(one.name, one.call): one.score is None for one in one.signals if one.call is not None}
        for (_, call), unknown in said.items():  # an opinion may speak of several turns, at one price
            calls[call.rubric, call.model].append((call, unknown))
    found = [
        Spent(
            rubric=rubric,
            model=model,
            verdicts=len(some),
            unknown=sum(unknown for _, unknown in some),
            late=sum(call.late for call, _ in some),
            seconds=sum(call.seconds for call, _ in some),
            tokens=sum(call.tokens for call, _ in some),
        )
        for (rubric, model), some in calls.items()
    ]
    return sorted(found, key=lambda one: (-one.tokens, one.rubric, one.model))


def _judges(signal: Signal) -> bool:
    return signal.source is SignalSource.JUDGE and signal.kind is not SignalKind.EXPLANATORY


def _fared(voice: Voice, said: Sequence[tuple[bool, bool, float]], floor: JudgeFloor, seed: int) -> Fared:
    name, source, rubric, model = voice
    overruled = sum(ours != theirs for ours, theirs, _ in said)
    low = 0.0
    if said:
        low = float(stats.binomtest(overruled, len(said)).proportion_ci(_SURE, "exact").low)
    judged = None
    if source is SignalSource.JUDGE:
        ours = [_WORDS[side] for side, _, _ in said]
        theirs = [_WORDS[side] for _, side, _ in said]
        judged = agreement(ours, theirs, [sure for _, _, sure in said], seed)
    muted, why = low >= WORSE_THAN_NOT, "people overrule it more often than not"
    if judged is not None and not muted:
        muted, why = _standing(judged, floor, name in floor.trusted)
    return Fared(
        name=name,
        source=source,
        rubric=rubric,
        model=model,
        labelled=len(said),
        overruled=overruled,
        low=low,
        muted=muted,
        why=why if muted or judged is not None else "",
        agreement=judged,
    )


def _standing(judged: Agreement, floor: JudgeFloor, trusted: bool) -> tuple[bool, str]:
    """Whether a judge is left out; and why, or why not."""
    if judged.trusted(floor.kappa, floor.labels):
        return False, f"kappa is {judged.low:.2f} or more"
    lacking = f"{judged.count} of {floor.labels} labels"
    if judged.count >= floor.labels:
        if judged.low is not None:
            return True, f"kappa may be {judged.low:.2f}, which is below {floor.kappa:.2f}"
        lacking = "labels of one kind alone"  # with which a judge that always says the same agrees as well
    return not trusted, f"not measured yet: {lacking}" + (", but trusted" if trusted else "")


def _met(trajectory: Trajectory) -> Iterator[tuple[Signal, bool]]:
    """Signals of this trajectory that a label speaks of, and whether the person said good.

    Each word once, by the latest label: who changes their mind sends another one. A label that names a signal
    and no turn speaks of the first word of that name.
    """
    seen: set[tuple[str, int | None]] = set()
    labels = [s for s in trajectory.signals if s.source is SignalSource.REVIEWER and s.score]
    for label in sorted(reversed(labels), key=lambda one: not one.name.startswith(LABEL_OF)):
        for signal in trajectory.signals:
            if signal.source not in _HELD or not signal.score or (signal.name, signal.turn) in seen:
                continue
            if label.name.startswith(LABEL_OF):
                meant = label.name == LABEL_OF + signal.name and label.turn in (None, signal.turn)
            elif label.name == LABEL and label.turn is None:
                meant = signal.kind is SignalKind.OUTCOME
            else:
                meant = signal.kind is SignalKind.PROCESS and signal.turn == label.turn
            if meant:
                seen.add((signal.name, signal.turn))
                yield signal, (label.score or 0) > 0
                if label.name.startswith(LABEL_OF) and label.turn is None:
                    break
