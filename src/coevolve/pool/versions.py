"""Pool versions on disk: Parquet for the entries, a manifest with hashes, written whole or not at all.

A version's folder is `root/<id>/` with `entries.parquet` and `manifest.json`. The id is the hash of what
the manifest says (entries, counts, parent, seed, rule), so the same inputs give the same id; wall-clock
times are left out of it. Hashes detect damage; they do not keep out somebody who rewrites both files.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from coevolve.codec import to_json
from coevolve.errors import CoevolveError, PoolError
from coevolve.examples import IMITATED
from coevolve.pool.rows import encode, read_entries, table
from coevolve.types import Operation, PoolEntry, PoolVersion

ENTRIES, MANIFEST = "entries.parquet", "manifest.json"
FORMAT = 2


def identify(pool: PoolVersion) -> str:
    """The id a version deserves: 16 hex digits of its content's hash. `pool.id` itself is not read."""
    return short_hash(_content(pool))


def short_hash(value: object) -> str:
    """16 hex digits of SHA-256 over canonical JSON; dataclasses count as objects of their fields."""
    return _digest(value)[:16]


def save(pool: PoolVersion, root: str | Path) -> Path:
    """Write a version under `root` and return its folder. Saving twice changes nothing.

    Raises: PoolError: `pool.id` is not the hash of its content, or the disk refuses.
    """
    content = _content(pool)
    if short_hash(content) != pool.id:
        raise PoolError(
            f"pool {pool.id or '(no id)'} does not have the id of its content",
            fix="save a version as `evolve` returned it, or set its id with `identify`",
        )
    root = Path(root)
    home = root / pool.id
    temporary: Path | None = None
    try:
        root.mkdir(parents=True, exist_ok=True)
        if home.exists():
            load(root, pool.id)
            return home
        temporary = Path(tempfile.mkdtemp(prefix=".pool-", dir=root))
        pq.write_table(table(pool.entries), temporary / ENTRIES, compression="zstd")
        manifest = {
            "id": pool.id,
            "content": content,
            "files": {ENTRIES: _file_hash(temporary / ENTRIES)},
        }
        text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
        (temporary / MANIFEST).write_text(text, encoding="utf-8")
        for name in (ENTRIES, MANIFEST):
            _flush(temporary / name)
        os.rename(temporary, home)
        _flush(root)
    except OSError as error:
        raise PoolError(
            f"pool {pool.id} cannot be written to {home}: {error.strerror or error}",
            fix="free disk space or name a folder that can be written; nothing half-written is left",
        ) from error
    finally:
        if temporary is not None and temporary.exists():
            shutil.rmtree(temporary, ignore_errors=True)
    return home


def load(root: str | Path, id: str) -> PoolVersion:
    """Read a version and verify every hash.

    Raises: PoolError: the version is unknown, or a file of it is missing or damaged (named).
    """
    home = Path(root) / id
    if not home.is_dir():
        there = sorted(p.name for p in Path(root).glob("*/") if (p / MANIFEST).exists())
        raise PoolError(
            f"there is no pool {id!r} in {root}", fix=f"use one of: {', '.join(there) or '(none saved yet)'}"
        )
    manifest = _guarded(home / MANIFEST, lambda path: json.loads(path.read_text(encoding="utf-8")))
    content, files = _guarded(home / MANIFEST, lambda _: (manifest["content"], manifest["files"]))
    if manifest.get("id") != id or short_hash(content) != id:
        raise _damaged(home / MANIFEST, "its content does not have the hash that names it")
    if content["format"] != FORMAT:
        raise PoolError(
            f"{home / MANIFEST}: format {content['format']}, this program reads {FORMAT}",
            fix="read it with the version of coevolve that wrote it",
        )
    if _guarded(home / ENTRIES, _file_hash) != files.get(ENTRIES):
        raise _damaged(home / ENTRIES, "its hash differs from the manifest's")
    entries = _guarded(home / ENTRIES, read_entries)
    pool = PoolVersion(
        id=id,
        parent=content["parent"],
        entries=entries,
        rejected=content["rejected"],
        refusals=content["refusals"],
        recipe=content["recipe"],
    )
    if identify(pool) != id:
        raise _damaged(home / ENTRIES, "its entries are not those the manifest counts")
    return pool


def stats(pool: PoolVersion) -> dict[str, Any]:
    """Figures of a version: counts, shares (0 to 1, of what can be imitated), mean reward and turns."""
    imitated = [entry for entry in pool.entries if entry.operation in IMITATED]
    rewards = [r.total for e in imitated if (r := e.trajectory.reward) is not None and r.total is not None]
    count = len(imitated)

    def share(wanted: Callable[[PoolEntry], bool]) -> float | None:
        return sum(wanted(entry) for entry in imitated) / count if count else None

    return {
        "id": pool.id,
        "parent": pool.parent,
        "entries": len(pool.entries),
        "imitated": count,
        **_counts(pool.entries),
        "own_share": share(lambda entry: not entry.synthetic),
        "executed_synthetic_share": share(lambda entry: entry.synthetic and entry.executed),
        "unverified_synthetic_share": share(lambda entry: entry.synthetic and not entry.executed),
        "mean_reward": sum(rewards) / len(rewards) if rewards else None,
        "mean_turns": sum(len(e.trajectory.turns) for e in imitated) / count if count else None,
        "rejected": dict(pool.rejected),
    }


def diff(before: PoolVersion, after: PoolVersion) -> dict[str, Any]:
    """What changed between two versions: ids added and removed, and the change of counts."""
    old, new = ({entry.id: entry for entry in pool.entries} for pool in (before, after))
    counts_old, counts_new = _counts(before.entries), _counts(after.entries)
    changes = {
        group: {
            name: delta
            for name in sorted({*counts_old[group], *counts_new[group]})
            if (delta := counts_new[group].get(name, 0) - counts_old[group].get(name, 0))
        }
        for group in counts_old
    }
    return {
        "before": before.id,
        "after": after.id,
        "added": [id for id in new if id not in old],
        "removed": [id for id in old if id not in new],
        "kept": sum(id in old for id in new),
        "changes": changes,
    }


def lineage(pool: PoolVersion, entry_id: str) -> dict[str, Any]:
    """Where an entry comes from: what made it, its source trajectories, the signals that admitted it.

    Raises: PoolError: this version has no such entry.
    """
    found = next((entry for entry in pool.entries if entry.id == entry_id), None)
    if found is None:
        raise PoolError(
            f"pool {pool.id} has no entry {entry_id!r}", fix="list its entries with `coevolve show POOL`"
        )
    trajectory, reward = found.trajectory, found.trajectory.reward
    here = {entry.trajectory.id: entry.id for entry in pool.entries}
    return {
        "pool": pool.id,
        "entry": found.id,
        "operation": found.operation.value,
        "round": found.round,
        "trajectory": trajectory.id,
        "task": trajectory.task.id,
        "task_type": trajectory.task.type,
        "acted": trajectory.version,
        "sources": [{"trajectory": source, "entry": here.get(source)} for source in found.sources],
        "spliced_at": next((t.index for t in trajectory.turns if t.by == "teacher"), None)
        if found.operation is Operation.TEACHER_COMPLETION
        else None,
        "outcome": reward.outcome.value if reward is not None and reward.outcome is not None else None,
        "reward": reward.total if reward is not None else None,
        "signals": [to_json(signal) for signal in trajectory.signals],
    }


def _content(pool: PoolVersion) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "parent": pool.parent,
        "entries": len(pool.entries),
        "entries_sha256": _digest([_timeless(entry) for entry in pool.entries]),
        "counts": _counts(pool.entries),
        "rejected": dict(pool.rejected),
        "refusals": dict(pool.refusals),
        "recipe": dict(pool.recipe),
    }


def _counts(entries: Sequence[PoolEntry]) -> dict[str, dict[str, int]]:
    rewards = [entry.trajectory.reward for entry in entries]
    outcomes = ["unknown" if r is None or r.outcome is None else r.outcome.value for r in rewards]
    return {
        "types": dict(sorted(Counter(entry.trajectory.task.type for entry in entries).items())),
        "operations": dict(sorted(Counter(entry.operation.value for entry in entries).items())),
        "outcomes": dict(sorted(Counter(outcomes).items())),
    }


def _timeless(entry: PoolEntry) -> PoolEntry:
    return replace(entry, trajectory=replace(entry.trajectory, wall_s=0.0))


def _digest(value: object) -> str:
    return hashlib.sha256(encode(value).encode()).hexdigest()


def _guarded(path: Path, read: Callable[[Path], Any]) -> Any:
    """Read a file; whatever is wrong with it is said with its name."""
    try:
        return read(path)
    except FileNotFoundError:
        raise _damaged(path, "it is missing") from None
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException, CoevolveError) as error:
        raise _damaged(path, f"{type(error).__name__}: {error}") from error


def _damaged(path: Path, what: str) -> PoolError:
    return PoolError(
        f"{path} is damaged: {what}", fix="restore the folder from a copy, or evolve the pool again"
    )


def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
