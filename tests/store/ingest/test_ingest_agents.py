from __future__ import annotations

from dataclasses import replace
from typing import Any

from coevolve.store.ingest.assemble import assemble
from coevolve.types import Action, Party
from span_samples import ANSWERED, ASKED, CALLED, TOLD, TRACE, as_json, as_openinference, call, span

WITHIN = [{"role": "user", "content": "Check 77."}]
CHECKED = [{"role": "assistant", "content": "It is fine."}]


def tool(number: int, parent: int, name: str = "get_order", **given: Any) -> Any:
    attributes = {"openinference.span.kind": "TOOL", "tool.name": name, **given.pop("attributes", {})}
    return span(number, parent=parent, attributes=attributes, **given)


def test_a_model_called_within_a_tool_is_another_agent_named_after_whom_the_tool_asks() -> None:
    asked = [{"role": "assistant", "tool_calls": [call("c1", "ask_a_colleague", coworker="checker")]}]
    spans = [
        span(1, attributes=as_json(ASKED, asked)),
        tool(2, 9, "Ask a colleague", attributes={"input.value": '{"coworker": "checker"}'}),
        span(3, parent=2, attributes=as_json(WITHIN, CHECKED)),
        span(4, attributes=as_json([*ASKED, *asked], TOLD)),
    ]
    agent, checker = assemble(spans)
    assert (checker.agent, checker.parent, checker.task.opening) == ("checker", agent.id, "Check 77.")
    assert [turn.action for turn in agent.turns][1:] == [Action("reply", {"message": "It is on its way."})]


def test_a_span_that_names_another_agent_than_those_above_begins_one() -> None:
    clerk, checker = ({"metadata": f'{{"lc_agent_name": "{name}"}}'} for name in ("clerk", "checker"))
    spans = [
        span(1, attributes=clerk),
        span(2, parent=1, attributes=clerk | as_json(ASKED, CALLED)),
        span(3, parent=1, attributes=clerk),
        span(4, parent=3, attributes=checker),
        span(5, parent=4, attributes=checker | as_json(WITHIN, CHECKED)),
    ]
    first, second = assemble(spans)
    assert (first.agent, second.agent, second.parent) == ("clerk", "checker", first.id)
    early = assemble(spans[1:])  # the first span comes when the run ends
    assert [(one.id, one.agent, one.parent) for one in early] == [
        (TRACE, "clerk", None),
        (second.id, "checker", TRACE),
    ]


def test_spans_of_one_agent_below_one_that_has_not_come_are_one_agents() -> None:
    clerk = {"metadata": '{"lc_agent_name": "clerk"}'}
    spans = [
        span(2, parent=1, attributes=clerk),
        span(3, parent=2, attributes=clerk | as_json(ASKED, CALLED)),
        span(4, parent=1, attributes=clerk),
        span(5, parent=4, attributes=clerk | as_json(ANSWERED, TOLD)),
    ]
    (early,) = assemble(spans)
    (whole,) = assemble([span(1, attributes=clerk), *spans])
    assert early == whole


def test_an_agent_told_twice_one_span_in_the_other_is_one_and_names_itself() -> None:
    spans = [
        span(1, attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}),
        span(2, parent=1, attributes={"openinference.span.kind": "AGENT", "graph.node.id": "clerk"}),
        span(3, parent=2, attributes=as_openinference(ASKED, CALLED)),
        span(4, parent=2, attributes=as_openinference(ANSWERED, TOLD)),
    ]
    (found,) = assemble(spans)
    assert (found.agent, found.id, len(found.turns)) == ("clerk", TRACE, 2)


def test_agents_that_follow_each_other_in_a_circle_are_assembled() -> None:
    def acting(number: int, name: str, follows: str) -> list[Any]:
        node = {"openinference.span.kind": "AGENT", "agent.name": name, "graph.node.parent_id": follows}
        return [
            span(number, attributes=node),
            span(number + 1, parent=number, attributes=as_json(WITHIN, [{**CHECKED[0], "content": name}])),
        ]

    found = assemble([*acting(1, "a", "b"), *acting(3, "b", "a"), *acting(5, "a", "b")])
    assert [one.parent for one in found] == [None, found[0].id, found[1].id]


def test_a_tool_told_twice_takes_what_either_says() -> None:
    spans = [
        span(1, attributes=as_json(ASKED, CALLED)),
        tool(2, 1, attributes={"input.value": '{"id": "77"}', "output.value": "no such order"}),
        replace(tool(3, 2, attributes={"gen_ai.tool.call.id": "c1"}), error="ValueError: no 77"),
    ]
    (found,) = assemble(spans)
    assert (found.turns[0].result, found.turns[0].error) == ("no such order", "ValueError: no 77")


def test_a_tools_span_without_an_id_belongs_to_the_first_call_of_its_name_that_none_has() -> None:
    twice = [{"role": "assistant", "tool_calls": [call("a", "x", n=1), call("b", "x", n=2)]}]
    spans = [
        span(1, attributes=as_json(ASKED, twice)),
        tool(2, 1, "x", attributes={"input.value": '{"n": 2}', "output.value": "two"}),
        tool(3, 1, "x", attributes={"input.value": "1", "output.value": "one"}),
        tool(4, 1, "x", attributes={"input.value": "1", "output.value": "nobody asked"}),
    ]
    assert [turn.result for turn in assemble(spans)[0].turns] == ["one", "two"]


def test_a_tool_that_is_tried_again_for_one_call_and_succeeds_has_not_failed() -> None:
    again = {"gen_ai.tool.call.id": "c1"}
    spans = [
        span(1, attributes=as_json(ASKED, CALLED)),
        replace(tool(2, 1, attributes=again), error="timeout"),
        tool(3, 1, attributes=again | {"output.value": "sent"}),
    ]
    turn = assemble(spans)[0].turns[0]
    assert (turn.result, turn.error) == ("sent", None)


def test_one_library_that_tells_the_same_answer_twice_tells_of_two_calls() -> None:
    spans = [span(k, at_s=1.0, attributes=as_json(ASKED, TOLD), scope="a") for k in (1, 2)]
    assert len(assemble(spans)[0].turns) == 2
    assert len(assemble([spans[0], replace(spans[1], scope="b")])[0].turns) == 1


def test_a_call_that_failed_and_was_told_by_two_libraries_is_one_failure() -> None:
    spans = [
        span(k, at_s=1.0, attributes=as_json(ASKED, []), scope=name, error="rate limit")
        for k, name in ((1, "a"), (2, "b"))
    ]
    (found,) = assemble(spans)
    assert found.failure is not None
    assert (len(found.turns), found.failure.party) == (1, Party.MODEL)


def test_of_a_call_told_within_an_agent_and_beside_it_the_inner_one_is_kept() -> None:
    node = {"openinference.span.kind": "AGENT", "agent.name": "clerk"}
    spans = [
        span(1),
        span(2, parent=1, attributes=node),
        span(3, parent=1, at_s=3.0, attributes=as_openinference(ASKED, TOLD), scope="client"),
        span(4, parent=2, at_s=3.1, attributes=as_json(ASKED, TOLD), scope="framework"),
    ]
    (found,) = assemble(spans)
    assert (found.agent, len(found.turns)) == ("clerk", 1)
