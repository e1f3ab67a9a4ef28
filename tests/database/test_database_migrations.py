"""Revisions up and down with data in the tables, on both databases."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from coevolve.codec import canonical_json, to_json
from coevolve.database import Database, code_revision, open_database
from coevolve.database.engine import MIGRATIONS, migrating
from coevolve.database.tables import bodies
from coevolve.errors import StoreError
from coevolve.feedback import RewardRule, score
from coevolve.registry import Registry, make_version
from coevolve.store import Store, open_store
from coevolve.store.pools import append_pool
from coevolve.store.query import Query
from coevolve.store.rows import Scoring
from coevolve.store.statements import append_statements, statements_of
from coevolve.types import Outcome, Signal, SignalKind, SignalSource, Standing, StatementKind, Trajectory
from live_samples import says, talk
from store_samples import scored

TRACE = "ab" * 16


def played(name: str, passed: bool = True) -> Trajectory:
    check = Signal("end", 1.0 if passed else -1.0, "w", SignalKind.OUTCOME, SignalSource.CHECK)
    return score(
        talk(("Where is it?", "On its way."), name=name, checks=(check,)), lambda _: (), RewardRule()
    )


def move(store: Store, to: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with migrating(store.database) as connection:
        config.attributes["connection"] = connection
        (command.upgrade if to == "head" else command.downgrade)(config, to)


def revisions() -> list[str]:
    script = ScriptDirectory(str(MIGRATIONS))
    return [one.revision for one in script.walk_revisions()]  # the newest first


def columns(database: Database, table: str) -> set[str]:
    with database.read() as connection:
        return {one["name"] for one in sa.inspect(connection).get_columns(table)}


def value(database: Database, query: str) -> Any:
    with database.read() as connection:
        return connection.execute(sa.text(query)).scalar()


def test_every_revision_goes_down_and_up_again_with_data_in_the_tables(store: Store) -> None:
    store.append([played("won"), played("lost", passed=False), talk(("Hello?", "Yes?"), name="live")])
    append_pool(store.database, "p1", path="x", sources=["t-won"])
    registry = Registry(store.database)
    base = make_version(base="m", harness={})
    registry.add(base, Standing.CHAMPION)
    before = store.find()
    for one in revisions()[1:]:
        move(store, one)
    move(store, "head")
    assert store.find() == before
    assert [row.id for row in store.rows(Query(failed=True))] == ["t-lost"]
    assert registry.champion() == base
    store.append([played("later")])
    assert store.count() == 4


def test_a_database_of_the_first_revision_is_brought_up_when_it_is_opened(store: Store) -> None:
    store.append([played("won")])
    move(store, revisions()[-1])
    again = open_store(store.database.engine.url)
    assert again.get("t-won") == played("won")
    again.close()


def test_a_row_that_refers_to_nothing_stops_a_migration_and_nothing_is_changed(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    store.append([played("won")])
    gone = r"row 1 of bodies refers to a row of trajectories that is gone"
    with pytest.raises(StoreError, match=gone), migrating(store.database) as connection:
        connection.execute(sa.text("DELETE FROM trajectories"))
    assert store.get("t-won") == played("won")
    with store.database.read() as connection:
        assert connection.execute(sa.text("PRAGMA foreign_keys")).scalar() == 1
    store.close()


def test_what_is_kept_survives_the_way_down_and_up_again(database_url: sa.URL) -> None:
    database = open_database(database_url)
    store = Store(database)
    one = scored(talk(("q", "a"), id=f"{TRACE}:0000000000000002"), Outcome.SUCCESS)
    said = says(StatementKind.STARS, 5)
    store.append([one, talk(("x", "y"), name="other")])
    append_statements(database, [said], {said.id: "5" * 64})
    with database.write() as connection:
        connection.execute(sa.text(f"INSERT INTO traces (trace_id, last_s) VALUES ('{TRACE}', 1)"))
    move(store, "0002")
    assert not {"subject", "trace_id"} & (columns(database, "trajectories") | columns(database, "statements"))
    assert value(database, "SELECT count(*) FROM scorings") == 1
    database.close()

    database = open_database(database_url)
    store = Store(database)
    assert value(database, "SELECT version_num FROM alembic_version") == code_revision()
    assert to_json(store.get(one.id)) == to_json(one)
    assert statements_of(database, ["s1"]) == {"s1": [said]}
    assert value(database, f"SELECT trace_id FROM trajectories WHERE id = '{one.id}'") == TRACE
    assert value(database, "SELECT count(*) FROM trajectories WHERE subject IS NULL") == 2
    assert value(database, "SELECT trace_id FROM trajectories WHERE id = 't-other'") is None
    database.close()


def hashed_before(value: object) -> str:
    """As the code hashed before fields that equal their default were left out."""
    return hashlib.sha256(canonical_json(to_json(value))).hexdigest()


def test_hashes_of_older_code_are_made_anew_so_that_what_is_kept_is_known_again(store: Store) -> None:
    many = [played(f"n{k}") for k in range(201)]  # more than one batch
    said = says(StatementKind.STARS, 5)
    store.append(many)
    append_statements(store.database, [said])
    move(store, "0004")
    with store.database.write() as connection:
        for one in many:
            raw = hashed_before(replace(one, signals=(), reward=None, wall_s=0.0))
            _set_content(connection, "trajectories", "id", one.id, raw)
            _set_content(
                connection, "scorings", "trajectory", one.id, hashed_before(Scoring(one.signals, one.reward))
            )
        _set_content(connection, "statements", "id", said.id, hashed_before(said))
    with pytest.raises(StoreError, match="with other content"):
        store.append(many[:1])

    again = open_store(store.database.engine.url)
    again.append(many)
    again.append_scores("again", again.find())
    assert value(again.database, "SELECT count(*) FROM scorings") == len(many)
    assert append_statements(again.database, [said]) == []
    assert again.find() == many
    again.close()


def test_a_record_that_nobody_can_read_does_not_stop_the_others_from_being_hashed_anew(store: Store) -> None:
    store.append([played("won"), played("lost")])
    move(store, "0004")
    with store.database.write() as connection:
        spoilt = sa.update(bodies).where(bodies.c.trajectory == "t-won").values(body={"mine": 1})
        connection.execute(spoilt)
        for id in ("t-won", "t-lost"):
            _set_content(connection, "trajectories", "id", id, "old")
    again = open_store(store.database.engine.url)
    again.append([played("lost")])
    assert value(again.database, "SELECT content FROM trajectories WHERE id = 't-won'") == "old"
    again.close()


def _set_content(connection: sa.Connection, table: str, column: str, key: str, content: str) -> None:
    query = f"UPDATE {table} SET content = :content WHERE {column} = :key"
    changed = connection.execute(sa.text(query), {"content": content, "key": key})
    assert changed.rowcount == 1
