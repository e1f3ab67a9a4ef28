"""A user out of the store: what goes, what is listed, and that no byte of it stays in an SQLite file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from coevolve.database import Database
from coevolve.database.tables import owners, scorings, spans, statements, traces, trajectories, vectors
from coevolve.database.vector_type import DIMS
from coevolve.errors import StoreError
from coevolve.registry import Registry
from coevolve.registry.registry import make_version
from coevolve.store import Store, open_store
from coevolve.store.deletion import Gone
from coevolve.store.forget import Learned, _scope, forget
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.owners import owned
from coevolve.store.pools import PoolRow, append_pool
from coevolve.store.redaction import subject_of
from coevolve.store.rows import Origin
from coevolve.store.spans import append_spans, settle
from coevolve.store.statements import append_statements
from coevolve.store.vectors import Vectors
from coevolve.types import Outcome, Split, StatementKind, Trajectory
from live_samples import says, talk
from span_samples import NOW_S, conversation, with_attributes
from store_samples import lived, scored

SECRET = "my cousin Wilhelmina keeps nineteen alpacas"
ANN, BOB = (subject_of(b"k", user) for user in ("ann", "bob"))
ALL = (trajectories, scorings, vectors, statements, spans, traces, owners)


def pseudonym(user: str) -> str:
    return subject_of(b"k", user)


def counts(store: Store) -> list[int]:
    with store.database.read() as connection:
        return [connection.execute(sa.select(sa.func.count()).select_from(one)).scalar_one() for one in ALL]


def append(store: Store, one: Trajectory, subject: str | None) -> None:
    """With a scoring, a vector and a word on its session."""
    store.append([scored(one, Outcome.FAILURE, why=SECRET)], origins={one.id: Origin(subject)})
    Vectors(store.database).append({one.id: np.ones(DIMS)})
    append_statements(store.database, [says(StatementKind.TEXT, SECRET, session=one.session_id)])


def traced(store: Store, number: int, user: str | None, session: str, *, assembled: bool = True) -> str:
    """A trace of a user, and its trajectory's id."""
    name = f"{number:032x}"
    given = {"session.id": session, "note": SECRET} | ({"user.id": user} if user else {})
    found = [replace(with_attributes(one, **given), trace_id=name) for one in conversation()]
    append_spans(store, [owned(one, pseudonym) for one in found], NOW_S)
    if assembled:
        settle(store, NOW_S + 100)
    return name


def test_all_sessions_of_a_user_go_with_all_that_hangs_on_them(store: Store) -> None:
    append(store, talk((SECRET, "a"), name="s1"), ANN)
    append(store, talk((SECRET, "b"), name="s1", id="t-helper"), None)  # of the same session
    append(store, talk(("q", "a"), name="s2"), BOB)
    traced(store, 1, "ann", "s3")
    traced(store, 2, "bob", "s4")
    told = forget(store.database, subject=ANN)
    assert told.sessions == ("s1", "s3")
    assert told.gone == Gone(trajectories=3, scorings=2, vectors=2, statements=1, spans=4, traces=1)
    assert sorted(one.session_id for one in store.find()) == ["s2", "s4"]
    assert counts(store) == [2, 1, 1, 1, 4, 1, 1]
    assert (told.descendants, told.shared, told.pools, told.versions) == ((), 0, (), ())


def test_a_user_is_found_by_words_alone_and_by_a_trace_that_became_nothing_yet(store: Store) -> None:
    store.append([talk((SECRET, "a"), name="s1")])
    word = says(StatementKind.STARS, 1, session="s1")
    append_statements(store.database, [word], {word.id: ANN})
    traced(store, 1, "ann", "s2", assembled=False)
    assert forget(store.database, subject=ANN).gone == Gone(trajectories=1, statements=1, spans=4, traces=1)
    assert counts(store) == [0] * 7


def test_sessions_go_by_their_ids_and_a_trace_without_one_by_its_own(store: Store) -> None:
    append(store, talk((SECRET, "a"), name="s1"), ANN)
    append(store, talk((SECRET, "a"), name="s2"), ANN)
    name = "7" * 32
    append_spans(store, [replace(one, trace_id=name, attributes={}) for one in conversation()], NOW_S)
    told = forget(store.database, sessions=["s1", name])
    assert (told.gone.trajectories, told.gone.traces, told.shared) == (1, 1, 1)
    assert [one.session_id for one in store.find()] == ["s2"]


def test_what_replaced_and_was_replaced_goes_together(store: Store) -> None:
    early = [owned(with_attributes(one, **{"user.id": "ann"}), pseudonym) for one in conversation()]
    append_spans(store, early[:2], NOW_S)
    settle(store, NOW_S + 100)
    append_spans(store, early, NOW_S + 200)
    settle(store, NOW_S + 300)
    assert counts(store)[0] == 2
    assert forget(store.database, subject=ANN).gone.trajectories == 2


def test_completions_and_replays_of_a_live_task_go_too_and_are_listed(store: Store) -> None:
    live = talk((SECRET, "a"), name="s1")
    append(store, live, ANN)
    made = replace(live, id="made", session_id="made", parent=live.id, version="teacher")
    made_of_that = replace(made, id="again", session_id="again", parent="made")
    replay = replace(live, id="replay", session_id="r", task=replace(live.task, id="s1"))
    append(store, made, None)
    store.append([made_of_that, replay, lived("other", parent="nobody")])
    trained = replace(live, task=replace(live.task, id="s1", split=Split.TRAIN), id="trained", session_id="t")
    store.append([trained])  # of a world whose task has the same name by chance
    told = forget(store.database, subject=ANN)
    assert told.descendants == ("again", "made")
    assert told.gone.trajectories == 4
    assert told.gone.statements == 2  # of the completion's session, which has nothing left, as well
    assert [one.id for one in store.find()] == ["other", "trained"]


def test_pools_and_versions_that_derive_are_named_and_stay(store: Store, tmp_path: Path) -> None:
    append(store, talk((SECRET, "a"), name="s1"), ANN)
    made = replace(talk((SECRET, "a"), name="x"), id="made", parent="t-s1")
    store.append([made, lived("other")])
    append_pool(store.database, "p1", path="p1", sources=["other"])
    append_pool(store.database, "p2", path="p2", parent="p1", sources=["other", "made"])
    registry = Registry(store.database)
    base = make_version(base="b", harness={})
    clean = make_version(base="b", harness={}, parent=base.id, pool="p1")
    taught = make_version(base="b", harness={}, parent=clean.id, pool="p2")
    child = make_version(base="b", harness={}, parent=taught.id, pool="p9")
    for one in (base, clean, taught, child):
        registry.add(one)
    for dry_run in (True, False):
        told = forget(store.database, subject=ANN, dry_run=dry_run)
        assert told.pools == (PoolRow("p2", "p1", "p2"),)
        assert told.versions == (Learned(taught.id, "candidate"), Learned(child.id, "candidate"))
    assert len(registry.versions()) == 4


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_path_of_a_runs_pool_is_where_its_text_lies(store: Store, tmp_path: Path) -> None:
    (tmp_path / "pools" / "p1").mkdir(parents=True)
    append(store, talk((SECRET, "a"), name="s1"), ANN)
    append_pool(store.database, "p1", path="p1", sources=["t-s1"])
    assert forget(store.database, subject=ANN).pools[0].path == str(tmp_path / "pools" / "p1")


def test_a_trace_of_several_users_goes_with_any_of_them_and_others_are_told(store: Store) -> None:
    given = [owned(with_attributes(one, **{"user.id": "bob"}), pseudonym) for one in conversation()]
    append_spans(store, given, NOW_S)
    extra = owned(with_attributes(conversation()[0], **{"user.id": "ann"}), pseudonym)
    append_spans(store, [replace(extra, span_id="f" * 16, start_s=NOW_S + 99)], NOW_S)
    settle(store, NOW_S + 100)
    told = forget(store.database, subject=ANN)
    assert (told.gone.trajectories, told.shared) == (1, 1)


def test_a_dry_run_says_exactly_what_then_goes_and_deletes_nothing(store: Store) -> None:
    append(store, talk((SECRET, "a"), name="s1"), ANN)
    traced(store, 1, "ann", "s3")
    before = counts(store)
    dry = forget(store.database, subject=ANN, dry_run=True)
    assert counts(store) == before
    assert forget(store.database, subject=ANN) == dry
    assert counts(store) == [0] * 7
    assert forget(store.database, subject=ANN).gone == Gone()


def test_nobody_named_is_refused_and_nothing_is_deleted(store: Store) -> None:
    append(store, talk(("q", "a"), name="s1"), None)
    for nobody in (None, ""):
        with pytest.raises(StoreError, match="fix: give --user or --session"):
            forget(store.database, subject=nobody)
    assert forget(store.database, subject=ANN).gone == Gone()
    assert counts(store)[0] == 1


def test_a_trace_that_is_being_assembled_meanwhile_does_not_come_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced(store, 1, "ann", "s1", assembled=False)

    def late(found: Any) -> Any:
        forget(store.database, subject=ANN)
        return assemble(found)

    monkeypatch.setattr("coevolve.store.spans.assemble", late)
    assert settle(store, NOW_S + 100) == []
    assert counts(store) == [0] * 7


def test_a_vector_that_was_read_before_is_found_no_more(store: Store) -> None:
    index = Vectors(store.database)
    for number in range(3):
        append(store, talk(("q", "a"), name=f"s{number}"), ANN if number == 2 else None)
    assert {one for one, _ in index.nearest(np.ones(DIMS), 9)} == {"t-s0", "t-s1", "t-s2"}
    forget(store.database, subject=ANN)
    assert {one for one, _ in index.nearest(np.ones(DIMS), 9)} == {"t-s0", "t-s1"}
    append(store, talk(("q", "a"), name="s3"), None)  # SQLite gives it the number of the one that went
    assert {one for one, _ in index.nearest(np.ones(DIMS), 9)} == {"t-s0", "t-s1", "t-s3"}
    forget(store.database, sessions=["s0"])
    assert {one for one, _ in index.nearest(np.ones(DIMS), 9)} == {"t-s1", "t-s3"}


def in_files(folder: Path, text: str) -> list[str]:
    return [one.name for one in folder.rglob("*") if one.is_file() and text.encode() in one.read_bytes()]


def leave_bytes(connection: Any, *_: Any) -> None:
    connection.execute("PRAGMA secure_delete = OFF")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_afterwards_no_byte_of_it_is_in_the_database_or_its_log(store: Store, tmp_path: Path) -> None:
    # A build of SQLite may wipe what it deletes by default; others leave the bytes where they were.
    sa.event.listen(store.database.engine, "checkout", leave_bytes)
    filler = [talk((f"q{k}", "a long answer " * 40), name=f"f{k}") for k in range(60)]
    store.append(filler[:30])
    append(store, talk((SECRET, SECRET), name="s1"), ANN)
    traced(store, 1, "ann", "s2")
    store.append(filler[30:])
    assert in_files(tmp_path, SECRET) != []
    forget(store.database, subject=ANN)
    assert in_files(tmp_path, SECRET) == []
    assert in_files(tmp_path, "a long answer") == ["x.db"]
    with store.database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    assert store.count() == 60


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_reader_that_keeps_the_log_is_told_and_doing_it_again_scrubs(store: Store, tmp_path: Path) -> None:
    append(store, talk((SECRET, SECRET), name="s1"), ANN)
    other = open_store(f"sqlite:///{tmp_path}/x.db")
    with store.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 100")  # the pool hands the same one to the scrub
        connection.rollback()
    with other.database.read() as reading:
        assert reading.execute(sa.select(sa.func.count()).select_from(trajectories)).scalar() == 1
        told = forget(store.database, subject=ANN)
    assert told.gone.trajectories == 1
    assert "still in its log" in str(told.unscrubbed) and "fix: stop the other" in str(told.unscrubbed)
    other.close()
    assert store.count() == 0
    assert forget(store.database, subject=ANN).gone == Gone()
    assert in_files(tmp_path, SECRET) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_derives_is_said_although_a_writer_locks_the_file_against_the_scrub(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(store, talk((SECRET, "a"), name="s1"), ANN)
    append_pool(store.database, "p1", path="p1", sources=["t-s1"])
    scrub = Database.scrub

    def held_up(database: Database) -> None:
        other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            scrub(database)
        finally:
            other.close()

    with store.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 50")  # the pool hands the same one to the scrub
        connection.rollback()
    monkeypatch.setattr(Database, "scrub", held_up)
    told = forget(store.database, subject=ANN)
    assert (told.gone.trajectories, [one.id for one in told.pools]) == (1, ["p1"])
    assert "fix: another process holds the database" in str(told.unscrubbed)
    assert store.count() == 0


def count_from_elsewhere(store: Store) -> int:
    found: list[int] = []
    elsewhere(lambda: found.append(store.count()))
    return found[0]


def elsewhere(do: Callable[[], object]) -> None:
    """Do it in another thread, and so in a transaction of its own, to its end."""
    thread = threading.Thread(target=do)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_what_is_assembled_between_looking_and_deleting_goes_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    traced(store, 1, "ann", "s1", assembled=False)
    asked: list[int] = []

    def then_settled(*given: Any) -> Any:
        found = _scope(*given)
        if not asked:
            asked.append(1)
            elsewhere(lambda: settle(store, NOW_S + 100))
            assert count_from_elsewhere(store) == 1
        return found

    monkeypatch.setattr("coevolve.store.forget._scope", then_settled)
    assert forget(store.database, subject=ANN).gone.trajectories == 1
    assert counts(store) == [0] * 7


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_on_postgresql_the_dead_rows_are_vacuumed(store: Store) -> None:
    for number in range(20):
        append(store, talk((SECRET, SECRET), name=f"s{number}"), ANN)
    forget(store.database, subject=ANN)
    with store.database.engine.connect() as connection:
        size = connection.exec_driver_sql("SELECT pg_relation_size('trajectories')").scalar()
    assert size == 0  # a table of which nothing lives is cut off to nothing


def test_writers_go_on_while_users_are_forgotten(store: Store) -> None:
    errors: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(20):
                append(store, talk(("q", "a"), name=f"new{number}"), BOB)
        except BaseException as error:  # carried to the test's own thread
            errors.append(error)

    for number in range(5):
        append(store, talk((SECRET, "a"), name=f"s{number}"), ANN)
    thread = threading.Thread(target=write)
    thread.start()
    forget(store.database, subject=ANN)
    thread.join(60)
    assert errors == [] and not thread.is_alive()
    assert counts(store)[:4] == [20, 20, 20, 20]
