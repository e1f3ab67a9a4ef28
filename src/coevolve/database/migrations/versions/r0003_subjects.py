"""Whose experience is: users as keyed hashes, and which trace a trajectory was assembled from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_ADDED = (("trajectories", "subject", 64), ("trajectories", "trace_id", 32), ("statements", "subject", 64))


def upgrade() -> None:
    """Add what tells a user's experience. Of what is there already, no user is known."""
    for table, column, size in _ADDED:
        op.add_column(table, sa.Column(column, sa.String(size)))
        op.create_index(f"ix_{table}_{column}", table, [column])
    known = "substr(id, 1, 32) IN (SELECT trace_id FROM traces)"
    op.execute(f"UPDATE trajectories SET trace_id = substr(id, 1, 32) WHERE {known}")
    op.create_table(
        "owners",
        sa.Column("trace_id", sa.String(32), primary_key=True),
        sa.Column("session_id", sa.String(200), primary_key=True, index=True),
        sa.Column("subject", sa.String(64), primary_key=True, index=True),
    )


def downgrade() -> None:
    """Drop it again; whose experience is, is lost."""
    op.drop_table("owners")
    for table, column, _ in _ADDED:
        op.drop_index(f"ix_{table}_{column}", table)
        op.drop_column(table, column)  # in place: a copied table would break what refers to it
