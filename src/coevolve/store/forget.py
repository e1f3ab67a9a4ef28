"""A user, or sessions, out of the store: what is theirs is deleted, and what was made from it is listed.

A user's keyed hash (`Redactor.subject`) or session ids enter; counts and the list of what derives leave.
Deleted are the sessions' trajectories, their scorings, vectors, statements, traces and spans, and every
trajectory that descends from them: a teacher's completion repeats the task and the turns that it grew from.
Pools on the disk, model versions, exported files and backups are not touched; the first two are named, the
others cannot be known here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coevolve.database import Database
from coevolve.database.tables import (
    owners,
    pool_sources,
    pools,
    statements,
    traces,
    trajectories,
    versions,
)
from coevolve.errors import StoreError
from coevolve.store.deletion import (
    Gone,
    count_of,
    delete_statements,
    delete_traces,
    delete_trajectories,
    lock_traces,
    values_of,
)
from coevolve.store.pools import PoolRow
from coevolve.types import Split


@dataclass(frozen=True, slots=True)
class Learned:
    """A model version that learned from what is forgotten, itself or by its ancestors."""

    id: str
    standing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was deleted, or would be, and what derives from it."""

    sessions: tuple[str, ...]
    gone: Gone
    descendants: tuple[str, ...]  # of the trajectories that go, those of no session named here
    shared: int  # of the trajectories that go, those that another user is known of
    pools: tuple[PoolRow, ...]  # that hold something made from it; the path is that of the text
    versions: tuple[Learned, ...]
    unscrubbed: StoreError | None = None  # why bytes of what was deleted are still in the database's files


def forget(
    database: Database, *, subject: str | None = None, sessions: Iterable[str] = (), dry_run: bool = False
) -> Forgotten:
    """Delete a user's sessions and these sessions in one transaction, and scrub the files (`Database.scrub`).

    Spans and words that arrive afterwards are kept again: stop who sends them first. Idempotent; doing it
    again also scrubs again.

    Args:
        subject: of `Redactor.subject`, with the key of this store.
        dry_run: say it, and delete nothing.

    Raises: StoreError: neither is given, or the database refuses; then nothing is deleted.
    """
    asked = set(sessions)
    if not subject and not asked:
        raise StoreError("nobody is named who is to be forgotten", fix="give --user or --session")
    if dry_run:
        with database.read() as connection:
            return _forgotten(connection, _scope(connection, subject, asked), subject, database.name)
    with database.write() as connection:
        scope = _held_scope(connection, subject, asked)
        told = _forgotten(connection, scope, subject, database.name)
        delete_traces(connection, scope.traces)
        delete_trajectories(connection, scope.trajectories)
        delete_statements(connection, scope.statements)
    try:
        database.scrub()
    except StoreError as error:  # what derives must still be said: it cannot be found a second time
        return replace(told, unscrubbed=error)
    return told


@dataclass(frozen=True, slots=True)
class _Scope:
    """Ids of what goes."""

    sessions: set[str]
    trajectories: set[str]
    descendants: set[str]
    traces: set[str]
    statements: set[str]


def _held_scope(connection: Connection, subject: str | None, asked: Collection[str]) -> _Scope:
    """The scope with its traces locked, asked for again until no trace is new.

    What `settle` committed before it let a trace go is seen only by a question that is asked afterwards, and
    a trajectory of it may lead to further traces.
    """
    held: set[str] = set()
    while not (scope := _scope(connection, subject, asked)).traces <= held:
        lock_traces(connection, scope.traces)
        held |= scope.traces
    return scope


def _scope(connection: Connection, subject: str | None, asked: Collection[str]) -> _Scope:
    own, named = trajectories.c, owners.c
    sessions, traced = set(asked), set[str]()
    if subject:
        sessions |= values_of(connection, own.session_id, own.subject, [subject])
        sessions |= values_of(connection, statements.c.session_id, statements.c.subject, [subject])
        sessions |= values_of(connection, named.session_id, named.subject, [subject]) - {""}
        traced |= values_of(connection, named.trace_id, named.subject, [subject])
    traced |= values_of(connection, named.trace_id, named.session_id, sessions)
    traced |= values_of(connection, traces.c.trace_id, traces.c.trace_id, sessions)  # one without a session
    ids = values_of(connection, own.id, own.session_id, sessions)
    ids |= values_of(connection, own.id, own.trace_id, traced)
    # The task of a live session is the session itself: who tries it again hears what the user said.
    ids |= values_of(connection, own.id, own.task_id, sessions, own.split == str(Split.LIVE))
    whole, new = set(ids), set(ids)
    while new:
        beside = values_of(connection, own.trace_id, own.id, new)
        traced |= beside
        found = values_of(connection, own.id, own.trace_id, beside)
        found |= values_of(connection, own.id, own.parent, new)
        new = found - whole
        whole |= new
    said = _said(connection, sessions, whole)
    if subject:
        said |= values_of(connection, statements.c.id, statements.c.subject, [subject])
    return _Scope(sessions, whole, whole - ids, traced, said)


def _said(connection: Connection, sessions: set[str], going: set[str]) -> set[str]:
    """Statements on these sessions, and on those that lose their last trajectory."""
    own = trajectories.c
    touched = values_of(connection, own.session_id, own.id, going) - sessions
    staying = values_of(connection, own.id, own.session_id, touched) - going
    emptied = touched - values_of(connection, own.session_id, own.id, staying)
    return values_of(connection, statements.c.id, statements.c.session_id, sessions | emptied)


def _forgotten(connection: Connection, scope: _Scope, subject: str | None, name: str) -> Forgotten:
    own, going = trajectories.c, scope.trajectories
    others = (own.subject.is_not(None), own.subject != (subject or ""))
    held = values_of(connection, pool_sources.c.pool, pool_sources.c.trajectory, going)
    rows = connection.execute(sa.select(pools).order_by(pools.c.created_s, pools.c.id)).all()
    return Forgotten(
        sessions=tuple(sorted(scope.sessions)),
        gone=count_of(connection, going, scope.traces, scope.statements),
        descendants=tuple(sorted(scope.descendants)),
        shared=len(values_of(connection, own.id, own.id, going, *others)),
        pools=tuple(PoolRow(row.id, row.parent, _place(row.path, name)) for row in rows if row.id in held),
        versions=_learned(connection, held),
    )


def _learned(connection: Connection, pool_ids: Collection[str]) -> tuple[Learned, ...]:
    """Versions of these pools and all that began from one of them, oldest first."""
    query = sa.select(versions.c.id, versions.c.parent, versions.c.pool, versions.c.standing)
    found: dict[str, Learned] = {}
    for row in connection.execute(query.order_by(versions.c.seq)):  # a parent comes before its children
        if row.pool in pool_ids or row.parent in found:
            found[row.id] = Learned(row.id, row.standing)
    return tuple(found.values())


def _place(path: str, name: str) -> str:
    """Where a pool lies: a run notes it by the name of its folder, beside its database."""
    beside = Path(name).parent / "pools" / path
    return str(beside) if beside.is_dir() else path
