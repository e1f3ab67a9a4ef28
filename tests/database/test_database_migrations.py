"""Revisions up and down, over tables that hold something."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from coevolve.codec import to_json
from coevolve.database import Database, code_revision, open_database
from coevolve.database.engine import MIGRATIONS
from coevolve.store import Store
from coevolve.store.statements import append_statements, statements_of
from coevolve.types import Outcome, StatementKind
from live_samples import says, talk
from store_samples import scored

TRACE = "ab" * 16


def to_revision(database: Database, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def columns(database: Database, table: str) -> set[str]:
    with database.read() as connection:
        return {one["name"] for one in sa.inspect(connection).get_columns(table)}


def value(database: Database, query: str) -> Any:
    with database.read() as connection:
        return connection.execute(sa.text(query)).scalar()


def test_what_is_kept_survives_the_way_down_and_up_again(database_url: sa.URL) -> None:
    database = open_database(database_url)
    store = Store(database)
    one = scored(talk(("q", "a"), id=f"{TRACE}:0000000000000002"), Outcome.SUCCESS)
    said = says(StatementKind.STARS, 5)
    store.append([one, talk(("x", "y"), name="other")])
    append_statements(database, [said], {said.id: "5" * 64})
    with database.write() as connection:
        connection.execute(sa.text(f"INSERT INTO traces (trace_id, last_s) VALUES ('{TRACE}', 1)"))
    to_revision(database, "0002")
    assert not {"subject", "trace_id"} & (columns(database, "trajectories") | columns(database, "statements"))
    assert value(database, "SELECT count(*) FROM scorings") == 1
    database.close()

    database = open_database(database_url)
    store = Store(database)
    assert value(database, "SELECT version_num FROM alembic_version") == code_revision() == "0003"
    assert to_json(store.get(one.id)) == to_json(one)
    assert statements_of(database, ["s1"]) == {"s1": [said]}
    assert value(database, f"SELECT trace_id FROM trajectories WHERE id = '{one.id}'") == TRACE
    assert value(database, "SELECT count(*) FROM trajectories WHERE subject IS NULL") == 2
    assert value(database, "SELECT trace_id FROM trajectories WHERE id = 't-other'") is None
    database.close()
