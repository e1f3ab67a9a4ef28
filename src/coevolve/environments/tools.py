"""Tools from typed Python functions: a function goes in, a `ToolSpec` and argument checks come out.

Arguments reach a tool by name, so a positional-only parameter (and `self`) is never part of its
schema: the environment binds it. Nothing here validates what a tool returns.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from coevolve.environments.protocol import ToolSpec
from coevolve.errors import WorldError
from coevolve.types import JsonObject

_JSON_TYPES: Mapping[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_RESERVED = "tool"  # the key that names the tool in an action's JSON

SAID = "x-said"  # the mark of a text that must have been said in the conversation, in a hint and a schema
Said = Annotated[str, SAID]  # an order number, an address, a name: nothing that an agent may make up


def tool_spec(fn: Callable[..., Any]) -> ToolSpec:
    """Describe a typed function as a tool.

    The name is the function's; the docstring's first line is the description, its `Args:` lines
    describe the parameters (an `Annotated[T, "text"]` hint wins over them). A parameter with a
    default is optional. Understood types: str, int, float, bool, Literal and `X | None`; `Said` is a
    text that must have been said in the conversation (see `coevolve.agents.grounding`).

    Raises:
        WorldError: a parameter has no hint or one outside that list, is named "tool", is `*args` or
            `**kwargs`, or the function has no docstring.
    """
    name = fn.__name__
    doc = inspect.getdoc(fn) or ""
    if not doc.strip():
        raise WorldError(f"tool {name} has no docstring", fix=f"give {name} one line that says what it does")
    hints = typing.get_type_hints(fn, include_extras=True)
    described = _described_args(doc)
    properties: dict[str, dict[str, Any]] = {}
    required: list[str] = []
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.name == "self" or parameter.kind is parameter.POSITIONAL_ONLY:
            continue
        _refuse_parameter(name, parameter, hints)
        schema = _schema(hints[parameter.name], where=f"{name}({parameter.name})")
        if "description" not in schema and parameter.name in described:
            schema["description"] = described[parameter.name]
        properties[parameter.name] = schema
        if parameter.default is parameter.empty:
            required.append(parameter.name)
    return ToolSpec(
        name,
        doc.strip().splitlines()[0].rstrip("."),
        {"type": "object", "properties": properties, "required": required, "additionalProperties": False},
    )


def check_args(spec: ToolSpec, args: JsonObject) -> str | None:
    """Explain what is wrong with a call's arguments, or return None where nothing is."""
    properties = spec.parameters["properties"]
    missing = [name for name in spec.parameters["required"] if name not in args]
    if missing:
        return f"missing parameter {', '.join(missing)} in {spec.name}"
    unknown = [name for name in args if name not in properties]
    if unknown:
        return f"unknown parameter {', '.join(unknown)} in {spec.name}"
    for name, value in args.items():
        wrong = _wrong_value(properties[name], value)
        if wrong:
            return f"{name} in {spec.name} must be {wrong}, not {_brief(value)}"
    return None


def coerce_args(spec: ToolSpec, args: JsonObject) -> dict[str, Any]:
    """Repair what models commonly get wrong without changing the meaning.

    Digit strings become numbers ("$300" too), numbers become strings where a string is wanted,
    and a null for an optional parameter is dropped. Anything else is left for `check_args`.
    """
    properties = spec.parameters["properties"]
    required = spec.parameters["required"]
    repaired: dict[str, Any] = {}
    for name, value in args.items():
        schema = properties.get(name)
        if schema is None:
            repaired[name] = value
        elif value is not None or name in required:
            repaired[name] = _coerced(schema["type"], value)
    return repaired


def _refuse_parameter(tool: str, parameter: inspect.Parameter, hints: Mapping[str, Any]) -> None:
    if parameter.name == _RESERVED:
        raise WorldError(
            f'tool {tool} has a parameter named "{_RESERVED}", which names the tool in an action',
            fix="rename the parameter",
        )
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        raise WorldError(f"tool {tool} takes *{parameter.name}", fix="name every parameter")
    if parameter.name not in hints:
        raise WorldError(
            f"parameter {parameter.name} of tool {tool} has no type hint",
            fix=f"annotate it, for example {parameter.name}: str",
        )


def _schema(hint: Any, where: str) -> dict[str, Any]:
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *notes = get_args(hint)
        schema = _schema(inner, where)
        if SAID in notes:
            schema[SAID] = True
        texts = [note for note in notes if isinstance(note, str) and note != SAID]
        return {**schema, "description": texts[-1]} if texts else schema
    if origin in (typing.Union, types.UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        if len(options) == 1:
            return _schema(options[0], where)
    elif origin is Literal:
        values = get_args(hint)
        kinds = {type(value) for value in values}
        if len(kinds) == 1 and (kind := kinds.pop()) in _JSON_TYPES:
            return {"type": _JSON_TYPES[kind], "enum": list(values)}
    elif hint in _JSON_TYPES:
        return {"type": _JSON_TYPES[hint]}
    raise WorldError(
        f"{where} has the type {hint!r}, which no flat JSON argument can carry",
        fix="use str, int, float, bool, Literal[...] or X | None",
    )


def _described_args(doc: str) -> dict[str, str]:
    """The `name: text` lines below `Args:`; a deeper-indented line continues the one above."""
    described: dict[str, str] = {}
    lines = iter(doc.splitlines())
    for line in lines:
        if line.strip() == "Args:":
            break
    indent, last = None, ""
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if not line.strip() or depth == 0:
            break
        indent = depth if indent is None else indent
        if depth > indent and last:
            described[last] += " " + line.strip()
            continue
        name, colon, text = line.strip().partition(":")
        if colon:
            last = name.split("(")[0].strip()
            described[last] = text.strip()
    return described


def _wrong_value(schema: Mapping[str, Any], value: Any) -> str | None:
    kind = schema["type"]
    fits = {
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
        "boolean": isinstance(value, bool),
    }[kind]
    if not fits:
        return f"{'an' if kind == 'integer' else 'a'} {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"one of {', '.join(map(str, schema['enum']))}"
    return None


def _coerced(kind: str, value: Any) -> Any:
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind in ("integer", "number") and isinstance(value, str):
        digits = value.strip().removeprefix("$")
        sign, bare = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
        if bare.isascii() and bare.isdigit() and len(bare) < 16:
            return int(sign + bare)
    if kind == "integer" and isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
