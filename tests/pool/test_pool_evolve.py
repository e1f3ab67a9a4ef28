"""Admission: who gets in, who does not and why, and that nothing depends on chance or order."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

from coevolve.errors import PoolError
from coevolve.pool import evolve, why
from coevolve.types import Operation, Outcome, Reward, Split, Trajectory
from pool_samples import RULE, completed, inside, made, trajectory, turn


@pytest.mark.parametrize("split", [Split.HELD_OUT, Split.TEST, Split.VALIDATION])
@pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.FAILURE, None])
def test_a_trajectory_that_measures_is_refused_with_an_error(split: Split, outcome: Outcome | None) -> None:
    with pytest.raises(PoolError, match="leaked"):
        made(trajectory("fine"), trajectory("leaked", outcome, split=split))


def test_a_completion_of_a_held_out_task_is_refused_too() -> None:
    failed = trajectory("f", Outcome.FAILURE)
    leaked = replace(completed(failed), task=replace(failed.task, split=Split.HELD_OUT))
    with pytest.raises(PoolError, match="held_out"):
        evolve(None, [failed], RULE, lambda _: leaked, seed=0, round=0)


def test_live_and_train_trajectories_are_admitted() -> None:
    assert inside(made(trajectory("a"), trajectory("b", split=Split.LIVE))) == {"a", "b"}


def test_an_unknown_outcome_is_neither_success_nor_failure() -> None:
    unscored = replace(trajectory("unscored"), reward=None)
    pool = made(trajectory("known"), trajectory("unknown", None), unscored)
    assert inside(pool) == {"known"}
    assert pool.rejected == {"unknown outcome": 2}
    assert "unknown outcome" in why(pool, "unknown")


def test_every_kind_of_trajectory_gets_its_operation() -> None:
    failed = trajectory("failed", Outcome.FAILURE)
    demonstration = trajectory("shown", version="teacher")
    pool = evolve(
        None, [trajectory("own"), failed, trajectory("half", Outcome.PARTIAL), demonstration],
        RULE, lambda t: completed(t) if t.id == "failed" else None, seed=0, round=4,
    )  # fmt: skip
    by_id = {e.trajectory.id: e for e in pool.entries}
    assert {name: e.operation for name, e in by_id.items()} == {
        "own": Operation.OWN_SUCCESS,
        "failed": Operation.OWN_FAILURE,
        "half": Operation.OWN_FAILURE,
        "shown": Operation.DEMONSTRATION,
        "failed-completed": Operation.TEACHER_COMPLETION,
    }
    completion = by_id["failed-completed"]
    assert completion.sources == ("failed",)
    assert completion.synthetic and completion.executed and completion.round == 4
    assert by_id["shown"].synthetic and not by_id["own"].synthetic


def test_a_demonstration_or_completion_that_did_not_pass_stays_out() -> None:
    failed = trajectory("failed", Outcome.FAILURE)
    pool = evolve(
        None,
        [failed, trajectory("shown", Outcome.FAILURE, version="teacher")],
        RULE,
        lambda t: completed(t, Outcome.PARTIAL),
        seed=0,
        round=0,
    )
    assert inside(pool) == {"failed"}
    assert pool.rejected == {"completion did not pass": 1, "demonstration did not pass": 1}


def test_a_completion_offered_again_is_not_taken_for_the_agents_own_success() -> None:
    pool = made(completed(trajectory("failed", Outcome.FAILURE)))
    assert [e.operation for e in pool.entries] == [Operation.TEACHER_COMPLETION]
    assert pool.entries[0].sources == ("failed",)


def test_the_teacher_is_asked_once_per_task_and_the_weakest_type_first() -> None:
    scored = [trajectory(f"ok{k}", kind="easy") for k in range(3)]
    scored += [trajectory(f"e{k}", Outcome.FAILURE, kind="easy") for k in range(2)]
    scored += [trajectory(f"h{k}", Outcome.FAILURE, kind="hard", task=f"hard{k // 2}") for k in range(4)]
    asked: list[str] = []

    def complete(t: Trajectory) -> Trajectory | None:
        asked.append(t.task.id)
        return None

    pool = evolve(None, scored, replace(RULE, completions=3), complete, seed=0, round=0)
    assert asked == ["hard0", "task-e0", "hard1"]
    assert pool.rejected["teacher could not complete it"] == 3


def test_a_completion_with_a_taken_id_is_an_error_that_says_so() -> None:
    failed = trajectory("failed", Outcome.FAILURE)
    with pytest.raises(PoolError, match="taken"):
        evolve(None, [failed], RULE, lambda t: replace(completed(t), id=t.id), seed=0, round=0)


def test_the_same_words_twice_are_kept_once_and_the_better_reward_wins() -> None:
    said = ("look up the lamp for them please", "tell them the price")
    weak = trajectory("a-weak", task="t", said=said, total=0.5)
    strong = trajectory("b-strong", task="t", said=said, total=0.9)
    pool = made(weak, strong)
    assert inside(pool) == {"b-strong"}
    assert pool.rejected == {"duplicate": 1}
    assert why(pool, "a-weak").endswith("duplicate: of b-strong")


def test_a_near_duplicate_is_dropped_and_of_equal_rewards_the_shorter_stays() -> None:
    long_text = " ".join(f"word{chr(97 + k)}" for k in range(26)) * 2
    one = trajectory("one", task="t", said=(long_text, "tell"))
    other = trajectory("other", task="t", said=(long_text, "tell", "bye"))
    pool = made(other, one)
    assert inside(pool) == {"one"}
    assert pool.rejected == {"near-duplicate": 1}


def test_case_and_punctuation_make_no_difference_but_a_digit_does() -> None:
    said = "They ask for order 4711: read it, then tell the status of the order to them"
    base = trajectory("base", task="t", said=(said,))
    shouted = trajectory("shouted", task="t", said=(said.upper().replace(",", " ;"),))
    renumbered = trajectory("renumbered", task="t", said=(said.replace("4711", "4712"),))
    pool = made(base, shouted, renumbered)
    assert len(pool.entries) == 2
    assert "renumbered" in inside(pool)


def test_equal_words_in_two_task_types_are_no_duplicates() -> None:
    said = ("look up the lamp", "tell")
    pool = made(trajectory("a", said=said, task="t"), trajectory("b", said=said, task="t", kind="stock"))
    assert inside(pool) == {"a", "b"}


def test_a_failure_is_never_a_duplicate_of_a_success() -> None:
    said = ("look up the lamp", "tell")
    pool = made(trajectory("a", said=said, task="t"), trajectory("b", Outcome.FAILURE, said=said, task="t"))
    assert inside(pool) == {"a", "b"}


def test_planted_duplicates_are_found_and_no_others() -> None:
    draw = random.Random(3)
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeio" for c in "klmn"]
    scored: list[Trajectory] = []
    for k in range(60):
        text = draw.choices(words, k=90)
        scored.append(trajectory(f"t{k:02}", task=f"t{k}", said=(" ".join(text),)))
        if k < 20:  # one word of ninety changed
            text[20] = "other"
            scored.append(trajectory(f"t{k:02}-twin", task=f"t{k}", said=(" ".join(text),), total=0.7))
    pool = made(*scored, rule=replace(RULE, per_type=400))
    assert inside(pool) == {f"t{k:02}" for k in range(60)}
    assert pool.rejected == {"near-duplicate": 20}


def test_a_duplicate_of_an_entry_of_an_earlier_round_is_found() -> None:
    said = ("look up the lamp", "tell")
    first = made(trajectory("old", task="t", said=said))
    second = evolve(first, [trajectory("new", task="t", said=said)], RULE, None, seed=0, round=2)
    assert inside(second) == {"old"}
    assert second.parent == first.id


def test_what_is_in_the_pool_already_is_not_admitted_twice() -> None:
    first = made(trajectory("a"))
    second = made(trajectory("a"), trajectory("b"), pool=first)
    assert sorted(e.trajectory.id for e in second.entries) == ["a", "b"]
    assert second.rejected == {"already in the pool": 1}


def test_the_order_of_offers_makes_no_difference_and_inputs_stay_as_they_were() -> None:
    scored = [trajectory(f"a{k}", kind=f"k{k % 3}") for k in range(30)]
    scored += [trajectory(f"f{k}", Outcome.FAILURE, kind=f"k{k % 3}") for k in range(30)]
    rule = replace(RULE, per_type=6, failures_per_type=4, max_size=24, executed_share=0.3, opening=0)
    picture = repr(scored)
    one = evolve(None, scored, rule, completed, seed=5, round=1)
    shuffled = random.Random(1).sample(scored, len(scored))
    assert evolve(None, shuffled, rule, completed, seed=5, round=1) == one
    assert repr(scored) == picture


def test_another_seed_breaks_ties_otherwise_and_gives_another_version() -> None:
    scored = [trajectory(f"a{k}") for k in range(40)]
    rule = replace(RULE, per_type=10)
    one, other = (evolve(None, scored, rule, None, seed=seed, round=0) for seed in (0, 1))
    assert one.id != other.id
    assert inside(one) != inside(other)


def test_wall_clock_times_do_not_change_the_version() -> None:
    assert made(trajectory("a")).id == made(replace(trajectory("a"), wall_s=9.9)).id


def test_why_tells_of_the_admitted_the_source_and_the_stranger() -> None:
    failed = trajectory("failed", Outcome.FAILURE)
    rule = replace(RULE, failures_per_type=0)
    pool = evolve(None, [failed, trajectory("own")], rule, completed, seed=0, round=0)
    assert "own_success" in why(pool, "own")
    assert "enough failures" in why(pool, "failed") and "source of" in why(pool, "failed")
    assert "was not offered" in why(pool, "stranger")


def test_a_trajectory_without_turns_teaches_nothing() -> None:
    empty = replace(
        trajectory("empty"),
        turns=(),
        reward=Reward(total=0.1, outcome=Outcome.SUCCESS, turns=(), first_wrong=None, why=""),
    )
    assert made(empty).rejected == {"no turns": 1}


def test_nothing_offered_gives_an_empty_version_and_no_crash() -> None:
    assert made().entries == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_size", 0), ("unverified_share", 1.2), ("near_duplicate", 0.0), ("failures_per_type", -1)],
)
def test_an_impossible_rule_is_refused(name: str, value: float) -> None:
    with pytest.raises(PoolError, match=name):
        replace(RULE, **{name: value})  # type: ignore[arg-type]


def test_five_hundred_trajectories_are_curated_within_two_seconds_of_processor_time() -> None:
    scored = [
        replace(
            trajectory(f"a{k}", [Outcome.SUCCESS, Outcome.FAILURE][k % 2], kind=f"k{k % 12}"),
            turns=tuple(
                replace(
                    turn(j, f"they ask for thing {k} of many, look up {j}"), context_ids=tuple(range(300))
                )
                for j in range(5)
            ),
        )
        for k in range(500)
    ]
    began = time.process_time()
    evolve(None, scored, RULE, None, seed=0, round=0)
    assert time.process_time() - began < 2.0
