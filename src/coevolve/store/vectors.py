"""Trajectories by meaning: their vectors enter, the ids of those nearest to a vector leave.

Exact in SQLite, where all vectors are held in memory (150 MB for 100,000) and one product finds the nearest;
by pgvector's index in PostgreSQL, which may miss one. Whoever calls makes the vectors: the store knows no
language model.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coevolve.database import Database
from coevolve.database.tables import trajectories, vectors
from coevolve.database.vector_type import DIMS
from coevolve.errors import StoreError
from coevolve.store.batches import batches
from coevolve.store.query import Query

_WIDER = 200  # candidates that PostgreSQL's index looks at for one query


class Vectors:
    """The vectors of a database, those of SQLite held in memory as they are read. Safe between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._seq = 0
        self._ids: list[str] = []
        self._held_ND = np.zeros((0, DIMS), dtype=np.float32)

    def append(self, given: Mapping[str, np.ndarray]) -> None:
        """Keep a vector for each of these trajectories; one that has one keeps it.

        Raises: StoreError: a vector of another length, or of an unknown trajectory; then nothing is kept.
        """
        for identity, vector in given.items():
            if vector.shape != (DIMS,) or not np.isfinite(vector).all():
                raise StoreError(
                    f"the vector of {identity} has shape {vector.shape}",
                    fix=f"give {DIMS} finite numbers, as the sentence encoder does",
                )
        with self._database.write() as connection:
            known = vectors.c.trajectory.in_(list(given))
            held = set(connection.execute(sa.select(vectors.c.trajectory).where(known)).scalars())
            new = [
                {"trajectory": identity, "vector": _unit(vector)}
                for identity, vector in given.items()
                if identity not in held
            ]
            if new:
                connection.execute(sa.insert(vectors), new)

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Those of these trajectories that have no vector yet."""
        held: set[str] = set()
        with self._database.read() as connection:
            for some in batches(ids):
                known = sa.select(vectors.c.trajectory).where(vectors.c.trajectory.in_(some))
                held |= set(connection.execute(known).scalars())
        return [one for one in ids if one not in held]

    def nearest(
        self, vector_D: np.ndarray, count: int, query: Query | None = None
    ) -> list[tuple[str, float]]:
        """The trajectories nearest to a vector with their cosine similarity, best first.

        Args: query: only among those that match; its limit is not used.
        """
        wanted_D = _unit(vector_D)
        if self._database.engine.dialect.name == "postgresql":
            return self._by_index(wanted_D, count, query)
        allowed = None if query is None else self._matching(query)
        self._read_on()
        with self._lock:
            ids, held_ND = self._ids, self._held_ND
        if not ids:
            return []
        alike_N = held_ND[: len(ids)] @ wanted_D
        if allowed is not None:
            alike_N = np.where([one in allowed for one in ids], alike_N, -np.inf)
        best = np.argpartition(-alike_N, min(count, len(ids)) - 1)[:count]
        ranked = sorted(best.tolist(), key=lambda at: (-alike_N[at], at))
        return [(ids[at], float(alike_N[at])) for at in ranked if np.isfinite(alike_N[at])]

    def _read_on(self) -> None:
        """Take in what was added since the last look, whoever added it; after a deletion, all of it anew."""
        newer = sa.select(vectors).order_by(vectors.c.seq)
        with self._lock, self._database.read() as connection:
            found = connection.execute(newer.where(vectors.c.seq > self._seq)).all()
            if self._ids and self._deleted(connection, len(found)):
                self._seq, self._ids = 0, []
                self._held_ND = np.zeros((0, DIMS), dtype=np.float32)
                found = connection.execute(newer).all()
            if not found:
                return
            count = len(self._ids)
            if count + len(found) > len(self._held_ND):  # by half, so that adding stays cheap
                grown_ND = np.zeros((count + len(found) + count // 2, DIMS), dtype=np.float32)
                grown_ND[:count] = self._held_ND[:count]
                self._held_ND = grown_ND
            for at, row in enumerate(found, count):
                self._held_ND[at] = row.vector
            self._ids = self._ids + [row.trajectory for row in found]
            self._seq = found[-1].seq

    def _deleted(self, connection: Connection, added: int) -> bool:
        """Whether something that is held is gone. SQLite gives the numbers of the last rows out again."""
        last = sa.select(vectors.c.trajectory).where(vectors.c.seq == self._seq)
        if connection.execute(last).scalar() != self._ids[-1]:
            return True
        count = connection.execute(sa.select(sa.func.count()).select_from(vectors)).scalar_one()
        return bool(count != len(self._ids) + added)

    def _matching(self, query: Query) -> Collection[str]:
        with self._database.read() as connection:
            return set(connection.execute(query.narrowed(sa.select(trajectories.c.id))).scalars())

    def _by_index(self, wanted_D: np.ndarray, count: int, query: Query | None) -> list[tuple[str, float]]:
        away = vectors.c.vector.op("<=>", return_type=sa.Float)(wanted_D)
        nearest = sa.select(vectors.c.trajectory, away.label("away"))
        if query is not None:
            matching = sa.select(trajectories.c.id).where(trajectories.c.id == vectors.c.trajectory)
            nearest = nearest.where(query.narrowed(matching).order_by(None).exists())
        with self._database.read() as connection:
            connection.execute(sa.text(f"SET LOCAL hnsw.ef_search = {_WIDER}"))
            connection.execute(sa.text("SET LOCAL hnsw.iterative_scan = strict_order"))
            found = connection.execute(nearest.order_by(away).limit(count)).all()
        return [(row.trajectory, 1 - row.away) for row in found]


def _unit(vector_D: np.ndarray) -> np.ndarray:
    return np.asarray(vector_D, dtype=np.float32) / max(float(np.linalg.norm(vector_D)), 1e-12)
