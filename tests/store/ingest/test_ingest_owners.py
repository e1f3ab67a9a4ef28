"""Whose spans, chats and words are: known by a keyed hash, and never by the id itself."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from coevolve.database.tables import owners, statements, trajectories
from coevolve.store import Store
from coevolve.store.ingest.chat import Chat, read_chats
from coevolve.store.ingest.owners import SUBJECT, USERS, owned, owner
from coevolve.store.redaction import Redactor, subject_of
from coevolve.store.spans import append_spans, settle
from coevolve.store.statements import append_statements
from coevolve.types import StatementKind
from live_samples import says
from otlp_samples import JSON, json_body, json_span
from span_samples import ANSWERED, NOW_S, TOLD, TRACE, conversation, span, with_attributes

KEY = b"k" * 32
ANN = subject_of(KEY, "ann-17")


def pseudonym(user: str) -> str:
    return subject_of(KEY, user)


def column(store: Store, wanted: sa.Column[Any]) -> list[Any]:
    with store.database.read() as connection:
        return list(connection.execute(sa.select(wanted)).scalars())


@pytest.mark.parametrize("name", USERS)
def test_the_users_id_is_taken_off_a_span_and_its_keyed_hash_put_there(name: str) -> None:
    found = owned(span(1, attributes={name: "ann-17", "session.id": "s"}), pseudonym)
    assert found.attributes == {"session.id": "s", SUBJECT: ANN}
    assert owner(found) == ("s", ANN)


def test_an_id_of_resource_or_event_does_not_stay_and_a_numbers_user_is_known() -> None:
    given = span(1, resource={"user.id": 17}, events=(("asked", {"enduser.id": "ann-17", "n": 1}),))
    found = owned(given, pseudonym)
    assert (found.resource, found.events) == ({}, (("asked", {"n": 1}),))
    assert owner(found) == ("", pseudonym("17"))


def test_a_subject_that_the_sender_wrote_is_not_believed() -> None:
    assert owner(owned(span(1, attributes={SUBJECT: ANN}), pseudonym)) == ("", "")


def test_another_key_or_another_user_is_another_subject_and_white_space_is_none() -> None:
    assert len({ANN, subject_of(b"other", "ann-17"), pseudonym("Ann-17"), pseudonym("ann")}) == 4
    assert pseudonym(" ann-17 ") == ANN == Redactor(KEY).subject("ann-17")


def test_a_trajectory_gets_the_user_that_any_span_of_its_trace_names(store: Store) -> None:
    first, *others = conversation()
    append_spans(store, [owned(with_attributes(first, **{"user.id": "ann-17"}), pseudonym), *others], NOW_S)
    settle(store, NOW_S + 100)
    assert column(store, trajectories.c.subject) == [ANN]
    assert column(store, trajectories.c.trace_id) == [TRACE]


def test_a_user_named_only_by_a_late_span_is_noted_on_the_trajectory_that_is_there(store: Store) -> None:
    append_spans(store, conversation(), NOW_S)
    settle(store, NOW_S + 100)
    late = owned(span(9, parent=1, attributes={"enduser.id": "ann-17"}), pseudonym)
    append_spans(store, [late], NOW_S + 200)
    assert settle(store, NOW_S + 300) == []
    assert column(store, trajectories.c.subject) == [ANN]


def test_every_user_and_session_of_a_trace_is_known(store: Store) -> None:
    users = ("ann-17", "bob", "ann-17")
    found = [
        owned(span(k, attributes={"user.id": user, "session.id": f"s{k % 2}"}), pseudonym)
        for k, user in enumerate(users, 1)
    ]
    append_spans(store, found, NOW_S)
    append_spans(store, found, NOW_S + 1)
    assert sorted(column(store, owners.c.subject)) == sorted([ANN, pseudonym("bob")])
    assert sorted(column(store, owners.c.session_id)) == ["s0", "s1"]


def test_the_door_keeps_no_users_id_whatever_it_looks_like(client: TestClient, store: Store) -> None:
    named = {"enduser.id": "ann.lee@example.org", "session.id": "s"}
    attributes = [{"key": name, "value": {"stringValue": value}} for name, value in named.items()]
    body = json_body(json_span(attributes=attributes))
    assert client.post("/v1/traces", content=body, headers={"content-type": JSON}).status_code == 200
    said = {"id": "f", "session_id": "s", "kind": "stars", "value": 5, "user": "ann.lee@example.org"}
    assert client.post("/v1/feedback", json=said).status_code == 200
    whole = Redactor(KEY).subject("ann.lee@example.org")
    assert column(store, owners.c.subject) == [whole] == column(store, statements.c.subject)
    with store.database.read() as connection:
        for name in ("spans", "owners", "statements"):
            assert "ann.lee" not in repr(connection.execute(sa.text(f"SELECT * FROM {name}")).all())


def line(**given: Any) -> str:
    return json.dumps({"messages": [*ANSWERED, *TOLD], **given})


def test_the_user_of_a_chat_is_its_subject_and_equal_chats_of_two_users_are_two() -> None:
    given = [line(), line(user="ann-17"), line(safety_identifier="ann-17"), line(user="bob")]
    found = [one for one in read_chats(given, pseudonym) if isinstance(one, Chat)]
    assert [one.subject for one in found] == [None, ANN, ANN, pseudonym("bob")]
    ids = [one.trajectory.id for one in found]
    assert ids[1] == ids[2] and len(set(ids)) == 3


def test_words_that_came_without_their_user_get_it_when_they_are_sent_again(store: Store) -> None:
    one = says(StatementKind.STARS, 4)
    append_statements(store.database, [one])
    assert append_statements(store.database, [one, replace(one, id="two")], {one.id: ANN}) == ["two"]
    assert set(column(store, statements.c.subject)) == {ANN, None}
    append_statements(store.database, [one], {one.id: pseudonym("bob")})
    assert set(column(store, statements.c.subject)) == {ANN, None}
