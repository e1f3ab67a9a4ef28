from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from coevolve.errors import FeedbackError
from coevolve.feedback import RewardRule, score
from coevolve.feedback.classes import CLASS_OF, FailureClass, class_signal, judge_class
from coevolve.feedback.failures import cluster_failures, record_failure
from coevolve.feedback.statements import statement_signals
from coevolve.models.scripted import ScriptedModel
from coevolve.types import (
    Failure,
    Party,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    StatementKind,
    Trajectory,
)
from live_samples import outcome_signal, says, talk

FAILED = Signal("end_state", -1.0, "the order is not paid", SignalKind.OUTCOME, SignalSource.CHECK)
PASSED = replace(FAILED, score=1.0)


def failed(
    *signals: Signal, reply: str = "It is 5.", checks: tuple[Signal, ...] = (FAILED,), **other: Any
) -> Trajectory:
    base = talk(("Pay order 77, please.", reply), **other)
    base = replace(base, task=replace(base.task, split=Split.TRAIN), checks=checks)
    judged = tuple(s for s in signals if s.source not in (SignalSource.RULE, SignalSource.CHECK))
    reviewed = tuple(s for s in signals if s.source in (SignalSource.RULE, SignalSource.CHECK))
    return score(replace(base, signals=judged), lambda _: reviewed, RewardRule())


def kind(trajectory: Trajectory) -> FailureClass | None:
    record = record_failure(trajectory)
    return None if record is None else record.kind


def fault(name: str) -> Signal:
    return Signal(name, -0.6, f"{name}: why", turn=0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("unknown_tool", FailureClass.TOOL_CALL),
        ("unsaid_value", FailureClass.TOOL_CALL),
        ("paid_before_identity", FailureClass.ORDER),
        ("violation:window_closed", FailureClass.POLICY),
        ("fact.price", FailureClass.KNOWLEDGE),
        ("looked.get_order", FailureClass.KNOWLEDGE),
        ("amounts_true", FailureClass.KNOWLEDGE),
        ("odd_conclusion", FailureClass.UNKNOWN),  # no rule knows what kind of mistake that is
    ],
)
def test_the_signal_at_the_first_wrong_turn_names_the_class(name: str, expected: FailureClass) -> None:
    base = failed(fault(name))
    assert (
        kind(replace(base, signals=tuple(s for s in base.signals if s.name != "ended_without_trying")))
        is expected
    )


def test_ending_without_trying_and_empty_promises_are_evasion() -> None:
    assert kind(failed()) is FailureClass.EVASION
    promised = failed(reply="I have recorded your problem and will get back to you.")
    silent = replace(promised, signals=())
    assert kind(silent) is FailureClass.EVASION


def one_star(*signals: Signal) -> Trajectory:
    return score(
        replace(
            talk(("Where is it?", "On its way.")),
            signals=(outcome_signal(SignalSource.USER, -1.0), *signals),
        ),
        lambda _: (),
        RewardRule(),
    )


def classed(kind: FailureClass, source: SignalSource) -> Signal:
    return Signal(f"{CLASS_OF}{kind}", None, f"{source}: because", SignalKind.EXPLANATORY, source, 0)


def test_a_single_star_tells_no_rule_what_went_wrong() -> None:
    assert kind(one_star()) is FailureClass.UNKNOWN


def test_a_judge_names_the_class_where_no_rule_does_and_a_person_outranks_both() -> None:
    said = classed(FailureClass.REASONING, SignalSource.JUDGE)
    record = record_failure(one_star(said))
    assert record is not None
    assert (record.kind, record.turn, record.why) == (FailureClass.REASONING, 0, "judge: because")
    ruled = replace(failed(fault("unknown_tool")), signals=(fault("unknown_tool"), said))
    assert kind(ruled) is FailureClass.TOOL_CALL
    person = classed(FailureClass.POLICY, SignalSource.REVIEWER)
    assert kind(replace(ruled, signals=(*ruled.signals, person))) is FailureClass.POLICY
    assert kind(one_star(classed(FailureClass.UNKNOWN, SignalSource.JUDGE))) is FailureClass.UNKNOWN


async def test_a_judge_that_is_asked_for_a_class_votes_for_one_of_them_or_none() -> None:
    left = ["order", "order", "policy", "order", "policy", "unsure"]
    model = ScriptedModel(lambda _: json.dumps({"reason": "paid first", "verdict": left.pop(0)}))
    signal = class_signal(await judge_class(model, "Agent: pay()", 0), 2)
    assert (signal.name, signal.score, signal.turn) == ("failure.order", None, 2)
    assert signal.why == "scripted (67% of 3 votes): paid first"
    assert class_signal(await judge_class(model, "Agent: pay()", 0), 2).name == "failure.unknown"


def test_a_label_may_name_the_class_and_what_only_explains_is_no_blame() -> None:
    value = {"score": -1, "why": "no such rule", "class": "policy"}
    (named,) = statement_signals(one_star(), [says(StatementKind.LABEL, value)], {})
    assert (named.name, named.score, named.kind) == ("failure.policy", None, SignalKind.EXPLANATORY)
    assert kind(one_star(named)) is FailureClass.POLICY
    for wrong in ("polcy", {"a": 1}):
        with pytest.raises(FeedbackError, match="label") as refused:
            statement_signals(one_star(), [says(StatementKind.LABEL, {**value, "class": wrong})], {})
        assert "missing_knowledge" in refused.value.fix
    on = {"score": -1, "why": "it was said", "signal": "unsaid_value"}
    (doubted,) = statement_signals(one_star(), [says(StatementKind.LABEL, on)], {})
    assert kind(one_star(doubted)) is FailureClass.UNKNOWN


def test_what_the_world_broke_is_the_worlds_and_contradicting_judges_are_the_judges() -> None:
    broken = replace(failed(), failure=Failure(Party.ENVIRONMENT, "timeout"))
    assert kind(broken) is FailureClass.ENVIRONMENT
    base = failed(outcome_signal(SignalSource.JUDGE, -1.0), checks=(PASSED,))
    doubted = replace(base, reward=failed().reward)
    assert kind(doubted) is FailureClass.JUDGE


def test_a_success_and_an_unknown_outcome_are_no_failures() -> None:
    assert kind(failed(checks=(PASSED,))) is None
    assert kind(talk(("Hi", "Hello"))) is None


def by_words(texts: Sequence[str]) -> np.ndarray:
    """A stand-in encoder: counts of words, scaled to length 1."""
    words = sorted({word for text in texts for word in text.split()})
    counts = np.array([[text.split().count(word) for word in words] for text in texts], dtype=float)
    return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True))


def test_failures_that_read_alike_are_one_named_cluster_with_its_trend() -> None:
    rng = np.random.default_rng(0)
    made = []
    for k in range(60):
        late = k % 3 == 0
        why = "the return window of the order is closed" if late else "the card was charged without asking"
        filler = rng.choice(["well", "hello", "please", "thanks", "dear"])
        signal = Signal("violation:x", -0.9, f"{why} {filler}", turn=0)
        version = "v1" if k < 30 else "v2"
        base = failed(signal, name=f"s{k}", version=version)
        made.append(record_failure(replace(base, signals=(signal,))))
    records = [one for one in made if one is not None]
    found = cluster_failures(records, by_words, ["v1", "v2"])
    assert [one.size for one in found] == [40, 20]
    assert [one.kind for one in found] == [FailureClass.POLICY] * 2
    assert {"card", "charged"} <= set(found[0].name.split())
    assert found[0].trend == {"v1": pytest.approx(2 / 3), "v2": pytest.approx(2 / 3)}
    assert len(set(found[1].examples)) == 3
    assert set(found[1].examples) <= set(found[1].members)


def test_too_few_failures_make_no_cluster() -> None:
    record = record_failure(failed())
    assert record is not None
    assert cluster_failures([record] * 9, by_words, ["v1"]) == []


@pytest.mark.model
def test_the_sentence_encoder_puts_meaning_before_words() -> None:
    from coevolve.models.embeddings import open_embedder

    encoder = open_embedder()
    near = encoder.nearness(
        ["How long may I send it back?", "What is the return period?", "How long is the river Nile?", ""]
    )
    assert near[0, 1] > near[0, 2] + 0.1
    assert np.allclose(np.diag(near), 1, atol=1e-5)
    twice = encoder.embed(["same", "other", "same"])
    assert twice.shape == (3, 384)
    assert (twice[0] == twice[2]).all()


def test_one_kind_of_failure_alone_is_a_cluster_and_what_is_unlike_it_stays_out() -> None:
    base = record_failure(failed())
    assert base is not None
    same = [replace(base, trajectory=f"s{k}", text="the card was charged without asking") for k in range(12)]
    odd = [replace(base, trajectory=f"o{k}", text=f"w{k} x{k} y{k} z{k}") for k in range(3)]
    (found,) = cluster_failures([*same, *odd], by_words, ["v1"])
    assert sorted(found.members) == sorted(one.trajectory for one in same)
    apart = [replace(base, trajectory=f"a{k}", text=f"w{k} x{k} y{k} z{k}") for k in range(12)]
    assert cluster_failures(apart, by_words, ["v1"]) == []
