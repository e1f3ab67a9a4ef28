"""Opening, migrating and refusing databases, and transactions."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from coevolve.database import Database, code_revision, open_database
from coevolve.database.tables import metadata, steps
from coevolve.errors import StoreError


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def a_step(name: str) -> dict[str, object]:
    return {"run": "r", "step": name, "value": {"n": 1}, "wall_s": 0.0, "created_s": 0.0}


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(sa.select(steps.c.step).order_by(steps.c.seq)).scalars())


def test_an_empty_file_is_migrated_to_exactly_the_declared_tables(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "new" / "folder" / "x.db"))
    with database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        held = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
        partial = connection.execute(
            sa.text("SELECT sql FROM sqlite_master WHERE name = 'uq_versions_one_champion'")
        ).scalar()
    database.close()
    assert held == code_revision()
    assert "WHERE standing = 'champion'" in str(partial)


def test_every_connection_is_durable_and_checks_foreign_keys(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "x.db"))
    with database.read() as one, database.engine.connect() as two:
        for connection in (one, two):
            told = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            ]
            assert told == ["wal", 2, 1, 60_000]
    database.close()


def test_a_database_of_a_newer_revision_is_refused_naming_both(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    open_database(url(path)).close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=rf"9999.*{code_revision()}(.|\n)*fix: install the newer coevolve"):
        open_database(url(path))
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE verdicts (mine TEXT)")  # the last table the revision makes
    raw.close()
    with pytest.raises(StoreError, match="verdicts"):
        open_database(url(path))
    with sqlite3.connect(path) as raw:
        tables = [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    raw.close()
    assert tables == ["verdicts"]


OPENER = """
import sys
from coevolve.database import open_database
print("ready", flush=True)
sys.stdin.readline()
open_database(sys.argv[1]).close()
"""


def test_processes_that_open_a_new_database_at_once_all_get_it(tmp_path: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", OPENER, url(tmp_path / "x.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write(b"go\n")
        process.stdin.flush()
    for process in running:
        process.communicate()
    assert [process.returncode for process in running] == [0, 0]


@pytest.mark.parametrize("bad", ["", "experience.db", "sqlite://", "sqlite:///:memory:", "mysql://h/d"])
def test_what_is_no_sqlite_file_is_refused_with_an_example(bad: str) -> None:
    with pytest.raises(StoreError, match="fix: write it as sqlite:///"):
        open_database(bad)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("these are my notes, " * 400)
    with pytest.raises(StoreError, match="fix: this file is no SQLite database"):
        open_database(url(path))
    assert path.read_text().startswith("these are my notes")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file cannot be made"):
        open_database(url(tmp_path / "file" / "x.db"))


def test_a_block_that_raises_keeps_nothing(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "x.db"))
    with pytest.raises(KeyError), database.write() as connection:
        connection.execute(sa.insert(steps), a_step("a"))
        raise KeyError("stop")
    assert names(database) == []
    database.close()


def test_a_write_inside_a_write_commits_with_it_or_is_undone_alone(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "x.db"))
    with database.write() as outer:
        outer.execute(sa.insert(steps), a_step("outer"))
        with pytest.raises(KeyError), database.write() as inner:
            inner.execute(sa.insert(steps), a_step("undone"))
            raise KeyError("stop")
        with database.write() as inner:
            inner.execute(sa.insert(steps), a_step("inner"))
        assert names(database) == ["outer", "inner"]
    assert names(database) == ["outer", "inner"]
    with pytest.raises(KeyError), database.write():
        with database.write() as inner:
            inner.execute(sa.insert(steps), a_step("lost"))
        raise KeyError("stop")
    assert names(database) == ["outer", "inner"]
    database.close()


def test_scrubbing_inside_a_transaction_is_refused(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "x.db"))
    with database.write(), pytest.raises(StoreError, match="fix: scrub it after the transaction"):
        database.scrub()
    database.close()


def test_a_writer_that_keeps_the_file_from_being_scrubbed_is_told_with_the_fix(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "x.db"))
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 50")  # the pool hands the same one to the scrub
        connection.rollback()
    other = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"locked\n  fix: another process holds the database"):
        database.scrub()
    other.close()
    database.scrub()
    database.close()


def test_a_reader_is_not_held_up_by_a_writer_and_sees_only_what_is_committed(tmp_path: Path) -> None:
    database = open_database(url(tmp_path / "x.db"))
    seen: list[list[str]] = []
    with database.write() as connection:
        connection.execute(sa.insert(steps), a_step("a"))
        reader = threading.Thread(target=lambda: seen.append(names(database)))
        reader.start()
        reader.join(timeout=30)
    assert seen == [[]]
    assert names(database) == ["a"]
    database.close()


def test_all_queries_of_a_read_see_one_moment_and_those_of_a_write_each_their_own(
    database_url: sa.URL,
) -> None:
    database = open_database(database_url)

    def add(name: str) -> None:
        with database.write() as connection:
            connection.execute(sa.insert(steps), a_step(name))

    count = sa.select(sa.func.count()).select_from(steps)
    with database.read() as connection:
        assert connection.execute(count).scalar() == 0
        writer = threading.Thread(target=add, args=["a"])
        writer.start()
        writer.join(timeout=30)
        assert connection.execute(count).scalar() == 0
    assert names(database) == ["a"]
    if database.engine.dialect.name == "postgresql":  # a connection that was read with is as it was before
        for _ in range(3):
            with database.read(), database.engine.connect() as plain:
                assert plain.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"
            with database.write() as connection:
                assert connection.exec_driver_sql("SHOW transaction_isolation").scalar() == "read committed"
    database.close()
