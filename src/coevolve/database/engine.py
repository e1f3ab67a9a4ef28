"""The one SQL database that experience and registry share: engine, tables, migrations, transactions.

A URL enters, an open `Database` leaves, brought up to the code's revision: SQLite in a file, or PostgreSQL.
An acknowledged write survives kill -9 and loss of power (SQLite in WAL mode, synchronous=FULL; PostgreSQL
as its server is set), as far as the disk tells the truth about its own cache. Not protected against: an
SQLite file on a network file system, where WAL does not work.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from coevolve.database.json_text import escaped, unescaped, written
from coevolve.database.months import make_month, month_of
from coevolve.database.refusals import explained
from coevolve.database.tables import metadata
from coevolve.errors import StoreError
from coevolve.need import need

BUSY_TIMEOUT_S = 60.0
_MIGRATING = 0x636F65766F  # PostgreSQL's advisory lock of whoever migrates
MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """An open database. Held resource: close it. Safe to share between threads, not across a fork."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        self.name = name
        # SQLite has one writer: threads queue here, processes in SQLite. PostgreSQL has many.
        one = engine.dialect.name == "sqlite"
        self._writer: AbstractContextManager[Any] = threading.Lock() if one else nullcontext()
        self._open = threading.local()
        self._months: set[str] = set()  # tables of months that are known to be there

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
                self._open.made = set()
                try:
                    yield connection
                finally:
                    self._open.connection = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view for reading: all queries see what was committed before the first of them.

        Inside a `write` of the same thread it is that transaction, and sees what it wrote; PostgreSQL then
        shows each query what others have committed until that query.
        """
        outer: Connection | None = getattr(self._open, "connection", None)
        if outer is not None:
            yield outer
            return
        with self._explained(), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":  # SQLite has nothing less
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def hold_month(self, connection: Connection, at_s: float) -> None:
        """See to it that what arrives at this moment has a table to go to; see `months`. Within a `write`."""
        name = month_of(at_s).table
        if name in self._months:
            return
        if not make_month(connection, at_s):
            self._open.made.add(name)
        elif name not in self._open.made:  # one that this transaction made goes with it, if it is undone
            self._months.add(name)

    @property
    def writing(self) -> bool:
        """Whether this thread is inside a `write`."""
        return getattr(self._open, "connection", None) is not None

    def scrub(self) -> None:
        """Take what was deleted out of the files too, as far as the database can.

        SQLite writes itself anew (needing the size of its file once more on that disk, and holding other
        writers up meanwhile) and empties its log: afterwards no byte of it is left. PostgreSQL frees the
        space for others to write over; its own log and backups keep what they have.

        Raises: StoreError: inside a `write`, no space, another writer, or a reader that keeps the log from
            being emptied.
        """
        if self.writing:
            raise StoreError(f"{self.name} is being written to", fix="scrub it after the transaction")
        with self._writer, self._explained():
            if self.engine.dialect.name == "postgresql":
                with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    names = ", ".join(table.name for table in metadata.sorted_tables)
                    connection.exec_driver_sql(f"VACUUM {names}")
                return
            raw = self.engine.raw_connection()
            try:
                cursor = raw.cursor()
                cursor.execute("VACUUM")
                held_up = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                raw.close()
        if held_up:
            raise StoreError(
                f"what was deleted from {self.name} is still in its log: a reader holds it",
                fix="stop the other programs that have it open, and run the same command again",
            )

    def close(self) -> None:
        """Give the files back. Idempotent."""
        self.engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:  # the second past SQLAlchemy: `scrub`
            raise explained(getattr(error, "orig", None) or error, self.name) from error


def open_database(url: str | URL) -> Database:
    """Open or create the database and bring it to this code's revision.

    Args: url: `sqlite:///relative/path.db` or `sqlite:////absolute/path.db`; a path that may hold `?` or
        `%` as a `sqlalchemy.URL`; `postgresql://user:password@host/database` (extra `postgres`).
    Raises: StoreError: no such kind of database, not writable, damaged, unreachable, or of a newer
        revision; MissingExtraError: PostgreSQL's driver is not installed.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise StoreError(
            f"{url!r} is no database URL", fix="write it as sqlite:///runs/experience.db"
        ) from None
    opened = _postgres(parsed) if parsed.get_backend_name() == "postgresql" else _sqlite(parsed)
    try:
        _migrate(opened)
    except BaseException:
        opened.close()
        raise
    return opened


def _sqlite(url: URL) -> Database:
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        raise StoreError(
            f"{url.render_as_string()} is no SQLite file and no PostgreSQL database",
            fix="write it as sqlite:///runs/experience.db; experience in memory would not survive the run",
        )
    path = Path(str(url.database))
    try:
        if not url.query.get("uri"):
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{path.parent} cannot be made: {error.strerror}", fix="choose another folder in the database URL"
        ) from error
    engine = sa.create_engine(url, json_serializer=written, connect_args={"timeout": BUSY_TIMEOUT_S})
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return Database(engine, str(path))


def _postgres(url: URL) -> Database:
    need("psycopg", "postgres")
    engine = sa.create_engine(
        url.set(drivername="postgresql+psycopg"),
        json_serializer=escaped,
        json_deserializer=unescaped,
        pool_size=16,
        max_overflow=16,
        pool_pre_ping=True,  # a server may have been started anew
        connect_args={"options": f"-c lock_timeout={int(BUSY_TIMEOUT_S * 1000)}", "connect_timeout": 10},
    )
    return Database(engine, url.render_as_string(hide_password=True))


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
    options = connection.get_execution_options()
    if options.get("copies_tables"):
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")  # inside a transaction it would do nothing
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writes") else "BEGIN")


def _migrate(database: Database) -> None:
    head = code_revision()
    with database.read() as connection:
        if _checked_revision(connection, database.name, head) == head:
            return
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with migrating(database) as connection:
        # Looked at again under the lock: another process may have migrated meanwhile.
        if _checked_revision(connection, database.name, head) != head:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


@contextmanager
def migrating(database: Database) -> Iterator[Connection]:
    """A transaction in which tables may be altered; no other process migrates meanwhile.

    SQLite alters a table by copying it and dropping the old one, which its foreign keys would forbid: they
    are looked at once, at the end.

    Raises: StoreError: a row refers to another that is gone; then nothing is changed.
    """
    sqlite = database.engine.dialect.name == "sqlite"
    with database._explained(), database.engine.connect() as plain:
        connection = plain.execution_options(writes=True, copies_tables=True)
        try:
            with connection.begin():
                if not sqlite:
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATING)))
                yield connection
                if sqlite:
                    _refuse_lost_rows(connection, database.name)
        finally:
            if sqlite:
                connection.invalidate()  # the next one checks foreign keys again


def _refuse_lost_rows(connection: Connection, name: str) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise StoreError(
            f"{name}: row {broken[1]} of {broken[0]} refers to a row of {broken[2]} that is gone",
            fix="restore the file from a backup, or delete that row and run the same command again",
        )


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
