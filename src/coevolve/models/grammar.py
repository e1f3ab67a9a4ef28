"""Tools in, a grammar out: constrained decoding that can only write a thought and one legal action.

The dialect is xgrammar's EBNF, which OpenVINO GenAI takes as `StructuredOutputConfig.grammar` and vLLM
as a structured output. A grammar bounds the form only: a legal action may still be the wrong one, and
an output cut off by its token limit is still cut off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from coevolve.environments.protocol import ToolSpec
from coevolve.errors import ModelError, WorldError

TOOL_KEY = "tool"  # the one key of the flat action object that is no argument

_STRING_CHAR = r"[^\"\\\x00-\x1f\x7f]"
_WORD_CHAR = r"[^ {}\"\\\x00-\x1f\x7f]"
_LEAVES: Mapping[str, str] = {
    "string": f'"\\" " {_STRING_CHAR}* "\\""',
    "integer": '"-"? ("0" | [1-9] [0-9]{0,11})',
    "number": '"-"? ("0" | [1-9] [0-9]{0,11}) ("." [0-9]{1,6})?',
    "boolean": '"true" | "false"',
    "null": '"null"',
}


def action_grammar(tools: Sequence[ToolSpec], max_thought_words: int = 32, only: str | None = None) -> str:
    """The EBNF of one turn: a thought of 1 to `max_thought_words` words, a newline, flat JSON.

    Free text begins with a space after its quote and no other white space stands in the object, as
    `coevolve.agents.action_text.render` writes it.

    Words are counted, not characters: bounding 160 characters halved the engine's speed and took
    seconds to compile, bounding words cost nothing measurable.

    Args:
        tools: what is on offer; required arguments are mandatory, in the order of the schema.
        max_thought_words: words are parted by single spaces; 0 leaves the thought line out.
        only: restrict the action to this tool, as exploration does.

    Returns: rules `root`, one `tool_K` per tool and the value types they use; not recursive.

    Raises:
        ModelError: `only` is not among the tools, or there are none.
        WorldError: a schema that the flat action form cannot hold.
    """
    chosen = [tool for tool in tools if only is None or tool.name == only]
    if not chosen:
        raise ModelError(
            f"no tool to build a grammar of: only={only!r}, offered {[t.name for t in tools]}",
            fix="name one of the offered tools, or offer at least one",
        )
    used: dict[str, str] = {}
    rules = [f"tool_{k} ::= {_tool_rule(tool, used)}" for k, tool in enumerate(chosen)]
    actions = " | ".join(f"tool_{k}" for k in range(len(chosen)))
    if max_thought_words > 0:
        thought = f'word (" " word){{0,{max_thought_words - 1}}}'
        head = [f'root ::= thought "\\n" ({actions})', f"thought ::= {thought}", f"word ::= {_WORD_CHAR}+"]
    else:
        head = [f"root ::= {actions}"]
    leaves = [f"{name} ::= {body}" for name, body in sorted(used.items())]
    return "\n".join([*head, *rules, *leaves]) + "\n"


def _tool_rule(tool: ToolSpec, used: dict[str, str]) -> str:
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    required = set(tool.parameters.get("required", ()))
    if TOOL_KEY in properties:
        raise WorldError(
            f"tool {tool.name} has a parameter named {TOOL_KEY!r}, which names the tool in an action",
            fix=f"rename that parameter of {tool.name}",
        )
    parts = [_literal(f'{{"{TOOL_KEY}":{_dump(tool.name)}')]
    for name, schema in properties.items():
        where = f"{tool.name}.{name}"
        argument = f"{_literal(f',{_dump(name)}:')} {_value(schema, where, used)}"
        parts.append(argument if name in required else f"({argument})?")
    return " ".join([*parts, '"}"'])


def _value(schema: Mapping[str, Any], where: str, used: dict[str, str]) -> str:
    """A reference to, or the body of, the rule of one value."""
    if "const" in schema:
        return _literal(_dump(schema["const"]))
    if "enum" in schema:
        return f"({' | '.join(_literal(_dump(value)) for value in schema['enum'])})"
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        return f"({' | '.join(_value(one, where, used) for one in alternatives)})"
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        return f"({' | '.join(_value({**schema, 'type': one}, where, used) for one in kind)})"
    if kind == "array":
        item = _value(schema.get("items", {}), where, used)
        low, high = schema.get("minItems", 0), schema.get("maxItems")
        more = f"{{{max(low - 1, 0)},{'' if high is None else max(high - 1, 0)}}}"
        items = f'{item} ("," {item}){more}'
        return f'"[" {items} "]"' if low > 0 else f'"[" ({items})? "]"'
    if kind == "string" and ("minLength" in schema or "maxLength" in schema):
        low, high = schema.get("minLength", 0), schema.get("maxLength", "")
        return f'"\\" " {_STRING_CHAR}{{{low},{high}}} "\\""'
    if kind not in _LEAVES:
        raise WorldError(
            f"{where} has type {kind!r}, which a flat action cannot hold",
            fix="use string, integer, number, boolean, an enum or an array of these",
        )
    used[kind] = _LEAVES[kind]
    return str(kind)


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _literal(text: str) -> str:
    """A quoted terminal of the dialect; its escapes are JSON's."""
    return _dump(text)
