"""Entries as rows of a Parquet table, both ways: columns to query by, the whole trajectory as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from coevolve.codec import defaults, from_json
from coevolve.errors import PoolError
from coevolve.types import Operation, PoolEntry, Trajectory

_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("operation", pa.string()),
        ("task_type", pa.string()),
        ("split", pa.string()),
        ("outcome", pa.string()),
        ("reward", pa.float64()),
        ("sources", pa.list_(pa.string())),
        ("synthetic", pa.bool_()),
        ("executed", pa.bool_()),
        ("round", pa.int64()),
        ("trajectory_json", pa.string()),
    ]
)


def encode(value: object) -> str:
    """Canonical JSON of a value in which dataclasses stand, without fields that equal their default.

    So a field that a later version of this code adds with a default changes no pool's hash.
    json's own encoder with a fallback is some ten times faster on long tuples of ids than converting
    every id first, and a pool is hashed whole every round.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)


def table(entries: Sequence[PoolEntry]) -> Any:
    """A pyarrow table with one row per entry."""
    rows = [_row(entry) for entry in entries]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)


def _row(entry: PoolEntry) -> dict[str, Any]:
    reward = entry.trajectory.reward
    return {
        "id": entry.id,
        "operation": entry.operation.value,
        "task_type": entry.trajectory.task.type,
        "split": entry.trajectory.task.split.value,
        "outcome": reward.outcome.value if reward is not None and reward.outcome is not None else None,
        "reward": reward.total if reward is not None else None,
        "sources": list(entry.sources),
        "synthetic": entry.synthetic,
        "executed": entry.executed,
        "round": entry.round,
        "trajectory_json": encode(entry.trajectory),
    }


def read_entries(path: Path) -> tuple[PoolEntry, ...]:
    """The entries of a Parquet file, in their order. Raises what pyarrow, json and the codec raise."""
    return tuple(
        PoolEntry(
            id=row["id"],
            operation=Operation(row["operation"]),
            trajectory=from_json(Trajectory, json.loads(row["trajectory_json"])),
            sources=tuple(row["sources"]),
            synthetic=row["synthetic"],
            executed=row["executed"],
            round=row["round"],
        )
        for row in pq.read_table(path).to_pylist()
    )


def _plain(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)  # one that is no dict
    if not is_dataclass(value) or isinstance(value, type):
        raise PoolError(
            f"{type(value).__name__} has no place in a pool", fix="use JSON values in specs and args"
        )
    skip = defaults(type(value))
    held_by = {item.name: getattr(value, item.name) for item in fields(value)}
    plain = {name: held for name, held in held_by.items() if name not in skip or held != skip[name]}
    for name in _float_fields(type(value)):  # a score of 1 and one of 1.0 are the same score
        held = plain.get(name)
        if isinstance(held, tuple):
            plain[name] = [float(number) for number in held]
        elif held is not None:
            plain[name] = float(held)
    return plain


@cache
def _float_fields(cls: Any) -> tuple[str, ...]:
    wanted = (float, float | None, tuple[float, ...])
    return tuple(name for name, hint in get_type_hints(cls).items() if hint in wanted)
