"""The three servers that take the same spans: how each is started, killed, and asked what it has on disk.

A product and a folder enter, a running server leaves. What is durable is counted in the product's own SQLite
file from outside, so that an answer which came before the write counts for nothing. The peers run from a
virtual environment of their own; each has the settings it comes with, save that MLflow runs no jobs beside.
"""

from __future__ import annotations

import os
import shlex
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import coevolve
from coevolve.errors import StoreError

PEERS = ("mlflow", "arize-phoenix")  # their packages
START_S = 300.0  # until a server must answer; the peers migrate their database first

_PACKAGE = Path(coevolve.__file__).resolve().parent.parent
_TAIL = 500  # characters of a server's log that an error shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """One server, as its makers start it."""

    name: str  # "ours", "mlflow", "phoenix"
    title: str
    command: Callable[[Path, int], list[str]]  # of a folder and a port
    environment: Callable[[Path, int], Mapping[str, str]]
    ready: str  # path that answers once it can take spans
    database: str  # SQLite file in its folder
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Running:
    """A started server. Held resource: stop or kill it."""

    product: Product
    folder: Path
    port: int
    process: subprocess.Popen[bytes]


def ours() -> Product:
    """Coevolve's own service, redacting, as `coevolve experience serve` runs it."""
    words = [sys.executable, "-m", "coevolve", "experience", "serve", "--store"]
    return Product(
        name="ours",
        title="coevolve",
        command=lambda folder, port: [*words, f"sqlite:///{folder / 'x.db'}", "--port", str(port)],
        environment=lambda folder, port: {"PYTHONPATH": _path()},
        ready="/health",
        database="x.db",
    )


def _path() -> str:
    """So that what is measured is the package that this process runs, and no other that is installed."""
    return os.pathsep.join([str(_PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])


def peers(venv: Path) -> tuple[Product, Product]:
    """MLflow and Phoenix from a virtual environment. Raises: StoreError: they are not in it."""
    programs = {name: venv.resolve() / "bin" / name for name in ("mlflow", "phoenix")}
    for path in programs.values():
        if not path.is_file():
            raise StoreError(f"{path} is not there", fix="make peers, and --peers .venv-peers")
    mlflow = Product(
        name="mlflow",
        title="MLflow",
        command=lambda folder, port: [
            *[str(programs["mlflow"]), "server", "--port", str(port)],
            *["--backend-store-uri", f"sqlite:///{folder / 'x.db'}"],
            *["--artifacts-destination", str(folder / "artifacts")],
        ],
        environment=lambda folder, port: {
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",  # jobs that nobody asks for would cost it time
        },
        ready="/health",
        database="x.db",
        headers={"x-mlflow-experiment-id": "0"},
    )
    phoenix = Product(
        name="phoenix",
        title="Arize Phoenix",
        command=lambda folder, port: [str(programs["phoenix"]), "serve"],
        environment=lambda folder, port: {
            "PHOENIX_WORKING_DIR": str(folder),
            "PHOENIX_PORT": str(port),
            "PHOENIX_GRPC_PORT": str(free_port()),
            "PHOENIX_TELEMETRY_ENABLED": "false",
        },
        ready="/healthz",
        database="phoenix.db",
    )
    return mlflow, phoenix


def versions(venv: Path) -> dict[str, str]:
    """Of the peers' packages, by name."""
    found = {}
    for name in PEERS:
        for folder in venv.glob(f"lib/python*/site-packages/{name.replace('-', '_')}-*.dist-info"):
            found[name] = folder.name.removesuffix(".dist-info").partition("-")[2]
    return found


def free_port() -> int:
    """A port that nobody listens at now."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def served(product: Product, folder: Path) -> Iterator[Running]:
    """A server over a folder, stopped when the block ends."""
    running = start(product, folder)
    try:
        yield running
    finally:
        stop(running)


def start(product: Product, folder: Path) -> Running:
    """Start a server over a folder, new or left by an earlier one, and wait until it answers.

    Raises: StoreError: it ended, or does not answer in time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    log = folder / "server.log"
    words = product.command(folder, port)
    with log.open("ab") as written:
        process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, **product.environment(folder, port)},
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its workers can be killed with it
        )
    deadline = time.monotonic() + START_S
    while not _answers(f"http://127.0.0.1:{port}{product.ready}"):
        if process.poll() is not None or time.monotonic() > deadline:
            said = log.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
            how = "has ended" if process.poll() is not None else f"does not answer within {START_S:.0f} s"
            _signal(process, signal.SIGKILL)
            raise StoreError(f"{product.title} {how}: {said}", fix="start it by hand: " + shlex.join(words))
        time.sleep(0.1)
    return Running(product, folder, port, process)


def stop(running: Running) -> None:
    """End a server as its makers mean it to be ended. Idempotent."""
    _signal(running.process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        running.process.wait(60)
    _signal(running.process, signal.SIGKILL)


def kill(running: Running) -> None:
    """`kill -9` the server and its workers."""
    _signal(running.process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # it has ended already
        os.killpg(process.pid, number)
    if number is signal.SIGKILL:
        process.wait()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def kept(product: Product, folder: Path) -> set[str]:
    """Span ids of the turns that are in a product's database; those of roots are left out."""
    path = folder / product.database
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as connection:
        rows = connection.execute("SELECT span_id FROM spans WHERE span_id NOT LIKE '%0000'")
        return {str(span_id) for (span_id,) in rows}


def kept_count(product: Product, folder: Path) -> int:
    """How many spans a product's database holds, roots included."""
    path = folder / product.database
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM spans").fetchone()
        return int(count)
