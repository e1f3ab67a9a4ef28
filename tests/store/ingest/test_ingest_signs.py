from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.feedback.behaviour import behaviour_signals, letters_alike
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.conventions import read_span
from coevolve.store.ingest.signs import CHECK, best_score, interrupted
from coevolve.store.ingest.spans import Span
from coevolve.types import SignalSource, StopReason, Trajectory
from span_samples import ANSWERED, ASKED, CALLED, TOLD, as_json, conversation, span, with_attributes

CUT = json.dumps([{"role": "assistant", "parts": [], "finish_reason": "cancelled"}])


def events(trajectory: Trajectory) -> list[tuple[str, ...]]:
    return [turn.events for turn in trajectory.turns]


def look_up(number: int, **scores: float) -> Span:
    documents = {f"retrieval.documents.{k}.document.score": score for k, score in enumerate(scores.values())}
    return span(number, parent=1, attributes={"openinference.span.kind": "RETRIEVER", **documents})


@pytest.mark.parametrize(
    ("attributes", "best"),
    [
        ({"retrieval.documents.0.document.score": 0.2, "retrieval.documents.1.document.score": 0.7}, 0.7),
        ({"gen_ai.retrieval.documents": '[{"id": "a", "score": 0.4}, {"id": "b"}]'}, 0.4),
        ({"gen_ai.retrieval.documents": [{"id": "a", "score": True}, "x"]}, None),
        ({"retrieval.documents.0.document.score": 10**400}, None),
        ({}, None),
    ],
)
def test_the_best_score_of_a_look_up_is_read_in_both_conventions(
    attributes: dict[str, Any], best: float | None
) -> None:
    assert best_score(attributes) == best


def test_a_look_up_belongs_to_the_answer_that_was_given_on_it() -> None:
    early, late = (
        replace(look_up(30, a=0.9), start_s=span(1).start_s),
        replace(look_up(31, a=0.1, b=0.25), start_s=span(3).start_s),
    )
    (found,) = assemble([*conversation(), early, late])
    assert events(found) == [("retrieval_score:0.9",), ("retrieval_score:0.25",)]


def test_a_look_up_within_another_and_one_that_tells_no_score_are_none() -> None:
    outer = look_up(30, a=0.5)
    inner = replace(look_up(31, a=0.9), parent_id=outer.span_id)
    (found,) = assemble([*conversation(), outer, inner, look_up(32)])
    assert events(found) == [(), ("retrieval_score:0.5",)]


@pytest.mark.parametrize(
    "given",
    [
        {"gen_ai.response.finish_reasons": ["cancelled"]},
        {"gen_ai.response.finish_reasons": '["aborted"]'},
        {"llm.finish_reason": "Cancelled"},
        {"gen_ai.completion.0.finish_reason": "abort"},
        {"gen_ai.output.messages": CUT},
        {"gen_ai.output.messages": json.loads(CUT)},
        {"error.type": "asyncio.exceptions.CancelledError"},
        {"error.type": "AbortError"},
        {"coevolve.interrupted": True},
        {"lk.interrupted": True},
    ],
)
def test_an_answer_that_was_cut_short_is_told_in_many_words(given: dict[str, Any]) -> None:
    assert interrupted(span(1, attributes=given))


@pytest.mark.parametrize(
    "given",
    [
        {"gen_ai.response.finish_reasons": ["stop"]},
        {"llm.finish_reason": "length"},
        {"gen_ai.output.messages": json.dumps([{"content": CUT, "finish_reason": "stop"}])},
        {"gen_ai.output.messages": json.dumps([{"content": "Your order was cancelled"}])},
        {"error.type": "TimeoutError"},
        {"lk.interrupted": False},
        {"turn.was_interrupted": "no"},
    ],
)
def test_an_answer_that_ended_by_itself_was_not_cut_short(given: dict[str, Any]) -> None:
    assert not interrupted(span(1, attributes=given))


def test_a_cancelled_call_is_an_interruption_and_no_failure_of_the_model() -> None:
    exception = {"exception.type": "asyncio.exceptions.CancelledError", "exception.message": ""}
    root, first, last, tool = conversation()
    cancelled = replace(last, error="cancelled", events=(("exception", exception),))
    (found,) = assemble([root, first, replace(cancelled, attributes=as_json(ANSWERED, [])), tool])
    assert (found.failure, found.stop) == (None, StopReason.DONE)
    assert events(found) == [(), ("interrupted",)]
    signs = behaviour_signals([found], {}, letters_alike)[found.id]
    assert [(one.name, one.turn) for one in signs] == [("behaviour.interruption", 1)]


def test_a_turn_of_speech_that_was_interrupted_cuts_its_last_answer() -> None:
    spoken = replace(span(1, name="turn"), end_s=span(3).start_s)
    root = with_attributes(spoken, **{"turn.was_interrupted": True})
    first = span(2, parent=1, attributes=as_json(ASKED, CALLED))
    later = span(4, attributes=as_json(ANSWERED, TOLD))
    (found,) = assemble([root, first, later])
    assert events(found) == [("interrupted",), ()]


def check(**fields: Any) -> tuple[tuple[str, dict[str, Any]], ...]:
    return ((CHECK, fields),)


@pytest.mark.parametrize("at", [0, 1, 3])
def test_what_a_program_verified_beside_its_agent_is_a_check_of_the_trajectory(at: int) -> None:
    spans = conversation()
    spans[at] = replace(spans[at], events=check(name="stock", passed=False, why="none left"))
    (found,) = assemble(spans)
    (one,) = found.checks
    assert (one.name, one.score, one.why, one.source) == (
        "check.stock",
        -1.0,
        "stock failed: none left",
        SignalSource.CHECK,
    )


def test_a_check_belongs_to_the_agent_in_whose_span_it_stands() -> None:
    inner = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "checker"}
    asked = as_json([{"role": "user", "content": "Check 77."}], TOLD)
    spans = [
        *conversation(),
        span(20, parent=3, attributes=inner, events=check(name="schema", passed=True)),
        span(21, parent=20, attributes=asked),
    ]
    found = {one.agent: [check.name for check in one.checks] for one in assemble(spans)}
    assert found == {"clerk": [], "checker": ["check.schema"]}


def test_a_check_that_could_not_tell_is_unknown_and_one_that_says_nothing_is_none() -> None:
    fields = [{"name": "a"}, {"name": "b", "passed": "yes"}, {"passed": True}]
    one = span(1, events=tuple((CHECK, each) for each in fields))
    assert [(check.name, check.score) for check in read_span(one).checks] == [("check.a", None)]


VALUES = st.recursive(
    st.one_of(st.text(max_size=9), st.none(), st.booleans(), st.integers(), st.floats()),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("finish_reason"), inner, max_size=1),
    max_leaves=4,
)
NAMES = [
    "gen_ai.response.finish_reasons",
    "gen_ai.output.messages",
    "gen_ai.retrieval.documents",
    "error.type",
]


@given(st.dictionaries(st.sampled_from(NAMES), VALUES), VALUES, VALUES)
def test_hostile_values_never_raise(attributes: dict[str, Any], name: Any, passed: Any) -> None:
    one = span(1, attributes=attributes, events=check(name=name, passed=passed, why=passed))
    read_span(one)
    best_score(attributes)
