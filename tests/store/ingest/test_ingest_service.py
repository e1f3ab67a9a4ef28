from __future__ import annotations

import asyncio
import gzip
import json
import threading
import time
from collections.abc import Iterator
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
from coevolve.feedback import judge_outcome
from coevolve.feedback.statements import refusal
from coevolve.live import Listening, score_live
from coevolve.store import Store
from coevolve.store.ingest import service
from coevolve.store.ingest.service import Hooks, create_app
from coevolve.store.redaction import Redactor
from coevolve.store.spans import MOST, append_rows, append_spans, settle, span_row
from coevolve.store.statements import statements_of
from coevolve.types import Outcome, Split
from heartbeat import until_the_loop_turned
from otlp_samples import JSON, NANOS, PROTOBUF, json_body, json_span, proto, request
from span_samples import NOW_S, TRACE, conversation, span, too_deep

# of what asks little of a database
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=3600)
    with TestClient(app) as opened:
        yield opened


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


def test_feedback_is_kept_by_session_and_a_bad_one_does_not_cost_the_others(
    client: TestClient, store: Store
) -> None:
    known(client, "s", "t")
    good = {"id": "f1", "session_id": "s", "kind": "stars", "value": 4, "given_s": NOW_S - 5}
    bad = {"id": "f2", "session_id": "s", "kind": "applause", "value": 4}
    answer = client.post("/v1/feedback", json=[good, bad, {**good, "id": "f3", "turn": -1}])
    assert answer.status_code == 400
    assert [(one["place"], one["field"]) for one in answer.json()["refused"]] == [(1, "kind"), (2, "turn")]
    assert client.post("/v1/feedback", json=good).json() == {"accepted": 1, "new": 0, "refused": []}
    (kept,) = statements_of(store.database, ["s"])["s"]
    assert (kept.id, kept.value, kept.given_s) == ("f1", 4, NOW_S - 5)
    text_of = {"id": "f4", "session_id": "t", "kind": "text", "value": "write to ann@example.org"}
    assert client.post("/v1/feedback", json=text_of).status_code == 200
    assert "<EMAIL_" in statements_of(store.database, ["t"])["t"][0].value


@pytest.mark.parametrize("years", [-10, 10])
def test_a_word_from_a_clock_that_is_years_off_is_refused_by_field_and_the_others_are_kept(
    client: TestClient, years: int
) -> None:
    known(client, "s")
    good = {"id": "f1", "session_id": "s", "kind": "stars", "value": 4, "given_s": NOW_S - 40 * 86_400}
    off = {**good, "id": "f2", "given_s": NOW_S + years * 365.25 * 86_400}
    answer = client.post("/v1/feedback", json=[off, good])
    assert (answer.status_code, answer.json()["accepted"]) == (400, 1)
    (refused,) = answer.json()["refused"]
    assert (refused["place"], refused["field"]) == (0, "given_s")
    assert refused["why"] == f"the clock is {years:+d} years off"


def test_what_was_verified_later_changes_the_reward_of_its_session(store: Store) -> None:
    app = create_app(
        store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=3600, hooks=Hooks(refusal=refusal)
    )
    sent = {"id": "c1", "session_id": f"{1:032x}", "kind": "check"}
    with TestClient(app) as client:
        assert send(client, json_body(a_chat(1))).status_code == 200
        broken = client.post("/v1/feedback", json={**sent, "value": {"name": "tests", "passed": "no"}})
        assert (broken.status_code, broken.json()["refused"][0]["field"]) == (400, "value")
        found = {"name": "tests", "passed": False, "why": "2 of 7 failed"}
        assert client.post("/v1/feedback", json={**sent, "value": found}).status_code == 200
    settle(store, NOW_S + 100)
    (scored,) = score_live(store, Listening()).scored
    assert scored.reward is not None
    assert scored.reward.outcome is Outcome.FAILURE
    assert (
        judge_outcome(scored)[2]
        == "failure: 0 of 1 checks passed; failed: check.tests (tests failed: 2 of 7 failed)"
    )
    (again,) = score_live(store, Listening(), [scored.session_id]).scored
    assert again.signals == scored.signals


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


@pytest.mark.parametrize("field", ["id", "session_id", "by", "trajectory", "user"])
def test_a_character_that_no_database_keeps_is_refused_by_field(client: TestClient, field: str) -> None:
    known(client, "s")
    good = {"id": "f1", "session_id": "s", "kind": "stars", "value": 4}
    answer = client.post("/v1/feedback", json=[{**good, field: "a\0b"}, {**good, "id": "f2"}])
    assert answer.status_code == 400
    assert answer.json()["accepted"] == 1 and answer.json()["refused"][0]["field"] == field


def test_words_on_an_unknown_session_are_refused_by_field_unless_they_say_that_they_are_early(
    client: TestClient, store: Store
) -> None:
    assert send(client, json_body(a_chat(7))).status_code == 200  # without a session, so its trace is one
    known(client, "s")
    thumb = {"kind": "thumb", "value": True}
    said = [
        {"id": "a", "session_id": "nobody", **thumb},
        {"id": "b", "session_id": "s", **thumb},
        {"id": "c", "session_id": f"{7:032x}", **thumb},
        {"id": "d", "session_id": f"{1000:032x}", **thumb},  # the trace of "s", which has that name alone
        {"id": "e", "session_id": "later", "early": True, **thumb},
    ]
    answer = client.post("/v1/feedback", json=said)
    assert answer.status_code == 400
    refused = answer.json()["refused"]
    assert [(one["place"], one["field"]) for one in refused] == [(0, "session_id"), (3, "session_id")]
    assert '"early": true' in refused[0]["why"]
    assert answer.json()["accepted"] == 3
    assert set(statements_of(store.database, ["nobody", "later"])) == {"later"}
    settle(store, NOW_S + 100)
    again = client.post("/v1/feedback", json={"id": "f", "session_id": f"{7:032x}", **thumb})
    assert again.status_code == 200


@on_sqlite
def test_words_from_a_broken_clock_are_refused_by_field(client: TestClient) -> None:
    known(client, "s")
    year_s = 365.25 * 86_400
    said = {"id": "a", "session_id": "s", "kind": "thumb", "value": True, "given_s": NOW_S + 10 * year_s}
    (refused,) = client.post("/v1/feedback", json=said).json()["refused"]
    assert (refused["field"], refused["why"]) == ("given_s", "the clock is +10 years off")


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


def test_the_same_feedback_id_with_other_content_is_refused(client: TestClient) -> None:
    known(client, "s")
    one = {"id": "f1", "session_id": "s", "kind": "stars", "value": 4, "given_s": NOW_S}
    assert client.post("/v1/feedback", json=one).status_code == 200
    assert client.post("/v1/feedback", json={**one, "value": 1}).status_code == 409
    assert client.post("/v1/feedback", content=b"{").status_code == 400


@on_sqlite
def test_a_word_that_its_kind_cannot_have_is_refused_and_the_others_are_kept(store: Store) -> None:
    hooks = Hooks(refusal=refusal)
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=3600, hooks=hooks)
    with TestClient(app) as client:
        known(client, "s")
        said = [
            {"id": "a", "session_id": "s", "kind": "stars", "value": 6},
            {"id": "b", "session_id": "s", "kind": "label", "value": {"score": 1, "why": "fine"}},
        ]
        answered = client.post("/v1/feedback", json=said)
    assert answered.status_code == 400
    body = answered.json()
    assert (body["accepted"], body["refused"][0]["place"], body["refused"][0]["field"]) == (1, 0, "value")
    assert "send a number from 1 to 5" in body["refused"][0]["why"]


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


def test_words_on_a_session_that_is_an_address_find_it(client: TestClient, store: Store) -> None:
    span = a_chat(7)
    span["attributes"].append({"key": "session.id", "value": {"stringValue": "ann@example.org"}})
    assert send(client, json_body(span)).status_code == 200
    said = {"id": "a", "session_id": "ann@example.org", "kind": "stars", "value": 5}
    assert client.post("/v1/feedback", json=said).status_code == 200
    (made,) = settle(store, NOW_S + 60)
    assert "ann" not in made.session_id
    assert [one.id for one in statements_of(store.database, [made.session_id])[made.session_id]] == ["a"]


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
