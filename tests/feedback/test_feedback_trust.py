from __future__ import annotations

from dataclasses import replace

import pytest

from coevolve.feedback.statements import statement_signals
from coevolve.feedback.trust import against_labels
from coevolve.types import Signal, SignalKind, SignalSource, StatementKind, Trajectory
from live_samples import says, talk

RULE = Signal("too_short", -1.0, "12 letters", SignalKind.PROCESS, SignalSource.RULE, 0)
JUDGE = Signal("judge.kind", 1.0, "3 of 3", SignalKind.OUTCOME, SignalSource.JUDGE)


def labelled(
    name: str, signal: Signal, score: float, turn: int | None = None, on: str | None = None
) -> Trajectory:
    value = {"score": score, "why": "I read it", **({} if on is None else {"signal": on})}
    one = talk(("Where is it?", "On its way."), name=name)
    label = statement_signals(one, [says(StatementKind.LABEL, value, session=name, turn=turn)], {})
    return replace(one, signals=(signal, *label))


def test_a_rule_that_people_overrule_more_often_than_not_is_counted_no_more() -> None:
    some = [labelled(f"s{k}", RULE, 1.0 if k < 9 else -1.0, turn=0) for k in range(10)]
    (fared,) = against_labels(some)
    assert (fared.name, fared.labelled, fared.overruled) == ("too_short", 10, 9)
    assert fared.often and fared.muted
    assert fared.low == pytest.approx(0.606, abs=0.001)  # scipy.stats.binomtest(9, 10), 90%


def test_one_overruling_is_no_habit() -> None:
    (fared,) = against_labels([labelled("s", RULE, 1.0, turn=0)])
    assert (fared.overruled, fared.often, fared.muted) == (1, False, False)


def test_a_rule_that_is_overruled_now_and_then_is_reported_and_counted() -> None:
    some = [labelled(f"s{k}", RULE, 1.0 if k < 16 else -1.0, turn=0) for k in range(40)]
    (fared,) = against_labels(some)
    assert fared.often and not fared.muted


def test_a_label_on_the_whole_says_nothing_of_a_turns_signal_nor_the_other_way_round() -> None:
    assert against_labels([labelled("s", RULE, 1.0)]) == []
    assert against_labels([labelled("s", JUDGE, 1.0, turn=0)]) == []


def test_a_label_that_names_a_signal_is_held_against_that_one_alone() -> None:
    one = labelled("s", RULE, 1.0, on="too_short")
    other = replace(JUDGE, score=-1.0)
    (fared,) = against_labels([replace(one, signals=(*one.signals, other))])
    assert (fared.name, fared.overruled) == ("too_short", 1)


def test_a_judge_below_its_floor_is_counted_no_more_and_one_above_it_is() -> None:
    says_good = [True, False] * 20
    poor = [
        labelled(f"s{k}", replace(JUDGE, score=1.0 if good else -1.0), 1.0 if k % 4 < 2 else -1.0)
        for k, good in enumerate(says_good)
    ]
    (fared,) = against_labels(poor)
    assert fared.agreement is not None
    assert fared.agreement.kappa == pytest.approx(0.0)
    assert fared.muted
    fine = [
        labelled(f"s{k}", replace(JUDGE, score=1.0 if good else -1.0), 1.0 if good else -1.0)
        for k, good in enumerate(says_good)
    ]
    (fared,) = against_labels(fine)
    assert fared.agreement is not None
    assert (fared.agreement.kappa, fared.muted) == (1.0, False)


def test_the_latest_label_counts() -> None:
    one = labelled("s", RULE, -1.0, turn=0)
    changed = replace(one, signals=(*one.signals, replace(one.signals[-1], score=1.0)))
    (fared,) = against_labels([changed])
    assert fared.overruled == 1


def test_a_judge_that_always_agreed_on_one_label_is_not_silenced() -> None:
    some = [labelled(f"s{k}", JUDGE, 1.0) for k in range(12)]
    (fared,) = against_labels(some)
    assert fared.agreement is not None
    assert (fared.agreement.kappa, fared.overruled, fared.muted) == (None, 0, False)
