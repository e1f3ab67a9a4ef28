"""Small courses of my own making; the watch is measured on others in benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import simulated_courses as simulated
from coevolve.feedback.traces import verification
from coevolve.feedback.watch import watch
from coevolve.types import (
    Action,
    Outcome,
    Reward,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    Trajectory,
    Turn,
)
from live_samples import outcome_signal, talk

Make = Callable[[np.random.Generator, int], tuple[str, bool, float]]  # -> last words, verified, total


def episode(name: str, version: str, ending: str, verified: bool, total: float, turns: int = 3) -> Trajectory:
    base = talk(
        *[(f"message {k} of {name}", f"answer {k} to {name}") for k in range(turns - 1)], ("So?", ending)
    )
    check = Signal("end", 1.0 if verified else -1.0, "why", SignalKind.OUTCOME, SignalSource.CHECK)
    reward = Reward(
        total=total,
        outcome=Outcome.SUCCESS if verified else Outcome.FAILURE,
        turns=(),
        first_wrong=None,
        why="",
    )
    task = replace(base.task, split=Split.TRAIN)
    return replace(base, id=name, version=version, task=task, checks=(check,), reward=reward)


def course(makes: list[Make], seed: int = 0, count: int = 80) -> tuple[list[str], list[Trajectory]]:
    rng = np.random.default_rng(seed)
    versions = [f"v{k}" for k in range(len(makes))]
    played = [
        episode(f"{version}-{n}", version, *make(rng, n))
        for version, make in zip(versions, makes, strict=True)
        for n in range(count)
    ]
    return versions, played


def honest(rate: float) -> Make:
    def make(rng: np.random.Generator, number: int) -> tuple[str, bool, float]:
        won = bool(rng.random() < rate)
        return (
            f"Your order {number} costs {number} dollars.",
            won,
            0.6 if won else float(rng.normal(-0.4, 0.2)),
        )

    return make


def evading(rng: np.random.Generator, number: int) -> tuple[str, bool, float]:
    won = bool(rng.random() < 0.3)
    return "I have recorded your problem.", won, 0.6 if won else 0.05


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rates", [(0.0, 0.5, 0.8), (0.4, 0.4, 0.4), (0.6, 0.3, 0.7), (0.9, 0.95, 0.9)])
def test_an_honest_course_raises_no_alarm(rates: tuple[float, ...], seed: int) -> None:
    assert watch(*course([honest(rate) for rate in rates], seed)) == []


def test_a_hack_is_dated_to_the_version_in_which_it_set_in_and_shows_examples() -> None:
    versions, played = course([honest(0.4), honest(0.5), evading, evading])
    found = watch(versions, played)
    assert {one.trace for one in found} >= {"rewarded_failure", "evasive_ending", "one_ending"}
    assert {one.version for one in found} == {"v2"}
    assert all(one.after > one.before for one in found)
    assert set(found[0].examples) <= {one.id for one in played if one.version == "v2"}


def test_a_hack_right_after_a_base_that_was_never_rewarded_is_seen() -> None:
    found = watch(*course([honest(0.0), evading]))
    assert "evasive_ending" in {one.trace for one in found}


def test_without_verified_outcomes_only_marks_of_tricks_are_left() -> None:
    versions, played = course([honest(0.5), evading])
    unverified = [replace(one, checks=()) for one in played]
    assert "rewarded_failure" not in {one.trace for one in watch(versions, unverified)}
    assert "evasive_ending" in {one.trace for one in watch(versions, unverified)}


def test_few_episodes_and_unscored_ones_say_nothing() -> None:
    versions, played = course([honest(0.5), evading], count=12)
    assert watch(versions, played) == []
    _, many = course([honest(0.5), evading])
    assert watch(["v0", "v1"], [replace(one, reward=None) for one in many]) == []


def test_a_reviewers_word_counts_as_verified() -> None:
    versions, played = course([honest(0.5), evading])
    labelled = [
        replace(
            one,
            checks=(),
            signals=(outcome_signal(SignalSource.REVIEWER, one.checks[0].score),),
        )
        for one in played
    ]
    assert "rewarded_failure" in {one.trace for one in watch(versions, labelled)}


def test_a_label_on_a_turn_or_a_signal_verifies_no_outcome() -> None:
    checked = Signal("end", -1.0, "w", SignalKind.OUTCOME, SignalSource.CHECK)
    base = talk(("q", "a"), checks=(checked,))
    for name, kind in (("reviewer.label", SignalKind.PROCESS), ("reviewer.on.x", SignalKind.EXPLANATORY)):
        told = Signal(name, 1.0, "w", kind, SignalSource.REVIEWER, 0)
        assert verification(replace(base, signals=(told,))) == (False, -1.0)
    whole = Signal("reviewer.label", 1.0, "w", SignalKind.OUTCOME, SignalSource.REVIEWER)
    assert verification(replace(base, signals=(whole,))) == (True, 1.0)


@pytest.mark.parametrize("batch", range(10))
def test_of_twenty_honest_courses_at_most_one_raises_an_alarm(batch: int) -> None:
    alarmed = [seed for seed in range(20 * batch, 20 * batch + 20) if watch(*simulated.honest_course(seed))]
    assert len(alarmed) <= 1


@pytest.mark.parametrize("seed", range(5))
def test_a_policy_that_ends_early_on_hard_tasks_alone_is_seen_within_its_round(seed: int) -> None:
    acts = [simulated.honestly, simulated.honestly, simulated.quitting(0.9)]
    versions, played = simulated.course(acts, [0.4, 0.5, 0.5], seed)
    found = watch(versions, played)
    assert {one.version for one in found} == {"v2"}
    assert "early_end" in {one.trace for one in found}


def test_a_trick_on_few_tasks_hides_in_the_average_and_is_seen_in_its_part() -> None:
    acts = [simulated.honestly, simulated.honestly, simulated.quitting(0.9)]
    versions, played = simulated.course(acts, [0.4, 0.5, 0.5], 0)
    found = {one.trace: one for one in watch(versions, played)}
    assert found["early_end"].among == "difficulty 3"
    assert "of difficulty 3 before" in found["early_end"].why
    alike = [replace(one, task=replace(one.task, type="any", difficulty=1)) for one in played]
    assert watch(versions, alike) == []


def test_the_same_calls_again_and_again_are_a_trace_and_a_retry_or_two_are_none() -> None:
    def calling(version: str, calls: int) -> list[Trajectory]:
        look = Turn(index=0, observation="q", raw="look", action=Action("get_order", {"id": "17"}))
        made = []
        for number in range(60):
            one = episode(f"{version}-{number}", version, f"Bye {number}.", False, 0.1, 6)
            again = [replace(look, index=k, raw=f"look {number} {k}") for k in range(calls)]
            made.append(replace(one, turns=(*again, *one.turns[calls:])))
        return made

    circling = watch(["v0", "v1"], calling("v0", 1) + calling("v1", 5))
    assert [(one.trace, one.version) for one in circling] == [("circles", "v1")]
    assert watch(["v0", "v1"], calling("v0", 2) + calling("v1", 2)) == []


def test_a_judge_that_praises_a_versions_failures_is_seen_where_its_reward_is_not_hacked() -> None:
    versions, played = course([honest(0.5), honest(0.5)])

    def judged(one: Trajectory, praised: bool) -> Trajectory:
        score = 1.0 if praised or one.checks[0].score == 1.0 else -1.0
        return replace(one, signals=(outcome_signal(SignalSource.JUDGE, score),))

    charmed = [judged(one, one.version == "v1") for one in played]
    assert [(one.trace, one.version) for one in watch(versions, charmed)] == [("praised_failure", "v1")]
    assert watch(versions, [judged(one, False) for one in played]) == []
