"""The parts of the store's benchmark: how much of everything each takes, and what is done in it.

A `Bench` enters each part and its rows leave, as JSON values. Parts share the episodes; `queries` asks what
`ingest` left; beyond that any part can be run alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.store_data import Episode, Load, episodes
from benchmarks.store_dedup import dedup
from benchmarks.store_detectors import hacking, redaction
from benchmarks.store_ingest import Plan as IngestPlan
from benchmarks.store_ingest import Setting, ingest
from benchmarks.store_kill import kill_in_ingest
from benchmarks.store_native import disk, native
from benchmarks.store_postgres import postgres
from benchmarks.store_queries import (
    Ask,
    add_vectors,
    keep_vectors,
    of_mlflow,
    of_phoenix,
    of_store,
    openings,
    random_vectors,
    timed,
)
from benchmarks.store_servers import Product, Running, kept, ours, peers, served
from benchmarks.store_writers import writers

from coevolve.errors import CoevolveError, StoreError
from coevolve.store import open_store
from coevolve.store.spans import settle_some


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of everything."""

    episodes: int
    repeats: int  # of each question
    own: int  # trajectories of one writer
    processes: int
    texts: int
    turns: int  # on PostgreSQL
    kills: int
    kill_after_s: float
    ingest: IngestPlan
    native_trial: int = 200


FULL = Size(
    episodes=10_000,
    repeats=500,
    own=20,
    processes=64,
    texts=100_000,
    turns=1_000_000,
    kills=3,
    kill_after_s=4.0,
    ingest=IngestPlan(),
)
QUICK = Size(
    episodes=60,
    repeats=40,
    own=2,
    processes=4,
    texts=1_000,
    turns=2_000,
    kills=1,
    kill_after_s=0.4,
    ingest=IngestPlan(settings=(Setting(4, 2),), trial_episodes=20, budget_s=10, settles=False),
    native_trial=20,
)
WRITERS = 64


@dataclass(frozen=True)
class Bench:
    """One run of the benchmark: what to measure, where, and what it found so far."""

    size: Size
    seed: int
    folder: Path  # for databases; emptied at the end
    peers_venv: Path | None
    quick: bool
    found: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def load(self) -> list[Episode]:
        """The episodes that every product takes."""
        return list(episodes(Load(self.size.episodes, seed=self.seed)))

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """Ours and, where they are installed, the peers."""
        return (ours(), *(peers(self.peers_venv) if self.peers_venv else ()))


def run_disk(bench: Bench) -> dict[str, Any]:
    """Fsyncs and bare SQLite."""
    return disk(bench.folder / "disk", bench.load, seconds=0.3 if bench.quick else 3.0)


def run_ingest(bench: Bench) -> dict[str, Any]:
    """Each product in turn."""
    return _each(bench, lambda one: ingest(one, bench.load, bench.folder / one.name, bench.size.ingest))


def run_kill(bench: Bench) -> dict[str, Any]:
    """With the setting that suited the product best where ingest has found it."""

    def measured(product: Product) -> dict[str, Any]:
        best = bench.found.get("ingest", {}).get(product.name, {})
        return kill_in_ingest(
            product,
            bench.load,
            bench.folder / f"{product.name}-killed",
            Setting(best.get("senders", 4), best.get("per_request", 2)),
            kills=bench.size.kills,
            after_s=bench.size.kill_after_s,
        )

    return _each(bench, measured)


def run_queries(bench: Bench) -> dict[str, Any]:
    """Asks what the part `ingest` left."""

    def measured(product: Product) -> dict[str, Any]:
        folder = bench.folder / product.name
        if not (folder / product.database).is_file():
            raise StoreError("there is nothing to ask yet", fix="run the parts ingest and queries together")
        if product.name == "ours":
            return _ask_ours(bench, folder / product.database)
        there = {row[:12] for row in kept(product, folder)}
        traces = [one.trace_id for one in bench.load if one.trace_id[:12] in there]
        asking: dict[str, Callable[[Running, Sequence[str]], dict[str, Ask]]]
        asking = {"mlflow": of_mlflow, "phoenix": of_phoenix}
        with served(product, folder) as running:
            asked = timed(asking[product.name](running, traces), bench.size.repeats, bench.seed)
        return {"trajectories": len(traces), "queries": asked}

    return _each(bench, measured)


def _each(bench: Bench, measured: Callable[[Product], dict[str, Any]]) -> dict[str, Any]:
    """What each product showed; one that fails does not cost the others theirs."""
    rows: dict[str, Any] = {}
    for product in bench.products:
        print(f"   {product.title}", file=sys.stderr, flush=True)
        try:
            rows[product.name] = measured(product)
        except (CoevolveError, OSError) as error:
            print(f"error: {error}", file=sys.stderr, flush=True)
            rows[product.name] = {"error": " ".join(str(error).split())[:500]}
    return rows


def _ask_ours(bench: Bench, path: Path) -> dict[str, Any]:
    with closing(open_store(f"sqlite:///{path}")) as store:
        while settle_some(store, time.time(), quiet_s=0).looked_at:
            pass  # what a quick run had no time to wait for
        ids = {row.id.partition(":")[0]: row.id for row in store.rows()}
        if bench.quick:
            made = "random"
            vectors_ND = random_vectors(len(ids), bench.seed)
            keep_vectors(store, list(ids.values()), vectors_ND)
        else:
            vectors_ND, made = add_vectors(store, openings(bench.load, ids))
        asks = of_store(store, list(ids.values()), vectors_ND)
        asked = timed(asks, bench.size.repeats, bench.seed)
    return {"trajectories": len(ids), "vectors": made, "queries": asked}


def run_native(bench: Bench) -> dict[str, Any]:
    """Without HTTP."""
    folder = bench.folder / "native"
    folder.mkdir(parents=True, exist_ok=True)
    return native(bench.load, folder, trial_episodes=bench.size.native_trial)


def run_writers(bench: Bench) -> dict[str, Any]:
    """Many at once on one file."""
    own = bench.size.own
    folder = bench.folder / "writers"
    folder.mkdir(parents=True, exist_ok=True)
    return writers(folder, threads=WRITERS, processes=bench.size.processes, own=own, shared=max(1, own // 2))


def run_dedup(bench: Bench) -> dict[str, Any]:
    """Both detectors."""
    return dedup(bench.size.texts, bench.seed)


def run_postgres(bench: Bench) -> dict[str, Any]:
    """A server of its own, which needs the extra `dev`."""
    return postgres(
        bench.folder / "postgres", turns=bench.size.turns, repeats=bench.size.repeats, seed=bench.seed
    )


def run_detectors(bench: Bench) -> dict[str, Any]:
    """All labelled sets, from three seeds."""
    seeds = [bench.seed] if bench.quick else [bench.seed + k for k in range(3)]
    most = 2 if bench.quick else None
    return {
        "seeds": seeds,
        "redaction": redaction(seeds),
        "hacking": hacking(seeds, most),
        "redaction_seen": redaction(seeds, "seen"),
        "hacking_seen": hacking(seeds, most, "seen"),
    }


PARTS: Mapping[str, Callable[[Bench], dict[str, Any]]] = {
    "disk": run_disk,
    "ingest": run_ingest,
    "kill": run_kill,
    "queries": run_queries,
    "native": run_native,
    "writers": run_writers,
    "dedup": run_dedup,
    "postgres": run_postgres,
    "detectors": run_detectors,
}
