"""How rules and judges fare against people's labels: labelled trajectories enter, figures and names leave.

A label on the whole trajectory is held against what was said of its outcome, one on a turn against what was
said of that turn, and one that names a signal against that signal alone. What people overrule more often
than not is counted no more. Not protected against: reviewers who are wrong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scipy import stats

from coevolve.feedback.calibration import Agreement, agreement
from coevolve.feedback.statements import LABEL, LABEL_OF
from coevolve.types import Signal, SignalKind, SignalSource, Trajectory

OFTEN = 0.25  # share overruled, at the lower end of its interval, from which a signal is reported
WORSE_THAN_NOT = 0.5  # from which it misleads more than it tells
FLOOR = 0.4  # kappa below which a judge is not counted; 0.41 to 0.60 is called moderate (Landis, Koch 1977)
LEAST = 10  # labels below which a judge's kappa says nothing yet
_WORDS = ("bad", "good")
_SURE = 0.9  # of the interval
_HELD = frozenset({SignalSource.RULE, SignalSource.CHECK, SignalSource.JUDGE, SignalSource.BEHAVIOUR})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fared:
    """One signal against people's labels."""

    name: str
    source: SignalSource
    labelled: int  # times that a person spoke of the same thing
    overruled: int  # times that they said the opposite
    low: float  # lower end of the 90% interval of the share overruled (Clopper, Pearson 1934)
    agreement: Agreement | None = None  # of a judge

    @property
    def often(self) -> bool:
        """Whether people overrule it so often that somebody should look at it."""
        return self.low >= OFTEN

    @property
    def muted(self) -> bool:
        """Whether it is counted no more: it is wrong more often than not, or a judge below its floor."""
        judged = self.agreement
        # Where both always said the same there is no kappa, and nothing against the judge either.
        measured = judged is not None and judged.count >= LEAST and judged.low is not None
        poor = measured and judged is not None and not judged.trusted(FLOOR, LEAST)
        return poor or self.low >= WORSE_THAN_NOT


def against_labels(trajectories: Sequence[Trajectory], seed: int = 0) -> list[Fared]:
    """Every signal that people's labels speak of, the most overruled first.

    Args: seed: of the judges' bootstrap.
    """
    pairs: dict[tuple[str, SignalSource], list[tuple[bool, bool, float]]] = defaultdict(list)
    for one in trajectories:
        for signal, right in _met(one):
            pairs[signal.name, signal.source].append(((signal.score or 0) > 0, right, signal.sureness))
    found = []
    for (name, source), said in pairs.items():
        overruled = sum(ours != theirs for ours, theirs, _ in said)
        low = float(stats.binomtest(overruled, len(said)).proportion_ci(_SURE, "exact").low)
        judged = None
        if source is SignalSource.JUDGE:
            ours = [_WORDS[side] for side, _, _ in said]
            theirs = [_WORDS[side] for _, side, _ in said]
            judged = agreement(ours, theirs, [sure for _, _, sure in said], seed)
        found.append(
            Fared(
                name=name,
                source=source,
                labelled=len(said),
                overruled=overruled,
                low=low,
                agreement=judged,
            )
        )
    return sorted(found, key=lambda one: (-one.low, -one.labelled, one.name))


def _met(trajectory: Trajectory) -> Iterator[tuple[Signal, bool]]:
    """Signals of this trajectory that a label speaks of, and whether the person said good.

    Each name once, by the latest label: who changes their mind sends another one.
    """
    seen: set[str] = set()
    labels = [s for s in trajectory.signals if s.source is SignalSource.REVIEWER and s.score]
    for label in sorted(reversed(labels), key=lambda one: not one.name.startswith(LABEL_OF)):
        for signal in trajectory.signals:
            if signal.source not in _HELD or not signal.score or signal.name in seen:
                continue
            if label.name.startswith(LABEL_OF):
                meant = label.name == LABEL_OF + signal.name
            elif label.name == LABEL and label.turn is None:
                meant = signal.kind is SignalKind.OUTCOME
            else:
                meant = signal.kind is SignalKind.PROCESS and signal.turn == label.turn
            if meant:
                seen.add(signal.name)
                yield signal, (label.score or 0) > 0
