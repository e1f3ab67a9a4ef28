"""How far a judge agrees with people: pairs of verdicts enter, kappa and a calibration curve leave.

Few labels give a wide interval; a judge is trusted by the lower end, so that luck does not pass for skill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A judge's agreement with people on one rubric."""

    kappa: float | None  # Cohen's; None: nothing to compare, or both always gave the same label
    low: float | None  # of its 90% interval, by bootstrap
    high: float | None
    count: int  # texts both judged
    unknown: int  # texts that the judge gave no label for; left out above
    curve: tuple[tuple[float, float, int], ...]  # (mean agreement of the votes, share right, texts) by bin

    def trusted(self, floor: float, least: int) -> bool:
        """Whether the judge may be counted: `least` labels, and the lower end of kappa at `floor` or more."""
        return self.low is not None and self.count >= least and self.low >= floor


def agreement(
    judged: Sequence[str | None], people: Sequence[str], sureness: Sequence[float], seed: int, bins: int = 5
) -> Agreement:
    """Hold a judge's labels against people's on the same texts.

    Args:
        judged: the judge's label for each text; None = it gave none.
        people: the person's label for each.
        sureness: the share of votes behind each of the judge's labels, [0, 1].
        seed: of the bootstrap.
    """
    known = [k for k, label in enumerate(judged) if label is not None]
    names = {label: k for k, label in enumerate(sorted({*people, *(one for one in judged if one)}))}
    ours_N = np.array([names[judged[k] or ""] for k in known], dtype=int)
    theirs_N = np.array([names[people[k]] for k in known], dtype=int)
    kappa = _kappa(ours_N, theirs_N, len(names))
    low = high = None
    if kappa is not None:
        rng = np.random.default_rng(seed)
        picks_RN = rng.integers(0, len(known), (_RESAMPLES, len(known)))
        drawn = [_kappa(ours_N[pick_N], theirs_N[pick_N], len(names)) for pick_N in picks_RN]
        found = [one for one in drawn if one is not None]
        low, high = (float(x) for x in np.quantile(found or [kappa], (0.05, 0.95)))
    sure_N = np.array([sureness[k] for k in known], dtype=float)
    return Agreement(
        kappa=kappa,
        low=low,
        high=high,
        count=len(known),
        unknown=len(judged) - len(known),
        curve=_curve(sure_N, ours_N == theirs_N, bins),
    )


def _kappa(ours_N: np.ndarray, theirs_N: np.ndarray, kinds: int) -> float | None:
    """Agreement beyond what the two's own frequencies would give by chance (Cohen 1960)."""
    if not len(ours_N):
        return None
    by_chance = float(
        np.bincount(ours_N, minlength=kinds) @ np.bincount(theirs_N, minlength=kinds) / len(ours_N) ** 2
    )
    if by_chance >= 1:
        return None  # one label alone: agreeing is no skill
    return (float(np.mean(ours_N == theirs_N)) - by_chance) / (1 - by_chance)


def _curve(sure_N: np.ndarray, right_N: np.ndarray, bins: int) -> tuple[tuple[float, float, int], ...]:
    place_N = np.minimum((sure_N * bins).astype(int), bins - 1)
    return tuple(
        (float(sure_N[place_N == k].mean()), float(right_N[place_N == k].mean()), int((place_N == k).sum()))
        for k in range(bins)
        if (place_N == k).any()
    )
