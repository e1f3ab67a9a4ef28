"""Ingest without HTTP, and what this disk could do: `Store.append`, `coevolve.trace`, bare SQLite and fsync.

Redaction is on in both of ours. Bare SQLite writes the same bytes as one text a row, under the same settings
for durability, without redaction, ids, indexes or types: nothing that keeps these rows in SQLite is faster.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.store_data import Episode, trajectory

from coevolve.store import Store, open_store
from coevolve.store.redaction import Redactor
from coevolve.tracing import trace

KEY = b"the key of a benchmark's placeholders"
_BATCHES = (1, 20, 200)  # trajectories of one append
_TRACED = 500  # episodes that `coevolve.trace` records, a commit each
_RAW_ROWS = 1000  # of one transaction of bare SQLite


def native(load: Sequence[Episode], folder: Path, *, trial_episodes: int = 200) -> dict[str, Any]:
    """Rows per second of `Store.append` with its best batch, and of `coevolve.trace`."""
    redactor = Redactor(KEY)
    trials: dict[str, float] = {}
    for size in _BATCHES:
        some = load[:trial_episodes]
        with closing(open_store(f"sqlite:///{folder / f'batch-{size}.db'}")) as store:
            trials[str(size)] = _append(store, some, redactor, size)
    best = max(_BATCHES, key=lambda size: trials[str(size)])
    with closing(open_store(f"sqlite:///{folder / 'native.db'}")) as store:
        rate = _append(store, load, redactor, best)
        kept = store.count()
    with closing(open_store(f"sqlite:///{folder / 'traced.db'}")) as store:
        some = load[:_TRACED]
        began = time.perf_counter()
        for one in some:
            _play(store, one, redactor)
        traced = sum(len(one.turns) for one in some) / (time.perf_counter() - began)
    return {
        "append_rows_s": rate,
        "append_batch": best,
        "append_trials_rows_s": trials,
        "append_lost": len(load) - kept,
        "trace_rows_s": round(traced, 1),
    }


def _append(store: Store, load: Sequence[Episode], redactor: Redactor, size: int) -> float:
    found = [trajectory(one) for one in load]
    began = time.perf_counter()
    for start in range(0, len(found), size):
        store.append([redactor.trajectory(one) for one in found[start : start + size]])
    return round(sum(len(one.turns) for one in load) / (time.perf_counter() - began), 1)


def _play(store: Store, one: Episode, redactor: Redactor) -> None:
    """The episode once more, as an agent's program would tell it."""
    with trace(store, task_type=one.agent, agent=one.agent, keep=redactor.trajectory) as episode:
        for told in one.turns:
            episode.user(told.heard)
            episode.call(told.tool, {**told.args, "note": told.said})


def disk(folder: Path, load: Sequence[Episode], *, seconds: float = 2.0) -> dict[str, Any]:
    """What this disk and bare SQLite manage: fsyncs and rows per second."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / "fsync.bin", os.O_CREAT | os.O_WRONLY)
    try:
        count, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            os.pwrite(file, b"x" * 4096, 0)
            os.fsync(file)
            count += 1
        fsyncs = count / (time.perf_counter() - began)
    finally:
        os.close(file)
    rows = [(k, told.heard + told.said) for k, told in enumerate(t for one in load for t in one.turns)]
    with closing(sqlite3.connect(folder / "raw.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)")
        began = time.perf_counter()
        for start in range(0, len(rows), _RAW_ROWS):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO rows VALUES (?, ?)", rows[start : start + _RAW_ROWS])
            connection.execute("COMMIT")
        raw = len(rows) / (time.perf_counter() - began)
    return {"fsyncs_s": round(fsyncs, 1), "raw_sqlite_rows_s": round(raw, 1), "raw_rows": len(rows)}
