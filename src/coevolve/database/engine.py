"""The one SQL database that experience and registry share: engine, tables, migrations, transactions.

A URL enters, an open `Database` leaves, brought up to the code's revision. An acknowledged write survives
kill -9 and loss of power (SQLite in WAL mode, synchronous=FULL), as far as the disk tells the truth about
its own cache. Not protected against: a database on a network file system, where WAL does not work.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from coevolve.codec import canonical_json
from coevolve.errors import StoreError

BUSY_TIMEOUT_S = 60.0
MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """An open database. Held resource: close it. Safe to share between threads, not across a fork."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        self.name = name
        self._writer = threading.Lock()  # SQLite has one writer: threads queue here, processes in SQLite
        self._open = threading.local()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: all of it is durable when the block ends, none of it if the block raises.

        Inside another `write` of the same thread it is a part of that one, so several stages' writes can
        be committed together. Do not await inside.

        Raises: StoreError: disk full, read-only, locked for longer than BUSY_TIMEOUT_S, or damaged.
        """
        outer: Connection | None = getattr(self._open, "connection", None)
        if outer is not None:
            with self._explained(), outer.begin_nested():
                yield outer
            return
        with self._writer, self._explained(), self.engine.connect() as plain:
            connection = plain.execution_options(writes=True)
            with connection.begin():
                self._open.connection = connection
                try:
                    yield connection
                finally:
                    self._open.connection = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view for reading; inside a `write` of the same thread it sees what that wrote."""
        outer: Connection | None = getattr(self._open, "connection", None)
        if outer is not None:
            yield outer
            return
        with self._explained(), self.engine.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Give the files back. Idempotent."""
        self.engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise _store_error(error.orig or error, self.name) from error


def open_database(url: str | URL) -> Database:
    """Open or create the database and bring it to this code's revision.

    Args: url: `sqlite:///relative/path.db` or `sqlite:////absolute/path.db`; a path that may hold `?` or
        `%` as a `sqlalchemy.URL`.
    Raises: StoreError: no such kind of database, not writable, damaged, or of a newer revision.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError(
            f"{url!r} is no database URL", fix="write it as sqlite:///runs/experience.db"
        ) from None
    if parsed.get_backend_name() != "sqlite" or parsed.database in (None, "", ":memory:"):
        raise StoreError(
            f"{parsed.render_as_string()} is no SQLite file",
            fix="write it as sqlite:///runs/experience.db; experience in memory would not survive the run",
        )
    path = Path(str(parsed.database))
    try:
        if not parsed.query.get("uri"):
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{path.parent} cannot be made: {error.strerror}", fix="choose another folder in the database URL"
        ) from error
    engine = sa.create_engine(
        parsed,
        json_serializer=lambda value: canonical_json(value).decode("ascii"),
        connect_args={"timeout": BUSY_TIMEOUT_S},
    )
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    database = Database(engine, str(path))
    try:
        _migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def code_revision() -> str:
    """The newest revision of the schema that this code knows."""
    head = ScriptDirectory(str(MIGRATIONS)).get_current_head()
    assert head is not None
    return head


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions are opened by _begin, not guessed by the driver
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_TIMEOUT_S * 1000)}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    _enter_wal(connection)


def _enter_wal(connection: sqlite3.Connection) -> None:
    # The first switch to WAL needs the file alone, and SQLite does not wait for that by its busy timeout.
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin(connection: Connection) -> None:
    # A writer takes the lock at once: a read that later becomes a write cannot wait, it only fails.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _migrate(database: Database) -> None:
    head = code_revision()
    with database.read() as connection:
        if _checked_revision(connection, database.name, head) == head:
            return
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with database.write() as connection:
        # Looked at again under the lock: another process may have migrated meanwhile.
        if _checked_revision(connection, database.name, head) != head:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _checked_revision(connection: Connection, name: str, head: str) -> str | None:
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()
    known = {script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}
    if found is not None and found not in known:
        raise StoreError(
            f"{name} has revision {found}, this code knows revisions up to {head}",
            fix="install the newer coevolve that wrote it (pip install -U coevolve), or use another file",
        )
    return found


def _store_error(error: BaseException, name: str) -> StoreError:
    code: Any = getattr(error, "sqlite_errorcode", None)
    fixes = {
        sqlite3.SQLITE_FULL: "free space on that disk and run the command again; nothing is half written",
        sqlite3.SQLITE_IOERR: "check the disk (free space, quota, mount) and run the same command again",
        sqlite3.SQLITE_READONLY: "make the file and its folder writable (chmod u+w), or name another one",
        sqlite3.SQLITE_CANTOPEN: "check that the folder exists and is writable, or name another database",
        sqlite3.SQLITE_BUSY: "another process holds the database: wait for it or stop it, then run again",
        sqlite3.SQLITE_NOTADB: "this file is no SQLite database: name another one in the database URL",
        sqlite3.SQLITE_CORRUPT: "restore it from a backup, or save what is readable: sqlite3 FILE .recover",
    }
    primary = code & 0xFF if isinstance(code, int) else -1  # the rest of the code is detail
    fix = fixes.get(primary, "the message is SQLite's own; `coevolve doctor` checks the database")
    return StoreError(f"{name}: {error}", fix=fix)
