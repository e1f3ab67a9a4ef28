"""Bounds: how many entries of a type, of a kind and in all stay, and which give way."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from coevolve.examples import IMITATED
from coevolve.pool import evolve, stats, why
from coevolve.types import Operation, Outcome, PoolVersion
from pool_samples import RULE, entry, inside, made, trajectory


def test_a_type_that_fails_may_keep_more_successes_than_one_that_never_does() -> None:
    scored = [trajectory(f"e{k}", kind="easy") for k in range(20)]
    scored += [trajectory(f"h{k}", kind="hard") for k in range(20)]
    scored += [trajectory(f"f{k}", Outcome.FAILURE, kind="hard") for k in range(60)]
    pool = made(*scored, rule=replace(RULE, per_type=10))
    kept = Counter(e.trajectory.task.type for e in pool.entries if e.operation is Operation.OWN_SUCCESS)
    assert kept == {"easy": 5, "hard": 9}
    assert pool.rejected["type is full"] == 26


def test_a_full_type_keeps_the_hard_tasks_and_then_the_newest() -> None:
    rule = replace(RULE, per_type=4)  # two of a type that always succeeds
    first = made(trajectory("old"), trajectory("old-hard", difficulty=3), rule=rule)
    second = evolve(first, [trajectory("new")], rule, None, seed=0, round=2)
    assert inside(second) == {"old-hard", "new"}
    assert "type is full" in why(second, "old")


def test_failures_are_bounded_and_those_with_a_solved_twin_stay() -> None:
    scored = [trajectory(f"f{k}", Outcome.FAILURE) for k in range(8)]
    scored += [trajectory("solved", task="task-f5")]
    pool = made(*scored, rule=replace(RULE, failures_per_type=2))
    failures = {e.trajectory.id for e in pool.entries if e.operation is Operation.OWN_FAILURE}
    assert len(failures) == 2 and "f5" in failures
    none = made(*scored, rule=replace(RULE, failures_per_type=0))
    assert inside(none) == {"solved"}


def test_the_pool_is_bounded_and_failures_go_first() -> None:
    scored = [trajectory(f"s{k}") for k in range(6)]
    scored += [trajectory(f"f{k}", Outcome.FAILURE) for k in range(6)]
    pool = made(*scored, rule=replace(RULE, max_size=6))
    assert inside(pool) == {f"s{k}" for k in range(6)}
    assert pool.rejected == {"pool is full": 6}


def test_an_opening_of_demonstrations_alone_is_admitted_up_to_its_floor() -> None:
    shown = [trajectory(f"d{k}", version="teacher", kind=f"type{k % 4}") for k in range(60)]
    pool = made(*shown)
    kept = Counter(e.trajectory.task.type for e in pool.entries)
    assert sum(kept.values()) == RULE.opening
    assert set(kept.values()) == {12}


def test_executed_synthetic_entries_keep_to_their_own_cap() -> None:
    shown = [trajectory(f"d{k}", version="teacher") for k in range(90)]
    own = [trajectory(f"o{k}") for k in range(40)]
    pool = made(*shown, *own, rule=replace(RULE, executed_share=0.5, opening=10))
    assert stats(pool)["executed_synthetic_share"] == 0.5
    assert pool.rejected == {"over the cap of executed synthetic entries": 50}


def test_unverified_synthetic_entries_keep_to_a_fifth() -> None:
    invented = [
        entry(trajectory(f"u{k}"), Operation.DEMONSTRATION, synthetic=True, executed=False) for k in range(50)
    ]
    start = PoolVersion(id="p0", parent=None, entries=tuple(invented))
    pool = made(*[trajectory(f"o{k}") for k in range(40)], pool=start)
    assert stats(pool)["unverified_synthetic_share"] == 0.2
    assert pool.rejected == {"over the cap of unverified synthetic entries": 40}


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_both_caps_hold_for_any_mixture(own: int, shown: int, invented: int, share: float) -> None:
    held = [
        entry(trajectory(f"u{k}"), Operation.DEMONSTRATION, synthetic=True, executed=False)
        for k in range(invented)
    ]
    scored = [trajectory(f"o{k}") for k in range(own)]
    scored += [trajectory(f"d{k}", version="teacher") for k in range(shown)]
    rule = replace(RULE, executed_share=share, opening=0)
    pool = made(*scored, rule=rule, pool=PoolVersion(id="p0", parent=None, entries=tuple(held)))
    imitated = [e for e in pool.entries if e.operation in IMITATED]
    assert sum(e.synthetic and not e.executed for e in imitated) <= 0.2 * len(imitated) + 1e-6
    assert sum(e.synthetic and e.executed for e in imitated) <= share * len(imitated) + 1e-6
    assert sum(not e.synthetic for e in imitated) == own


def test_when_a_cap_bites_the_strong_type_gives_more_than_the_weak() -> None:
    shown = [trajectory(f"d{kind}{k}", version="teacher", kind=kind) for kind in "sw" for k in range(20)]
    tried = [trajectory(f"own{k}", kind="s") for k in range(10)]
    tried += [trajectory(f"bad{k}", Outcome.FAILURE, kind="w") for k in range(10)]
    pool = made(*shown, *tried, rule=replace(RULE, opening=0, executed_share=0.6))
    kept = Counter(e.trajectory.task.type for e in pool.entries if e.operation is Operation.DEMONSTRATION)
    assert 0 < kept["s"] < kept["w"]
