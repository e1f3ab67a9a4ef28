"""Where what a pool holds comes from, what became of a trajectory, and what a pool changed: for `show`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from coevolve import pool as pools
from coevolve.cli.output import fields, signed, table
from coevolve.errors import StoreError
from coevolve.store.pools import pool_rows
from coevolve.types import PoolVersion
from coevolve.workspace import Workspace


def find_entry(ws: Workspace, prefix: str) -> str | None:
    """The whole id of a pool entry that begins so; None where there is none.

    Raises: StoreError: several begin so.
    """
    known = {entry.id for pool in _newest_first(ws) for entry in pool.entries}
    matching = sorted(one for one in known if prefix and one.startswith(prefix))
    if len(matching) > 1:
        raise StoreError(f"{prefix!r} begins entries {', '.join(matching[:5])}", fix="give more characters")
    return matching[0] if matching else None


def show_entry(ws: Workspace, entry_id: str) -> tuple[dict[str, Any], list[RenderableType]]:
    """What made a pool entry, from which trajectories, and the signals that admitted it."""
    holding = next(pool for pool in _newest_first(ws) if any(one.id == entry_id for one in pool.entries))
    found = pools.lineage(holding, entry_id)
    spliced = found["spliced_at"]
    shown = {
        "pool": found["pool"],
        "made by": f"{found['operation']}, round {found['round']}",
        "trajectory": found["trajectory"],
        "task": f"{found['task']}: {found['task_type']}",
        "acted": found["acted"],
        "made from": ", ".join(source["trajectory"] for source in found["sources"]),
        "the teacher's from": None if spliced is None else f"turn {spliced}",
        "outcome": f"{found['outcome']}, reward {signed(found['reward'])}",
    }
    signals = [(one["turn"], one["name"], signed(one["score"]), one["why"]) for one in found["signals"]]
    parts: list[RenderableType] = [fields(f"entry {entry_id}", shown)]
    parts.append(table("signals", ("turn", "signal", "score", "why"), signals))
    return found, parts


def became(ws: Workspace, trajectory_id: str) -> list[str]:
    """What each pool that a trajectory was offered to made of it, newest first: taken, or refused and why."""
    return [
        pools.why(pool, trajectory_id)
        for pool in _newest_first(ws)
        if trajectory_id in pool.refusals
        or any(trajectory_id in (entry.trajectory.id, *entry.sources) for entry in pool.entries)
    ]


def since_parent(ws: Workspace, pool: PoolVersion) -> dict[str, Any] | None:
    """How a pool differs from the one it was made from; None where it is the first."""
    return pools.diff(pools.load(ws.pools, pool.parent), pool) if pool.parent else None


def _newest_first(ws: Workspace) -> Iterator[PoolVersion]:
    return (pools.load(ws.pools, row.id) for row in reversed(pool_rows(ws.store.database)))
