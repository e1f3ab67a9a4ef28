from __future__ import annotations

from dataclasses import replace

import pytest

from coevolve.errors import StoreError
from coevolve.store import Store
from coevolve.store.statements import append_statements, mark_scored, sessions_to_score, statements_of
from coevolve.types import Statement, StatementKind
from live_samples import says, talk


def star(session: str, value: int, given_s: float = 0.0) -> Statement:
    return replace(says(StatementKind.STARS, value, session=session), given_s=given_s)


def test_what_was_said_comes_back_by_session_in_the_order_it_was_said(store: Store) -> None:
    late, early = star("a", 1, given_s=20.0), star("a", 5, given_s=10.0)
    figure = says(StatementKind.FIGURE, {"name": "revenue", "value": 3}, session="b", turn=2)
    assert append_statements(store.database, [late, early, figure]) == [late.id, early.id, figure.id]
    assert statements_of(store.database, ["a", "b", "c"]) == {"a": [early, late], "b": [figure]}


def test_sending_twice_keeps_it_once_and_other_content_under_the_same_id_is_refused(store: Store) -> None:
    one = star("a", 1)
    assert append_statements(store.database, [one]) == [one.id]
    assert append_statements(store.database, [one, one]) == []
    other = star("b", 2)
    with pytest.raises(StoreError, match="other content"):
        append_statements(store.database, [other, replace(one, value=5)])
    assert statements_of(store.database, ["a", "b"]) == {"a": [one]}  # all or nothing


def test_a_session_is_to_score_until_a_reward_knows_of_its_words(
    store: Store,
) -> None:
    store.append([talk(("q", "a"), name=name) for name in ("a", "b")])
    first = star("a", 1)
    append_statements(store.database, [first, star("nobody", 2)])
    assert sessions_to_score(store.database) == ["a"]
    mark_scored(store.database, [first])
    assert sessions_to_score(store.database) == []
    append_statements(store.database, [star("b", 4), star("a", 2)])
    assert sessions_to_score(store.database) == ["b", "a"]
    assert sessions_to_score(store.database, limit=1) == ["b"]


def test_many_sessions_are_read_in_parts(store: Store) -> None:
    many = [star(f"s{k}", 1 + k % 5) for k in range(1203)]
    append_statements(store.database, many)
    found = statements_of(store.database, [f"s{k}" for k in range(1203)])
    assert sum(map(len, found.values())) == 1203


def test_the_same_word_sent_again_later_is_the_same_word(store: Store) -> None:
    first = says(StatementKind.STARS, 5)
    assert append_statements(store.database, [replace(first, given_s=1.0)]) == [first.id]
    assert append_statements(store.database, [replace(first, given_s=2.0)]) == []
