"""Sessions as a user lived them: ids of sessions enter, their trajectories leave in order of time.

The order is that of arrival, which is the order of time where each request is recorded as it ends; two that
run at once may change places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import sqlalchemy as sa

from coevolve.database import Database
from coevolve.database.tables import trajectories
from coevolve.store.batches import batches


def session_order(database: Database, sessions: Iterable[str]) -> dict[str, list[str]]:
    """Ids of the trajectories in which each session's user spoke, in order of time.

    One that another agent started heard no user, and of a trace only the first agent that nobody started
    counts: that one bears the trace's own id. What late spans made anew keeps the place of its first form.
    """
    own = trajectories.c
    columns = (own.id, own.session_id, own.trace_id, own.parent, own.replaced_by)
    first: dict[str, int] = {}
    valid: dict[str, list[str]] = defaultdict(list)
    with database.read() as connection:
        for some in batches(dict.fromkeys(sessions)):
            query = sa.select(*columns).where(own.session_id.in_(some)).order_by(own.seq)
            for row in connection.execute(query):
                name = _first_form(row.id)
                first.setdefault(name, len(first))
                leads = row.parent is None and row.trace_id in (None, name)
                if leads and row.replaced_by is None:
                    valid[row.session_id].append(row.id)
    return {session: sorted(ids, key=lambda id: first[_first_form(id)]) for session, ids in valid.items()}


def _first_form(identity: str) -> str:
    return identity.partition("~")[0]
