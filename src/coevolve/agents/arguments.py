"""Arguments held against a tool's schema: an action enters, what is wrong with it leaves, in words."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from coevolve.environments.protocol import ToolSpec
from coevolve.types import Action

_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < math.inf,
    "boolean": lambda v: isinstance(v, bool),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
    "null": lambda v: v is None,
}


def misfit(action: Action, tools: Sequence[ToolSpec]) -> str | None:
    """Why the arguments do not fit the tool's schema; every fault is named."""
    schema = next(tool.parameters for tool in tools if tool.name == action.tool)
    properties: Mapping[str, Any] = schema.get("properties", {})
    faults = [f"missing {name}" for name in schema.get("required", ()) if name not in action.args]
    for name, value in action.args.items():
        if name not in properties:
            offered = ", ".join(properties) or "none"
            faults.append(f"unknown parameter {name[:60]} (it takes: {offered})")
        elif (fault := _wrong(value, properties[name])) is not None:
            faults.append(f"{name} {fault}")
    if not faults and not _keepable(action.args):
        faults.append("a number is too large")
    return f"{action.tool}: {'; '.join(faults)}" if faults else None


def _keepable(args: Mapping[str, Any]) -> bool:
    """Whether a store could write them: Python reads 1e999 as a number without end."""
    try:
        json.dumps(args, allow_nan=False)
    except ValueError:
        return False
    return True


def _wrong(value: Any, schema: Mapping[str, Any]) -> str | None:
    if "enum" in schema:
        options = ", ".join(map(str, schema["enum"]))
        return None if value in schema["enum"] else f"must be one of {options}"
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        faults = [_wrong(value, one) for one in alternatives]
        return None if None in faults else " or ".join(str(fault) for fault in faults)
    kinds = schema.get("type", list(_CHECKS))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(_CHECKS[kind](value) for kind in kinds if kind in _CHECKS):
        return f"must be {' or '.join(kinds)}, not {_brief(value)}"
    if isinstance(value, list) and "items" in schema:
        return next((f"item {fault}" for one in value if (fault := _wrong(one, schema["items"]))), None)
    return None


def _brief(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value, ensure_ascii=False)[:60]
