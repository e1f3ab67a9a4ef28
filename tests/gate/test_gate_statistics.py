"""Statistics against closed forms, scipy, enumeration and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from coevolve.gate.statistics import (
    Look,
    holm,
    mean_interval,
    paired_interval,
    pairs_needed,
    sequential_sign_test,
    sign_test,
    spent,
    wilson,
)

counts = st.integers(0, 60)


@given(wins=counts, losses=counts)
@settings(max_examples=60, deadline=None)
def test_sign_test_equals_the_binomial_test(wins: int, losses: int) -> None:
    expected = (
        stats.binomtest(wins, wins + losses, 0.5, alternative="greater").pvalue if wins + losses else 1.0
    )
    assert sign_test(wins, losses) == pytest.approx(expected, rel=1e-9)


def test_sign_test_of_five_wins_and_no_loss_is_one_in_thirty_two() -> None:
    assert sign_test(5, 0) == pytest.approx(1 / 32)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (81, 263), (1, 148)])
def test_wilson_equals_scipy(successes: int, trials: int) -> None:
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    assert wilson(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wilson_without_trials_knows_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@given(both=counts, wins=counts, losses=counts, neither=counts)
@settings(max_examples=200, deadline=None)
def test_paired_interval_holds_the_difference_and_mirrors(
    both: int, wins: int, losses: int, neither: int
) -> None:
    pairs = both + wins + losses + neither
    low, high = paired_interval(both, wins, losses, neither)
    assert -1 <= low <= high <= 1
    if pairs:
        assert low - 1e-9 <= (wins - losses) / pairs <= high + 1e-9
    swapped = paired_interval(both, losses, wins, neither)
    assert swapped == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize("cells", [(0.7, 0.15, 0.05, 0.1), (0.3, 0.1, 0.1, 0.5), (0.9, 0.06, 0.02, 0.02)])
def test_paired_interval_covers_the_truth_about_as_often_as_it_says(
    cells: tuple[float, float, float, float],
) -> None:
    rng = np.random.default_rng(5)
    tables = rng.multinomial(60, cells, size=2000)
    covered = 0
    for both, wins, losses, neither in tables.tolist():
        low, high = paired_interval(both, wins, losses, neither)
        covered += low <= cells[1] - cells[2] <= high
    assert 0.93 <= covered / len(tables) <= 0.995


def test_holm_multiplies_the_smallest_most_and_never_reorders() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "c": 0.06, "b": 0.06})
    assert holm({}) == {}


def test_mean_interval_equals_scipy_and_needs_two_values() -> None:
    values = [1.0, 4.0, 2.0, 6.0]
    expected = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert mean_interval(values) == pytest.approx(expected)
    assert mean_interval([1.0]) is None


def test_spending_starts_at_nothing_and_ends_at_alpha() -> None:
    assert spent(0.05, 0.0) == 0.0
    assert spent(0.05, 1.0) == pytest.approx(0.05)
    assert spent(0.05, 7.0) == pytest.approx(0.05)


@given(
    steps=st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=1, max_size=4),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
)
@settings(max_examples=60, deadline=None)
def test_one_look_at_everything_is_the_plain_sign_test_and_more_looks_ask_for_more(
    steps: list[tuple[int, int]], alpha: float
) -> None:
    wins, losses = sum(step[0] for step in steps), sum(step[1] for step in steps)
    (plain,) = sequential_sign_test([Look(wins, losses, 1.0)], alpha)
    assert plain.shown == (sign_test(wins, losses) <= alpha + 1e-12)
    looks = []
    for index in range(len(steps)):
        so_far = steps[: index + 1]
        looks.append(Look(sum(s[0] for s in so_far), sum(s[1] for s in so_far), (index + 1) / len(steps)))
    crossings = sequential_sign_test(looks, alpha)
    assert crossings[-1].wins_needed >= plain.wins_needed


def test_looking_four_times_keeps_the_error_where_a_naive_test_does_not() -> None:
    rng = np.random.default_rng(0)
    steps = rng.binomial(20, 0.5, size=(20_000, 4)).cumsum(axis=1)
    bounds = [
        crossing.wins_needed
        for crossing in sequential_sign_test([Look(0, 20 * k, k / 4) for k in (1, 2, 3, 4)], 0.05)
    ]
    error = float((steps >= np.array(bounds)).any(axis=1).mean())
    naive_bounds = [next(w for w in range(99) if sign_test(w, 20 * k - w) <= 0.05) for k in (1, 2, 3, 4)]
    naive = float((steps >= np.array(naive_bounds)).any(axis=1).mean())
    assert 0.02 < error <= 0.053
    assert naive > 0.06


def test_pairs_needed_gives_the_power_it_promises() -> None:
    needed = pairs_needed(100, 20, 10, 0.05)
    assert needed is not None
    rng = np.random.default_rng(1)
    tables = rng.multinomial(needed, (0.2, 0.1, 0.7), size=1000)
    power = np.mean([sign_test(int(wins), int(losses)) <= 0.05 for wins, losses, _ in tables])
    assert 0.7 <= power <= 0.88
    assert pairs_needed(100, 10, 10, 0.05) is None
