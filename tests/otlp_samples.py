"""OTLP bodies, as protobuf and as JSON."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtoSpan

from span_samples import NOW_S, TRACE

PROTOBUF, JSON = "application/x-protobuf", "application/json"
NANOS = int(NOW_S * 1e9)


def text(key: str, value: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=value))


def request(*spans: ProtoSpan) -> bytes:
    made = ExportTraceServiceRequest()
    group = made.resource_spans.add()
    group.resource.attributes.append(text("service.name", "clerk"))
    scope = group.scope_spans.add(scope=InstrumentationScope(name="sdk"))
    scope.spans.extend(spans)
    return bytes(made.SerializeToString())


def proto(number: int = 1, **given: Any) -> ProtoSpan:
    fields: dict[str, Any] = {
        "trace_id": bytes.fromhex(TRACE),
        "span_id": number.to_bytes(8, "big"),
        "name": "chat",
        "start_time_unix_nano": NANOS,
        "end_time_unix_nano": NANOS + 10**9,
    }
    return ProtoSpan(**(fields | given))


def json_body(*spans: dict[str, Any]) -> bytes:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "clerk"}}]}
    groups = [{"resource": resource, "scopeSpans": [{"scope": {"name": "sdk"}, "spans": list(spans)}]}]
    return json.dumps({"resourceSpans": groups}).encode()


def json_span(**given: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "traceId": TRACE.upper(),
        "spanId": "0000000000000001",
        "name": "chat",
        "startTimeUnixNano": str(NANOS),
        "endTimeUnixNano": NANOS + 10**9,
    }
    return fields | given
