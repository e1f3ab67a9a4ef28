"""Bodies by month: real tables in PostgreSQL, nothing to see in SQLite."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from coevolve.database.months import month_of
from coevolve.store import Store
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
    with pytest.raises(RuntimeError), store.database.write():
        store.append([talk(("q", "a"), name="a")])
        raise RuntimeError
    store.append([talk(("q", "a"), name="a")])
    assert store.get("t-a").id == "t-a"
