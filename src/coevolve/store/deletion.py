"""Rows out of the store, and how many they were: what retention and forgetting share.

Ids enter, counts leave. Whoever calls opens the transaction and has chosen the ids; what refers to a row is
deleted before it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coevolve.database.tables import (
    bodies,
    owners,
    scorings,
    spans,
    statements,
    traces,
    trajectories,
    vectors,
)
from coevolve.store.batches import batches


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """How many rows of each kind are deleted, or would be."""

    trajectories: int = 0
    scorings: int = 0
    vectors: int = 0
    statements: int = 0
    spans: int = 0
    traces: int = 0

    def __add__(self, other: Gone) -> Gone:
        return Gone(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


def delete_trajectories(connection: Connection, ids: Collection[str]) -> Gone:
    """Delete trajectories with their scorings and vectors."""
    for some in batches(sorted(ids)):  # held first, so that nobody scores one whose scorings are gone already
        held = sa.select(trajectories.c.id).where(trajectories.c.id.in_(some))
        connection.execute(held.order_by(trajectories.c.id).with_for_update())
    _delete(connection, bodies.c.trajectory, ids)
    return Gone(
        scorings=_delete(connection, scorings.c.trajectory, ids),
        vectors=_delete(connection, vectors.c.trajectory, ids),
        trajectories=_delete(connection, trajectories.c.id, ids),
    )


def delete_traces(connection: Connection, ids: Collection[str]) -> Gone:
    """Delete traces with their spans; the trace first, which stops whoever is about to assemble it."""
    gone = _delete(connection, traces.c.trace_id, ids)
    _delete(connection, owners.c.trace_id, ids)
    return Gone(traces=gone, spans=_delete(connection, spans.c.trace_id, ids))


def lock_traces(connection: Connection, ids: Collection[str]) -> None:
    """Hold traces before their trajectories, as `settle` does, so that nobody waits in a circle."""
    for some in batches(sorted(ids)):
        held = sa.select(traces.c.trace_id).where(traces.c.trace_id.in_(some))
        connection.execute(held.order_by(traces.c.trace_id).with_for_update())


def delete_statements(connection: Connection, ids: Collection[str]) -> Gone:
    """Delete statements."""
    return Gone(statements=_delete(connection, statements.c.id, ids))


def count_of(
    connection: Connection, ids: Collection[str], trace_ids: Collection[str], said: Collection[str]
) -> Gone:
    """What the three would delete."""
    return Gone(
        trajectories=_count(connection, trajectories.c.id, ids),
        scorings=_count(connection, scorings.c.trajectory, ids),
        vectors=_count(connection, vectors.c.trajectory, ids),
        statements=_count(connection, statements.c.id, said),
        spans=_count(connection, spans.c.trace_id, trace_ids),
        traces=_count(connection, traces.c.trace_id, trace_ids),
    )


def values_of(
    connection: Connection,
    wanted: sa.Column[str],
    column: sa.Column[str],
    values: Collection[str],
    *also: sa.ColumnElement[bool],
) -> set[str]:
    """The different values of one column where another, of the same table, has one of these; never None."""
    found: set[str] = set()
    for some in batches(sorted(values)):
        query = sa.select(wanted).where(column.in_(some), wanted.is_not(None), *also).distinct()
        found |= set(connection.execute(query).scalars())
    return found


def _delete(connection: Connection, column: sa.Column[str], values: Collection[str]) -> int:
    gone = 0
    for some in batches(sorted(values)):
        gone += connection.execute(sa.delete(column.table).where(column.in_(some))).rowcount
    return gone


def _count(connection: Connection, column: sa.Column[str], values: Collection[str]) -> int:
    found = 0
    for some in batches(sorted(values)):
        query = sa.select(sa.func.count()).select_from(column.table).where(column.in_(some))
        found += int(connection.execute(query).scalar_one())
    return found
