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

The peers run from the virtual environment that `make peers` makes. Where it is not named, what the file holds
of them stays, each row with the date on which it was measured. `--quick` takes small loads.
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
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from coevolve.errors import CoevolveError
from coevolve.machine import machine

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # started as a file, this is not part of a package yet

from benchmarks.page import RESULTS, write_page  # noqa: E402
from benchmarks.store_figures import PRODUCTS, figures_of, readable  # noqa: E402
from benchmarks.store_parts import FULL, PARTS, QUICK, Bench  # noqa: E402
from benchmarks.store_servers import PEERS, versions  # noqa: E402

COMMAND = "python benchmarks/store.py"
PEERS_VENV = ".venv-peers"  # what `make peers` makes


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0; 1 where a part could not be measured; figures of the others are written nevertheless."""
    asked = _parser().parse_args(arguments)
    name = "store.quick.json" if asked.quick else "store.json"
    file = asked.out / name
    parts = list(asked.only or PARTS)
    before = _read(file)
    of_peers = {} if asked.peers else before.get("parts", {})
    failed = False
    with tempfile.TemporaryDirectory(prefix="coevolve-store-", dir=asked.folder) as folder:
        bench = Bench(
            size=QUICK if asked.quick else FULL,
            seed=asked.seed,
            folder=Path(folder),
            peers_venv=asked.peers,
            quick=asked.quick,
            found=dict(before.get("parts", {})) if asked.only else {},
        )
        for part in parts:
            print(f"== {part} ==", file=sys.stderr, flush=True)
            load_before, began = os.getloadavg()[0], time.monotonic()
            try:
                bench.found[part] = PARTS[part](bench)
            except CoevolveError as error:
                print(f"error: {error.what}\nfix: {error.fix}", file=sys.stderr)
                bench.found[part] = {"error": error.what}
            failed |= _has_error(bench.found[part])
            bench.found[part] |= {
                "load_average": [round(load_before, 2), round(os.getloadavg()[0], 2)],
                "wall_s": round(time.monotonic() - began, 1),
                "date": date.today().isoformat(),
                "seeds": bench.found[part].get("seeds", [asked.seed]),
            }
            bench.found[part] |= _peers_rows(of_peers.get(part, {}))
            data = _data(asked, bench, before)
            _write(file, data)
    print(json.dumps(data, indent=1) if asked.json else f"{readable(data)}\nfigures: {file}")
    return 1 if failed else 0


def _has_error(part: Mapping[str, Any]) -> bool:
    return "error" in part or any("error" in part.get(product, {}) for product in PRODUCTS)


def _peers_rows(part: Mapping[str, Any]) -> dict[str, Any]:
    """What an earlier run measured of the peers, each with its date."""
    rows = {name: part[name] for name in PRODUCTS if name != "ours" and name in part}
    return {name: {"date": part.get("date"), **row} for name, row in rows.items()}


def _data(asked: argparse.Namespace, bench: Bench, before: Mapping[str, Any]) -> dict[str, Any]:
    """The whole file. The command is the one that makes all of it, with the peers where it holds any."""
    of_peers = any(_peers_rows(one) for one in bench.found.values())
    known = versions(asked.peers) if asked.peers else {}
    if of_peers and not asked.peers:
        known = {name: one for name, one in before.get("machine", {}).items() if name in PEERS}
    words = [*shlex.split(COMMAND), *(["--quick"] if asked.quick else []), "--seed", str(asked.seed)]
    words += ["--peers", str(asked.peers or PEERS_VENV)] if of_peers or asked.peers else []
    return {
        "machine": machine() | known,
        "command": shlex.join(words),
        "date": date.today().isoformat(),
        "seeds": sorted(
            {asked.seed, *(seed for one in bench.found.values() for seed in one.get("seeds", ()))}
        ),
        "figures": figures_of(bench.found),
        "parts": {part: bench.found[part] for part in PARTS if part in bench.found},
    }


def _read(file: Path) -> dict[str, Any]:
    """The file of an earlier run."""
    if not file.is_file():
        return {}
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def _write(file: Path, data: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    building = file.with_suffix(".new")
    building.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    os.replace(building, file)
    if file.parent.resolve() == RESULTS:
        write_page()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="small loads, in less than a minute without peers"
    )
    parser.add_argument(
        "--only", nargs="+", choices=list(PARTS), help="these parts; the others stay as they are"
    )
    parser.add_argument(
        "--peers",
        type=Path,
        help="virtual environment with mlflow and arize-phoenix; without it their rows stay",
    )
    parser.add_argument("--folder", type=Path, help="where databases are made, 10 GB (default: the system's)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the figures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print the figures file on standard output")
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that servers are stopped too
    sys.exit(main())
