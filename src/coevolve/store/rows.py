"""Trajectories as rows of their table, both ways, each beside its latest scoring."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from coevolve.codec import content_hash, from_json, to_json
from coevolve.database.tables import bodies, scorings, trajectories
from coevolve.types import Reward, Signal, Trajectory


@dataclass(frozen=True, slots=True)
class Scoring:
    """One judgement of a trajectory; a trajectory may have several, the latest is valid."""

    signals: tuple[Signal, ...]
    reward: Reward | None


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose a trajectory is and what it was assembled from. Kept beside it, and in no export."""

    subject: str | None = None  # of `Redactor.subject`: a keyed hash of the user's id
    trace_id: str | None = None


def content_of(trajectory: Trajectory) -> str:
    """What makes a record this one: an episode that is played again takes another time, no more."""
    return content_hash(replace(_raw(trajectory), wall_s=0.0))


def row_of(trajectory: Trajectory, run: str, round: int | None, origin: Origin) -> dict[str, Any]:
    """The row of a trajectory and its body, without its scoring."""
    return {
        "id": trajectory.id,
        "session_id": trajectory.session_id,
        "task_id": trajectory.task.id,
        "type": trajectory.task.type,
        "split": str(trajectory.task.split),
        "version": trajectory.version,
        "agent": trajectory.agent,
        "parent": trajectory.parent,
        "stop": str(trajectory.stop),
        "failed_party": str(trajectory.failure.party) if trajectory.failure else None,
        "failed": trajectory.failure is not None,
        "run": run,
        "round": round,
        "created_s": time.time(),
        "content": content_of(trajectory),
        "body": to_json(_raw(trajectory)),
        "subject": origin.subject,
        "trace_id": origin.trace_id,
    }


def selection() -> sa.Select[Any]:
    """Trajectories beside their latest scoring, where they have one."""
    newer = scorings.alias("newer")
    latest = (
        sa.select(sa.func.max(newer.c.seq)).where(newer.c.trajectory == trajectories.c.id).scalar_subquery()
    )
    own = bodies.c.trajectory == trajectories.c.id
    return sa.select(trajectories.c.id, bodies.c.body, scorings.c.body.label("scoring")).select_from(
        trajectories.join(bodies, own).outerjoin(scorings, scorings.c.seq == latest)
    )


def read_row(row: sa.Row[Any]) -> Trajectory:
    """The trajectory of a row of `selection`."""
    trajectory = from_json(Trajectory, row.body)
    if row.scoring is None:
        return trajectory
    scoring = from_json(Scoring, row.scoring)
    return replace(trajectory, signals=scoring.signals, reward=scoring.reward)


def _raw(trajectory: Trajectory) -> Trajectory:
    return replace(trajectory, signals=(), reward=None)
