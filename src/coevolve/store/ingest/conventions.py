"""What a span's attributes mean, whoever wrote them: one span comes in, one `Seen` leaves.

Understood are OpenTelemetry's `gen_ai.*` (messages as one JSON attribute, as numbered attributes, and as
events) and OpenInference (`llm.*`, `tool.*`, `retrieval.*`). What carries no content (AutoGen's own spans, a
framework told to be silent) gives a `Seen` without messages: nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from coevolve.store.ingest.spans import Span


class Role(StrEnum):
    """What a span stands for."""

    LLM = "llm"
    TOOL = "tool"
    AGENT = "agent"
    RETRIEVER = "retriever"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call that a model asked for."""

    id: str
    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: str  # "system", "user", "assistant", "tool"
    text: str = ""
    calls: tuple[Call, ...] = ()
    answers: str = ""  # of a tool's message: the id of the call it answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A span as an agent's life knows it."""

    span: Span
    role: Role
    inputs: tuple[Message, ...] = ()
    outputs: tuple[Message, ...] = ()
    call: Call | None = None  # of a tool's span
    result: str = ""
    agent: str = ""
    best_score: float | None = None  # of a retriever's documents


_KINDS = {
    "LLM": Role.LLM, "TOOL": Role.TOOL, "AGENT": Role.AGENT, "RETRIEVER": Role.RETRIEVER,
    "chat": Role.LLM, "text_completion": Role.LLM, "generate_content": Role.LLM,
    "execute_tool": Role.TOOL, "invoke_agent": Role.AGENT,
}  # fmt: skip
_OPENINFERENCE = re.compile(r"llm\.(input|output)_messages\.(\d+)\.message\.(.+)")
_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(.+)")
_CALL = re.compile(r"tool_calls\.(\d+)\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)")
_PART = re.compile(r"contents\.(\d+)\.message_content\.text")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "tool.parameters", "input.value")
_SCORE = re.compile(r"retrieval\.documents\.\d+\.document\.score")


def read_span(span: Span) -> Seen:
    """The meaning of one span."""
    given = span.attributes
    kind = given.get("openinference.span.kind") or given.get("gen_ai.operation.name")
    role = _KINDS.get(str(kind), Role.OTHER)
    if role is Role.OTHER and ("gen_ai.request.model" in given or "llm.model_name" in given):
        role = Role.LLM
    agent = str(given.get("gen_ai.agent.name") or given.get("agent.name") or given.get("agent_name") or "")
    if role is Role.TOOL:
        return Seen(span=span, role=role, call=_tool(span), result=_tool_result(given), agent=agent)
    if role is Role.RETRIEVER:
        scores = [float(value) for name, value in given.items() if _SCORE.fullmatch(name) and _number(value)]
        return Seen(span=span, role=role, best_score=max(scores, default=None), agent=agent)
    inputs, outputs = _messages(span)
    return Seen(span=span, role=role, inputs=tuple(inputs), outputs=tuple(outputs), agent=agent)


def _messages(span: Span) -> tuple[list[Message], list[Message]]:
    """Of the first form that is there: one form's messages are never mixed with another's."""
    given = span.attributes
    for read in (_as_json, _as_numbered, _as_events):
        inputs, outputs = read(span)
        if inputs or outputs:
            return inputs, outputs
    plain_in, plain_out = given.get("input.value"), given.get("output.value")
    return (
        [Message(role="user", text=str(plain_in))] if plain_in else [],
        [Message(role="assistant", text=str(plain_out))] if plain_out else [],
    )


def _as_json(span: Span) -> tuple[list[Message], list[Message]]:
    found = []
    for name, role in (("gen_ai.input.messages", "user"), ("gen_ai.output.messages", "assistant")):
        raw = _loaded(span.attributes.get(name))
        listed = raw if isinstance(raw, list) else []
        found.append([_of_parts(one, role) for one in listed if isinstance(one, Mapping)])
    return found[0], found[1]


def _of_parts(one: Mapping[str, Any], role: str) -> Message:
    """OpenTelemetry's message of parts, or the older one with its content as text."""
    texts, calls, answers = [], [], str(one.get("tool_call_id") or "")
    parts = one.get("parts")
    for part in parts if isinstance(parts, list) else []:
        if not isinstance(part, Mapping):
            continue
        if part.get("type") == "tool_call":
            calls.append(_call(part))
        elif part.get("type") == "tool_call_response":
            answers = str(part.get("id") or answers)
            texts.append(_text(part.get("response", part.get("result", ""))))
        elif part.get("content") is not None:
            texts.append(_text(part["content"]))
    if not isinstance(parts, list):
        texts.append(_text(one.get("content", "")))
        calls += _calls_of(one.get("tool_calls"))
    who = "tool" if answers else str(one.get("role") or role)
    return Message(role=who, text="\n".join(filter(None, texts)), calls=tuple(calls), answers=answers)


def _calls_of(raw: Any) -> list[Call]:
    """OpenAI's own form of tool calls."""
    found = []
    for one in raw if isinstance(raw, list) else []:
        inner = one.get("function", one) if isinstance(one, Mapping) else {}
        if isinstance(inner, Mapping) and inner.get("name"):
            found.append(_call({**inner, "id": one.get("id")}))
    return found


def _as_numbered(span: Span) -> tuple[list[Message], list[Message]]:
    fields: dict[str, dict[int, dict[str, Any]]] = {"in": defaultdict(dict), "out": defaultdict(dict)}
    for name, value in span.attributes.items():
        match = _OPENINFERENCE.fullmatch(name) or _NUMBERED.fullmatch(name)
        if match:
            side = "in" if match[1] in ("input", "prompt") else "out"
            fields[side][int(match[2])][match[3]] = value
    return (
        [_of_fields(fields["in"][k], "user") for k in sorted(fields["in"])],
        [_of_fields(fields["out"][k], "assistant") for k in sorted(fields["out"])],
    )


def _of_fields(fields: Mapping[str, Any], role: str) -> Message:
    calls: dict[int, dict[str, Any]] = defaultdict(dict)
    parts: dict[int, str] = {}
    for name, value in fields.items():
        if match := _CALL.fullmatch(name):
            calls[int(match[1])][match[2]] = value
        elif match := _PART.fullmatch(name):
            parts[int(match[1])] = _text(value)
    texts = [_text(fields.get("content", "")), *(parts[k] for k in sorted(parts))]
    return Message(
        role=str(fields.get("role") or role),
        text="\n".join(filter(None, texts)),
        calls=tuple(_call(one) for _, one in sorted(calls.items())),
        answers=str(fields.get("tool_call_id") or ""),
    )


def _as_events(span: Span) -> tuple[list[Message], list[Message]]:
    """`gen_ai.*` events of the span, or the list that pydantic-ai puts into one attribute."""
    listed = _loaded(span.attributes.get("events"))
    held: Iterable[tuple[str, Mapping[str, Any]]] = span.events
    if isinstance(listed, list):
        held = [(str(one.get("event.name", "")), one) for one in listed if isinstance(one, Mapping)]
    inputs, outputs = [], []
    for name, fields in held:
        body = _loaded(fields.get("gen_ai.event.content")) if "gen_ai.event.content" in fields else fields
        if not isinstance(body, Mapping) or not name.startswith("gen_ai."):
            continue
        if name == "gen_ai.choice":
            message = body.get("message", body)
            outputs.append(_of_parts(message if isinstance(message, Mapping) else {}, "assistant"))
        elif match := re.fullmatch(r"gen_ai\.(system|user|assistant|tool)\.message", name):
            one = _of_parts({**body, "role": match[1]}, match[1])
            answers = str(body.get("id") or one.answers) if match[1] == "tool" else ""
            inputs.append(Message(role=match[1], text=one.text, calls=one.calls, answers=answers))
    return inputs, outputs


def _tool(span: Span) -> Call:
    given = span.attributes
    return _call(
        {
            "id": given.get("gen_ai.tool.call.id") or given.get("tool_call.id"),
            "name": given.get("gen_ai.tool.name") or given.get("tool.name") or span.name,
            "arguments": next((given[key] for key in _ARGUMENTS if key in given), {}),
        }
    )


def _call(fields: Mapping[str, Any]) -> Call:
    return Call(str(fields.get("id") or ""), str(fields.get("name") or ""), _args(fields.get("arguments")))


def _tool_result(given: Mapping[str, Any]) -> str:
    for key in ("gen_ai.tool.call.result", "tool_response", "output.value"):
        if key in given:
            return _text(given[key])
    return ""


def _args(raw: Any) -> Mapping[str, Any]:
    value = _loaded(raw)
    if isinstance(value, Mapping):
        return value
    return {} if value in (None, "") else {"value": value}


def _loaded(raw: Any) -> Any:
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
