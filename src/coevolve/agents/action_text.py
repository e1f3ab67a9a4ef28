"""The text of one turn: `render` writes a thought and an action, `parse` reads whatever a model wrote.

The form is a short thought on the first line, then one flat JSON object with the tool first:
`{"tool":"get_product","name":" Velora X2"}`. `parse` never raises and never evaluates anything: what
it can mend without guessing it mends and notes, what it cannot it explains. It does not decide whether
an action is wise or allowed.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coevolve.agents.arguments import misfit
from coevolve.environments.protocol import ToolSpec
from coevolve.types import Action

_NESTS = ("args", "arguments", "parameters", "input")
_NAMES = ("tool", "name", "tool_name", "function", "action")
_MOST_TRIES = 64  # objects looked at in one text, so that a flood of braces costs no more
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says. Exactly one of `action` and `error` is set."""

    thought: str
    action: Action | None
    error: str | None = None
    repaired: tuple[str, ...] = ()  # what had to be mended, in words


@dataclass(frozen=True, slots=True)
class _Found:
    """An object in a text, and what had to be done to read it."""

    value: dict[str, Any]
    before: str
    notes: tuple[str, ...]


def render(thought: str, action: Action, tool: ToolSpec) -> str:
    """The text of one turn, as the grammar of `coevolve.models.grammar` allows it.

    White space in the thought becomes single spaces and its braces and double quotes become
    parentheses and single quotes, so that the JSON object is the only one in the text. Free text in it
    begins with a space, which `parse` takes off again: then a name is copied token by token as it stood
    in a message, and not spelled anew. No other space is written: `":"` and `","` are one token each in a
    byte-pair vocabulary, and a turn is a ninth shorter.
    """
    line = " ".join(thought.split()).translate(str.maketrans('{}"\\', "()'/"))
    schemas: Mapping[str, Any] = tool.parameters.get("properties", {})
    args = {name: _spaced(value, schemas.get(name, {})) for name, value in action.args.items()}
    body = json.dumps({"tool": action.tool, **args}, ensure_ascii=False, separators=(",", ":"))
    return f"{line}\n{body}" if line else body


def _spaced(value: Any, schema: Mapping[str, Any]) -> Any:
    """Free text with a space before it; what a schema fixes stays as it is."""
    if any(value in one.get("enum", [one.get("const")]) for one in (schema, *schema.get("anyOf", ()))):
        return value
    if isinstance(value, list):
        return [_spaced(one, schema.get("items", {})) for one in value]
    return f" {value}" if isinstance(value, str) else value


def parse(text: str, tools: Sequence[ToolSpec], *, cut_off: bool = False) -> Parsed:
    """Read a turn's text. Never raises.

    Args:
        text: what the model wrote, whole.
        tools: what is on offer; names and arguments are held against it.
        cut_off: the text ended at a token limit, so that a bare last number may be half a number.
    """
    text = _whole_characters(text)
    found = _find(text, cut_off)
    if isinstance(found, str):
        return Parsed(_thought(text.partition("{")[0]), None, found)
    thought = _thought(found.before)
    named = _tool_and_args(found.value, tools)
    if isinstance(named, str):
        return Parsed(thought, None, _whole_characters(named), found.notes)
    action, notes = named
    error = misfit(action, tools)
    if error is not None:
        return Parsed(thought, None, _whole_characters(error), found.notes + notes)
    return Parsed(thought, action, None, found.notes + notes)


def _whole_characters(text: str) -> str:
    """`text` with half characters (lone surrogates) replaced: no store could write them."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _whole_strings(value: Any) -> Any:
    if isinstance(value, str):
        return _whole_characters(value).removeprefix(" ")
    if isinstance(value, list):
        return [_whole_strings(one) for one in value]
    return value


def _thought(before: str) -> str:
    lines = [line.strip() for line in before.splitlines()]
    return " ".join(line for line in lines if line and not line.startswith(("```", "<tool_call>")))


def _find(text: str, cut_off: bool) -> _Found | str:
    """The first object that can be read, or why there is none."""
    start = text.find("{")
    if start < 0:
        if not text.strip():
            return "the text is empty; a thought and one JSON action were expected"
        return "no JSON object in the text; one JSON action was expected after the thought"
    whole = _first_whole(text, start)
    if whole is not None:
        return whole
    rest = text[start:]
    notes: tuple[str, ...] = ()
    for mend, note in _MENDS:
        mended = mend(rest)
        if mended == rest:
            continue
        rest, notes = mended, (*notes, note)
        read = _read(rest)
        if isinstance(read, tuple):
            return _Found(read[0], text[:start], notes + read[2])
    closed = _close(rest, cut_off)
    if closed is None:
        return "the JSON is cut off before its end; use a shorter thought and message"
    read = _read(closed)
    if isinstance(read, tuple):
        return _Found(read[0], text[:start], (*notes, "missing last brace", *read[2]))
    return f"the JSON cannot be read: {read}"


def _first_whole(text: str, start: int) -> _Found | None:
    """The first readable object at or after `start`; one that names a tool is preferred."""
    fallback: _Found | None = None
    at = start
    for _ in range(_MOST_TRIES):
        if at < 0:
            break
        read = _read(text, at)
        if isinstance(read, str):
            # An outer object that cannot be read is for the mends: its inner objects are its arguments.
            if text[at : at + 40].lstrip("{ \n").startswith('"'):
                break
            at = text.find("{", at + 1)
            continue
        value, end, notes = read
        found = _Found(value, text[:at], notes + _after(text[end:]))
        if any(key in value for key in _NAMES):
            return found
        fallback = fallback or found
        at = text.find("{", end)
    return fallback


def _after(rest: str) -> tuple[str, ...]:
    rest = rest.replace("```", "").replace("</tool_call>", "").strip()
    if not rest:
        return ()
    if rest.startswith("{"):
        return ("more than one object; the first was taken",)
    return ("text after the object",)


def _read(text: str, start: int = 0) -> tuple[dict[str, Any], int, tuple[str, ...]] | str:
    """Decode one object at `start`: its value, where it ends, notes; or why not."""
    notes: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key, item in items:
            if key in value:
                notes.append(f"doubled key {key!r}; the first was taken")
            else:
                value[key] = item
        return value

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    try:
        value, end = json.JSONDecoder(object_pairs_hook=pairs, parse_constant=constant).raw_decode(
            text, start
        )
    except (ValueError, RecursionError) as error:
        return str(error)[:120] or type(error).__name__
    if not isinstance(value, dict):
        return "not an object"
    return value, end, tuple(notes)


def _outside_strings(text: str, change: Callable[[str], str]) -> str:
    """`change` applied to every stretch of `text` that is not inside a JSON string."""
    out: list[str] = []
    at = 0
    for match in _STRING.finditer(text):
        out += [change(text[at : match.start()]), match.group()]
        at = match.end()
    return "".join([*out, change(text[at:])])


def _no_trailing_commas(text: str) -> str:
    return _outside_strings(text, lambda part: re.sub(r",\s*([}\]])", r"\1", part))


def _no_doubles(text: str) -> str:
    # "tool": "tool": "reply"  and  "reply" "reply"
    text = re.sub(r'("[A-Za-z_]+")\s*:\s*\1\s*:', r"\1:", text)
    return re.sub(r'("[A-Za-z_]+")\s*\1(?=\s*[,}])', r"\1", text)


def _no_second_opening(text: str) -> str:
    return re.sub(r"^\{\s*\{", "{", text)


_MENDS: tuple[tuple[Callable[[str], str], str], ...] = (
    (_no_trailing_commas, "trailing comma"),
    (_no_doubles, "doubled name"),
    (_no_second_opening, "doubled opening brace"),
)


def _close(text: str, cut_off: bool) -> str | None:
    """`text` with its missing brackets; None where it ends inside a value."""
    stack: list[str] = []
    inside = escaped = False
    for char in text:
        if inside:
            inside = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            inside = True
        elif char in "{[":
            stack.append("}" if char == "{" else "]")
        elif char in "}]" and stack and stack[-1] == char:
            stack.pop()
    tail = text.replace("```", "").rstrip()
    if inside or not stack or tail.endswith((":", "{")) or (cut_off and tail[-1:] not in '"]},'):
        return text if not inside and not stack else None
    return tail.removesuffix(",") + "".join(reversed(stack))


def _tool_and_args(value: dict[str, Any], tools: Sequence[ToolSpec]) -> tuple[Action, tuple[str, ...]] | str:
    """The tool's name and its flat arguments, from any of the accepted forms."""
    key = next((key for key in _NAMES if isinstance(value.get(key), str)), None)
    if key is None:
        inner = value.get("function")  # {"function": {"name": ..., "arguments": ...}}
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            return _tool_and_args(inner, tools)
        return 'the object names no tool; it must start {"tool": ...'
    specs = {tool.name: tool for tool in tools}
    name, notes = _known_name(value[key], specs)
    if name is None:
        near = difflib.get_close_matches(value[key][:80], specs, n=1, cutoff=0.0)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"unknown tool {value[key][:80]!r}{hint}"
    known: Mapping[str, Any] = specs[name].parameters.get("properties", {})
    args: dict[str, Any] = {}
    for field, item in value.items():
        if field == key:
            continue
        if field in _NESTS and field not in known:
            nested = _object_of(item)
            if nested is None:
                return f"{field} of {name} is not an object"
            args |= nested
        else:
            args[field] = item
    return Action(name, {one: _whole_strings(item) for one, item in args.items()}), notes


def _known_name(name: str, specs: Mapping[str, ToolSpec]) -> tuple[str | None, tuple[str, ...]]:
    if name in specs:
        return name, ()
    half = name[: len(name) // 2].strip(" .,_-")
    for known in specs:
        if known == half and name.endswith(known):
            return known, ("doubled tool name",)
    bare = name.strip().removesuffix("()")
    return (bare, ("tool name with extra characters",)) if bare in specs else (None, ())


def _object_of(item: Any) -> dict[str, Any] | None:
    """Arguments as an object; OpenAI's form carries them as a JSON string."""
    if isinstance(item, dict):
        return item
    read = _read(item.strip()) if isinstance(item, str) else "no object"
    return read[0] if isinstance(read, tuple) else None
