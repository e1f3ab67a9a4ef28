"""Hashes of contents as the code makes them: fields that equal their default are left out.

They are made by this code's own types: what is compared with them is hashed by the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Connection

from coevolve.codec import content_hash, essence, from_json
from coevolve.errors import CoevolveError
from coevolve.types import Reward, Signal, Statement, Trajectory

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(JSONB(), "postgresql")
_TYPES: dict[str, Any] = {
    "seq": sa.BigInteger(),
    "id": sa.String(200),
    "trajectory": sa.String(200),
    "content": sa.String(64),
    "body": JSON,
}
_AT_ONCE = 200  # bodies in memory


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *(sa.column(one, _TYPES[one]) for one in columns))


def upgrade() -> None:
    """Hash again what is kept."""
    trajectories = _table("trajectories", "seq", "id", "content")
    bodies = _table("bodies", "trajectory", "body")
    whole = trajectories.join(bodies, bodies.c.trajectory == trajectories.c.id)
    held = sa.select(trajectories.c.seq, trajectories.c.content, bodies.c.body).select_from(whole)
    _rehash(trajectories, held, lambda body: replace(from_json(Trajectory, body), wall_s=0.0))
    others: dict[str, Callable[[Any], Any]] = {
        "statements": lambda body: replace(from_json(Statement, body), given_s=0.0),
        "scorings": _scoring,
    }
    for name, read in others.items():
        table = _table(name, "seq", "content", "body")
        _rehash(table, sa.select(table), read)


def _scoring(body: Any) -> dict[str, Any]:
    """What the store hashes of a scoring."""
    reward = body["reward"]
    return {
        "signals": [essence(from_json(Signal, one)) for one in body["signals"]],
        "reward": None if reward is None else essence(from_json(Reward, reward)),
    }


def _rehash(table: sa.TableClause, held: sa.Select[Any], read: Callable[[Any], Any]) -> None:
    connection = op.get_bind()
    one = sa.update(table).where(table.c.seq == sa.bindparam("held"))
    for rows in _batches(connection, table, held):
        made = [{"held": row.seq, "content": _content(row, read)} for row in rows]
        changed = [new for row, new in zip(rows, made, strict=True) if new["content"] != row.content]
        if changed:
            connection.execute(one, changed)


def _batches(
    connection: Connection, table: sa.TableClause, held: sa.Select[Any]
) -> Iterator[list[sa.Row[Any]]]:
    last = -1
    while rows := list(
        connection.execute(held.where(table.c.seq > last).order_by(table.c.seq).limit(_AT_ONCE))
    ):
        yield rows
        last = rows[-1].seq


def _content(row: sa.Row[Any], read: Callable[[Any], Any]) -> str:
    try:
        return content_hash(read(row.body))
    except (CoevolveError, KeyError, TypeError):  # edited by hand: no worse than before
        return str(row.content)


def downgrade() -> None:
    """Nothing: the code before hashes otherwise, and refuses to score what it finds."""
