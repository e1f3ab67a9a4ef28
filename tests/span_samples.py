"""Spans of a small agent's life, in the words of several conventions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from coevolve.store.ingest.spans import Span

TRACE = "ab" * 16
NOW_S = 1_900_000_000.0
Talk = Sequence[Mapping[str, Any]]  # OpenAI's messages


def span(number: int, *, parent: int | None = None, at_s: float | None = None, **given: Any) -> Span:
    began = NOW_S + (number if at_s is None else at_s)
    return Span(
        trace_id=given.pop("trace", TRACE),
        span_id=f"{number:016x}",
        parent_id=None if parent is None else f"{parent:016x}",
        name=given.pop("name", f"span {number}"),
        start_s=began,
        end_s=began + 0.5,
        attributes=given.pop("attributes", {}),
        resource=given.pop("resource", {}),
        **given,
    )


def call(call_id: str, name: str, **args: Any) -> dict[str, Any]:
    return {"id": call_id, "function": {"name": name, "arguments": json.dumps(args)}}


def as_json(inputs: Talk, outputs: Talk) -> dict[str, Any]:
    """OpenTelemetry's messages in one attribute each."""

    def parts(message: Mapping[str, Any]) -> dict[str, Any]:
        if message["role"] == "tool":
            answer = {
                "type": "tool_call_response",
                "id": message["tool_call_id"],
                "result": message["content"],
            }
            return {"role": "tool", "parts": [answer]}
        held: list[dict[str, Any]] = []
        if message.get("content"):
            held.append({"type": "text", "content": message["content"]})
        for one in message.get("tool_calls", ()):
            function = one["function"]
            args = json.loads(function["arguments"])
            held.append({"type": "tool_call", "id": one["id"], "name": function["name"], "arguments": args})
        return {"role": message["role"], "parts": held}

    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps([parts(m) for m in inputs]),
        "gen_ai.output.messages": json.dumps([parts(m) for m in outputs]),
    }


def as_openinference(inputs: Talk, outputs: Talk) -> dict[str, Any]:
    found: dict[str, Any] = {"openinference.span.kind": "LLM"}
    for side, messages in (("input", inputs), ("output", outputs)):
        for k, message in enumerate(messages):
            start = f"llm.{side}_messages.{k}.message"
            found |= {f"{start}.role": message["role"], f"{start}.content": message.get("content") or ""}
            if "tool_call_id" in message:
                found[f"{start}.tool_call_id"] = message["tool_call_id"]
            for n, one in enumerate(message.get("tool_calls", ())):
                at = f"{start}.tool_calls.{n}.tool_call"
                found[f"{at}.id"] = one["id"]
                found[f"{at}.function.name"] = one["function"]["name"]
                found[f"{at}.function.arguments"] = one["function"]["arguments"]
    return found


def as_numbered(inputs: Talk, outputs: Talk) -> dict[str, Any]:
    found: dict[str, Any] = {"gen_ai.request.model": "m"}
    for side, messages in (("prompt", inputs), ("completion", outputs)):
        for k, message in enumerate(messages):
            start = f"gen_ai.{side}.{k}"
            found |= {f"{start}.role": message["role"], f"{start}.content": message.get("content") or ""}
            if "tool_call_id" in message:
                found[f"{start}.tool_call_id"] = message["tool_call_id"]
            for n, one in enumerate(message.get("tool_calls", ())):
                at = f"{start}.tool_calls.{n}"
                found |= {f"{at}.id": one["id"], f"{at}.name": one["function"]["name"]}
                found[f"{at}.arguments"] = one["function"]["arguments"]
    return found


def as_events(inputs: Talk, outputs: Talk) -> dict[str, Any]:
    """The list that pydantic-ai puts into one attribute."""
    listed: list[dict[str, Any]] = []
    for message in inputs:
        one = {"event.name": f"gen_ai.{message['role']}.message", **message}
        if "tool_call_id" in message:
            one["id"] = message["tool_call_id"]
        listed.append(one)
    listed += [{"event.name": "gen_ai.choice", "message": message} for message in outputs]
    return {"gen_ai.operation.name": "chat", "events": json.dumps(listed)}


ASKED: Talk = [
    {"role": "system", "content": "You are a clerk."},
    {"role": "user", "content": "Where is order 77?"},
]
CALLED: Talk = [{"role": "assistant", "content": "", "tool_calls": [call("c1", "get_order", id="77")]}]
ANSWERED: Talk = [*ASKED, *CALLED, {"role": "tool", "tool_call_id": "c1", "content": '{"status":"sent"}'}]
TOLD: Talk = [{"role": "assistant", "content": "It is on its way."}]


def conversation(form: Any = as_json, *, tool_span: bool = True) -> list[Span]:
    """An agent asks a tool and answers: root, model, tool, model."""
    spans = [
        span(1, name="run", attributes={"session.id": "s-9"}, resource={"service.name": "clerk"}),
        span(2, parent=1, attributes=form(ASKED, CALLED)),
        span(4, parent=1, attributes=form(ANSWERED, TOLD)),
    ]
    if tool_span:
        spans.append(
            span(
                3,
                parent=1,
                attributes={
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "get_order",
                    "gen_ai.tool.call.id": "c1",
                    "gen_ai.tool.call.arguments": '{"id": "77"}',
                    "gen_ai.tool.call.result": '{"status":"sent"}',
                },
            )
        )
    return spans


def with_attributes(one: Span, **added: Any) -> Span:
    return replace(one, attributes={**one.attributes, **added})


def too_deep() -> list[Span]:
    """The same, with arguments that no trajectory can hold."""
    arguments = "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments"
    nested = {arguments: "[" * 500 + "]" * 500}
    return [
        with_attributes(one, **nested) if arguments in one.attributes else one
        for one in conversation(as_openinference)
    ]
