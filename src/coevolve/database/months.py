"""Bodies of trajectories by the month of their arrival: PostgreSQL keeps each month as a table of its own.

A month that was emptied is given back to the disk at once by dropping its table, where deleting rows would
leave the space to later ones. SQLite keeps one table; nothing here does anything for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

_MAKING = 0x6D6F6E7468  # PostgreSQL's advisory lock of whoever makes a month


@dataclass(frozen=True, slots=True)
class Month:
    """A month of UTC, as the table of its bodies and the seconds since 1970 that it covers."""

    table: str
    start_s: float
    end_s: float


def month_of(at_s: float) -> Month:
    """The month of a moment, in seconds since 1970."""
    at = datetime.fromtimestamp(at_s, UTC)
    start = datetime(at.year, at.month, 1, tzinfo=UTC)
    end = datetime(at.year + at.month // 12, at.month % 12 + 1, 1, tzinfo=UTC)
    return Month(f"bodies_{at.year:04d}_{at.month:02d}", start.timestamp(), end.timestamp())


def make_month(connection: Connection, at_s: float) -> bool:
    """See to it that there is a table for what arrives at this moment.

    Returns: whether it was there before; one that was not is gone again if the transaction is undone.
    """
    if connection.dialect.name != "postgresql":
        return True
    month = month_of(at_s)
    if connection.execute(sa.select(sa.func.to_regclass(month.table))).scalar() is not None:
        return True
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MAKING)))
    # The new table refers to trajectories: held first, in the order in which all others take them.
    connection.execute(sa.text("LOCK TABLE ONLY trajectories IN SHARE ROW EXCLUSIVE MODE"))
    # Another process may have made it meanwhile; looking again would find what this session remembers.
    bounds = f"FROM ({month.start_s!r}) TO ({month.end_s!r})"
    made = f"CREATE TABLE IF NOT EXISTS {month.table} PARTITION OF bodies FOR VALUES {bounds}"
    connection.execute(sa.text(made))
    return False


def empty_months(connection: Connection, now_s: float) -> list[str]:
    """Tables of past months that hold nothing any more. Holds nobody up."""
    if connection.dialect.name != "postgresql":
        return []
    parts = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'bodies'::regclass"
    # Asked of all bodies: by its own name, a table would be held before the one that it is a part of.
    held = sa.text("SELECT 1 FROM bodies WHERE created_s >= :start_s AND created_s < :end_s LIMIT 1")
    current, empty = month_of(now_s).table, []
    for name in sorted(connection.execute(sa.text(parts)).scalars()):
        if name < current:
            month = _named(name)
            bounds = {"start_s": month.start_s, "end_s": month.end_s}
            if connection.execute(held, bounds).first() is None:
                empty.append(name)
    return empty


def drop_empty_months(connection: Connection, now_s: float) -> list[str]:
    """Drop the tables of `empty_months`, in a transaction that has touched nothing before.

    Everybody else waits until it ends: look first whether there is one. Returns: their names.
    """
    if connection.dialect.name != "postgresql":
        return []
    # In the order in which all others take them, and before the parts, so that nobody waits in a circle.
    # What somebody adds meanwhile waits too, or is seen.
    connection.execute(sa.text("LOCK TABLE ONLY trajectories, ONLY bodies IN ACCESS EXCLUSIVE MODE"))
    dropped = empty_months(connection, now_s)
    for name in dropped:
        connection.execute(sa.text(f"DROP TABLE {name}"))
    return dropped


def _named(table: str) -> Month:
    year, month = (int(part) for part in table.split("_")[-2:])
    return month_of(datetime(year, month, 1, tzinfo=UTC).timestamp())
