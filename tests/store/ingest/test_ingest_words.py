"""Words that users and checks send to the service: which are kept, and which are refused by field."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from coevolve.feedback import judge_outcome
from coevolve.feedback.statements import refusal
from coevolve.live import Listening, score_live
from coevolve.store import Store
from coevolve.store.ingest.service import Hooks, create_app
from coevolve.store.redaction import Redactor
from coevolve.store.spans import settle
from coevolve.store.statements import statements_of
from coevolve.types import Outcome
from otlp_samples import json_body
from service_samples import a_chat, known, on_sqlite, send
from span_samples import NOW_S


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


def test_words_on_a_session_that_is_an_address_find_it(client: TestClient, store: Store) -> None:
    span = a_chat(7)
    span["attributes"].append({"key": "session.id", "value": {"stringValue": "ann@example.org"}})
    assert send(client, json_body(span)).status_code == 200
    said = {"id": "a", "session_id": "ann@example.org", "kind": "stars", "value": 5}
    assert client.post("/v1/feedback", json=said).status_code == 200
    (made,) = settle(store, NOW_S + 60)
    assert "ann" not in made.session_id
    assert [one.id for one in statements_of(store.database, [made.session_id])[made.session_id]] == ["a"]
