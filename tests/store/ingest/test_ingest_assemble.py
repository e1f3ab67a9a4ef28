from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.spans import Span
from coevolve.types import Action, Party, Split, StopReason
from span_samples import (
    ANSWERED,
    ASKED,
    CALLED,
    TOLD,
    TRACE,
    as_events,
    as_json,
    as_numbered,
    as_openinference,
    call,
    conversation,
    span,
    with_attributes,
)

FORMS = [as_json, as_openinference, as_numbered, as_events]


@pytest.mark.parametrize("tool_span", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_every_convention_gives_the_same_trajectory(form: Any, tool_span: bool) -> None:
    (found,) = assemble(conversation(form, tool_span=tool_span))
    assert (found.id, found.session_id, found.agent) == (TRACE, "s-9", "clerk")
    assert (found.task.opening, found.task.split, found.task.type) == (
        "Where is order 77?",
        Split.LIVE,
        "clerk",
    )
    assert found.stop is StopReason.DONE
    first, second = found.turns
    assert (first.observation, first.action) == ("Where is order 77?", Action("get_order", {"id": "77"}))
    assert first.result == '{"status":"sent"}'
    assert (second.observation, second.action) == (
        '{"status":"sent"}',
        Action("reply", {"message": "It is on its way."}),
    )
    assert [turn.index for turn in found.turns] == [0, 1]


@given(st.permutations(range(4)), st.lists(st.integers(0, 3), max_size=4))
def test_order_and_repetition_of_spans_change_nothing(order: list[int], again: list[int]) -> None:
    spans = conversation()
    assert assemble([spans[k] for k in [*order, *again]]) == assemble(spans)


@pytest.mark.parametrize("form", FORMS)
def test_a_call_that_tells_what_is_new_alone_loses_none_of_it(form: Any) -> None:
    spans = conversation(tool_span=False)
    alone = replace(spans[2], attributes=form(ANSWERED[-1:], TOLD))
    assert assemble([*spans[:2], alone])[0].turns == assemble(spans)[0].turns


def test_a_call_that_tells_the_end_of_the_conversation_alone_repeats_none_of_it() -> None:
    spans = conversation(tool_span=False)
    cut = replace(spans[2], attributes=as_json(ANSWERED[1:], TOLD))
    assert assemble([*spans[:2], cut])[0].turns == assemble(spans)[0].turns


def test_missing_parents_circles_and_parents_that_end_first_lose_nothing() -> None:
    whole = assemble(conversation())[0].turns
    root, *others = conversation()
    assert assemble(others)[0].turns == whole
    circle = [replace(root, parent_id=others[0].span_id), replace(others[0], parent_id=root.span_id)]
    assert assemble([*circle, *others[1:]])[0].turns == whole
    early = replace(root, end_s=root.start_s)
    assert assemble([early, *others])[0].turns == whole


def test_a_call_told_by_two_instrumentors_is_one_decision() -> None:
    spans = conversation(as_json)
    whole = assemble(spans)[0].turns
    below = [span(12, parent=2, at_s=2.1, attributes=as_openinference(ASKED, CALLED))]
    beside = [span(14, parent=1, at_s=4.2, attributes=as_openinference(ANSWERED, TOLD))]
    assert assemble([*spans, *below, *beside])[0].turns == whole
    later = [span(24, parent=1, at_s=60, attributes=as_openinference(ANSWERED, TOLD))]
    assert len(assemble([*spans, *later])[0].turns) == len(whole) + 1  # said again, a minute later


def test_agents_are_linked_trajectories_of_one_session() -> None:
    spans = [
        *conversation(),
        span(
            20, parent=3, attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "checker"}
        ),
        span(21, parent=20, attributes=as_json([{"role": "user", "content": "Check 77."}], TOLD)),
    ]
    clerk, checker = sorted(assemble(spans), key=lambda one: one.id)
    assert (checker.agent, checker.parent, checker.session_id) == ("checker", clerk.id, "s-9")
    assert (clerk.agent, clerk.parent, len(clerk.turns)) == ("clerk", None, 2)
    assert checker.task.opening == "Check 77."


def test_parallel_calls_are_a_turn_each_with_their_own_results() -> None:
    both = [
        {"role": "assistant", "content": "Both.", "tool_calls": [call("a", "x", n=1), call("b", "x", n=2)]}
    ]
    answers = [
        {"role": "tool", "tool_call_id": "b", "content": "two"},
        {"role": "tool", "tool_call_id": "a", "content": "one"},
    ]
    spans = [
        span(1, attributes=as_json(ASKED, both)),
        span(2, attributes=as_json([*ASKED, *both, *answers], TOLD)),
    ]
    (found,) = assemble(spans)
    assert [turn.result for turn in found.turns] == ["one", "two", ""]
    assert (found.turns[0].thought, found.turns[1].raw) == ("Both.", "")


def test_failed_spans_say_who_failed() -> None:
    *spans, tool = conversation()
    broken_tool = replace(tool, error="timeout")
    assert assemble([*spans, broken_tool])[0].turns[0].error == "timeout"
    broken = [*spans[:2], replace(spans[2], error="rate limit", attributes=as_json(ANSWERED, []))]
    found = assemble([*broken, tool])[0]
    assert found.failure is not None
    assert (found.failure.party, found.stop) == (Party.MODEL, StopReason.FAILED)
    assert found.turns[-1].action is None


def test_traces_are_told_apart_and_come_in_time() -> None:
    other = [replace(one, trace_id="cd" * 16, start_s=one.start_s - 100) for one in conversation()]
    assert [one.id for one in assemble([*conversation(), *other])] == ["cd" * 16, TRACE]


def test_spans_without_content_give_a_turn_without_an_action_and_none_without_a_model() -> None:
    silent = [span(1, attributes={"gen_ai.operation.name": "chat"})]
    (found,) = assemble(silent)
    assert (found.turns[0].action, found.task.opening) == (None, "")
    assert found.turns[0].error is not None
    assert assemble([span(1), span(2, parent=1)]) == []


def test_version_and_task_type_come_from_their_own_attributes() -> None:
    spans = [
        with_attributes(one, **{"coevolve.version": "v7", "coevolve.task_type": "return"})
        for one in conversation()
    ]
    (found,) = assemble(spans)
    assert (found.version, found.task.type) == ("v7", "return")


NAMES = [
    "openinference.span.kind",
    "gen_ai.operation.name",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
    "llm.input_messages.0.message.role",
    "events",
    "gen_ai.tool.call.arguments",
    "retrieval.documents.0.document.score",
    "metadata",
    "graph.node.id",
    "graph.node.parent_id",
    "llm.input_messages.0.function.0",
    "llm.token_count.prompt",
    "output.value",
    "tool.name",
]
TEXTS = ["LLM", "TOOL", "AGENT", "chat", "execute_tool", "[]", "{}", '[["x"]]']
TEXTS += ['{"lc_agent_name":[1]}', '{"data":{"content":{},"tool_call_id":7}}', '{"call_id":{}}', "a", "b"]
TEXTS += ['[{"role":1,"parts":[{"type":"tool_call"}]}]', '[{"event.name":"gen_ai.choice","message":3}]']
VALUES = st.one_of(
    st.sampled_from(TEXTS), st.text(max_size=30), st.none(), st.integers(), st.floats(allow_nan=False)
)


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5), max_size=6))
def test_hostile_attributes_never_raise(all_attributes: list[dict[str, Any]]) -> None:
    spans: list[Span] = [
        span(k + 1, parent=k or None, attributes=attributes) for k, attributes in enumerate(all_attributes)
    ]
    for found in assemble(spans):
        assert found.turns


def test_names_are_cut_to_what_a_column_holds() -> None:
    long = "n\0" * 300
    given = {"coevolve.version": long, "coevolve.task_type": long, "session.id": long, "agent.name": long}
    (found,) = assemble([with_attributes(one, **given) for one in conversation()])
    names = {found.version, found.task.type, found.task.id, found.session_id, found.agent}
    assert names == {"n" * 200}
