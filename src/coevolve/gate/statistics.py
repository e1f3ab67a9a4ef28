"""Exact figures for paired yes/no outcomes.

Counts of wins and losses enter, probabilities and intervals leave. Pure arithmetic over numpy and scipy.
A win is a task that the candidate solved and the champion did not; a loss is the reverse. Pairs are taken
as independent: tasks cut from one template are not, and then the intervals here are too narrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, log1p, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

FloatArray = NDArray[np.float64]


def normal_quantile(share: float) -> float:
    """The z below which `share` of a standard normal lies; share in (0, 1)."""
    return float(special.ndtri(share))


def sign_test(wins: int, losses: int) -> float:
    """One-sided exact McNemar test: how likely are this many wins or more if nothing changed?

    Args: wins, losses: discordant pairs, counts.
    Returns: P(X >= wins), X ~ Binomial(wins + losses, 1/2); 1 where no pair differs. Call it with the two
        swapped to test for harm.
    Source: McNemar 1947, in its exact conditional form.
    """
    if wins <= 0:
        return 1.0
    return float(special.bdtrc(wins - 1, wins + losses, 0.5))


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a rate.

    Returns: (low, high), shares in [0, 1]; (0, 1) without trials, since nothing is known.
    Source: Wilson 1927, JASA 22:209-212.
    """
    if trials == 0:
        return 0.0, 1.0
    z2 = normal_quantile(0.5 + confidence / 2) ** 2
    rate = successes / trials
    centre = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = sqrt(z2 * (rate * (1 - rate) + z2 / (4 * trials)) / trials) / (1 + z2 / trials)
    # At 0 and n the bound is the rate itself; rounding must not move it past.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return low, high


def paired_interval(
    both: int, wins: int, losses: int, neither: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Newcombe's score interval of the difference of two paired success rates (candidate - champion).

    Args: both, wins, losses, neither: the four cells of the paired table, counts.
    Returns: (low, high), shares in [-1, 1]; (-1, 1) without pairs.
    Source: Newcombe 1998, Statistics in Medicine 17:2635-2650, method 10: two Wilson intervals squared
        and added, with the correlation of the pairs (continuity-corrected) taken off.
    """
    pairs = both + wins + losses + neither
    if pairs == 0:
        return -1.0, 1.0
    candidate, champion = (both + wins) / pairs, (both + losses) / pairs
    low_1, high_1 = wilson(both + wins, pairs, confidence)
    low_2, high_2 = wilson(both + losses, pairs, confidence)
    margins = (both + wins) * (losses + neither) * (both + losses) * (wins + neither)
    phi = 0.0
    if margins > 0:
        cross = float(both * neither - wins * losses)
        if cross > 0:
            cross = max(0.0, cross - pairs / 2)
        phi = cross / sqrt(margins)

    def spread(one: float, other: float) -> float:
        return sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))

    difference = candidate - champion
    low = difference - spread(candidate - low_1, high_2 - champion)
    high = difference + spread(high_1 - candidate, champion - low_2)
    return max(-1.0, low), min(1.0, high)


def mean_interval(values_N: Sequence[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """Student's t interval of a mean.

    Args: values_N: shape (N,), any unit.
    Returns: (low, high) in the same unit; None for fewer than two values.
    """
    count = len(values_N)
    if count < 2:
        return None
    data_N = np.asarray(values_N, dtype=np.float64)
    half = float(special.stdtrit(count - 1, 0.5 + confidence / 2)) * float(data_N.std(ddof=1)) / sqrt(count)
    mean = float(data_N.mean())
    return mean - half, mean + half


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """P-values adjusted for testing all of them: reject where the adjusted one is at most alpha.

    Source: Holm 1979, Scandinavian Journal of Statistics 6:65-70 (controls the family-wise error).
    """
    adjusted: dict[str, float] = {}
    floor = 0.0
    ordered = sorted(p_values.items(), key=lambda pair: pair[1])
    for rank, (name, p) in enumerate(ordered):
        floor = max(floor, min(1.0, p * (len(ordered) - rank)))
        adjusted[name] = floor
    return adjusted


def spent(alpha: float, fraction: float) -> float:
    """How much of `alpha` may be used up once `fraction` of the planned tasks has been seen.

    Args: alpha: the one-sided error of the whole sequence. fraction: in [0, 1], clipped.
    Returns: cumulative error, 0 at 0 and `alpha` at 1.
    Source: Lan and DeMets 1983, Biometrika 70:659-663, Pocock's spending function: it leaves more for
        early looks than O'Brien-Fleming's, because here every task not run is time saved in both versions.
    """
    share = min(1.0, max(0.0, fraction))
    return alpha * log1p((exp(1.0) - 1.0) * share)


@dataclass(frozen=True, slots=True)
class Look:
    """What had been seen when the gate looked: all of it cumulative."""

    wins: int
    losses: int
    fraction: float  # of the planned tasks, in (0, 1]


@dataclass(frozen=True, slots=True)
class Crossing:
    """Whether a look showed a gain, and what would have."""

    shown: bool
    p: float  # one-sided exact p of this look by itself
    wins_needed: int  # of the discordant pairs seen so far


def sequential_sign_test(looks: Sequence[Look], alpha: float) -> tuple[Crossing, ...]:
    """The sign test looked at several times, with the error of all looks together at most `alpha`.

    Given how many pairs differ at each look, the wins follow an exact random walk when nothing changed.
    Each look's bound is the lowest at which the chance of having crossed any bound so far stays within
    `spent`. Stopping early for lack of promise can only lower that chance, so it needs no correction.

    Args: looks: in order; wins + losses and fraction never fall.
    Returns: one Crossing a look.
    """
    walk_W: FloatArray = np.ones(1)  # P(wins so far, no bound crossed)
    crossed, before = 0.0, 0
    found: list[Crossing] = []
    for look in looks:
        discordant = look.wins + look.losses
        walk_W = np.convolve(walk_W, _fair_coins(discordant - before))
        before = discordant
        tail_W = np.cumsum(walk_W[::-1])[::-1]
        within = np.flatnonzero(tail_W <= spent(alpha, look.fraction) - crossed + 1e-15)
        bound = int(within[0]) if within.size else discordant + 1
        if bound <= discordant:
            crossed += float(tail_W[bound])
            walk_W = walk_W.copy()
            walk_W[bound:] = 0.0
        found.append(Crossing(look.wins >= bound, sign_test(look.wins, look.losses), bound))
    return tuple(found)


def _fair_coins(count: int) -> FloatArray:
    """Shape (count + 1,): the chance of each number of heads."""
    heads = np.arange(count + 1)
    logs = special.gammaln(count + 1) - special.gammaln(heads + 1) - special.gammaln(count - heads + 1)
    return np.asarray(np.exp(logs - count * np.log(2.0)), dtype=np.float64)


def pairs_needed(pairs: int, wins: int, losses: int, alpha: float, power: float = 0.8) -> int | None:
    """About how many pairs would show this gain if its size is as seen so far.

    Args: pairs: judged so far; wins, losses: among them. power: the chance of showing it.
    Returns: a total, counted from zero; None where no gain is seen, since no number would do.
    Source: Connor 1987, Biometrics 43:207-211.
    """
    if wins <= losses or pairs == 0:
        return None
    discordant, gain = (wins + losses) / pairs, (wins - losses) / pairs
    z_alpha, z_power = normal_quantile(1 - alpha), normal_quantile(power)
    root = z_alpha * sqrt(discordant) + z_power * sqrt(max(0.0, discordant - gain * gain))
    return max(1, ceil((root / gain) ** 2))
