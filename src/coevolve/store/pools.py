"""Which pools were made from which trajectories: the store's half of a version's lineage."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coevolve.database import Database
from coevolve.database.tables import pool_sources, pools, scorings
from coevolve.errors import StoreError
from coevolve.types import Outcome

Worth: TypeAlias = tuple[Outcome | None, float | None]  # outcome and total of a scoring


@dataclass(frozen=True, slots=True)
class PoolRow:
    """Where a pool version lies."""

    id: str
    parent: str | None
    path: str


@dataclass(frozen=True, slots=True)
class LearnedReward:
    """What a pool's source was worth when it was admitted, and by its latest scoring."""

    pool: str
    trajectory: str
    then: Worth
    now: Worth


def append_pool(
    database: Database, pool_id: str, *, path: str, parent: str | None = None, sources: Iterable[str] = ()
) -> None:
    """Note where a pool version lies and which trajectories it was made from. Idempotent.

    Raises: StoreError: the id is there with another parent or path, or the parent is unknown.
    """
    with database.write() as connection:
        row = connection.execute(sa.select(pools).where(pools.c.id == pool_id)).one_or_none()
        if row is not None:
            if (row.parent, row.path) != (parent, path):
                raise StoreError(
                    f"pool {pool_id} is already noted with parent {row.parent} and path {row.path}",
                    fix="a pool never changes: write the new one under its own id",
                )
            return
        if parent is not None and _no_pool(connection, parent):
            raise StoreError(f"pool {pool_id} names an unknown parent {parent}", fix="append it first")
        connection.execute(
            sa.insert(pools), {"id": pool_id, "parent": parent, "path": path, "created_s": time.time()}
        )
        if links := [{"pool": pool_id, "trajectory": source} for source in sorted(set(sources))]:
            connection.execute(sa.insert(pool_sources), links)


def pool_rows(database: Database) -> list[PoolRow]:
    """All pool versions that were noted, oldest first."""
    query = sa.select(pools.c.id, pools.c.parent, pools.c.path).order_by(pools.c.created_s, pools.c.id)
    with database.read() as connection:
        return [PoolRow(*row) for row in connection.execute(query)]


def pools_from(database: Database, trajectory_id: str) -> list[str]:
    """Ids of the pool versions that hold something made from this trajectory."""
    query = (
        sa.select(pools.c.id)
        .join(pool_sources, pool_sources.c.pool == pools.c.id)
        .where(pool_sources.c.trajectory == trajectory_id)
        .order_by(pools.c.created_s, pools.c.id)
    )
    with database.read() as connection:
        return list(connection.execute(query).scalars())


def rewards_learned(database: Database) -> list[LearnedReward]:
    """Of every pool, its sources that were scored again since they were admitted, in the pools' order.

    A pool keeps what its parent holds, with the reward that it had there. What was not scored when it was
    admitted is left out: no reward was learned from.
    """
    scored = scorings.c
    held = sa.select(pool_sources.c.trajectory)
    again = sa.select(scored.trajectory).where(scored.trajectory.in_(held))
    again = again.group_by(scored.trajectory).having(sa.func.count() > 1)
    words = sa.select(scored.trajectory, scored.outcome, scored.total, scored.created_s)
    links = sa.select(pool_sources).join(pools).where(pool_sources.c.trajectory.in_(again))
    links = links.order_by(pools.c.created_s, pools.c.id, pool_sources.c.trajectory)
    with database.read() as connection:
        made = {row.id: row for row in connection.execute(sa.select(pools))}
        sources = connection.execute(links).all()
        valued: dict[str, list[tuple[float, Worth]]] = defaultdict(list)
        for row in connection.execute(words.where(scored.trajectory.in_(again)).order_by(scored.seq)):
            outcome = Outcome(row.outcome) if row.outcome else None
            valued[row.trajectory].append((row.created_s, (outcome, row.total)))
    holders: dict[str, set[str]] = defaultdict(set)
    for link in sources:
        holders[link.trajectory].add(link.pool)
    found = []
    for pool, trajectory in sources:
        first = pool
        while (parent := made[first].parent) in holders[trajectory]:
            first = parent
        words_of = valued[trajectory]
        then = [worth for at_s, worth in words_of if at_s <= made[first].created_s]
        if then and len(then) < len(words_of):
            found.append(LearnedReward(pool, trajectory, then[-1], words_of[-1][1]))
    return found


def _no_pool(connection: Connection, pool_id: str) -> bool:
    return connection.execute(sa.select(pools.c.id).where(pools.c.id == pool_id)).one_or_none() is None
