"""A client of the service over each database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from coevolve.store import Store
from coevolve.store.ingest.service import create_app
from coevolve.store.redaction import Redactor
from span_samples import NOW_S


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    app = create_app(store, Redactor(b"k" * 32), now=lambda: NOW_S, settle_every_s=3600)
    with TestClient(app) as opened:
        yield opened
