from __future__ import annotations

from collections import Counter
from dataclasses import replace

from coevolve.feedback import RewardRule, score
from coevolve.feedback.classes import FailureClass
from coevolve.feedback.failures import FailureCluster
from coevolve.feedback.review import Ask, review_queue
from coevolve.types import WRONG_AT, Signal, SignalKind, SignalSource, Trajectory
from live_samples import outcome_signal, talk


def heard(name: str, *signals: Signal) -> Trajectory:
    one = talk(("Where is it?", "On its way."), name=name)
    return score(replace(one, signals=signals), lambda _: (), RewardRule())


def cluster(*members: str) -> FailureCluster:
    return FailureCluster(
        name="late order",
        kind=FailureClass.ORDER,
        size=len(members),
        trend={},
        examples=members[:3],
        members=members,
    )


SILENT = [heard(f"quiet{k}") for k in range(40)]
TORN = heard("torn", outcome_signal(SignalSource.JUDGE, 1.0), outcome_signal(SignalSource.USER, -1.0))
MILD = heard("mild", outcome_signal(SignalSource.USER, 0.2))
SURE = heard("sure", outcome_signal(SignalSource.USER, 1.0), outcome_signal(SignalSource.REVIEWER, 1.0))


def test_each_reason_has_its_place_and_an_audit_its_share() -> None:
    some = [*SILENT, TORN, MILD, SURE]
    found = review_queue(some, [cluster("t-quiet3", "t-quiet4")], [], 10)
    assert len({one.trajectory for one in found}) == len(found) == 10
    told = {one.ask: one.trajectory for one in found if one.ask is not Ask.AUDIT}
    assert told == {
        Ask.DISAGREEMENT: "t-torn",
        Ask.NEW_CLUSTER: "t-quiet3",
        Ask.UNCERTAIN: "t-mild",
    }
    assert found[0].ask is Ask.DISAGREEMENT
    assert Counter(one.ask for one in found)[Ask.AUDIT] == 7


def test_the_audit_keeps_its_share_however_much_is_urgent() -> None:
    torn = [replace(TORN, id=f"torn{k}") for k in range(40)]
    found = review_queue([*torn, *SILENT], [], [], 10)
    assert Counter(one.ask for one in found) == {Ask.DISAGREEMENT: 8, Ask.AUDIT: 2}


def test_what_is_labelled_is_not_asked_again_and_its_cluster_is_known() -> None:
    some = [*SILENT, TORN]
    clusters = [cluster("t-quiet3", "t-quiet4")]
    found = review_queue(some, clusters, ["t-torn", "t-quiet4"], len(some))
    assert {one.ask for one in found} == {Ask.AUDIT, Ask.UNHEARD}
    assert "t-torn" not in {one.trajectory for one in found}


def test_the_same_audit_is_drawn_whoever_asks_and_another_seed_draws_another() -> None:
    first = review_queue(SILENT, [], [], 5)
    assert first == review_queue(list(reversed(SILENT)), [], [], 5)
    assert first != review_queue(SILENT, [], [], 5, seed=1)


def test_an_empty_store_asks_nothing() -> None:
    assert review_queue([], [], [], 5) == []


def test_a_type_of_which_little_was_heard_is_asked_about() -> None:
    known = [heard(f"k{k}", outcome_signal(SignalSource.USER, 1.0)) for k in range(12)]
    rare = replace(heard("rare"), task=replace(heard("rare").task, type="refund"))
    found = review_queue([*known, rare], [], [], 5)
    assert [(one.trajectory, one.why) for one in found if one.ask is Ask.UNHEARD] == [
        ("t-rare", "of 1 sessions of refund, 0 were judged")
    ]


def rule(score: float) -> Signal:
    return Signal("refund_without_identity", score, "nobody asked who it is", turn=0)


def disagreements(*signals: Signal) -> list[str]:
    one = replace(talk(("Where is it?", "On its way.")), signals=signals)
    return [item.why for item in review_queue([one], [], [], 5) if item.ask is Ask.DISAGREEMENT]


def test_a_judge_that_praises_what_a_rule_calls_wrong_is_looked_at() -> None:
    judge = outcome_signal(SignalSource.JUDGE, 1.0)
    (why,) = disagreements(judge, rule(-0.8), rule(0.9))
    assert why == "judge.x says +1.0, refund_without_identity -0.8: nobody asked who it is"
    assert disagreements(judge, rule(0.1 - WRONG_AT)) == []  # a trifle makes no turn wrong


def test_a_judge_that_blames_where_rules_only_praise_is_looked_at() -> None:
    judge = outcome_signal(SignalSource.JUDGE, -1.0)
    assert len(disagreements(judge, rule(0.6))) == 1
    assert disagreements(judge, rule(0.6), rule(-0.1)) == []  # a rule found a fault as well


def test_the_widest_disagreement_is_looked_at_first_whoever_disagrees() -> None:
    judge = outcome_signal(SignalSource.JUDGE, 1.0)
    mild = replace(talk(("q", "a"), name="mild"), signals=(judge, outcome_signal(SignalSource.USER, -0.1)))
    wide = replace(talk(("q", "a"), name="wide"), signals=(judge, rule(-0.8)))
    found = [one for one in review_queue([mild, wide], [], [], 9) if one.ask is Ask.DISAGREEMENT]
    assert [one.trajectory for one in found] == ["t-wide", "t-mild"]


def test_what_explains_and_is_not_counted_leaves_nothing_uncertain() -> None:
    pair = Signal("judge.x.against.t", 1.0, "better", SignalKind.EXPLANATORY, SignalSource.JUDGE)
    one = score(replace(talk(("q", "a")), signals=(pair,)), lambda _: (), RewardRule())
    assert [item.ask for item in review_queue([one], [], [], 5) if item.ask is Ask.UNCERTAIN] == []
