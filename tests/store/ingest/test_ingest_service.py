"""The service over spans: what is durable, what is refused, how it settles, and what it shows."""

from __future__ import annotations

import asyncio
import gzip
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from coevolve.database.tables import bodies, spans, traces
from coevolve.errors import StoreError
from coevolve.store import Store
from coevolve.store.ingest import service
from coevolve.store.ingest.service import Hooks, create_app
from coevolve.store.redaction import Redactor
from coevolve.store.spans import MOST, append_rows, append_spans, settle, span_row
from coevolve.types import Split
from heartbeat import until_the_loop_turned
from otlp_samples import JSON, NANOS, PROTOBUF, json_body, json_span, proto, request
from service_samples import a_chat, on_sqlite, send
from span_samples import NOW_S, TRACE, conversation, span, too_deep


def test_spans_are_durable_when_the_answer_comes_and_become_trajectories(
    client: TestClient, store: Store
) -> None:
    assert (answer := send(client, json_body(a_chat(1), a_chat(2)))).status_code == 200
    assert answer.json() == {}
    assert (
        send(client, gzip.compress(json_body(a_chat(2))), **{"content-encoding": "gzip"}).status_code == 200
    )
    assert [one.task.opening for one in settle(store, NOW_S + 100)] == [
        "Where is order 1?",
        "Where is order 2?",
    ]


@on_sqlite
def test_a_protobuf_request_gets_a_protobuf_answer(client: TestClient) -> None:
    answer = send(client, request(proto()), PROTOBUF)
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, PROTOBUF, b"")


def test_a_refused_span_is_named_with_its_field_and_the_rest_is_kept(
    client: TestClient, store: Store
) -> None:
    answer = send(client, json_body(a_chat(1), json_span(startTimeUnixNano="soon")))
    assert answer.status_code == 400
    assert answer.json()["partialSuccess"]["rejectedSpans"] == 1
    assert "startTimeUnixNano" in answer.json()["partialSuccess"]["errorMessage"]
    assert len(settle(store, NOW_S + 100)) == 1
    old = proto(start_time_unix_nano=NANOS - 10 * 365 * 86_400 * 10**9)
    assert b"10 years off" in send(client, request(old), PROTOBUF).content


@on_sqlite
@pytest.mark.parametrize(
    ("body", "kind", "status"), [(b"\xff\xff", PROTOBUF, 400), (b"{", JSON, 400), (b"x", "text/html", 415)]
)
def test_a_broken_body_is_a_4xx_with_its_fix(client: TestClient, body: bytes, kind: str, status: int) -> None:
    answer = send(client, body, kind)
    assert answer.status_code == status
    assert answer.json()["fix"]


@on_sqlite
def test_a_body_that_is_too_large_is_given_up_early(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_BYTES", 1000)
    assert send(client, b"x" * 5000).status_code == 413


def test_secrets_do_not_reach_the_disk(client: TestClient, store: Store, tmp_path: Path) -> None:
    send(client, json_body(a_chat(1, "Mail ann.lee@example.org, the key is sk-proj-a1B2c3D4e5F6g7H8i9J0kL.")))
    (found,) = settle(store, NOW_S + 100)
    assert "<EMAIL_" in found.turns[0].raw
    with store.database.read() as connection:
        tables = [*connection.execute(sa.select(spans)), *connection.execute(sa.select(bodies))]
    store.close()
    kept = [repr(tables).encode(), *(file.read_bytes() for file in tmp_path.iterdir())]
    assert not any(secret in one for one in kept for secret in (b"ann.lee", b"sk-proj-a1B2"))


def test_many_senders_at_once_lose_and_double_nothing(client: TestClient, store: Store) -> None:
    with ThreadPoolExecutor(16) as pool:
        bodies = [json_body(a_chat(k), a_chat(k + 1)) for k in range(1, 65)]
        assert {answer.status_code for answer in pool.map(lambda body: send(client, body), bodies)} == {200}
    assert len(settle(store, NOW_S + 100)) == 65


@on_sqlite
def test_more_than_can_be_written_is_pushed_back_with_the_time_to_wait(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    began, go = threading.Event(), threading.Event()

    def slow(*given: Any) -> None:
        began.set()
        assert go.wait(10)
        append_rows(*given)

    monkeypatch.setattr("coevolve.store.ingest.service.append_rows", slow)
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, most_waiting=3, settle_every_s=3600)
    with TestClient(app) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(send, client, json_body(a_chat(1), a_chat(2)))
        assert began.wait(10)
        pushed = send(client, json_body(a_chat(3), a_chat(4)))
        go.set()
        assert (pushed.status_code, pushed.headers["retry-after"]) == (429, "1")
        assert first.result(10).status_code == 200
        assert send(client, json_body(a_chat(3), a_chat(4))).status_code == 200
    assert len(settle(store, NOW_S + 100)) == 4


@pytest.mark.parametrize(
    "slow", ["readers.read_spans", "service.append_rows", "service.append_statements", "service.settle_some"]
)
async def test_the_event_loop_goes_on_whatever_a_big_batch_takes(
    store: Store, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    module, _, name = slow.partition(".")
    real, loop = getattr(import_module(f"coevolve.store.ingest.{module}"), name), asyncio.get_running_loop()
    waited = asyncio.Event()

    def waits(*given: Any, **more: Any) -> Any:
        until_the_loop_turned(loop)
        loop.call_soon_threadsafe(waited.set)
        return real(*given, **more)

    monkeypatch.setattr(f"coevolve.store.ingest.{slow}", waits)
    every_s = 0.01 if name == "settle_some" else 3600
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=every_s)
    batch = json_body(*(a_chat(k) for k in range(1, 301)))
    word = {"id": "f1", "session_id": "s", "kind": "stars", "value": 4, "early": True}
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport) as client:
        sent = await client.post("http://door/v1/traces", content=batch, headers={"content-type": JSON})
        said = await client.post("http://door/v1/feedback", json=word)
        assert (sent.status_code, said.status_code) == (200, 200)
        await asyncio.wait_for(waited.wait(), 20)


def test_a_trajectory_is_read_as_it_is_kept_with_the_reasons_of_those_who_judge(store: Store) -> None:
    hooks = Hooks(explain=lambda one: [{"signal": "x", "turns": len(one.turns)}])
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=3600, hooks=hooks)
    with TestClient(app) as client:
        send(client, json_body(a_chat(1, "Mail ann.lee@example.org.")))
        (made,) = settle(store, NOW_S + 100)
        told = client.get(f"/v1/trajectories/{made.id}").json()
        assert told["trajectory"]["turns"][0]["raw"].startswith("Mail <EMAIL_")
        assert told["rows"] == [{"signal": "x", "turns": 1}]
        measures = replace(made, id="a/b", task=replace(made.task, split=Split.HELD_OUT))
        store.append([measures, replace(made, id="c/d~2")])
        assert client.get("/v1/trajectories/c/d~2").json()["trajectory"]["id"] == "c/d~2"
        for unknown in ("nothing", "a/b"):
            answer = client.get(f"/v1/trajectories/{unknown}")
            assert answer.status_code == 404
            assert "/v1/review" in answer.json()["fix"]


@on_sqlite
def test_what_a_person_should_look_at_is_asked_of_those_who_judge(store: Store) -> None:
    hooks = Hooks(review=lambda count: [{"trajectory": f"t{k}"} for k in range(count)])
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=3600, hooks=hooks)
    with TestClient(app) as client:
        assert client.get("/v1/review?count=2").json() == {
            "review": [{"trajectory": "t0"}, {"trajectory": "t1"}]
        }
        assert client.get("/v1/review?count=0").status_code == 422


@on_sqlite
@pytest.mark.parametrize(
    "error", [StoreError("the disk is full", fix="free some space"), KeyError("mistake")]
)
def test_trouble_in_the_background_is_told_and_ends_when_it_ends(store: Store, error: Exception) -> None:
    tries: list[int] = []
    mended = threading.Event()

    def settled() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise error
        mended.set()

    hooks = Hooks(settled=settled)
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=0.2, hooks=hooks)
    with TestClient(app) as client:
        seen = []
        deadline_s = time.monotonic() + 30
        while not mended.wait(0.01):
            assert time.monotonic() < deadline_s
            seen.append(client.get("/health").json()["status"])
        assert "degraded" in seen
        while client.get("/health").json()["status"] != "ok":
            pass


def test_traces_without_a_models_answer_hold_nobody_up(store: Store) -> None:
    append_rows(store, [span_row(span(1, trace=f"{k:032x}")) for k in range(1, 2 * MOST + 2)], NOW_S)
    left: list[int] = []
    first = threading.Event()

    def settled() -> None:
        waiting = sa.select(sa.func.count()).select_from(traces).where(traces.c.assembled_s.is_(None))
        with store.database.read() as connection:
            left.append(connection.execute(waiting).scalar_one())
        first.set()

    hooks = Hooks(settled=settled)
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S + 100, settle_every_s=0.1, hooks=hooks)
    with TestClient(app):
        assert first.wait(60)
    assert left[0] == 0


def test_a_trace_that_cannot_be_kept_is_named_at_health_and_the_others_settle(store: Store) -> None:
    append_spans(store, too_deep(), NOW_S)
    append_spans(store, [replace(one, trace_id=f"{2:032x}") for one in conversation()], NOW_S + 1)
    settled = threading.Event()
    hooks = Hooks(settled=settled.set)
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S + 100, settle_every_s=0.1, hooks=hooks)
    with TestClient(app) as client:
        assert settled.wait(60)
        health = client.get("/health").json()
    assert health["status"] == "ok"
    (broken,) = health["broken_traces"]
    assert broken["trace_id"] == TRACE
    assert "RecursionError" in broken["why"]
    assert [one.id for one in store.find()] == [f"{2:032x}"]
