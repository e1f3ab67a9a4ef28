"""Append-only trajectories, and their scorings beside them.

Trajectories enter raw or scored and leave with their latest scoring. What `append` has returned from is on
the disk. Nothing here changes or deletes them: what leaves, leaves by `retention` and `forget`. Not protected
against: someone editing the file by hand.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection

from coevolve.codec import content_hash, to_json
from coevolve.database import Database, open_database
from coevolve.database.months import month_of
from coevolve.database.tables import bodies, scorings, trajectories
from coevolve.errors import ConflictError, ContentError, StoreError
from coevolve.store.batches import batches
from coevolve.store.query import LISTED, Query, Row
from coevolve.store.rows import Origin, Scoring, content_of, read_row, row_of, selection
from coevolve.types import Trajectory

_TRIES = 5  # of a write that another writer's held up


def open_store(url: str | sa.URL) -> Store:
    """Open or create the store at a URL such as `sqlite:///runs/experience.db`.

    Raises: StoreError: not writable, damaged, or written by a newer coevolve.
    """
    return Store(open_database(url))


class Store:
    """Experience in a held database; any number of threads may use one Store at once."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def append(
        self,
        found: Iterable[Trajectory],
        *,
        run: str = "",
        round: int | None = None,
        origins: Mapping[str, Origin] | None = None,
    ) -> None:
        """Keep trajectories, with the scoring of those that carry one, in one transaction.

        Idempotent: an id that is there with the same raw content is passed over (a scoring it carries is
        added where it differs from the latest one, an origin where none was known).

        Args: origins: by trajectory id.
        Raises: ContentError: an id is there with other content; StoreError: the disk refuses; then nothing is
            kept.
        """
        batch = list(found)
        for patience in range(_TRIES, -1, -1):
            try:
                self._append(batch, run, round, origins or {})
                return
            except ConflictError:
                if self.database.writing or not patience:  # a part of a larger transaction cannot be repeated
                    raise

    def _append(
        self, batch: Sequence[Trajectory], run: str, round: int | None, origins: Mapping[str, Origin]
    ) -> None:
        rows = [row_of(one, run, round, origins.get(one.id, Origin())) for one in batch]
        with self.database.write() as connection:
            seen = _contents(connection, [row["id"] for row in rows])
            _note_origins(connection, {id: origins[id] for id in seen if id in origins})
            new: list[dict[str, Any]] = []
            for row in rows:
                if row["id"] not in seen:
                    seen[row["id"]] = row["content"]
                    new.append(row)
                elif seen[row["id"]] != row["content"]:
                    raise _other_content(row["id"], self.database.name)
            _insert_new(connection, self.database, new)
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
                if known != content_of(trajectory):
                    raise StoreError(
                        f"the scored trajectory {trajectory.id} is not the one that was stored",
                        fix="score what store.get returns; only signals and reward may differ",
                    )
            _insert_scorings(connection, run, batch)

    def rescore(
        self, run: str, ids: Iterable[str], judged: Callable[[Sequence[Trajectory]], Sequence[Trajectory]]
    ) -> tuple[list[Trajectory], list[Trajectory]]:
        """Score trajectories as they are known in this very moment; who scores them meanwhile waits.

        Args: judged: given them, those of them that have a new scoring. Called once, inside the transaction.

        Returns: what was known, and what `judged` made of it; ids that are not kept are left out.
        """
        wanted = sorted(set(ids))
        with self.database.write() as connection:
            for some in batches(wanted):
                held = sa.select(trajectories.c.id).where(trajectories.c.id.in_(some))
                connection.execute(held.order_by(trajectories.c.id).with_for_update())
            known = list(self.known(wanted).values())
            scored = list(judged(known))
            self.append_scores(run, scored)
        return known, scored

    def get(self, trajectory_id: str) -> Trajectory:
        """The trajectory with its latest scoring.

        Raises: StoreError: there is none of this id.
        """
        with self.database.read() as connection:
            row = connection.execute(selection().where(trajectories.c.id == trajectory_id)).one_or_none()
        if row is None:
            raise StoreError(
                f"no trajectory {trajectory_id} in {self.database.name}",
                fix="check the id and the database that the configuration names",
            )
        return read_row(row)

    def known(self, ids: Iterable[str]) -> dict[str, Trajectory]:
        """Those of these trajectories that are kept, by id."""
        found: dict[str, Trajectory] = {}
        with self.database.read() as connection:
            for some in batches(dict.fromkeys(ids)):
                rows = connection.execute(selection().where(trajectories.c.id.in_(some)))
                found |= {row.id: read_row(row) for row in rows}
        return found

    def find(self, query: Query | None = None) -> list[Trajectory]:
        """Trajectories that match, in order of arrival; of a limit, the newest.

        What spans that came late have made anew is found in its new form alone.
        """
        with self.database.read() as connection:
            found = connection.execute((query or Query()).narrowed(selection())).all()
        return [read_row(row) for row in reversed(found)]

    def stream(self, query: Query | None = None, at_once: int = 100) -> Generator[Trajectory, None, None]:
        """What `find` finds, of one moment, `at_once` in memory. Read it to its end, or close it."""
        wanted = (query or Query()).narrowed(sa.select(trajectories.c.seq))
        ordered = selection().where(trajectories.c.seq.in_(wanted)).order_by(trajectories.c.seq)
        with self.database.read() as connection:
            for row in connection.execute(ordered.execution_options(yield_per=at_once)):
                yield read_row(row)

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
        query = selection().where(trajectories.c.id.in_(sa.select(below.c.id)))
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(trajectories.c.seq)).all()
        return [read_row(row) for row in rows if row.id != trajectory_id]

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


def _note_origins(connection: Connection, origins: Mapping[str, Origin]) -> None:
    """What was kept before its origin was known gets it."""
    if not origins:
        return
    own = trajectories.c
    noted = {
        "subject": sa.func.coalesce(own.subject, sa.bindparam("user", type_=sa.String)),
        "trace_id": sa.func.coalesce(own.trace_id, sa.bindparam("trace", type_=sa.String)),
    }
    one = sa.update(trajectories).where(own.id == sa.bindparam("kept")).values(noted)
    given = [
        {"kept": id, "user": origins[id].subject, "trace": origins[id].trace_id} for id in sorted(origins)
    ]
    connection.execute(one, given)


def _insert_new(connection: Connection, database: Database, rows: Sequence[dict[str, Any]]) -> None:
    """Insert; where another writer was faster with the same id, its content must be the same."""
    if not rows:
        return
    if connection.dialect.name != "postgresql":  # SQLite has one writer, which has looked already
        connection.execute(sa.insert(trajectories), [_without_body(row) for row in rows])
        connection.execute(sa.insert(bodies), [_body(row) for row in rows])
        return
    for at_s in {month_of(row["created_s"]): row["created_s"] for row in rows}.values():
        database.hold_month(connection, at_s)
    # In one order, so that two writers of the same ids wait for each other in turn and never in a circle.
    # The order of arrival is given out before.
    numbers = sa.select(sa.func.nextval(sa.func.pg_get_serial_sequence("trajectories", "seq")))
    given = connection.execute(numbers.select_from(sa.func.generate_series(1, len(rows)).table_valued()))
    numbered = [
        {**_without_body(row), "seq": seq} for row, seq in zip(rows, sorted(given.scalars()), strict=True)
    ]
    ordered = sorted(numbered, key=lambda row: str(row["id"]))
    insert = postgresql.insert(trajectories).on_conflict_do_nothing().returning(trajectories.c.id)
    mine = set(connection.execute(insert, ordered).scalars())
    if own := [_body(row) for row in rows if row["id"] in mine]:
        connection.execute(sa.insert(bodies), own)
    held = _contents(connection, [row["id"] for row in rows])
    for row in rows:
        if held[row["id"]] != row["content"]:
            raise _other_content(row["id"], database.name)


def _without_body(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "body"}


def _body(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"trajectory": row["id"], "created_s": row["created_s"], "body": row["body"]}


def _other_content(identity: str, name: str) -> ContentError:
    return ContentError(
        f"trajectory {identity} is already in {name} with other content",
        fix="give the new trajectory an id of its own; what is stored is never overwritten",
    )


def _contents(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Content hashes of those ids that are kept."""
    held: dict[str, str] = {}
    for some in batches(ids):
        query = sa.select(trajectories.c.id, trajectories.c.content)
        for key, content in connection.execute(query.where(trajectories.c.id.in_(some))):
            held[key] = content
    return held


def _insert_scorings(connection: Connection, run: str, scored: Sequence[Trajectory]) -> None:
    latest: dict[str, str] = {}
    for some in batches(trajectory.id for trajectory in scored):
        query = sa.select(scorings.c.trajectory, scorings.c.content).where(scorings.c.trajectory.in_(some))
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
