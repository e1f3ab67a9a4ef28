"""An OTLP/HTTP body comes in, spans leave, and with them what was refused and why.

Protobuf and JSON, plain or gzip. A body that cannot be read at all raises; a span that breaks the contract is
refused by itself, with the field, and the others are kept. What the attributes mean is read elsewhere.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from coevolve.errors import IngestError

MOST_BYTES = 32 * 2**20  # of one body, unpacked
MOST_TEXT = 1_000_000  # characters of one attribute
YEARS_OFF_S = 5 * 365.25 * 86_400  # a clock farther off than this is broken, not late
_DEPTH = 16  # of nested attribute values


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span, with attributes as plain JSON values."""

    trace_id: str  # 32 hex digits
    span_id: str  # 16 hex digits
    parent_id: str | None
    name: str
    start_s: float  # seconds since 1970, UTC
    end_s: float
    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    error: str | None = None  # the status's message where it is an error
    scope: str = ""  # the library that wrote it


@dataclass(frozen=True, slots=True)
class Refused:
    """One span that was not taken."""

    span_id: str
    field: str  # "start_time_unix_nano"
    why: str


def read_spans(
    body: bytes, *, content_type: str, encoding: str = "", now_s: float
) -> tuple[list[Span], list[Refused]]:
    """Read an ExportTraceServiceRequest.

    Args:
        content_type: "application/x-protobuf" or "application/json", parameters allowed.
        encoding: "gzip" or nothing.
        now_s: to tell a broken clock.

    Raises: IngestError: too large, of another type, or no such message; `status` is the HTTP status.
    """
    data = _unpacked(body, encoding)
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-protobuf":
        found = _of_protobuf(data)
    elif kind == "application/json":
        found = _of_json(data)
    else:
        raise IngestError(
            f"content type {kind or 'missing'!r} is not taken",
            fix="send application/x-protobuf or application/json",
            status=415,
        )
    spans: list[Span] = []
    refused: list[Refused] = []
    for one in found:
        if isinstance(one, Span) and (wrong := _wrong(one, now_s)):
            refused.append(wrong)
        elif isinstance(one, Span):
            spans.append(one)
        else:
            refused.append(one)
    return spans, refused


def _unpacked(body: bytes, encoding: str) -> bytes:
    fix = f"send smaller batches, at most {MOST_BYTES // 2**20} MiB unpacked"
    if encoding in ("", "identity"):
        if len(body) > MOST_BYTES:
            raise IngestError(f"a body of {len(body) / 2**20:.0f} MiB", fix=fix, status=413)
        return body
    if encoding != "gzip":
        raise IngestError(f"encoding {encoding!r} is not taken", fix="send gzip, or none", status=415)
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(body, MOST_BYTES + 1)  # a small body may unpack to any size
    except zlib.error as error:
        raise IngestError(f"the body is no gzip: {error}", fix="pack it again", status=400) from error
    if len(data) > MOST_BYTES:
        raise IngestError("the body unpacks to more than is taken", fix=fix, status=413)
    if not unpacker.eof:
        raise IngestError("the gzip body is cut off", fix="send it whole", status=400)
    return data


def _of_protobuf(data: bytes) -> Iterator[Span | Refused]:
    request = ExportTraceServiceRequest()
    try:
        request.ParseFromString(data)
    except DecodeError as error:
        raise IngestError(
            "the body is no ExportTraceServiceRequest", fix="send OTLP's protobuf", status=400
        ) from error
    for resource_spans in request.resource_spans:
        resource = _attributes(resource_spans.resource.attributes)
        for scope in resource_spans.scope_spans:
            for one in scope.spans:
                yield Span(
                    trace_id=one.trace_id.hex(),
                    span_id=one.span_id.hex(),
                    parent_id=one.parent_span_id.hex() or None,
                    name=one.name,
                    start_s=one.start_time_unix_nano / 1e9,
                    end_s=one.end_time_unix_nano / 1e9,
                    attributes=_attributes(one.attributes),
                    resource=resource,
                    events=tuple((event.name, _attributes(event.attributes)) for event in one.events),
                    error=(one.status.message or "error") if one.status.code == 2 else None,
                    scope=scope.scope.name,
                )


def _attributes(pairs: Iterable[Any]) -> dict[str, Any]:
    return {pair.key: _value(pair.value, _DEPTH) for pair in pairs}


def _value(value: Any, depth: int) -> Any:
    kind = value.WhichOneof("value")
    if kind is None or depth == 0:
        return None
    if kind == "array_value":
        return [_value(one, depth - 1) for one in value.array_value.values]
    if kind == "kvlist_value":
        return {pair.key: _value(pair.value, depth - 1) for pair in value.kvlist_value.values}
    if kind == "bytes_value":
        return base64.b64encode(value.bytes_value).decode("ascii")
    return getattr(value, kind)


def _of_json(data: bytes) -> Iterator[Span | Refused]:
    """The JSON form: camelCase names, ids in hex, 64-bit numbers as texts."""
    try:
        request = json.loads(data)
        groups = request["resourceSpans"]
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise IngestError(
            f"the body is no ExportTraceServiceRequest in JSON: {type(error).__name__}: {error}"[:200],
            fix='send {"resourceSpans": [...]}',
            status=400,
        ) from error
    for group in _list(groups):
        resource = _json_attributes(_object(_object(group).get("resource")).get("attributes"))
        for scope in _list(_object(group).get("scopeSpans")):
            name = str(_object(_object(scope).get("scope")).get("name") or "")
            for one in _list(_object(scope).get("spans")):
                yield _json_span(_object(one), resource, name)


def _json_span(one: Mapping[str, Any], resource: Mapping[str, Any], scope: str) -> Span | Refused:
    span_id = str(one.get("spanId", ""))[:40]
    times = []
    for name in ("startTimeUnixNano", "endTimeUnixNano"):
        try:
            times.append(int(one.get(name, 0)) / 1e9)
        except (TypeError, ValueError, OverflowError):
            return Refused(span_id, name, f"{one.get(name)!r} is no number of nanoseconds"[:120])
    for name in ("traceId", "spanId", "name"):
        if not isinstance(one.get(name), str):
            return Refused(span_id, name, f"{one.get(name)!r} is no text"[:120])
    status = _object(one.get("status"))
    failed = status.get("code") in (2, "STATUS_CODE_ERROR")
    return Span(
        trace_id=one["traceId"].lower(),
        span_id=one["spanId"].lower(),
        parent_id=str(one.get("parentSpanId") or "").lower() or None,
        name=one["name"],
        start_s=times[0],
        end_s=times[1],
        attributes=_json_attributes(one.get("attributes")),
        resource=resource,
        events=tuple(
            (str(_object(event).get("name", "")), _json_attributes(_object(event).get("attributes")))
            for event in _list(one.get("events"))
        ),
        error=str(status.get("message") or "error") if failed else None,
        scope=scope,
    )


def _json_attributes(pairs: Any) -> dict[str, Any]:
    found = (_object(pair) for pair in _list(pairs))
    return {str(pair.get("key", "")): _json_value(pair.get("value"), _DEPTH) for pair in found}


def _json_value(value: Any, depth: int) -> Any:
    held = _object(value)
    if depth == 0:
        return None
    if "arrayValue" in held:
        return [_json_value(one, depth - 1) for one in _list(_object(held["arrayValue"]).get("values"))]
    if "kvlistValue" in held:
        pairs = [_object(pair) for pair in _list(_object(held["kvlistValue"]).get("values"))]
        return {str(pair.get("key", "")): _json_value(pair.get("value"), depth - 1) for pair in pairs}
    if "intValue" in held:
        text = str(held["intValue"])
        return int(text) if text.lstrip("-").isdigit() and len(text) < 20 else None
    for name in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if name in held:
            return held[name] if isinstance(held[name], str | bool | int | float) else None
    return None


def clock_off(told_s: float, now_s: float) -> str | None:
    """What is wrong with a time that is told, in seconds since 1970; None where it may be right."""
    if math.isfinite(told_s) and abs(told_s - now_s) <= YEARS_OFF_S:
        return None
    return f"the clock is {(told_s - now_s) / (365.25 * 86_400):+.0f} years off"


def _wrong(span: Span, now_s: float) -> Refused | None:
    """What breaks the contract, or None."""
    for name, value, size in (("trace_id", span.trace_id, 32), ("span_id", span.span_id, 16)):
        if len(value) != size or set(value) == {"0"} or not set(value) <= set("0123456789abcdef"):
            return Refused(span.span_id, name, f"{value[:40]!r} is no id of {size} hex digits")
    for name, told_s in (("start_time_unix_nano", span.start_s), ("end_time_unix_nano", span.end_s)):
        unended = name.startswith("end") and told_s == 0  # told by none, as where it is still open
        if not unended and (why := clock_off(told_s, now_s)):
            return Refused(span.span_id, name, why)
    for name, value in span.attributes.items():
        if isinstance(value, str) and len(value) > MOST_TEXT:
            return Refused(span.span_id, f"attributes.{name}", f"a text of {len(value)} characters")
        if isinstance(value, float) and not math.isfinite(value):
            return Refused(span.span_id, f"attributes.{name}", "no finite number")
    return None


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
