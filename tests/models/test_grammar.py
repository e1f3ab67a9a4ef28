from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.agents.action_text import parse, render
from coevolve.environments.protocol import ToolSpec
from coevolve.errors import ModelError, WorldError
from coevolve.models.grammar import action_grammar
from coevolve.types import Action


def _tool(name: str, required: tuple[str, ...] = (), /, **properties: object) -> ToolSpec:
    return ToolSpec(name, name, {"type": "object", "properties": properties, "required": list(required)})


TOOLS = (
    _tool("get_product", ("name",), name={"type": "string"}),
    _tool(
        "pay",
        ("order_id", "amount"),
        order_id={"type": "integer"},
        note={"type": "string", "maxLength": 5},
        amount={"type": "number"},
        confirm={"type": "boolean"},
        how={"type": "string", "enum": ["card", 'say "cash"']},
        by={"anyOf": [{"type": "string"}, {"type": "null"}]},
    ),
    _tool("compare", ("names",), names={"type": "array", "items": {"type": "string"}, "minItems": 2}),
)


def _matcher(grammar: str) -> re.Pattern[str]:
    """The grammar as a regular expression; possible because it is not recursive."""
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
    token = re.compile(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[A-Za-z_0-9]+|\{[0-9,]+\}|[()|?*+ ]')

    def expand(body: str) -> str:
        out = []
        at = 0
        while at < len(body):
            found = token.match(body, at)
            assert found is not None, f"not of the dialect: {body[at:]}"
            piece = found.group()
            if piece.startswith('"'):
                out.append(re.escape(json.loads(piece)))
            elif piece in rules:
                out.append(f"(?:{expand(rules[piece])})")
            elif piece == "(":
                out.append("(?:")
            elif piece != " ":
                out.append(piece)
            at = found.end()
        return "".join(out)

    return re.compile(expand(rules["root"]))


WHOLE = _matcher(action_grammar(TOOLS))


@pytest.mark.parametrize(
    "text",
    [
        'Look up.\n{"tool":"get_product","name":" Velora X2"}',
        'Größe?\n{"tool":"get_product","name":" Größe {L}, 5\', ok"}',
        'Pay.\n{"tool":"pay","order_id":0,"amount":-3}',
        'Pay.\n{"tool":"pay","order_id":12345,"note":" ok","amount":9.5,"confirm":true,"by":null}',
        'Pay.\n{"tool":"pay","order_id":1,"amount":1,"how":"say \\"cash\\"","by":" me"}',
        'Both.\n{"tool":"compare","names":[" a"," b"," c"]}',
    ],
)
def test_legal_turns_are_accepted_and_parse(text: str) -> None:
    assert WHOLE.fullmatch(text)
    assert parse(text, TOOLS).error is None


@pytest.mark.parametrize(
    "text",
    [
        '{"tool":"get_product","name":" no thought"}',
        'Two\nlines.\n{"tool":"get_product","name":" x"}',
        'Braces {} here.\n{"tool":"get_product","name":" x"}',
        'Look.\n{"tool":"get_product"}',
        'Look.\n{"tool":"unknown"}',
        'Look.\n{"tool":"get_product","name":"x"}',
        'Look.\n{"tool":"get_product","name":"x"}',
        'Look.\n{"tool":"get_product","name":" a\nb"}',
        'Look.\n{"tool":"get_product","name":" x"} more',
        'Pay.\n{"tool":"pay","order_id":01,"amount":1}',
        'Pay.\n{"tool":"pay","order_id":"1","amount":1}',
        'Pay.\n{"tool":"pay","order_id":1,"note":" longer","amount":1}',
        'Pay.\n{"tool":"pay","order_id":1,"amount":1,"how":"iou"}',
        'Pay.\n{"tool":"pay","amount":1,"order_id":1}',
        'One.\n{"tool":"compare","names":[" a"]}',
        " ".join(["word"] * 33) + '\n{"tool":"get_product","name":" x"}',
    ],
)
def test_illegal_turns_are_refused(text: str) -> None:
    assert not WHOLE.fullmatch(text)


def test_only_restricts_the_action_to_one_tool() -> None:
    one = _matcher(action_grammar(TOOLS, only="compare"))
    assert one.fullmatch('Both.\n{"tool":"compare","names":[" a"," b"]}')
    assert not one.fullmatch('Look.\n{"tool":"get_product","name":" x"}')


def test_without_thought_words_the_action_stands_alone() -> None:
    bare = _matcher(action_grammar(TOOLS, 0))
    assert bare.fullmatch('{"tool":"get_product","name":" x"}')
    assert not bare.fullmatch('Look.\n{"tool":"get_product","name":" x"}')


def test_a_tool_that_is_not_offered_is_an_error_with_a_fix() -> None:
    with pytest.raises(ModelError, match="fix:"):
        action_grammar(TOOLS, only="fly")


@pytest.mark.parametrize("properties", [{"tool": {"type": "string"}}, {"deep": {"type": "object"}}])
def test_a_schema_that_a_flat_action_cannot_hold_is_refused(properties: dict[str, object]) -> None:
    with pytest.raises(WorldError, match="fix:"):
        action_grammar((_tool("odd", (), **properties),))


_PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters='"\\'))
_THOUGHT = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1), min_size=1, max_size=6
)


@given(_THOUGHT.map(" ".join).filter(lambda thought: bool(thought.strip())), _PLAIN)
def test_what_a_teacher_renders_the_grammar_allows(thought: str, name: str) -> None:
    assert WHOLE.fullmatch(render(thought, Action("get_product", {"name": name}), TOOLS[0]))
