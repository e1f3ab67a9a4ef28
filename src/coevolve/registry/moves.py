"""Legal moves of standing, and their rows, inside a transaction that the caller holds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coevolve.database.tables import standings, versions
from coevolve.errors import RegistryError
from coevolve.types import Standing

ALLOWED: Mapping[Standing, frozenset[Standing]] = {
    # straight to champion: accepted verdict, no live traffic
    Standing.CANDIDATE: frozenset({Standing.SHADOW, Standing.CHAMPION, Standing.RETIRED}),
    Standing.SHADOW: frozenset({Standing.CANARY, Standing.RETIRED}),
    Standing.CANARY: frozenset({Standing.CHAMPION, Standing.RETIRED}),
    Standing.CHAMPION: frozenset({Standing.RETIRED}),
    Standing.RETIRED: frozenset({Standing.CHAMPION}),  # rollback
}


def version_row(connection: Connection, version_id: str) -> sa.Row[Any] | None:
    """The row of a version, or None."""
    return connection.execute(sa.select(versions).where(versions.c.id == version_id)).one_or_none()


def known_row(connection: Connection, version_id: str) -> sa.Row[Any]:
    """The row of a version. Raises: RegistryError: unknown."""
    row = version_row(connection, version_id)
    if row is None:
        raise RegistryError(f"unknown version {version_id}", fix="`coevolve versions` lists them all")
    return row


def champion_row(connection: Connection) -> sa.Row[Any] | None:
    """The row of the present champion, or None."""
    query = sa.select(versions).where(versions.c.standing == str(Standing.CHAMPION))
    return connection.execute(query).one_or_none()


def crowning_row(connection: Connection, version_id: str) -> sa.Row[Any]:
    """The row of history by which the present champion became it."""
    query = sa.select(standings).where(
        standings.c.version == version_id, standings.c.after == str(Standing.CHAMPION)
    )
    row = connection.execute(query.order_by(standings.c.seq.desc()).limit(1)).one_or_none()
    if row is None:
        raise RegistryError(
            f"{version_id} has no record of becoming champion", fix="restore the database from a backup"
        )
    return row


def crown(connection: Connection, version_id: str, expected: str | None, *, why: str) -> None:
    """Make a version champion in place of `expected` (None: of nobody), which retires.

    Raises: RegistryError: someone else is champion, or the move is illegal.
    """
    holder = champion_row(connection)
    actual = holder.id if holder is not None else None
    if actual != expected:
        raise RegistryError(
            f"{version_id} was to replace {expected or 'nobody'}, but {actual or 'nobody'} is champion now",
            fix="compare it with the present champion (coevolve gate), then promote it",
        )
    if actual is not None and actual == version_id:
        raise _illegal(version_id, Standing.CHAMPION, Standing.CHAMPION)
    below = None
    if actual is not None:
        below = crowning_row(connection, actual).seq
        move(connection, actual, Standing.RETIRED, why=f"replaced by {version_id}")
    move(connection, version_id, Standing.CHAMPION, why=why, below=below)


def move(
    connection: Connection, version_id: str, after: Standing, *, why: str, below: int | None = None
) -> None:
    """Change a standing and write it to the history.

    Args: below: of a champion, the row of history of the champion to which a rollback returns.
    Raises: RegistryError: unknown version, or a move that ALLOWED does not hold.
    """
    before = Standing(known_row(connection, version_id).standing)
    if after not in ALLOWED[before]:
        raise _illegal(version_id, before, after)
    # Compared again in the statement itself: on a database with several writers the row may have moved.
    moved = connection.execute(
        sa.update(versions)
        .where(versions.c.id == version_id, versions.c.standing == str(before))
        .values(standing=str(after))
    )
    if moved.rowcount != 1:
        raise RegistryError(
            f"{version_id} was moved by someone else meanwhile", fix="look at it and try again"
        )
    write_history(connection, version_id, before, after, why=why, below=below)


def _illegal(version_id: str, before: Standing, after: Standing) -> RegistryError:
    legal = ", ".join(sorted(ALLOWED[before]))
    return RegistryError(
        f"{version_id} is {before} and cannot become {after}", fix=f"legal moves from {before}: {legal}"
    )


def write_history(
    connection: Connection,
    version_id: str,
    before: Standing | None,
    after: Standing,
    *,
    why: str,
    below: int | None = None,
) -> None:
    """Append one row of history."""
    connection.execute(
        sa.insert(standings),
        {
            "version": version_id,
            "before": str(before) if before is not None else None,
            "after": str(after),
            "below": below,
            "why": why,
            "created_s": time.time(),
        },
    )
