from __future__ import annotations

from dataclasses import replace

import pytest

from coevolve.feedback.statements import statement_signals
from coevolve.feedback.trust import JudgeFloor, against_labels, spent, uncounted
from coevolve.types import JudgeCall, Signal, SignalKind, SignalSource, StatementKind, Trajectory
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
    (judge,) = against_labels([labelled("s", JUDGE, 1.0, turn=0)])
    assert judge.labelled == 0


def test_a_label_that_names_a_signal_is_held_against_that_one_alone() -> None:
    one = labelled("s", RULE, 1.0, on="too_short")
    other = replace(JUDGE, score=-1.0)
    fared, judge = against_labels([replace(one, signals=(*one.signals, other))])
    assert (fared.name, fared.overruled, judge.labelled) == ("too_short", 1, 0)


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


def test_a_judge_that_always_agreed_on_one_label_is_not_measured() -> None:
    some = [labelled(f"s{k}", JUDGE, 1.0) for k in range(12)]
    (fared,) = against_labels(some)
    assert fared.agreement is not None
    assert (fared.agreement.kappa, fared.overruled) == (None, 0)
    assert (fared.muted, fared.why) == (True, "not measured yet: labels of one kind alone")


def judged(rubric: str, model: str, score: float = 1.0) -> Signal:
    call = JudgeCall(rubric=rubric, model=model, seconds=1.5, tokens=100, deadline_s=30.0, late=1)
    return replace(JUDGE, score=score, call=call)


def measured(name: str, rubric: str, model: str) -> list[Trajectory]:
    """Twenty verdicts that people agree with, on texts of both kinds."""
    return [labelled(f"{name}{k}", judged(rubric, model, s), s) for k, s in enumerate([1.0, -1.0] * 10)]


def test_a_judge_counts_only_once_it_is_measured_unless_it_is_trusted() -> None:
    some = measured("s", "kind@1", "m")
    few, enough, trusted = some[:9], some, JudgeFloor(trusted=frozenset({"judge.kind"}))
    (early,) = against_labels(few)
    assert (early.muted, early.why) == (True, "not measured yet: 9 of 10 labels")
    (late,) = against_labels(enough)
    assert (late.muted, late.why) == (False, "kappa is 1.00 or more")
    (given,) = against_labels(few, trusted)
    assert (given.muted, given.why) == (False, "not measured yet: 9 of 10 labels, but trusted")
    assert against_labels(few, JudgeFloor(labels=9))[0].muted is False


def test_trust_in_advance_does_not_outlast_the_measurement() -> None:
    poor = [
        labelled(f"s{k}", judged("kind@1", "m", 1.0 if k % 2 else -1.0), 1.0 if k % 4 < 2 else -1.0)
        for k in range(40)
    ]
    (fared,) = against_labels(poor, JudgeFloor(trusted=frozenset({"judge.kind"})))
    assert fared.muted and "which is below 0.40" in fared.why
    assert against_labels(measured("s", "kind@1", "m"), JudgeFloor(kappa=1.0))[0].muted is False


def test_an_edited_rubric_and_another_model_are_measured_anew() -> None:
    old = measured("s", "kind@1", "m")
    newer = {"edited": ("kind@2", "m"), "other": ("kind@1", "n")}
    new = [talk(("q", "a"), name=name, signals=(judged(*who),)) for name, who in newer.items()]
    fared = against_labels([*old, *new])
    assert {(one.rubric, one.model): (one.labelled, one.muted) for one in fared} == {
        ("kind@1", "m"): (20, False),
        ("kind@2", "m"): (0, True),
        ("kind@1", "n"): (0, True),
    }
    quiet = [uncounted(fared, JudgeFloor(), one.signals) for one in [old[0], *new]]
    assert quiet == [frozenset(), {"judge.kind"}, {"judge.kind"}]
    unseen = (judged("kind@9", "m"),)
    assert uncounted(fared, JudgeFloor(), unseen) == {"judge.kind"}
    assert uncounted(fared, JudgeFloor(trusted=frozenset({"judge.kind"})), unseen) == frozenset()


def test_what_judges_cost_is_summed_by_rubric_and_model() -> None:
    some = [*measured("s", "kind@1", "m")[:3], talk(("q", "a"), name="n", signals=(judged("kind@2", "m"),))]
    dear, other = spent(some)
    assert (dear.rubric, dear.verdicts, dear.late, dear.seconds, dear.tokens) == ("kind@1", 3, 3, 4.5, 300)
    assert (other.rubric, other.verdicts, other.unknown) == ("kind@2", 1, 0)
