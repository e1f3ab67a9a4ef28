"""What agents send to the service of a store: small chats, and the request that carries them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from otlp_samples import JSON, json_body, json_span

# of what asks little of a database
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def a_chat(number: int, reply: str = "It is on its way.") -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": message("user", f"Where is order {number}?"),
        "gen_ai.output.messages": message("assistant", reply),
    }
    return json_span(
        traceId=f"{number:032x}",
        attributes=[{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()],
    )


def known(client: TestClient, *sessions: str) -> None:
    """Traces of these sessions, so that words on them are taken."""
    spans = [a_chat(1000 + k) for k, _ in enumerate(sessions)]
    for one, session in zip(spans, sessions, strict=True):
        one["attributes"].append({"key": "session.id", "value": {"stringValue": session}})
    assert send(client, json_body(*spans)).status_code == 200


def send(client: TestClient, body: bytes, kind: str = JSON, **headers: str) -> Any:
    return client.post("/v1/traces", content=body, headers={"content-type": kind, **headers})
