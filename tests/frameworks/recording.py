"""Spans of a run, sent by the real OTLP exporter to a receiver here, into a file of tests/data/spans.

A block of code enters, and the one request that its spans were sent in leaves as `NAME.pb.gz`. Folders of the
machine are taken out of stack traces; a recording that still tells anything of it is refused.
"""

from __future__ import annotations

import getpass
import gzip
import os
import re
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

SPANS = Path(__file__).parent.parent / "data" / "spans"
_PATH = re.compile(r'File "[^"]*[/\\]([^"/\\]+)"')


@contextmanager
def recorded(name: str) -> Iterator[TracerProvider]:
    """What this provider's spans are exported as becomes tests/data/spans/NAME.pb.gz when the block ends."""
    bodies: list[bytes] = []
    server = _Receiver(bodies)
    thread = threading.Thread(target=server.serve_forever, name="receiver", daemon=True)
    thread.start()
    # Nothing of a detected resource: it would name this machine and its processes.
    provider = TracerProvider(resource=Resource({"service.name": "shop"}))
    exporter = OTLPSpanExporter(endpoint=f"http://127.0.0.1:{server.server_address[1]}/v1/traces")
    provider.add_span_processor(
        BatchSpanProcessor(exporter, max_export_batch_size=2048, schedule_delay_millis=3_600_000)
    )
    try:
        yield provider
        provider.shutdown()
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    (body,) = bodies
    SPANS.mkdir(parents=True, exist_ok=True)
    target = SPANS / f"{name}.pb.gz"
    target.write_bytes(gzip.compress(_scrubbed(body), mtime=0))
    print(f"{target.name}: {target.stat().st_size} bytes")


class _Receiver(ThreadingHTTPServer):
    def __init__(self, bodies: list[bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies = bodies


class _Handler(BaseHTTPRequestHandler):
    server: _Receiver

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet: a recording shows its own words alone."""


def _scrubbed(body: bytes) -> bytes:
    request = ExportTraceServiceRequest.FromString(body)
    for group in request.resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                span.status.message = _PATH.sub(r'File "\1"', span.status.message)
                pairs = [*span.attributes, *(pair for event in span.events for pair in event.attributes)]
                for pair in pairs:
                    if pair.value.HasField("string_value"):
                        pair.value.string_value = _PATH.sub(r'File "\1"', pair.value.string_value)
    scrubbed: bytes = request.SerializeToString()
    private = {socket.gethostname(), sys.prefix, os.getcwd(), str(Path.home()), str(SPANS.parent.parent)}
    told = sorted(one for one in private if len(one) > 1 and one.encode() in scrubbed)
    if told or re.search(rb"\b%s\b" % getpass.getuser().encode(), scrubbed):
        raise SystemExit(f"the recording tells of this machine: {told}\n  fix: take it out in _scrubbed")
    return scrubbed
