"""Live experience: spans as they came, their traces, and what was said about sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from pgvector.sqlalchemy import VECTOR as PGVECTOR
from sqlalchemy.dialects.postgresql import JSONB

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(JSONB(), "postgresql")
VECTOR = sa.LargeBinary().with_variant(PGVECTOR(384), "postgresql")
SEQ = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add what live experience needs."""
    with op.batch_alter_table("trajectories") as batch:
        batch.add_column(sa.Column("outcome", sa.String(20)))
        batch.add_column(sa.Column("total", sa.Float))
        batch.add_column(sa.Column("failed", sa.Boolean, nullable=False, server_default=sa.false()))
        batch.add_column(sa.Column("replaced_by", sa.String(200)))
        batch.create_index("ix_trajectories_agent_failed", ["agent", "failed", "seq"])
    _vectors()
    _fill()
    op.create_table(
        "statements",
        sa.Column("seq", SEQ, primary_key=True),
        sa.Column("id", sa.String(200), nullable=False, unique=True),
        sa.Column("session_id", sa.String(200), nullable=False, index=True),
        sa.Column("kind", sa.String(20), nullable=False, index=True),
        sa.Column("given_s", sa.Float, nullable=False),
        sa.Column("created_s", sa.Float, nullable=False, index=True),
        sa.Column("scored_s", sa.Float, index=True),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("body", JSON, nullable=False),
    )
    op.create_table(
        "spans",
        sa.Column("trace_id", sa.String(32), primary_key=True),
        sa.Column("span_id", sa.String(16), primary_key=True),
        sa.Column("created_s", sa.Float, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "traces",
        sa.Column("trace_id", sa.String(32), primary_key=True),
        sa.Column("last_s", sa.Float, nullable=False),
        sa.Column("assembled_s", sa.Float),
        sa.Index("ix_traces_waiting", "last_s", "assembled_s"),
    )


def _vectors() -> None:
    """Blobs in SQLite; in PostgreSQL pgvector's type under an index (HNSW, arXiv:1603.09320)."""
    postgres = op.get_bind().dialect.name == "postgresql"
    if postgres:
        op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    op.create_table(
        "vectors",
        sa.Column("seq", SEQ, primary_key=True),
        sa.Column(
            "trajectory", sa.String(200), sa.ForeignKey("trajectories.id"), nullable=False, unique=True
        ),
        sa.Column("vector", VECTOR, nullable=False),
    )
    if postgres:
        op.execute("CREATE INDEX ix_vectors_near ON vectors USING hnsw (vector vector_cosine_ops)")


def _fill() -> None:
    """What is scored already gets its latest word."""
    latest = "(SELECT {} FROM scorings s WHERE s.trajectory = trajectories.id ORDER BY s.seq DESC LIMIT 1)"
    columns = ", ".join(f"{name} = {latest.format(f's.{name}')}" for name in ("outcome", "total"))
    op.execute(f"UPDATE trajectories SET {columns}")
    failed = "failed_party IS NOT NULL OR outcome IN ('failure', 'partial')"
    op.execute(f"UPDATE trajectories SET failed = TRUE WHERE {failed}")


def downgrade() -> None:
    """Drop what live experience brought."""
    for table in ("vectors", "traces", "spans", "statements"):
        op.drop_table(table)
    with op.batch_alter_table("trajectories") as batch:
        batch.drop_index("ix_trajectories_agent_failed")
        for column in ("replaced_by", "failed", "total", "outcome"):
            batch.drop_column(column)
