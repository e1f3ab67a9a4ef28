from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.agents.action_text import parse, render
from coevolve.environments.protocol import ToolSpec
from coevolve.types import Action


def _tool(name: str, required: tuple[str, ...] = (), /, **properties: object) -> ToolSpec:
    return ToolSpec(name, name, {"type": "object", "properties": properties, "required": list(required)})


TOOLS = (
    _tool("get_product", ("name",), name={"type": "string"}),
    _tool(
        "pay",
        ("order_id", "amount"),
        order_id={"type": "string"},
        amount={"type": "number"},
        count={"type": "integer"},
        confirm={"type": "boolean"},
        how={"type": "string", "enum": ["card", "cash"]},
        notes={"type": "array", "items": {"type": "string"}},
    ),
    _tool("reply", ("message",), message={"type": "string"}),
)
SPECS = {tool.name: tool for tool in TOOLS}
HELLO = Action("reply", {"message": "Hello"})


def test_a_rendered_turn_has_the_thought_then_one_flat_object_with_the_tool_first() -> None:
    action = Action("get_product", {"name": "Velora X2"})
    text = render("Price question: look up Velora X2.", action, SPECS["get_product"])
    assert text == 'Price question: look up Velora X2.\n{"tool":"get_product","name":" Velora X2"}'


def test_only_free_text_begins_with_a_space_and_parse_takes_one_off() -> None:
    action = Action("pay", {"order_id": "17", "amount": 2.5, "how": "card", "notes": ["a", " b"]})
    text = render("", action, SPECS["pay"])
    assert text == '{"tool":"pay","order_id":" 17","amount":2.5,"how":"card","notes":[" a","  b"]}'
    assert parse(text, TOOLS).action == action


def test_an_argument_called_name_is_not_mistaken_for_the_tool() -> None:
    parsed = parse('Look.\n{"tool": "get_product", "name": "reply"}', TOOLS)
    assert parsed.action == Action("get_product", {"name": "reply"})
    assert (parsed.thought, parsed.error, parsed.repaired) == ("Look.", None, ())


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "reply", "args": {"message": "Hello"}}',
        '{"name": "reply", "arguments": {"message": "Hello"}}',
        '{"name": "reply", "arguments": "{\\"message\\": \\"Hello\\"}"}',
        '{"function": {"name": "reply", "arguments": {"message": "Hello"}}}',
        'So.\n```json\n{"tool": "reply", "message": "Hello"}\n```',
        '<tool_call>\n{"name": "reply", "arguments": {"message": "Hello"}}\n</tool_call>',
        'In {short} terms: {"tool": "reply", "message": "Hello"}',
    ],
)
def test_other_usual_forms_are_read_without_a_repair(text: str) -> None:
    parsed = parse(text, TOOLS)
    assert (parsed.action, parsed.error, parsed.repaired) == (HELLO, None, ())


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (
            '{"tool": "reply", "message": "Hello"}{"tool": "reply", "message": "Hello"}',
            "more than one object",
        ),
        ('{"tool": "reply", "message": "Hello"', "missing last brace"),
        ('{"tool": "reply", "args": {"message": "Hello"}', "missing last brace"),
        ('{"tool": "reply", "message": "Hello",', "missing last brace"),
        ('{"tool": "reply", "message": "Hello",}', "trailing comma"),
        ('{"tool": "replyreply", "message": "Hello"}', "doubled tool name"),
        ('{"tool": "reply" "reply", "message": "Hello"}', "doubled name"),
        ('{"tool": "tool": "reply", "message": "Hello"}', "doubled name"),
        ('{"tool": "reply", "tool": "pay", "message": "Hello"}', "doubled key 'tool'"),
        ('{{"tool": "reply", "message": "Hello"}}', "doubled opening brace"),
        ('{"tool": "reply", "message": "Hello"} That is all.', "text after the object"),
        ('{"tool": "reply()", "message": "Hello"}', "extra characters"),
    ],
)
def test_what_can_be_mended_without_guessing_is_mended_and_noted(text: str, note: str) -> None:
    parsed = parse(text, TOOLS)
    assert parsed.action == HELLO
    assert parsed.error is None
    assert any(note in one for one in parsed.repaired), parsed.repaired


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("I would look it up.", "no JSON object"),
        ('{"tool": "reply", "message": "Hel', "cut off"),
        ('{"tool": "reply", "message":', "cut off"),
        ('{"a": 1}{"a": 1}', "names no tool"),
        ('{"tool": 7}', "names no tool"),
        ('{"tool": "repply", "message": "Hello"}', "did you mean reply?"),
        ('{"tool": "reply"}', "missing message"),
        (
            '{"tool": "reply", "message": "Hello", "tone": "warm"}',
            "unknown parameter tone (it takes: message)",
        ),
        ('{"tool": "reply", "message": 3}', "message must be string, not 3"),
        ('{"tool": "reply", "message": {}}', "message must be string, not an object"),
        ('{"tool": "pay", "order_id": "1", "amount": true}', "amount must be number, not true"),
        ('{"tool": "pay", "order_id": "1", "amount": 1e999}', "amount must be number"),
        ('{"tool": "pay", "order_id": "1", "amount": NaN}', "cannot be read"),
        ('{"tool": "pay", "order_id": "1", "amount": 1, "count": 1.5}', "count must be integer"),
        ('{"tool": "pay", "order_id": "1", "amount": 1, "how": "iou"}', "how must be one of card, cash"),
        ('{"tool": "pay", "order_id": "1", "amount": 1, "notes": ["a", 2]}', "notes item must be string"),
        ('{"tool": "reply", "args": 3}', "args of reply is not an object"),
        ("{'tool': 'reply', 'message': 'Hello'}", "cannot be read"),
    ],
)
def test_what_cannot_be_mended_is_explained(text: str, words: str) -> None:
    parsed = parse(text, TOOLS)
    assert parsed.action is None
    assert parsed.error is not None
    assert words in parsed.error


def test_every_fault_of_a_call_is_named_at_once() -> None:
    error = parse('{"tool": "pay", "amount": "9", "tip": 1}', TOOLS).error
    assert error is not None
    assert all(part in error for part in ("missing order_id", "amount must be", "unknown parameter tip"))


def test_a_bare_last_number_is_trusted_unless_the_text_was_cut_off_by_its_limit() -> None:
    text = '{"tool": "pay", "order_id": "1", "amount": 12'
    assert parse(text, TOOLS).action == Action("pay", {"order_id": "1", "amount": 12})
    cut = parse(text, TOOLS, cut_off=True)
    assert cut.action is None
    assert cut.error is not None
    assert "cut off" in cut.error


def test_half_characters_never_reach_an_action() -> None:
    parsed = parse('{"tool": "reply", "message": "\\ud83d"}', TOOLS)
    assert parsed.action is not None
    parsed.action.args["message"].encode("utf-8")


def test_a_flood_of_braces_is_read_in_bounded_work() -> None:
    assert parse("{" * 200_000, TOOLS).action is None
    assert parse("{x" * 200_000, TOOLS).action is None
    assert parse('{"a":' * 20_000, TOOLS).action is None


_PIECES = st.sampled_from(
    [
        '{"tool": "reply"',
        ', "message": "',
        '"',
        "}",
        "{",
        "[",
        "]",
        ",",
        ":",
        "\\",
        "```",
        "reply",
        "\n",
        "NaN",
        "1e9",
    ]
)


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=14).map("".join)), st.booleans())
def test_any_text_is_read_into_an_action_or_an_explanation_and_never_raises(text: str, cut: bool) -> None:
    parsed = parse(text, TOOLS, cut_off=cut)
    assert (parsed.action is None) == (parsed.error is not None)
    if parsed.action is not None:
        json.dumps(dict(parsed.action.args), allow_nan=False).encode()


@given(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")), st.integers())
def test_what_is_rendered_is_read_back_unchanged(thought: str, order: str, count: int) -> None:
    action = Action("pay", {"order_id": order, "amount": 2.5, "count": count, "notes": [order]})
    text = render(thought, action, SPECS[action.tool])
    parsed = parse(text, TOOLS)
    assert (parsed.action, parsed.error, parsed.repaired) == (action, None, ())
    assert render(parsed.thought, action, SPECS[action.tool]) == text


@pytest.mark.parametrize(
    "text", ['{"tool": "reply", "message": "x", "\\ud800": "y"}', '{"tool": "reply", "message": [1e999]}']
)
def test_what_no_store_could_keep_is_an_error_that_can_be_kept(text: str) -> None:
    loose = ToolSpec("reply", "", {"type": "object", "properties": {"message": {}}, "required": ["message"]})
    parsed = parse(text, (loose,))
    assert parsed.action is None and parsed.error is not None
    parsed.error.encode("utf-8")
