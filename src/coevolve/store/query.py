"""What to look for among trajectories, and what a list shows of each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from coevolve.database.tables import trajectories
from coevolve.types import MEASURING, Outcome, Split

LISTED = (
    trajectories.c.id,
    trajectories.c.session_id,
    trajectories.c.type,
    trajectories.c.version,
    trajectories.c.agent,
    trajectories.c.split,
    trajectories.c.outcome,
    trajectories.c.total,
    trajectories.c.failed_party,
    trajectories.c.created_s,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One trajectory in a list."""

    id: str
    session_id: str
    type: str
    version: str
    agent: str
    split: str
    outcome: str | None  # of the latest scoring; None = unknown
    total: float | None
    failed_party: str | None  # who broke it, if anybody did
    created_s: float  # seconds since 1970, UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Trajectories that match all that is given. Outcomes are of the latest scoring."""

    version: str | None = None
    split: Split | None = None
    type: str | None = None
    agent: str | None = None
    round: int | None = None
    outcome: Outcome | None = None
    failed: bool = False  # a failure or a half success, or broken by somebody
    sessions: Collection[str] | None = None
    since_s: float | None = None  # arrived since
    measuring: bool = True  # also of splits that only measure, which nobody who tunes may look at
    limit: int | None = None  # the newest

    def narrowed(self, select: sa.Select[Any]) -> sa.Select[Any]:
        """The statement with this query's conditions, the newest first."""
        columns = trajectories.c
        for column, wanted in (
            (columns.version, self.version),
            (columns.split, self.split),
            (columns.type, self.type),
            (columns.agent, self.agent),
            (columns.round, self.round),
            (columns.outcome, self.outcome),
        ):
            if wanted is not None:
                select = select.where(column == wanted)
        if not self.measuring:
            select = select.where(columns.split.not_in([split.value for split in MEASURING]))
        if self.failed:
            select = select.where(columns.failed.is_(True))
        if self.sessions is not None:
            select = select.where(columns.session_id.in_(list(self.sessions)))
        if self.since_s is not None:
            select = select.where(columns.created_s >= self.since_s)
        select = select.where(columns.replaced_by.is_(None)).order_by(columns.seq.desc())
        return select if self.limit is None else select.limit(self.limit)
