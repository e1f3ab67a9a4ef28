"""Small courses of my own making; the watch is measured on others in benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from coevolve.feedback import watch as watching
from coevolve.feedback.watch import favouritism, watch
from coevolve.types import (
    Outcome,
    Reward,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    Trajectory,
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


def test_a_judge_that_likes_its_own_kind_is_named() -> None:
    _, played = course([honest(0.5), honest(0.5)])

    def scored(bonus: float) -> list[Trajectory]:
        return [
            replace(
                one,
                signals=(
                    outcome_signal(
                        SignalSource.JUDGE,
                        min(1.0, (one.checks[0].score or 0.0) * 0.5 + bonus * (one.version == "v1")),
                    ),
                ),
            )
            for one in played
        ]

    alarm = favouritism(scored(0.4), lambda version: version == "v1")
    assert alarm is not None
    assert alarm.trace == "own_kind"
    assert favouritism(scored(0.0), lambda version: version == "v1") is None


def test_a_label_on_a_turn_or_a_signal_verifies_no_outcome() -> None:
    checked = Signal("end", -1.0, "w", SignalKind.OUTCOME, SignalSource.CHECK)
    base = talk(("q", "a"), checks=(checked,))
    for name, kind in (("reviewer.label", SignalKind.PROCESS), ("reviewer.on.x", SignalKind.EXPLANATORY)):
        told = Signal(name, 1.0, "w", kind, SignalSource.REVIEWER, 0)
        assert watching._verified(replace(base, signals=(told,))) is False
    whole = Signal("reviewer.label", 1.0, "w", SignalKind.OUTCOME, SignalSource.REVIEWER)
    assert watching._verified(replace(base, signals=(whole,))) is True
