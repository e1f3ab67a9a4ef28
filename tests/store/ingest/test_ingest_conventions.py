from __future__ import annotations

from typing import Any

import pytest

from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.conventions import Call, read_span
from span_samples import ASKED, CALLED, TOLD, as_json, as_openinference, span, with_attributes

TOOL = {"openinference.span.kind": "TOOL", "tool.name": "get_order"}


def test_a_text_told_whole_and_in_parts_is_told_once() -> None:
    parts = {"llm.output_messages.0.message.contents.0.message_content.text": TOLD[0]["content"]}
    one = span(1, attributes=as_openinference(ASKED, TOLD) | parts)
    assert [message.text for message in read_span(one).outputs] == ["It is on its way."]
    alone = {name: value for name, value in one.attributes.items() if not name.endswith("0.message.content")}
    assert [m.text for m in read_span(span(1, attributes=alone)).outputs] == ["It is on its way."]


def test_a_schema_of_arguments_is_not_taken_for_arguments() -> None:
    schema = {"tool.parameters": '{"type": "object", "properties": {"id": {"type": "string"}}}'}
    assert read_span(span(1, attributes=TOOL | schema)).call == Call("", "get_order", {})
    given = schema | {"input.value": '{"id": "77"}'}
    assert read_span(span(1, attributes=TOOL | given)).call == Call("", "get_order", {"id": "77"})
    assert read_span(span(1, attributes=TOOL | {"tool.parameters": '{"id": "77"}'})).call == Call(
        "", "get_order", {"id": "77"}
    )


@pytest.mark.parametrize(
    "output",
    [
        '{"content": "sent", "tool_call_id": "c1"}',
        '{"type": "tool", "data": {"content": "sent", "tool_call_id": "c1"}}',
        '{"lc": 1, "kwargs": {"content": "sent", "tool_call_id": "c1"}}',
    ],
)
def test_a_tool_that_put_out_a_message_says_which_call_it_answered(output: str) -> None:
    one = read_span(span(1, attributes=TOOL | {"output.value": output}))
    assert one.call is not None
    assert (one.call.id, one.result) == ("c1", "sent")


def test_results_of_several_calls_in_one_message_are_a_message_each() -> None:
    start = "llm.input_messages.2"
    results: dict[str, Any] = {
        f"{start}.message.role": "function",
        f"{start}.function.0": '{"call_id": "a", "content": "one", "is_error": false}',
        f"{start}.function.1": '{"call_id": "b", "content": "two", "is_error": false}',
    }
    heard = read_span(span(1, attributes=as_openinference(ASKED, TOLD) | results)).inputs[2:]
    assert [(one.role, one.text, one.answers) for one in heard] == [
        ("tool", "one", "a"),
        ("tool", "two", "b"),
    ]


def test_calls_that_stand_in_the_plain_output_alone_are_read() -> None:
    given = as_openinference(ASKED, [])
    given["output.value"] = '[{"id": "c1", "function": {"name": "get_order", "arguments": "{\\"id\\": 7}"}}]'
    (said,) = read_span(span(1, attributes=given)).outputs
    assert (said.text, said.calls) == ("", (Call("c1", "get_order", {"id": 7}),))
    (words,) = read_span(span(1, attributes=given | {"output.value": "[1] is right"})).outputs
    assert words.text == "[1] is right"


@pytest.mark.parametrize(
    ("status", "exception", "expected"),
    [
        ("error", {"exception.type": "a.b.E", "exception.message": "no 77"}, "E: no 77"),
        ("Traceback ...", {"exception.message": "no 77"}, "no 77"),
        ("timeout", {"exception.type": "E", "exception.message": ""}, "timeout"),
        (None, {"exception.type": "E", "exception.message": "was caught"}, None),
    ],
)
def test_an_error_is_told_in_its_exceptions_words(
    status: str | None, exception: dict[str, str], expected: str | None
) -> None:
    one = span(1, attributes=TOOL, error=status, events=(("exception", exception),))
    assert read_span(one).error == expected


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
        ("gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens"),
        ("llm.token_count.prompt", "llm.token_count.completion"),
    ],
)
def test_tokens_are_counted_over_all_calls_and_unknown_where_one_does_not_tell(
    read: str, written: str
) -> None:
    spans = [span(k, attributes=as_json(ASKED, CALLED if k == 1 else TOLD)) for k in (1, 2)]
    counted = [with_attributes(one, **{read: 10, written: 3}) for one in spans]
    (found,) = assemble(counted)
    assert (found.read_tokens, found.written_tokens) == (20, 6)
    (found,) = assemble([counted[0], spans[1]])
    assert (found.read_tokens, found.written_tokens) == (None, None)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"price": NaN, "most": [1e999, -Infinity], "n": 1.5}',
        {"price": float("nan"), "most": [float("inf"), float("-inf")], "n": 1.5},
    ],
)
def test_numbers_that_are_no_json_are_kept_as_texts(arguments: Any) -> None:
    given = TOOL | {"gen_ai.tool.call.arguments": arguments}
    one = read_span(span(1, attributes=given)).call
    assert one is not None
    assert one.args["n"] == 1.5
    assert [one.args["price"], one.args["most"][1]] == ["NaN", "-Infinity"]
    assert one.args["most"][0] in ("1e999", "Infinity")


@pytest.mark.parametrize(
    "name",
    [
        "llm.input_messages.{}.message.content",
        "gen_ai.prompt.{}.content",
        "llm.input_messages.0.message.tool_calls.{}.tool_call.id",
        "llm.input_messages.0.message.contents.{}.message_content.text",
        "llm.input_messages.0.function.{}",
    ],
)
def test_a_message_with_an_endless_number_is_passed_over(name: str) -> None:
    given = as_openinference(ASKED, TOLD)
    endless = given | {name.format("9" * 5000): '{"call_id": "x"}'}
    assert read_span(span(1, attributes=endless)).inputs == read_span(span(1, attributes=given)).inputs
