"""Bodies by month: real tables in PostgreSQL, nothing to see in SQLite."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from coevolve.database.months import drop_empty_months, month_of
from coevolve.store import Store
from coevolve.store.deletion import delete_trajectories
from coevolve.store.retention import DAY_S, Keep, keep
from live_samples import talk

NOVEMBER_S = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC).timestamp()


def months(store: Store) -> dict[str, int]:
    """Rows by month's table; empty in SQLite."""
    if store.database.engine.dialect.name == "sqlite":
        return {}
    with store.database.read() as connection:
        parts = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'bodies'::regclass"
        names = sorted(connection.execute(sa.text(parts)).scalars())
        count = "SELECT count(*) FROM {}"
        return {name: connection.execute(sa.text(count.format(name))).scalar_one() for name in names}


def at(monkeypatch: pytest.MonkeyPatch, now_s: float) -> None:
    monkeypatch.setattr("coevolve.store.rows.time", SimpleNamespace(time=lambda: now_s))


@pytest.mark.parametrize(
    ("moment", "table"),
    [
        (datetime(2026, 1, 1, tzinfo=UTC), "bodies_2026_01"),
        (datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), "bodies_2026_12"),
        (datetime(1970, 1, 1, tzinfo=UTC), "bodies_1970_01"),
    ],
)
def test_a_month_covers_itself_and_ends_where_the_next_begins(moment: datetime, table: str) -> None:
    month = month_of(moment.timestamp())
    assert month.table == table
    assert month.start_s <= moment.timestamp() < month.end_s
    assert month_of(month.end_s).start_s == month.end_s
    assert month_of(month.start_s) == month


def test_each_month_has_a_table_and_an_emptied_one_is_dropped(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, NOVEMBER_S)
    store.append([talk(("q", "a"), name="old")])
    at(monkeypatch, NOVEMBER_S + 1)
    store.append([talk(("q", "a"), name=name) for name in ("new", "newer")])
    assert [one.id for one in store.find()] == ["t-old", "t-new", "t-newer"]
    if months(store):
        assert months(store) == {"bodies_2026_11": 1, "bodies_2026_12": 2}
    keep(store.database, Keep(days=1), NOVEMBER_S + 1 + DAY_S)
    assert [one.id for one in store.find()] == ["t-new", "t-newer"]
    if months(store):
        assert months(store) == {"bodies_2026_12": 2}
    at(monkeypatch, NOVEMBER_S)
    store.append([talk(("q", "a"), name="late")])  # its month was dropped, and is made again
    assert store.count() == 3


def test_a_month_that_an_undone_transaction_made_is_made_again(store: Store) -> None:
    one, other = (talk(("q", "a"), name=name) for name in "ab")
    with pytest.raises(RuntimeError), store.database.write():
        store.append([one])
        store.append([other])  # sees the table that goes with its transaction
        raise RuntimeError
    store.append([one])
    store.append([other])
    assert [found.id for found in store.find()] == ["t-a", "t-b"]


def test_a_month_that_an_undone_part_of_a_transaction_made_is_made_again(store: Store) -> None:
    one, other = (talk(("q", "a"), name=name) for name in "ab")
    with store.database.write():
        with pytest.raises(RuntimeError), store.database.write():
            store.append([one])
            store.append([other])
            raise RuntimeError
        store.append([one])
    assert [found.id for found in store.find()] == ["t-a"]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_past_month_that_is_not_empty_is_not_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, NOVEMBER_S)
    store.append([talk(("q", "a"), name="old")])
    later_s = NOVEMBER_S + 40 * DAY_S
    keeping = threading.Thread(target=lambda: keep(store.database, Keep(days=100), later_s))
    with store.database.engine.connect() as reader:
        reader.execute(sa.text("SELECT 1 FROM bodies"))  # holds the month until its transaction ends
        keeping.start()
        keeping.join(timeout=20)
        waited = keeping.is_alive()
    keeping.join()
    assert not waited
    assert months(store) == {"bodies_2026_11": 1}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_who_drops_a_month_and_who_reads_wait_in_turn_and_not_in_a_circle(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, NOVEMBER_S)
    store.append([talk(("q", "a"), name="old")])
    at(monkeypatch, NOVEMBER_S + 1)
    store.append([talk(("q", "a"), name="new")])
    with store.database.write() as connection:
        delete_trajectories(connection, ["t-old"])
    dropped: list[str] = []

    def drop() -> None:
        with store.database.write() as connection:
            dropped.extend(drop_empty_months(connection, NOVEMBER_S + 1))

    dropping = threading.Thread(target=drop)
    with store.database.engine.connect() as reader:
        reader.execute(sa.text("SELECT 1 FROM trajectories"))
        dropping.start()
        _until_somebody_waits(store)
        assert reader.execute(sa.text("SELECT count(*) FROM bodies")).scalar() == 1
    dropping.join(timeout=20)
    assert dropped == ["bodies_2026_11"]
    assert months(store) == {"bodies_2026_12": 1}


def _until_somebody_waits(store: Store) -> None:
    here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    deadline_s = time.monotonic() + 30
    waiting = 0
    while not waiting:
        assert time.monotonic() < deadline_s
        with store.database.read() as connection:
            held_up = sa.text(f"SELECT count(*) FROM pg_locks WHERE NOT granted AND {here}")
            waiting = connection.execute(held_up).scalar_one()
