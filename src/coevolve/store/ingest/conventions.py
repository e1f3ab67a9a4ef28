"""What a span's attributes mean, whoever wrote them: one span comes in, one `Seen` leaves.

Understood are OpenTelemetry's `gen_ai.*` (messages as one JSON attribute, as numbered attributes, and as
events) and OpenInference (`llm.*`, `tool.*`, `retrieval.*`). What carries no content (a framework told to be
silent) gives a `Seen` without messages: nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from coevolve.store.ingest.attributes import loaded, text_of
from coevolve.store.ingest.signs import best_score, checks, interrupted
from coevolve.store.ingest.spans import Span
from coevolve.types import Signal


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
    error: str | None = None  # why it failed, in few words
    agent: str = ""
    follows: str = ""  # the agent that handed over to this one
    read_tokens: int | None = None  # of a model's call; None = not told
    written_tokens: int | None = None
    best_score: float | None = None  # of a retriever's documents
    interrupted: bool = False  # what was being said in it was cut short
    checks: tuple[Signal, ...] = ()  # what was verified within it


_KINDS = {
    "LLM": Role.LLM, "TOOL": Role.TOOL, "AGENT": Role.AGENT, "RETRIEVER": Role.RETRIEVER,
    "chat": Role.LLM, "text_completion": Role.LLM, "generate_content": Role.LLM,
    "execute_tool": Role.TOOL, "invoke_agent": Role.AGENT, "retrieval": Role.RETRIEVER,
}  # fmt: skip
# Numbers of up to nine digits: Python refuses to read those of thousands, which anybody may send.
_OPENINFERENCE = re.compile(r"llm\.(input|output)_messages\.(\d{1,9})\.(?:message\.)?(.+)")
_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d{1,9})\.(.+)")
_CALL = re.compile(r"tool_calls\.(\d{1,9})\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)")
_PART = re.compile(r"contents\.(\d{1,9})\.message_content\.text")
_RESULT = re.compile(r"function\.(\d{1,9})")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "input.value", "tool.parameters")
_NAMES = ("gen_ai.agent.name", "agent.name", "agent_name")
_READ = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_WRITTEN = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion")


def read_span(span: Span) -> Seen:
    """The meaning of one span."""
    given = span.attributes
    kind = given.get("openinference.span.kind") or given.get("gen_ai.operation.name")
    role = _KINDS.get(str(kind), Role.OTHER)
    if role is Role.OTHER and ("gen_ai.request.model" in given or "llm.model_name" in given):
        role = Role.LLM
    agent, error, verified = _agent(given, role), _error(span), tuple(checks(span))
    if role is Role.TOOL:
        result = _tool_result(given)
        return Seen(
            span=span, role=role, call=_tool(span), result=result, error=error, agent=agent, checks=verified
        )
    if role is Role.RETRIEVER:
        best = best_score(given)
        return Seen(span=span, role=role, best_score=best, agent=agent, checks=verified)
    inputs, outputs = _messages(span) if role is Role.LLM else ([], [])
    return Seen(
        span=span,
        role=role,
        interrupted=interrupted(span),
        checks=verified,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        error=error,
        agent=agent,
        follows=str(given.get("graph.node.parent_id") or ""),
        read_tokens=_count(given, _READ),
        written_tokens=_count(given, _WRITTEN),
    )


def _agent(given: Mapping[str, Any], role: Role) -> str:
    """The agent that a span names; of an agent's own span, its node in the graph of agents names it too."""
    names = [given.get(key) for key in _NAMES]
    if role is Role.AGENT:
        names += [given.get("graph.node.name"), given.get("graph.node.id")]
    more = loaded(given.get("metadata"))
    if isinstance(more, Mapping):
        names.append(more.get("lc_agent_name"))
    return str(next(filter(None, names), ""))


def _error(span: Span) -> str | None:
    """Why a span failed: in its exception's words, since a status may hold a stack trace, or nothing."""
    if span.error is None:
        return None
    for name, fields in reversed(span.events):
        if name == "exception" and fields.get("exception.message"):
            kind = str(fields.get("exception.type") or "").rpartition(".")[2]
            return f"{kind}: {fields['exception.message']}" if kind else str(fields["exception.message"])
    return span.error


def _count(given: Mapping[str, Any], keys: Iterable[str]) -> int | None:
    counts = (given.get(key) for key in keys)
    return next((one for one in counts if isinstance(one, int) and not isinstance(one, bool)), None)


def _messages(span: Span) -> tuple[list[Message], list[Message]]:
    """Of the first form that is there: one form's messages are never mixed with another's.

    Where a form leaves out what was asked or answered, the span's plain value says it.
    """
    for read in (_as_json, _as_numbered, _as_events):
        inputs, outputs = read(span)
        if inputs or outputs:
            break
    asked, said = span.attributes.get("input.value"), span.attributes.get("output.value")
    if not inputs and asked:
        inputs = [Message(role="user", text=str(asked))]
    if not outputs and said:
        calls = _calls_of(loaded(said))
        outputs = [Message(role="assistant", text="" if calls else str(said), calls=tuple(calls))]
    return inputs, outputs


def _as_json(span: Span) -> tuple[list[Message], list[Message]]:
    found = []
    for name, role in (("gen_ai.input.messages", "user"), ("gen_ai.output.messages", "assistant")):
        raw = loaded(span.attributes.get(name))
        listed = raw if isinstance(raw, list) else []
        found.append([message_of(one, role) for one in listed if isinstance(one, Mapping)])
    return found[0], found[1]


def message_of(one: Mapping[str, Any], role: str) -> Message:
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
            texts.append(text_of(part.get("response", part.get("result", ""))))
        elif part.get("content") is not None:
            texts.append(text_of(part["content"]))
    if not isinstance(parts, list):
        texts.append(text_of(one.get("content", "")))
        calls += _calls_of(one.get("tool_calls"))
    who = "tool" if answers else _role(one.get("role"), role)
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
        [one for k in sorted(fields["in"]) for one in _of_fields(fields["in"][k], "user")],
        [one for k in sorted(fields["out"]) for one in _of_fields(fields["out"][k], "assistant")],
    )


def _of_fields(fields: Mapping[str, Any], role: str) -> list[Message]:
    """One message; several where it holds the results of several calls."""
    calls: dict[int, dict[str, Any]] = defaultdict(dict)
    parts: dict[int, str] = {}
    results: dict[int, Message] = {}
    for name, value in fields.items():
        if match := _CALL.fullmatch(name):
            calls[int(match[1])][match[2]] = value
        elif match := _PART.fullmatch(name):
            parts[int(match[1])] = text_of(value)
        elif (match := _RESULT.fullmatch(name)) and isinstance(one := loaded(value), Mapping):
            answers = str(one.get("call_id") or "")
            results[int(match[1])] = Message(role="tool", text=text_of(one.get("content")), answers=answers)
    if results:
        return [results[k] for k in sorted(results)]
    # A text may be told twice, whole and in parts.
    whole = text_of(fields.get("content", "")) or "\n".join(filter(None, (parts[k] for k in sorted(parts))))
    return [
        Message(
            role=_role(fields.get("role"), role),
            text=whole,
            calls=tuple(_call(one) for _, one in sorted(calls.items())),
            answers=str(fields.get("tool_call_id") or ""),
        )
    ]


def _role(given: Any, otherwise: str) -> str:
    """A message's role; a tool was once called a function."""
    return "tool" if given == "function" else str(given or otherwise)


def _as_events(span: Span) -> tuple[list[Message], list[Message]]:
    """`gen_ai.*` events of the span, or the list that pydantic-ai puts into one attribute."""
    listed = loaded(span.attributes.get("events"))
    held: Iterable[tuple[str, Mapping[str, Any]]] = span.events
    if isinstance(listed, list):
        held = [(str(one.get("event.name", "")), one) for one in listed if isinstance(one, Mapping)]
    inputs, outputs = [], []
    for name, fields in held:
        body = loaded(fields.get("gen_ai.event.content")) if "gen_ai.event.content" in fields else fields
        if not isinstance(body, Mapping) or not name.startswith("gen_ai."):
            continue
        if name == "gen_ai.choice":
            message = body.get("message", body)
            outputs.append(message_of(message if isinstance(message, Mapping) else {}, "assistant"))
        elif match := re.fullmatch(r"gen_ai\.(system|user|assistant|tool)\.message", name):
            one = message_of({**body, "role": match[1]}, match[1])
            answers = str(body.get("id") or one.answers) if match[1] == "tool" else ""
            inputs.append(Message(role=match[1], text=one.text, calls=one.calls, answers=answers))
    return inputs, outputs


def _tool(span: Span) -> Call:
    given = span.attributes
    told = (given[key] for key in _ARGUMENTS if key in given and not _is_schema(given[key]))
    return _call(
        {
            "id": given.get("gen_ai.tool.call.id")
            or given.get("tool_call.id")
            or _tool_message(given).get("tool_call_id"),
            "name": given.get("gen_ai.tool.name") or given.get("tool.name") or span.name,
            "arguments": next(told, {}),
        }
    )


def _is_schema(raw: Any) -> bool:
    """Whether this describes a tool's arguments: some write that where others write the arguments."""
    value = loaded(raw)
    return isinstance(value, Mapping) and value.get("type") == "object" and "properties" in value


def _tool_message(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message that a tool's span holds as its output, where it is one: `content` and `tool_call_id`."""
    value = loaded(given.get("output.value"))
    for one in (value, *(value.get(key) for key in ("data", "kwargs"))) if isinstance(value, Mapping) else ():
        if isinstance(one, Mapping) and one.get("tool_call_id") and "content" in one:
            return one
    return {}


def _call(fields: Mapping[str, Any]) -> Call:
    return Call(str(fields.get("id") or ""), str(fields.get("name") or ""), _args(fields.get("arguments")))


def _tool_result(given: Mapping[str, Any]) -> str:
    if message := _tool_message(given):
        return text_of(message["content"])
    for key in ("gen_ai.tool.call.result", "tool_response", "output.value"):
        if key in given:
            return text_of(given[key])
    return ""


def _args(raw: Any) -> Mapping[str, Any]:
    # Written out and read again, an attribute of several values holds what a text could hold.
    value = loaded(raw if isinstance(raw, str) else json.dumps(raw))
    if isinstance(value, Mapping):
        return value
    return {} if value in (None, "") else {"value": value}
