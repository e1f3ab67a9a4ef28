from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtoSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from coevolve.errors import IngestError
from coevolve.store.ingest import spans as module
from coevolve.store.ingest.spans import Refused, Span, read_spans
from otlp_samples import JSON, NANOS, PROTOBUF, json_body, json_span, proto, request, text
from span_samples import NOW_S


def read(body: bytes, kind: str = PROTOBUF, encoding: str = "") -> tuple[list[Span], list[Refused]]:
    return read_spans(body, content_type=kind, encoding=encoding, now_s=NOW_S)


def test_protobuf_json_and_gzip_say_the_same() -> None:
    listed = AnyValue(array_value=ArrayValue(values=[AnyValue(int_value=3), AnyValue(bool_value=True)]))
    nested = AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key="list", value=listed)]))
    one = proto(
        parent_span_id=(9).to_bytes(8, "big"),
        attributes=[text("a", "b"), KeyValue(key="n", value=nested)],
        events=[ProtoSpan.Event(name="e", attributes=[text("x", "y")])],
        status=Status(code=Status.STATUS_CODE_ERROR, message="broke"),
    )
    json_list = {"arrayValue": {"values": [{"intValue": "3"}, {"boolValue": True}]}}
    json_nested = {"kvlistValue": {"values": [{"key": "list", "value": json_list}]}}
    same = json_span(
        parentSpanId="0000000000000009",
        attributes=[{"key": "a", "value": {"stringValue": "b"}}, {"key": "n", "value": json_nested}],
        events=[{"name": "e", "attributes": [{"key": "x", "value": {"stringValue": "y"}}]}],
        status={"code": 2, "message": "broke"},
    )
    found = read(request(one))
    assert found == read(json_body(same), JSON)
    assert found == read(gzip.compress(request(one)), encoding="gzip")
    ((span,), refused) = found
    assert refused == []
    assert span.attributes == {"a": "b", "n": {"list": [3, True]}}
    assert (span.parent_id, span.error, span.resource) == (
        "0000000000000009",
        "broke",
        {"service.name": "clerk"},
    )
    assert (span.events, span.scope) == ((("e", {"x": "y"}),), "sdk")


@pytest.mark.parametrize(
    ("body", "kind", "encoding", "status"),
    [
        (b"\xff\xffnonsense", PROTOBUF, "", 400),
        (b"{", JSON, "", 400),
        (b"[1]", JSON, "", 400),
        (b"{}", JSON, "", 400),
        (b"x", "text/plain", "", 415),
        (b"x", "", "", 415),
        (b"x", PROTOBUF, "br", 415),
        (b"no gzip", PROTOBUF, "gzip", 400),
        (gzip.compress(b"x" * 1000, mtime=0)[:-12], PROTOBUF, "gzip", 400),
        (b'{"resourceSpans": ' + b"[" * 100_000, JSON, "", 400),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_its_status(
    body: bytes, kind: str, encoding: str, status: int
) -> None:
    with pytest.raises(IngestError) as refused:
        read(body, kind, encoding)
    assert refused.value.status == status
    assert refused.value.fix


def test_a_large_body_and_a_small_one_that_unpacks_to_a_large_one_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 10_000)
    for body, encoding in ((b"x" * 10_001, ""), (gzip.compress(b"x" * 1_000_000), "gzip")):
        with pytest.raises(IngestError) as refused:
            read(body, encoding=encoding)
        assert refused.value.status == 413


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"trace_id": b"\x00" * 16}, "trace_id"),
        ({"trace_id": b"ab"}, "trace_id"),
        ({"span_id": b""}, "span_id"),
        ({"start_time_unix_nano": NANOS - 10 * 365 * 86_400 * 10**9}, "start_time_unix_nano"),
        ({"start_time_unix_nano": 0}, "start_time_unix_nano"),
        ({"end_time_unix_nano": NANOS + 10 * 365 * 86_400 * 10**9}, "end_time_unix_nano"),
        ({"end_time_unix_nano": 1}, "end_time_unix_nano"),
        ({"attributes": [KeyValue(key="x", value=AnyValue(double_value=float("nan")))]}, "attributes.x"),
        ({"attributes": [text("long", "y" * 1_000_001)]}, "attributes.long"),
    ],
)
def test_a_span_that_breaks_the_contract_is_refused_with_its_field_and_the_rest_is_kept(
    wrong: dict[str, Any], field: str
) -> None:
    kept, refused = read(request(proto(1), proto(2, **wrong), proto(3)))
    assert [one.span_id[-1] for one in kept] == ["1", "3"]
    assert [one.field for one in refused] == [field]


def test_a_span_that_has_not_ended_is_kept() -> None:
    kept, refused = read(request(proto(end_time_unix_nano=0)))
    assert (len(kept), refused) == (1, [])


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"traceId": 5}, "traceId"),
        ({"startTimeUnixNano": "soon"}, "startTimeUnixNano"),
        ({"endTimeUnixNano": None}, "endTimeUnixNano"),
        ({"name": ["x"]}, "name"),
        ({"spanId": "zz"}, "span_id"),
    ],
)
def test_wrong_types_in_json_are_refused_by_themselves(wrong: dict[str, Any], field: str) -> None:
    kept, refused = read(json_body(json_span(), json_span(**wrong)), JSON)
    assert len(kept) == 1
    assert [one.field for one in refused] == [field]


def test_deep_values_are_cut_and_odd_shapes_pass_over() -> None:
    deep: dict[str, Any] = {"stringValue": "x"}
    for _ in range(40):
        deep = {"arrayValue": {"values": [deep]}}
    odd = json_span(
        attributes=[{"key": "d", "value": deep}, "x", {"value": {}}, {"key": "n", "value": {"intValue": "x"}}]
    )
    ((span,), refused) = read(json_body(odd), JSON)
    assert refused == []
    assert span.attributes["n"] is None
    assert json.dumps(span.attributes["d"]).count("[") <= 16
