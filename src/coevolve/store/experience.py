"""Append-only trajectories, their scorings beside them, and which pools were made from them.

Trajectories enter raw or scored and leave with their latest scoring. What `append` has returned from is on
the disk. Nothing is ever changed or deleted; not protected against: someone editing the file by hand.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection

from coevolve.codec import content_hash, from_json, to_json
from coevolve.database import Database, open_database
from coevolve.database.tables import scorings, trajectories
from coevolve.errors import ConflictError, StoreError
from coevolve.store.query import LISTED, Query, Row
from coevolve.types import Reward, Signal, Trajectory

_TRIES = 5  # of a write that another writer's held up
_ID_BATCH = 500  # ids per query, far below any database's limit on bound parameters


@dataclass(frozen=True, slots=True)
class Scoring:
    """One judgement of a trajectory; a trajectory may have several, the latest is valid."""

    signals: tuple[Signal, ...]
    reward: Reward | None


def open_store(url: str | sa.URL) -> Store:
    """Open or create the store at a URL such as `sqlite:///runs/experience.db`.

    Raises: StoreError: not writable, damaged, or written by a newer coevolve.
    """
    return Store(open_database(url))


class Store:
    """Experience in a held database; any number of threads may use one Store at once."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def append(self, found: Iterable[Trajectory], *, run: str = "", round: int | None = None) -> None:
        """Keep trajectories, with the scoring of those that carry one, in one transaction.

        Idempotent: an id that is there with the same raw content is passed over (a scoring it carries is
        added where it differs from the latest one).

        Raises: StoreError: an id is there with other content, or the disk refuses; then nothing is kept.
        """
        batch = list(found)
        for patience in range(_TRIES, -1, -1):
            try:
                self._append(batch, run, round)
                return
            except ConflictError:
                if self.database.writing or not patience:  # a part of a larger transaction cannot be repeated
                    raise

    def _append(self, batch: Sequence[Trajectory], run: str, round: int | None) -> None:
        rows = [_row(trajectory, run, round) for trajectory in batch]
        with self.database.write() as connection:
            seen = _contents(connection, [row["id"] for row in rows])
            new: list[dict[str, Any]] = []
            for row in rows:
                if row["id"] not in seen:
                    seen[row["id"]] = row["content"]
                    new.append(row)
                elif seen[row["id"]] != row["content"]:
                    raise _other_content(row["id"], self.database.name)
            _insert_new(connection, self.database.name, new)
            _insert_scorings(connection, run, [t for t in batch if t.signals or t.reward is not None])

    def append_scores(self, run: str, scored: Iterable[Trajectory]) -> None:
        """Add the signals and reward of trajectories that are already kept, in one transaction.

        The latest scoring of a trajectory is the valid one; one equal to the latest is passed over.

        Raises: StoreError: a trajectory is unknown or its raw part differs; then nothing is kept.
        """
        batch = list(scored)
        with self.database.write() as connection:
            held = _contents(connection, [trajectory.id for trajectory in batch])
            for trajectory in batch:
                known = held.get(trajectory.id)
                if known is None:
                    raise StoreError(f"trajectory {trajectory.id} is not in the store", fix="append it first")
                if known != _content(trajectory):
                    raise StoreError(
                        f"the scored trajectory {trajectory.id} is not the one that was stored",
                        fix="score what store.get returns; only signals and reward may differ",
                    )
            _insert_scorings(connection, run, batch)

    def get(self, trajectory_id: str) -> Trajectory:
        """The trajectory with its latest scoring.

        Raises: StoreError: there is none of this id.
        """
        with self.database.read() as connection:
            row = connection.execute(_selection().where(trajectories.c.id == trajectory_id)).one_or_none()
        if row is None:
            raise StoreError(
                f"no trajectory {trajectory_id} in {self.database.name}",
                fix="check the id and the database that the configuration names",
            )
        return _read(row)

    def known(self, ids: Iterable[str]) -> dict[str, Trajectory]:
        """Those of these trajectories that are kept, by id."""
        wanted = list(dict.fromkeys(ids))
        found: dict[str, Trajectory] = {}
        with self.database.read() as connection:
            for start in range(0, len(wanted), _ID_BATCH):
                some = wanted[start : start + _ID_BATCH]
                rows = connection.execute(_selection().where(trajectories.c.id.in_(some)))
                found |= {row.id: _read(row) for row in rows}
        return found

    def find(self, query: Query | None = None) -> list[Trajectory]:
        """Trajectories that match, in order of arrival; of a limit, the newest.

        What spans that came late have made anew is found in its new form alone.
        """
        with self.database.read() as connection:
            found = connection.execute((query or Query()).narrowed(_selection())).all()
        return [_read(row) for row in reversed(found)]

    def rows(self, query: Query | None = None) -> list[Row]:
        """The same without their contents, the newest first: what a list shows."""
        with self.database.read() as connection:
            found = connection.execute((query or Query()).narrowed(sa.select(*LISTED))).all()
        return [Row(*row) for row in found]

    def count(self) -> int:
        """How many trajectories are kept."""
        with self.database.read() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(trajectories)).scalar_one())

    def descendants(self, trajectory_id: str) -> list[Trajectory]:
        """All that was spawned or seeded by this trajectory, at any depth, in order of arrival."""
        below = (
            sa.select(trajectories.c.id)
            .where(trajectories.c.parent == trajectory_id)
            .cte("below", recursive=True)
        )
        # UNION, not UNION ALL: a circle of parents ends instead of running for ever
        below = below.union(sa.select(trajectories.c.id).where(trajectories.c.parent == below.c.id))
        query = _selection().where(trajectories.c.id.in_(sa.select(below.c.id)))
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(trajectories.c.seq)).all()
        return [_read(row) for row in rows if row.id != trajectory_id]

    def beginning(self, prefix: str, limit: int = 6) -> list[str]:
        """Trajectory ids that begin with `prefix`, `limit` at most; where it is an id itself, that alone."""
        query = sa.select(trajectories.c.id).where(trajectories.c.id.startswith(prefix, autoescape=True))
        exact = sa.select(trajectories.c.id).where(trajectories.c.id == prefix)
        with self.database.read() as connection:
            found = connection.execute(exact).scalars().all()
            return list(found or connection.execute(query.limit(limit)).scalars())

    def resolve(self, prefix: str) -> str:
        """The one trajectory id that begins with `prefix`.

        Raises: StoreError: none does, or several do.
        """
        ids = self.beginning(prefix)
        if len(ids) == 1:
            return ids[0]
        if ids:
            raise StoreError(
                f"{prefix!r} begins several ids: {', '.join(ids[:5])}", fix="give more characters"
            )
        raise StoreError(
            f"no trajectory begins with {prefix!r}", fix="check the id and the database that is named"
        )

    def close(self) -> None:
        """Give the database's files back. Idempotent."""
        self.database.close()


def _raw(trajectory: Trajectory) -> Trajectory:
    return replace(trajectory, signals=(), reward=None)


def _content(trajectory: Trajectory) -> str:
    """What makes a record this one: an episode that is played again takes another time, no more."""
    return content_hash(replace(_raw(trajectory), wall_s=0.0))


def _row(trajectory: Trajectory, run: str, round: int | None) -> dict[str, Any]:
    body = to_json(_raw(trajectory))
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
        "content": _content(trajectory),
        "body": body,
    }


def _insert_new(connection: Connection, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Insert; where another writer was faster with the same id, its content must be the same."""
    if not rows:
        return
    if connection.dialect.name != "postgresql":  # SQLite has one writer, which has looked already
        connection.execute(sa.insert(trajectories), rows)
        return
    # In one order, so that two writers of the same ids wait for each other in turn and never in a circle.
    # The order of arrival is given out before.
    numbers = sa.select(sa.func.nextval(sa.func.pg_get_serial_sequence("trajectories", "seq")))
    given = connection.execute(numbers.select_from(sa.func.generate_series(1, len(rows)).table_valued()))
    numbered = [{**row, "seq": seq} for row, seq in zip(rows, sorted(given.scalars()), strict=True)]
    ordered = sorted(numbered, key=lambda row: str(row["id"]))
    connection.execute(postgresql.insert(trajectories).on_conflict_do_nothing(), ordered)
    held = _contents(connection, [row["id"] for row in rows])
    for row in rows:
        if held[row["id"]] != row["content"]:
            raise _other_content(row["id"], name)


def _other_content(identity: str, name: str) -> StoreError:
    return StoreError(
        f"trajectory {identity} is already in {name} with other content",
        fix="give the new trajectory an id of its own; what is stored is never overwritten",
    )


def _contents(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Content hashes of those ids that are kept."""
    held: dict[str, str] = {}
    for start in range(0, len(ids), _ID_BATCH):
        query = sa.select(trajectories.c.id, trajectories.c.content)
        for key, content in connection.execute(
            query.where(trajectories.c.id.in_(ids[start : start + _ID_BATCH]))
        ):
            held[key] = content
    return held


def _insert_scorings(connection: Connection, run: str, scored: Sequence[Trajectory]) -> None:
    latest: dict[str, str] = {}
    ids = [trajectory.id for trajectory in scored]
    for start in range(0, len(ids), _ID_BATCH):
        query = sa.select(scorings.c.trajectory, scorings.c.content).where(
            scorings.c.trajectory.in_(ids[start : start + _ID_BATCH])
        )
        latest.update((key, content) for key, content in connection.execute(query.order_by(scorings.c.seq)))
    rows: list[dict[str, Any]] = []
    for trajectory in scored:
        reward = trajectory.reward
        scoring = Scoring(trajectory.signals, reward)
        content = content_hash(scoring)
        if latest.get(trajectory.id) == content:
            continue
        latest[trajectory.id] = content
        rows.append(
            {
                "trajectory": trajectory.id,
                "run": run,
                "outcome": str(reward.outcome) if reward and reward.outcome else None,
                "total": reward.total if reward else None,
                "created_s": time.time(),
                "content": content,
                "body": to_json(scoring),
            }
        )
    if rows:
        connection.execute(sa.insert(scorings), rows)
        latest_word = sa.update(trajectories).where(trajectories.c.id == sa.bindparam("scored"))
        broken = {trajectory.id for trajectory in scored if trajectory.failure is not None}
        words = [
            {
                "scored": row["trajectory"],
                "outcome": row["outcome"],
                "total": row["total"],
                "failed": row["outcome"] in ("failure", "partial") or row["trajectory"] in broken,
            }
            for row in sorted(rows, key=lambda row: str(row["trajectory"]))
        ]
        connection.execute(latest_word, words)


def _selection() -> sa.Select[Any]:
    """Trajectories beside their latest scoring, where they have one."""
    newer = scorings.alias("newer")
    latest = (
        sa.select(sa.func.max(newer.c.seq)).where(newer.c.trajectory == trajectories.c.id).scalar_subquery()
    )
    return sa.select(trajectories.c.id, trajectories.c.body, scorings.c.body.label("scoring")).select_from(
        trajectories.outerjoin(scorings, scorings.c.seq == latest)
    )


def _read(row: sa.Row[Any]) -> Trajectory:
    trajectory = from_json(Trajectory, row.body)
    if row.scoring is None:
        return trajectory
    scoring = from_json(Scoring, row.scoring)
    return replace(trajectory, signals=scoring.signals, reward=scoring.reward)
