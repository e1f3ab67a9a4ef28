"""Many writers at once on one SQLite file, as threads and as processes: what was lost, doubled or refused.

Each appends trajectories of its own and, all of them, the same shared ones, which must be there once. What
every writer meant to write is compared with what the file holds, text by text.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.store_data import Load, episode, trajectory
from benchmarks.store_native import KEY

from coevolve.errors import CoevolveError
from coevolve.store import Store, open_store
from coevolve.store.redaction import Redactor
from coevolve.types import Trajectory

_SHARED_SEED, _OWN_SEED = 1, 2


def writers(folder: Path, *, threads: int, processes: int, own: int, shared: int) -> dict[str, Any]:
    """Threads on one Store, then processes with one each. Returns: for both, what went wrong and how fast."""
    return {
        "threads": _judged(folder / "threads.db", _threads, (threads, own, shared)),
        "processes": _judged(folder / "processes.db", _processes, (processes, own, shared)),
    }


def _judged(path: Path, run: Any, sizes: tuple[int, int, int]) -> dict[str, Any]:
    count, own, shared = sizes
    open_store(f"sqlite:///{path}").close()
    began = time.monotonic()
    errors: list[str] = run(path, sizes)
    seconds = time.monotonic() - began
    meant = {one.id: one for place in range(count) for one in work(place, own, shared)}
    with closing(open_store(f"sqlite:///{path}")) as store:
        held = store.find()
    there = {one.id: one for one in held}
    return {
        "writers": count,
        "trajectories": len(meant),
        "lost": len(meant.keys() - there.keys()),
        "doubled": len(held) - len(there) + len(there.keys() - meant.keys()),
        "changed": sum(there[id] != one for id, one in meant.items() if id in there),
        "errors": len(errors),
        "first_error": errors[0] if errors else None,
        "appends_s": round(count * (own + shared) / seconds, 1),
    }


def work(place: int, own: int, shared: int) -> list[Trajectory]:
    """What one writer appends: its own, with the shared ones in between, redacted."""
    redactor = Redactor(KEY)
    load, common = Load(1 << 20, 4, 512, _OWN_SEED), Load(1 << 20, 4, 512, _SHARED_SEED)
    mine = [trajectory(episode(load, place * own + k)) for k in range(own)]
    all_s = [trajectory(episode(common, k)) for k in range(shared)]
    mixed = [one for pair in zip(mine, all_s, strict=False) for one in pair]
    rest = [*mine[len(all_s) :], *all_s[len(mine) :]]
    return [redactor.trajectory(one) for one in [*mixed, *rest]]


def _append_all(store: Store, found: Sequence[Trajectory]) -> list[str]:
    errors = []
    for one in found:
        try:
            store.append([one])
        except CoevolveError as error:
            errors.append(error.what)
    return errors


def _threads(path: Path, sizes: tuple[int, int, int]) -> list[str]:
    count, own, shared = sizes
    jobs = [work(place, own, shared) for place in range(count)]
    with closing(open_store(f"sqlite:///{path}")) as store, ThreadPoolExecutor(count) as pool:
        return [why for found in pool.map(lambda job: _append_all(store, job), jobs) for why in found]


def _process(path: str, place: int, own: int, shared: int) -> list[str]:
    found = work(place, own, shared)
    with closing(open_store(f"sqlite:///{path}")) as store:
        return _append_all(store, found)


def _processes(path: Path, sizes: tuple[int, int, int]) -> list[str]:
    count, own, shared = sizes
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])  # imports are shared: 64 interpreters of their own need 8 GB
    with context.Pool(count) as pool:
        jobs = [(str(path), place, own, shared) for place in range(count)]
        return [why for found in pool.starmap(_process, jobs, chunksize=1) for why in found]
