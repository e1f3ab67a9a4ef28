"""What users, reviewers and business systems say about sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the statements."""
    op.create_table(
        "statements",
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("id", sa.String(200), nullable=False, unique=True),
        sa.Column("session_id", sa.String(200), nullable=False, index=True),
        sa.Column("kind", sa.String(20), nullable=False, index=True),
        sa.Column("given_s", sa.Float, nullable=False),
        sa.Column("created_s", sa.Float, nullable=False, index=True),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
    )


def downgrade() -> None:
    """Drop the statements, and all that was said with them."""
    op.drop_table("statements")
