"""How long experience is kept: what a rule does not keep is deleted, a batch at a time.

A rule enters, counts leave. What a pool was made from stays unless the rule says otherwise, so that a
version's lineage can be shown. Deleted rows leave their space to later ones; that no byte of them stays in
the files is `forget`'s promise, not this one's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coevolve.database import Database
from coevolve.database.months import drop_empty_months, empty_months
from coevolve.database.tables import (
    pool_sources,
    scorings,
    spans,
    statements,
    traces,
    trajectories,
    vectors,
)
from coevolve.errors import StoreError
from coevolve.store.deletion import (
    Gone,
    delete_statements,
    delete_traces,
    delete_trajectories,
    lock_traces,
    values_of,
)
from coevolve.types import Split

DAY_S = 86_400.0
_AT_ONCE = 200  # trajectories, or traces, of one transaction
Condition: TypeAlias = sa.ColumnElement[bool]
Named: TypeAlias = sa.FromClause


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """What is kept; of two limits, what fails one is deleted.

    Raises: StoreError: neither limit is given, or one is negative.
    """

    days: float | None = None  # since it arrived
    newest: int | None = None  # trajectories
    split: Split | None = None  # delete only of this one; None = of all
    pools_too: bool = False  # delete what pools were made from as well

    def __post_init__(self) -> None:
        limits = [one for one in (self.days, self.newest) if one is not None]
        if not limits or min(limits) < 0:
            raise StoreError(
                f"days={self.days}, newest={self.newest} say not what to keep",
                fix="give --days, --newest or both, from 0 upwards",
            )


@dataclass(frozen=True, slots=True)
class Kept:
    """What a rule deleted, or would delete, and what it left although it is past the limit."""

    gone: Gone
    for_pools: int  # trajectories that stay because a pool was made from them
    pools: tuple[str, ...]  # those pools


def keep(database: Database, rule: Keep, now_s: float, *, dry_run: bool = False) -> Kept:
    """Delete what the rule does not keep, with the statements and traces that lose their last trajectory.

    Each batch is a transaction of its own, so that others can write in between; one that is stopped has done
    a part, and doing it again does the rest. A trace or a statement without a trajectory goes by its age.

    Args:
        now_s: seconds since 1970, UTC.
        dry_run: count, and delete nothing.

    Raises: StoreError: the database refuses; the batches before are deleted.
    """
    with database.read() as connection:
        past = _Past(rule, now_s, _border(connection, rule))
        held = _held_by_pools(connection, past)
        counted = _counted(connection, past) if dry_run else Gone()
    if dry_run:
        return Kept(counted, *held)
    gone = Gone()
    while (some := _batch(database, past)) is not None:
        gone += some
    while (some := _orphans(database, past)) is not None:
        gone += some
    with database.read() as connection:
        emptied = empty_months(connection, now_s)
    if emptied:
        with database.write() as connection:
            drop_empty_months(connection, now_s)
    return Kept(gone, *held)


@dataclass(frozen=True, slots=True)
class _Past:
    """A rule with its limits as the database knows them."""

    rule: Keep
    now_s: float
    border: int | None  # `seq` of the last of the newest; None = no such limit

    @property
    def before_s(self) -> float | None:
        return None if self.rule.days is None else self.now_s - self.rule.days * DAY_S

    def over(self, some: Named) -> Condition:
        """Past a limit, whoever needs it."""
        limits: list[Condition] = []
        if self.before_s is not None:
            limits.append(some.c.created_s < self.before_s)
        if self.border is not None:
            limits.append(some.c.seq < self.border)
        if self.rule.split is None:
            return sa.or_(sa.false(), *limits)
        return sa.and_(sa.or_(sa.false(), *limits), some.c.split == str(self.rule.split))

    def doomed(self, some: Named) -> Condition:
        """Past a limit and free to go."""
        if self.rule.pools_too:
            return self.over(some)
        pooled = sa.select(pool_sources.c.pool).where(pool_sources.c.trajectory == some.c.id).exists()
        return sa.and_(self.over(some), ~pooled)


def _border(connection: Connection, rule: Keep) -> int | None:
    if rule.newest is None:
        return None
    newest = sa.select(trajectories.c.seq).where(trajectories.c.replaced_by.is_(None))
    if rule.split is not None:
        newest = newest.where(trajectories.c.split == str(rule.split))
    ordered = newest.order_by(trajectories.c.seq.desc())
    if rule.newest == 0:
        last = connection.execute(ordered.limit(1)).scalar()
        return None if last is None else int(last) + 1
    return connection.execute(ordered.offset(rule.newest - 1).limit(1)).scalar()


def _held_by_pools(connection: Connection, past: _Past) -> tuple[int, tuple[str, ...]]:
    if past.rule.pools_too:
        return 0, ()
    used = trajectories.join(pool_sources, pool_sources.c.trajectory == trajectories.c.id)
    count = sa.select(sa.func.count(trajectories.c.id.distinct())).select_from(used)
    pools = sa.select(pool_sources.c.pool).select_from(used).distinct().order_by(pool_sources.c.pool)
    over = past.over(trajectories)
    held = int(connection.execute(count.where(over)).scalar_one())
    return held, tuple(connection.execute(pools.where(over)).scalars())


def _batch(database: Database, past: _Past) -> Gone | None:
    """Delete the oldest that are past; None once nothing is."""
    oldest = sa.select(trajectories.c.id, trajectories.c.session_id, trajectories.c.trace_id)
    oldest = oldest.where(past.doomed(trajectories)).order_by(trajectories.c.seq).limit(_AT_ONCE)
    with database.write() as connection:
        rows = connection.execute(oldest).all()
        if not rows:
            return None
        assembled = {row.trace_id for row in rows if row.trace_id is not None}
        lock_traces(connection, assembled)
        gone = delete_trajectories(connection, [row.id for row in rows])
        sessions = {row.session_id for row in rows}
        left = values_of(connection, trajectories.c.session_id, trajectories.c.session_id, sessions)
        said = values_of(connection, statements.c.id, statements.c.session_id, sessions - left)
        gone += delete_statements(connection, said)
        needed = values_of(connection, trajectories.c.trace_id, trajectories.c.trace_id, assembled)
        return gone + delete_traces(connection, assembled - needed)


def _orphans(database: Database, past: _Past) -> Gone | None:
    """Delete old traces and statements that never had a trajectory; None once there is none."""
    if not _by_age(past):
        return None
    old = sa.select(traces.c.trace_id).where(_old_trace(past, trajectories)).limit(_AT_ONCE)
    heard = sa.select(statements.c.id).where(_old_statement(past, trajectories)).limit(_AT_ONCE)
    with database.write() as connection:
        found = connection.execute(old).scalars().all()
        lock_traces(connection, found)
        # Asked again: of what somebody assembled until the lock was had, there is a trajectory now.
        still = connection.execute(old.where(traces.c.trace_id.in_(found))).scalars().all()
        said = connection.execute(heard).scalars().all()
        gone = delete_traces(connection, still) + delete_statements(connection, said)
    return gone if found or said else None


def _by_age(past: _Past) -> bool:
    return past.before_s is not None and past.rule.split in (None, Split.LIVE)


def _old_trace(past: _Past, some: Named) -> Condition:
    """By the time of its last span, with no trajectory at all."""
    without = ~sa.select(some.c.id).where(some.c.trace_id == traces.c.trace_id).exists()
    return sa.and_(traces.c.last_s < past.before_s, without)


def _old_statement(past: _Past, some: Named) -> Condition:
    without = ~sa.select(some.c.id).where(some.c.session_id == statements.c.session_id).exists()
    return sa.and_(statements.c.created_s < past.before_s, without)


def _counted(connection: Connection, past: _Past) -> Gone:
    """What `_batch` and `_orphans` would delete in all."""
    going, other = trajectories.alias("going"), trajectories.alias("other")
    doomed, staying = past.doomed(going), ~past.doomed(other)
    ids = sa.select(going.c.id).where(doomed)

    def emptied(own: sa.ColumnElement[Any], key: str) -> Condition:
        """Some trajectory of it goes and none stays."""
        lost = sa.select(going.c.id).where(going.c[key] == own, doomed).exists()
        return sa.and_(lost, ~sa.select(other.c.id).where(other.c[key] == own, staying).exists())

    said, traced = (
        emptied(statements.c.session_id, "session_id"),
        emptied(traces.c.trace_id, "trace_id"),
    )
    if _by_age(past):
        said = sa.or_(said, _old_statement(past, trajectories))
        traced = sa.or_(traced, _old_trace(past, trajectories))

    def count(some: sa.Table, condition: Condition) -> int:
        return int(
            connection.execute(sa.select(sa.func.count()).select_from(some).where(condition)).scalar_one()
        )

    return Gone(
        trajectories=count(trajectories, trajectories.c.id.in_(ids)),
        scorings=count(scorings, scorings.c.trajectory.in_(ids)),
        vectors=count(vectors, vectors.c.trajectory.in_(ids)),
        statements=count(statements, said),
        spans=count(spans, spans.c.trace_id.in_(sa.select(traces.c.trace_id).where(traced))),
        traces=count(traces, traced),
    )
