"""Measures the experience store beside MLflow and Arize Phoenix, and writes benchmarks/results/store.json.

The parts, each of which `--only` runs alone into the same file:

    disk       what this disk and bare SQLite manage: the limit of what follows
    ingest     the same spans through OTLP into each product, with redaction in ours
    kill       kill -9 in the middle of that
    queries    the same questions to each product about what it took in
    native     `Store.append` and `coevolve.trace`
    writers    64 threads, then 64 processes, on one SQLite file
    dedup      near-duplicates among many texts, beside datasketch's own pipeline
    postgres   a million turns on a real PostgreSQL
    detectors  planted secrets and hacked rewards

The peers run from the virtual environment that `make peers` makes. `--quick` takes small loads and no peers.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from coevolve.errors import CoevolveError, StoreError
from coevolve.machine import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # started as a file, this is not part of a package yet

from benchmarks.page import RESULTS, write_page  # noqa: E402
from benchmarks.store_data import Episode, Load, episodes  # noqa: E402
from benchmarks.store_dedup import dedup  # noqa: E402
from benchmarks.store_detectors import hacking, redaction  # noqa: E402
from benchmarks.store_figures import figures_of, readable  # noqa: E402
from benchmarks.store_ingest import Plan as IngestPlan  # noqa: E402
from benchmarks.store_ingest import Setting, ingest  # noqa: E402
from benchmarks.store_kill import kill_in_ingest  # noqa: E402
from benchmarks.store_native import disk, native  # noqa: E402
from benchmarks.store_postgres import postgres  # noqa: E402
from benchmarks.store_queries import (  # noqa: E402
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
from benchmarks.store_servers import Product, Running, kept, ours, peers, served  # noqa: E402
from benchmarks.store_writers import writers  # noqa: E402

from coevolve.store import open_store  # noqa: E402

COMMAND = "python benchmarks/store.py"


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
    texts=1_500,
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
    return {
        product.name: ingest(product, bench.load, bench.folder / product.name, bench.size.ingest)
        for product in bench.products
    }


def run_kill(bench: Bench) -> dict[str, Any]:
    """With the setting that suited the product best where ingest has just found it."""
    rows = {}
    for product in bench.products:
        best = bench.found.get("ingest", {}).get(product.name, {"senders": 4, "per_request": 2})
        rows[product.name] = kill_in_ingest(
            product,
            bench.load,
            bench.folder / f"{product.name}-killed",
            Setting(best["senders"], best["per_request"]),
            kills=bench.size.kills,
            after_s=bench.size.kill_after_s,
        )
    return rows


def run_queries(bench: Bench) -> dict[str, Any]:
    """Asks what the part `ingest` left."""
    rows = {}
    for product in bench.products:
        folder = bench.folder / product.name
        if not (folder / product.database).is_file():
            raise StoreError("there is nothing to ask yet", fix="run the parts ingest and queries together")
        there = {row[:12] for row in kept(product, folder)}
        traces = [one.trace_id for one in bench.load if one.trace_id[:12] in there]
        if product.name == "ours":
            rows[product.name] = _ask_ours(bench, folder / product.database)
            continue
        asking: dict[str, Callable[[Running, Sequence[str]], dict[str, Ask]]]
        asking = {"mlflow": of_mlflow, "phoenix": of_phoenix}
        with served(product, folder) as running:
            asks = asking[product.name](running, traces)
            rows[product.name] = {
                "trajectories": len(traces),
                "queries": timed(asks, bench.size.repeats, bench.seed),
            }
    return rows


def _ask_ours(bench: Bench, path: Path) -> dict[str, Any]:
    from coevolve.store.spans import settle

    with closing(open_store(f"sqlite:///{path}")) as store:
        while settle(store, time.time(), quiet_s=0):
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
    """Both labelled sets, from three seeds."""
    seeds = [bench.seed] if bench.quick else [bench.seed + k for k in range(3)]
    return {"redaction": redaction(seeds), "hacking": hacking(seeds, 2 if bench.quick else None)}


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0; 1 where a part could not be measured; figures of the others are written nevertheless."""
    asked = _parser().parse_args(arguments)
    name = "store.quick.json" if asked.quick else "store.json"
    file = asked.out / name
    parts = list(asked.only or PARTS)
    before = _read(file) if asked.only else {}
    failed = False
    with tempfile.TemporaryDirectory(prefix="coevolve-store-", dir=asked.folder) as folder:
        bench = Bench(
            size=QUICK if asked.quick else FULL,
            seed=asked.seed,
            folder=Path(folder),
            peers_venv=None if asked.quick else asked.peers,
            quick=asked.quick,
            found=before,
        )
        for part in parts:
            print(f"== {part} ==", file=sys.stderr, flush=True)
            load_before, began = os.getloadavg()[0], time.monotonic()
            try:
                bench.found[part] = PARTS[part](bench)
            except CoevolveError as error:
                print(f"error: {error.what}\nfix: {error.fix}", file=sys.stderr)
                bench.found[part] = {"error": error.what}
                failed = True
            bench.found[part] |= {
                "load_average": [round(load_before, 2), round(os.getloadavg()[0], 2)],
                "wall_s": round(time.monotonic() - began, 1),
                "date": date.today().isoformat(),
            }
            data = _data(asked, bench)
            _write(file, data)
    print(json.dumps(data, indent=1) if asked.json else f"{readable(data)}\nfigures: {file}")
    return 1 if failed else 0


def _data(asked: argparse.Namespace, bench: Bench) -> dict[str, Any]:
    words = [*shlex.split(COMMAND), *(["--quick"] if asked.quick else []), "--seed", str(asked.seed)]
    words += ["--peers", str(asked.peers)] if asked.peers and not asked.quick else []
    return {
        "machine": machine(),
        "command": shlex.join(words),
        "date": date.today().isoformat(),
        "seeds": [asked.seed],
        "figures": figures_of(bench.found),
        "parts": {part: bench.found[part] for part in PARTS if part in bench.found},
    }


def _read(file: Path) -> dict[str, Any]:
    """Parts of an earlier run."""
    if not file.is_file():
        return {}
    parts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["parts"]
    return parts


def _write(file: Path, data: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    building = file.with_suffix(".new")
    building.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    os.replace(building, file)
    if file.parent.resolve() == RESULTS:
        write_page()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small loads, no peers, under a minute")
    parser.add_argument(
        "--only", nargs="+", choices=list(PARTS), help="these parts; the others stay as they are"
    )
    parser.add_argument("--peers", type=Path, help="virtual environment with mlflow and arize-phoenix")
    parser.add_argument("--folder", type=Path, help="where databases are made, 10 GB (default: the system's)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the figures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print the figures file on standard output")
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that servers are stopped too
    sys.exit(main())
