"""Which pools were made from which trajectories: the store's half of a version's lineage."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coevolve.database import Database
from coevolve.database.tables import pool_sources, pools
from coevolve.errors import StoreError


@dataclass(frozen=True, slots=True)
class PoolRow:
    """Where a pool version lies."""

    id: str
    parent: str | None
    path: str


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


def _no_pool(connection: Connection, pool_id: str) -> bool:
    return connection.execute(sa.select(pools.c.id).where(pools.c.id == pool_id)).one_or_none() is None
