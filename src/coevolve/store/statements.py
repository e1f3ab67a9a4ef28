"""What was said about sessions, kept beside their trajectories; it may come before or long after them.

Statements enter and are never changed: who changes their mind sends another one under another id.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import sqlalchemy as sa

from coevolve.codec import content_hash, from_json, to_json
from coevolve.database import Database
from coevolve.database.tables import owners, scorings, statements, traces, trajectories
from coevolve.errors import IngestError
from coevolve.store.batches import batches
from coevolve.types import Split, Statement, StatementKind

LIVE_RUN = "live"  # the run under which live sessions are scored


def append_statements(
    database: Database, given: Iterable[Statement], subjects: Mapping[str, str] | None = None
) -> list[str]:
    """Keep statements in one transaction. Idempotent by id.

    Args: subjects: by statement id, the user whose session it is (see `Redactor.subject`).

    Returns: ids of those that were not there before.
    Raises: IngestError: an id is there with other content; then nothing is kept.
    """
    batch = {one.id: one for one in given}
    whose = subjects or {}
    rows = {one.id: {**_row(one), "subject": whose.get(one.id)} for one in batch.values()}
    with database.write() as connection:
        held: dict[str, str] = {}
        for some in batches(rows):
            query = sa.select(statements.c.id, statements.c.content).where(statements.c.id.in_(some))
            held |= {row.id: row.content for row in connection.execute(query)}
        for id, content in held.items():
            if rows[id]["content"] != content:
                raise IngestError(
                    f"statement {id} is already in {database.name} with other content",
                    fix="send it under an id of its own; what was said is never overwritten",
                    status=409,
                )
        if told := [{"said": id, "user": whose[id]} for id in sorted(held) if id in whose]:
            unknown = sa.and_(statements.c.id == sa.bindparam("said"), statements.c.subject.is_(None))
            noted = sa.update(statements).where(unknown).values(subject=sa.bindparam("user"))
            connection.execute(noted, told)
        new = [row for id, row in rows.items() if id not in held]
        if new:
            connection.execute(sa.insert(statements), new)
    return [str(row["id"]) for row in new]


def statements_of(database: Database, sessions: Iterable[str]) -> dict[str, list[Statement]]:
    """What was said about each of these sessions, in the order in which it was said."""
    found: dict[str, list[Statement]] = defaultdict(list)
    with database.read() as connection:
        for some in batches(dict.fromkeys(sessions)):
            query = sa.select(statements.c.body).where(statements.c.session_id.in_(some))
            for row in connection.execute(query.order_by(statements.c.given_s, statements.c.seq)):
                one = from_json(Statement, row.body)
                found[one.session_id].append(one)
    return dict(found)


def sessions_to_score(database: Database, limit: int = 1000) -> list[str]:
    """Sessions with trajectories of which something was said that no reward knows of, the oldest word first.

    Theirs are the rewards to recompute; what learned from the old ones is found by lineage.
    """
    query = (
        sa.select(statements.c.session_id)
        .where(statements.c.scored_s.is_(None))
        .where(sa.exists().where(trajectories.c.session_id == statements.c.session_id))
        .group_by(statements.c.session_id)
        .order_by(sa.func.min(statements.c.seq))
        .limit(limit)
    )
    with database.read() as connection:
        return list(connection.execute(query).scalars())


def sessions_unscored(database: Database, limit: int = 1000) -> list[str]:
    """Sessions with live trajectories that nobody scored yet, the oldest first.

    A judge's opinion alone is kept as a scoring without a total, and so is what was sent with a trace.
    """
    of_it = scorings.c.trajectory == trajectories.c.id
    scored = sa.exists().where(of_it, sa.or_(scorings.c.total.is_not(None), scorings.c.run == LIVE_RUN))
    query = (
        sa.select(trajectories.c.session_id)
        .where(trajectories.c.split == Split.LIVE.value, trajectories.c.replaced_by.is_(None), ~scored)
        .group_by(trajectories.c.session_id)
        .order_by(sa.func.min(trajectories.c.seq))
        .limit(limit)
    )
    with database.read() as connection:
        return list(connection.execute(query).scalars())


def sessions_known(database: Database, sessions: Iterable[str]) -> set[str]:
    """Those of these sessions of which a trajectory is kept, or spans that are to become one."""
    named = sa.exists().where(owners.c.trace_id == traces.c.trace_id, owners.c.session_id != "")
    found: set[str] = set()
    with database.read() as connection:
        for some in batches(dict.fromkeys(sessions)):
            for query in (
                sa.select(trajectories.c.session_id).where(trajectories.c.session_id.in_(some)),
                sa.select(owners.c.session_id).where(owners.c.session_id.in_(some)),
                # a trace that names no session is one by its own id
                sa.select(traces.c.trace_id).where(traces.c.trace_id.in_(some), ~named),
            ):
                found |= set(connection.execute(query.distinct()).scalars())
    return found


def sessions_labelled(database: Database) -> list[str]:
    """Sessions with trajectories that a reviewer spoke of, the oldest word first."""
    query = (
        sa.select(statements.c.session_id)
        .where(statements.c.kind == StatementKind.LABEL.value)
        .where(sa.exists().where(trajectories.c.session_id == statements.c.session_id))
        .group_by(statements.c.session_id)
        .order_by(sa.func.min(statements.c.seq))
    )
    with database.read() as connection:
        return list(connection.execute(query).scalars())


def mark_scored(database: Database, given: Iterable[Statement]) -> None:
    """Note that rewards know of these statements."""
    with database.write() as connection:
        for some in batches(one.id for one in given):
            told = sa.update(statements).where(statements.c.id.in_(some))
            connection.execute(told.values(scored_s=time.time()))


def _row(one: Statement) -> dict[str, object]:
    return {
        "id": one.id,
        "session_id": one.session_id,
        "kind": one.kind.value,
        "given_s": one.given_s,
        "created_s": time.time(),
        "content": content_hash(replace(one, given_s=0.0)),  # who sends it again may not say when it was
        "body": to_json(one),
    }
