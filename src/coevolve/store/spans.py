"""Spans as they came, and the trajectories that become of them once a trace is quiet.

Spans enter in any order and any number of times; what `append_spans` has returned from is on the disk. A
trace that hears from nobody for a while becomes trajectories; spans that come later still make new ones,
and the old ones are marked as replaced. Nothing is lost by waiting: a trace is assembled from all it holds.
One that cannot become trajectories, for what its sender wrote, is named and passed over; its spans stay.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DataError, DBAPIError, SQLAlchemyError

from coevolve.database.tables import owners, spans, traces, trajectories
from coevolve.errors import CoevolveError, ConflictError
from coevolve.store.experience import Store
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.owners import owner
from coevolve.store.ingest.spans import Span
from coevolve.store.rows import Origin
from coevolve.types import Trajectory

QUIET_S = 30.0  # without a new span, after which a trace is taken as whole
MOST = 200  # traces of one call
_AT_ONCE = 20  # traces of one commit: few enough that whoever sends spans meanwhile waits little
_FIELDS = tuple(one.name for one in fields(Span))


class SpanRow(NamedTuple):
    """A span as it is kept. A plain tuple, which travels between processes in a third of the time."""

    trace_id: str
    span_id: str
    session_id: str  # "" where the span names none
    subject: str  # keyed hash of the user's id; "" where the span names none
    body: str  # JSON


class Broken(NamedTuple):
    """A trace of which no trajectory can be made or kept."""

    trace_id: str
    why: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of quiet traces."""

    looked_at: int  # traces; where it is as many as were asked for, others may be waiting
    made: list[Trajectory]  # none of a trace whose late spans changed nothing
    broken: list[Broken]  # not looked at again until spans come to them


@dataclass(frozen=True, slots=True)
class _Whole:
    """A trace as it was assembled."""

    found: list[Trajectory]
    origin: Origin


def span_row(one: Span) -> SpanRow:
    """The row of a span."""
    return SpanRow(one.trace_id, one.span_id, *owner(one), _written(one))


def append_spans(store: Store, given: Sequence[Span], now_s: float) -> None:
    """Keep spans in one transaction. One that is there already, by trace and span id, is passed over."""
    append_rows(store, [span_row(one) for one in given], now_s)


def append_rows(store: Store, given: Sequence[SpanRow], now_s: float) -> None:
    """The same of spans that are written out already."""
    if not given:
        return
    # In one order, so that writers on PostgreSQL wait for each other in turn and never in a circle.
    given = sorted(given)
    rows = [
        {"trace_id": one.trace_id, "span_id": one.span_id, "created_s": now_s, "body": one.body}
        for one in given
    ]
    named = {(one.trace_id, one.session_id, one.subject) for one in given}
    whose = [dict(zip(owners.c.keys(), one, strict=True)) for one in sorted(named) if any(one[1:])]
    heard = [{"trace_id": trace, "last_s": now_s} for trace in dict.fromkeys(one.trace_id for one in given)]
    with store.database.write() as connection:
        insert = _insert(connection)
        connection.execute(insert(spans).on_conflict_do_nothing(), rows)
        if whose:
            connection.execute(insert(owners).on_conflict_do_nothing(), whose)
        upsert = insert(traces)
        upsert = upsert.on_conflict_do_update(
            index_elements=[traces.c.trace_id], set_={"last_s": upsert.excluded.last_s}
        )
        connection.execute(upsert, heard)


def settle(store: Store, now_s: float, quiet_s: float = QUIET_S, most: int = MOST) -> list[Trajectory]:
    """The trajectories that `settle_some` makes."""
    return settle_some(store, now_s, quiet_s, most).made


def settle_some(store: Store, now_s: float, quiet_s: float = QUIET_S, most: int = MOST) -> Settled:
    """Turn quiet traces into trajectories.

    Args: most: traces of one call, those that wait longest first.
    Raises: StoreError: the database is in trouble; traces of the batches before are settled.
    """
    quiet = sa.select(traces).where(
        traces.c.last_s <= now_s - quiet_s,
        sa.or_(traces.c.assembled_s.is_(None), traces.c.assembled_s < traces.c.last_s),
    )
    with store.database.read() as connection:
        waiting = connection.execute(quiet.order_by(traces.c.last_s).limit(most)).all()
        held = {row.trace_id: _bodies_of(connection, row.trace_id) for row in waiting}
    made: list[Trajectory] = []
    broken: list[Broken] = []
    for start in range(0, len(waiting), _AT_ONCE):
        some = waiting[start : start + _AT_ONCE]
        whole = {row.trace_id: _assembled(row.trace_id, held[row.trace_id]) for row in some}
        with store.database.write() as connection:
            there = _held(connection, list(whole))
            for row in some:
                if row.trace_id not in there:
                    continue  # deleted since it was read: it must not come back
                one = whole[row.trace_id]
                kept = one if isinstance(one, Broken) else _keep(store, row, one)
                if isinstance(kept, Broken):
                    broken.append(kept)
                else:
                    made += kept
                done = sa.update(traces).where(traces.c.trace_id == row.trace_id)
                connection.execute(done.values(assembled_s=row.last_s))
    return Settled(len(waiting), made, broken)


def _assembled(trace_id: str, bodies: Sequence[str]) -> _Whole | Broken:
    try:
        held = [_read(body) for body in bodies]
        return _Whole(assemble(held), _origin(held))
    except Exception as error:  # whatever a sender wrote costs this trace, and none that wait behind it
        return Broken(trace_id, _why(error))


def _keep(store: Store, row: sa.Row[Any], whole: _Whole) -> list[Trajectory] | Broken:
    """Keep what a trace has become: a part of the batch's transaction that is undone by itself."""
    try:
        with store.database.write() as connection:
            made = _kept(store, connection, whole.found, whole.origin)
            if row.assembled_s is not None:
                _replace_rest(connection, row.trace_id, whole.found)
    except Exception as error:  # as above; the database's own trouble is raised again
        if _of_database(error):
            raise
        return Broken(row.trace_id, _why(error))
    return made


def _of_database(error: Exception) -> bool:
    """Whether the database is in trouble, which no trace is to blame for: all are tried again later."""
    if isinstance(error.__cause__, DBAPIError):
        return not isinstance(error.__cause__, DataError)
    return isinstance(error, ConflictError | SQLAlchemyError | OSError | MemoryError)


def _why(error: Exception) -> str:
    what = error.what if isinstance(error, CoevolveError) else str(error)
    return f"{type(error).__name__}: {' '.join(what.split())}"[:300]


def _held(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Those of these traces that are still there, until the transaction ends.

    They are taken in the order in which `append_spans` takes them, so that neither waits for the other in a
    circle.
    """
    query = sa.select(traces.c.trace_id).where(traces.c.trace_id.in_(ids)).order_by(traces.c.trace_id)
    return set(connection.execute(query.with_for_update()).scalars())


def _origin(held: Sequence[Span]) -> Origin:
    """The trace, and the first user that it names: a trace of several is deleted with any of them."""
    ordered = sorted(held, key=lambda one: (one.start_s, one.span_id))
    return Origin(next(filter(None, (owner(one)[1] for one in ordered)), None), ordered[0].trace_id)


def _kept(
    store: Store, connection: Connection, found: Sequence[Trajectory], origin: Origin
) -> list[Trajectory]:
    """Append what is new; what an earlier assembly made of the same spans' beginning is replaced."""
    new: list[Trajectory] = []
    for one in found:
        before = _forms(connection, one.id, origin.trace_id)
        if before and replace(store.get(before[-1]), id=one.id, signals=(), reward=None) == one:
            store.append([replace(one, id=before[-1])], origins={before[-1]: origin})
            continue
        kept = replace(one, id=f"{one.id}~{len(before) + 1}") if before else one
        store.append([kept], origins={kept.id: origin})
        if before:
            old = sa.update(trajectories).where(trajectories.c.id == before[-1])
            connection.execute(old.values(replaced_by=kept.id))
        new.append(kept)
    return new


def _forms(connection: Connection, identity: str, trace: str | None) -> list[str]:
    """Ids of a trajectory's forms, the valid one last; among its trace's, since no index knows beginnings."""
    later = trajectories.c.id.startswith(f"{identity}~", autoescape=True)
    same = sa.or_(trajectories.c.id == identity, sa.and_(trajectories.c.trace_id == trace, later))
    query = sa.select(trajectories.c.id).where(same).order_by(trajectories.c.seq)
    return list(connection.execute(query).scalars())


def _replace_rest(connection: Connection, trace: str, found: Sequence[Trajectory]) -> None:
    """What an earlier assembly made and the whole does not hold is replaced by the first that it holds.

    An agent's own span comes when it ends: until then its decisions may stand with another agent's.
    """
    of_trace = trajectories.c.trace_id == trace
    valid = sa.select(trajectories.c.id).where(of_trace, trajectories.c.replaced_by.is_(None))
    by_name = {id.partition("~")[0]: id for id in connection.execute(valid).scalars()}
    rest = by_name.keys() - {one.id for one in found}
    if found and rest:
        old = sa.update(trajectories).where(trajectories.c.id.in_([by_name[name] for name in rest]))
        connection.execute(old.values(replaced_by=by_name[found[0].id]))


def _bodies_of(connection: Connection, trace_id: str) -> Sequence[str]:
    query = sa.select(spans.c.body).where(spans.c.trace_id == trace_id)
    return connection.execute(query).scalars().all()


def _written(one: Span) -> str:
    given = {name: getattr(one, name) for name in _FIELDS}
    return json.dumps(given, separators=(",", ":"), ensure_ascii=False)


def _read(body: str) -> Span:
    fields: dict[str, Any] = json.loads(body)
    fields["events"] = tuple((name, attributes) for name, attributes in fields["events"])
    return Span(**fields)


def _insert(connection: Connection) -> Any:
    """INSERT as the database's own dialect has it, with ON CONFLICT."""
    return postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
