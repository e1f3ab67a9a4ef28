"""The tables of experience, journal and registry, in types that SQLite and PostgreSQL share.

A change here needs a revision under `migrations/versions/`; a test compares the two.
"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from coevolve.database.vector_type import UnitVector

metadata = sa.MetaData()
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
SEQ = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

trajectories = sa.Table(
    "trajectories",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),  # order of arrival
    sa.Column("id", sa.String(200), nullable=False, unique=True),
    sa.Column("session_id", sa.String(200), nullable=False, index=True),
    sa.Column("task_id", sa.String(200), nullable=False, index=True),
    sa.Column("type", sa.String(200), nullable=False, index=True),
    sa.Column("split", sa.String(20), nullable=False, index=True),
    sa.Column("version", sa.String(200), nullable=False, index=True),
    sa.Column("agent", sa.String(200), nullable=False, index=True),
    sa.Column("parent", sa.String(200), index=True),
    sa.Column("stop", sa.String(20), nullable=False, index=True),
    sa.Column("failed_party", sa.String(20)),
    sa.Column("run", sa.String(200), nullable=False, index=True),
    sa.Column("round", sa.Integer, index=True),
    sa.Column("created_s", sa.Float, nullable=False, index=True),  # seconds since 1970, UTC
    sa.Column("content", sa.String(64), nullable=False),  # hash of its body
    sa.Column("outcome", sa.String(20)),  # of the latest scoring, as are the next two
    sa.Column("total", sa.Float),
    sa.Column("failed", sa.Boolean, nullable=False, default=False),  # or somebody broke it
    sa.Index("ix_trajectories_agent_failed", "agent", "failed", "seq"),
    sa.Column("replaced_by", sa.String(200)),  # the trajectory that spans which came late have made of it
    sa.Column("subject", sa.String(64), index=True),  # keyed hash of the user's id; None = not known
    sa.Column("trace_id", sa.String(32), index=True),  # the trace it was assembled from, if any
)

bodies = sa.Table(
    "bodies",
    metadata,
    sa.Column("trajectory", sa.String(200), sa.ForeignKey("trajectories.id"), nullable=False),
    sa.Column("created_s", sa.Float, nullable=False),  # the trajectory's
    sa.Column("body", JSON, nullable=False),  # the raw trajectory: no signals, no reward
    sa.PrimaryKeyConstraint("trajectory", "created_s"),
    postgresql_partition_by="RANGE (created_s)",  # a table for each month: see `coevolve.database.months`
)

scorings = sa.Table(
    "scorings",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),  # the highest of a trajectory is the valid one
    sa.Column("trajectory", sa.String(200), sa.ForeignKey("trajectories.id"), nullable=False),
    sa.Column("run", sa.String(200), nullable=False, index=True),
    sa.Column("outcome", sa.String(20), index=True),
    sa.Column("total", sa.Float),
    sa.Column("created_s", sa.Float, nullable=False),
    sa.Column("content", sa.String(64), nullable=False),
    sa.Column("body", JSON, nullable=False),  # {"signals": [...], "reward": {...} | null}
    sa.Index("ix_scorings_trajectory_seq", "trajectory", "seq"),
)

pools = sa.Table(
    "pools",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("parent", sa.String(64), sa.ForeignKey("pools.id")),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("created_s", sa.Float, nullable=False),
)

pool_sources = sa.Table(
    "pool_sources",
    metadata,
    sa.Column("pool", sa.String(64), sa.ForeignKey("pools.id"), primary_key=True),
    sa.Column("trajectory", sa.String(200), primary_key=True, index=True),
)

steps = sa.Table(
    "steps",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),
    sa.Column("run", sa.String(200), nullable=False),
    sa.Column("step", sa.String(200), nullable=False),
    sa.Column("value", JSON, nullable=False),
    sa.Column("wall_s", sa.Float, nullable=False),
    sa.Column("created_s", sa.Float, nullable=False),
    sa.UniqueConstraint("run", "step", name="uq_steps_run_step"),
)

versions = sa.Table(
    "versions",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),
    sa.Column("id", sa.String(64), nullable=False, unique=True),
    sa.Column("parent", sa.String(64), sa.ForeignKey("versions.id")),
    sa.Column("pool", sa.String(64), index=True),
    sa.Column("standing", sa.String(20), nullable=False, index=True),
    sa.Column("created_s", sa.Float, nullable=False),
    sa.Column("manifest", JSON, nullable=False),
    # at most one champion, whatever any code above this does
    sa.Index(
        "uq_versions_one_champion",
        "standing",
        unique=True,
        sqlite_where=sa.text("standing = 'champion'"),
        postgresql_where=sa.text("standing = 'champion'"),
    ),
)

standings = sa.Table(
    "standings",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),
    sa.Column("version", sa.String(64), sa.ForeignKey("versions.id"), nullable=False, index=True),
    sa.Column("before", sa.String(20)),
    sa.Column("after", sa.String(20), nullable=False),
    # of a champion: the row of the champion that a rollback returns to
    sa.Column("below", sa.BigInteger, sa.ForeignKey("standings.seq")),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("created_s", sa.Float, nullable=False),
)

verdicts = sa.Table(
    "verdicts",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),
    sa.Column("candidate", sa.String(64), sa.ForeignKey("versions.id"), nullable=False, index=True),
    sa.Column("champion", sa.String(64), nullable=False),
    sa.Column("decision", sa.String(20), nullable=False),
    sa.Column("created_s", sa.Float, nullable=False),
    sa.Column("content", sa.String(64), nullable=False),
    sa.Column("body", JSON, nullable=False),
)

statements = sa.Table(
    "statements",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),  # order of arrival
    sa.Column("id", sa.String(200), nullable=False, unique=True),  # given by who sends it
    sa.Column("session_id", sa.String(200), nullable=False, index=True),
    sa.Column("kind", sa.String(20), nullable=False, index=True),
    sa.Column("given_s", sa.Float, nullable=False),  # when it was said; it may arrive days later
    sa.Column("created_s", sa.Float, nullable=False, index=True),
    sa.Column("scored_s", sa.Float, index=True),  # when a reward took it in
    sa.Column("subject", sa.String(64), index=True),  # keyed hash of the user whose session it is
    sa.Column("content", sa.String(64), nullable=False),
    sa.Column("body", JSON, nullable=False),
)

spans = sa.Table(
    "spans",
    metadata,
    sa.Column("trace_id", sa.String(32), primary_key=True),
    sa.Column("span_id", sa.String(16), primary_key=True),
    sa.Column("created_s", sa.Float, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON, redacted
)

traces = sa.Table(
    "traces",
    metadata,
    sa.Column("trace_id", sa.String(32), primary_key=True),
    sa.Column("last_s", sa.Float, nullable=False),  # when its last span came
    sa.Column("assembled_s", sa.Float),  # the `last_s` up to which it has become trajectories
    sa.Index("ix_traces_waiting", "last_s", "assembled_s"),
)

owners = sa.Table(  # the users and sessions that the spans of a trace name
    "owners",
    metadata,
    sa.Column("trace_id", sa.String(32), primary_key=True),
    sa.Column("session_id", sa.String(200), primary_key=True, index=True),  # "" = none is named
    sa.Column("subject", sa.String(64), primary_key=True, index=True),  # "" = none is named
)

vectors = sa.Table(
    "vectors",
    metadata,
    sa.Column("seq", SEQ, primary_key=True),
    sa.Column("trajectory", sa.String(200), sa.ForeignKey("trajectories.id"), nullable=False, unique=True),
    sa.Column("vector", UnitVector, nullable=False),  # of what the trajectory was about
)
