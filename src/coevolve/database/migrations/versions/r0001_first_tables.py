"""First tables: experience, journal, registry.

The tables are written out here, not taken from `coevolve.database.tables`: a revision stays as it was.
There is no way down; keep a copy of the file before an upgrade.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(JSONB(), "postgresql")
SEQ = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make all tables in an empty database."""
    _experience()
    _journal()
    _registry()


def _experience() -> None:
    op.create_table(
        "trajectories",
        sa.Column("seq", SEQ, primary_key=True),
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
        sa.Column("created_s", sa.Float, nullable=False, index=True),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("body", JSON, nullable=False),
    )
    op.create_table(
        "scorings",
        sa.Column("seq", SEQ, primary_key=True),
        sa.Column("trajectory", sa.String(200), sa.ForeignKey("trajectories.id"), nullable=False),
        sa.Column("run", sa.String(200), nullable=False, index=True),
        sa.Column("outcome", sa.String(20), index=True),
        sa.Column("total", sa.Float),
        sa.Column("created_s", sa.Float, nullable=False),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("body", JSON, nullable=False),
    )
    op.create_index("ix_scorings_trajectory_seq", "scorings", ["trajectory", "seq"])
    op.create_table(
        "pools",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("parent", sa.String(64), sa.ForeignKey("pools.id")),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("created_s", sa.Float, nullable=False),
    )
    op.create_table(
        "pool_sources",
        sa.Column("pool", sa.String(64), sa.ForeignKey("pools.id"), primary_key=True),
        sa.Column("trajectory", sa.String(200), primary_key=True, index=True),
    )


def _journal() -> None:
    op.create_table(
        "steps",
        sa.Column("seq", SEQ, primary_key=True),
        sa.Column("run", sa.String(200), nullable=False),
        sa.Column("step", sa.String(200), nullable=False),
        sa.Column("value", JSON, nullable=False),
        sa.Column("wall_s", sa.Float, nullable=False),
        sa.Column("created_s", sa.Float, nullable=False),
        sa.UniqueConstraint("run", "step", name="uq_steps_run_step"),
    )


def _registry() -> None:
    op.create_table(
        "versions",
        sa.Column("seq", SEQ, primary_key=True),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("parent", sa.String(64), sa.ForeignKey("versions.id")),
        sa.Column("pool", sa.String(64), index=True),
        sa.Column("standing", sa.String(20), nullable=False, index=True),
        sa.Column("created_s", sa.Float, nullable=False),
        sa.Column("manifest", JSON, nullable=False),
    )
    op.create_index(
        "uq_versions_one_champion",
        "versions",
        ["standing"],
        unique=True,
        sqlite_where=sa.text("standing = 'champion'"),
        postgresql_where=sa.text("standing = 'champion'"),
    )
    op.create_table(
        "standings",
        sa.Column("seq", SEQ, primary_key=True),
        sa.Column("version", sa.String(64), sa.ForeignKey("versions.id"), nullable=False, index=True),
        sa.Column("before", sa.String(20)),
        sa.Column("after", sa.String(20), nullable=False),
        sa.Column("below", sa.BigInteger, sa.ForeignKey("standings.seq")),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("created_s", sa.Float, nullable=False),
    )
    op.create_table(
        "verdicts",
        sa.Column("seq", SEQ, primary_key=True),
        sa.Column("candidate", sa.String(64), sa.ForeignKey("versions.id"), nullable=False, index=True),
        sa.Column("champion", sa.String(64), nullable=False),
        sa.Column("decision", sa.String(20), nullable=False),
        sa.Column("created_s", sa.Float, nullable=False),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("body", JSON, nullable=False),
    )
