"""What a database refuses, in words with their fix: a driver's error enters, a `StoreError` leaves."""

from __future__ import annotations

import sqlite3
from typing import Any

from coevolve.errors import ConflictError, StoreError


def explained(error: BaseException, name: str) -> StoreError:
    """The error with the database's name and the fix. What may go well the next time is a `ConflictError`."""
    state: Any = getattr(error, "sqlstate", None)
    if getattr(error, "sqlite_errorcode", None) is None and type(error).__module__.startswith("psycopg"):
        if state in ("40001", "40P01"):
            return ConflictError(f"{name}: {' '.join(str(error).split())}", fix="run the same command again")
        fix = _POSTGRES_FIXES.get(str(state)[:5], _POSTGRES_FIXES.get(str(state)[:2], _UNREACHABLE))
        return StoreError(f"{name}: {' '.join(str(error).split())}", fix=fix)
    code: Any = getattr(error, "sqlite_errorcode", None)
    primary = code & 0xFF if isinstance(code, int) else -1  # the rest of the code is detail
    fix = _SQLITE_FIXES.get(primary, "the message is SQLite's own; `coevolve doctor` checks the database")
    return StoreError(f"{name}: {error}", fix=fix)


_SQLITE_FIXES = {
    sqlite3.SQLITE_FULL: "free space on that disk and run the command again; nothing is half written",
    sqlite3.SQLITE_IOERR: "check the disk (free space, quota, mount) and run the same command again",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable (chmod u+w), or name another one",
    sqlite3.SQLITE_CANTOPEN: "check that the folder exists and is writable, or name another database",
    sqlite3.SQLITE_BUSY: "another process holds the database: wait for it or stop it, then run again",
    sqlite3.SQLITE_NOTADB: "this file is no SQLite database: name another one in the database URL",
    sqlite3.SQLITE_CORRUPT: "restore it from a backup, or save what is readable: sqlite3 FILE .recover",
}
_UNREACHABLE = "check that the server runs and that host, port and database in the URL are right"
_POSTGRES_FIXES = {  # by SQLSTATE, or by its class
    "28": "check the user and the password in the URL, and the server's pg_hba.conf",
    "3D": "make the database first: createdb NAME",
    "42501": "give the user the right to use this database: GRANT ALL ON DATABASE NAME TO USER",
    "53100": "free space on the server's disk and run the command again; nothing is half written",
    "53300": "the server has no connection left: raise max_connections, or close other programs",
    "55P03": "another process holds the rows: wait for it or stop it, then run again",
    "57": "the server was stopped or is starting: wait for it and run the same command again",
}
