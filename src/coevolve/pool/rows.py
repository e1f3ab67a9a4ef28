"""Entries as rows of a Parquet table, both ways: columns to query by, the whole trajectory as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from coevolve.codec import from_json, to_json
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
        ("weight", pa.float64()),
        ("trajectory_json", pa.string()),
    ]
)


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
        "weight": entry.weight,
        "trajectory_json": json.dumps(to_json(entry.trajectory), separators=(",", ":")),
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
            weight=row["weight"],
        )
        for row in pq.read_table(path).to_pylist()
    )
