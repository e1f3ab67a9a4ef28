"""Bodies of trajectories in a table of their own, which PostgreSQL parts by month."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from coevolve.database.months import make_month

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Move bodies out: what lists and figures read becomes small."""
    op.create_table(
        "bodies",
        sa.Column("trajectory", sa.String(200), sa.ForeignKey("trajectories.id"), nullable=False),
        sa.Column("created_s", sa.Float, nullable=False),
        sa.Column("body", JSON, nullable=False),
        sa.PrimaryKeyConstraint("trajectory", "created_s"),
        postgresql_partition_by="RANGE (created_s)",
    )
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        month = "date_trunc('month', to_timestamp(created_s) AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'"
        held = f"SELECT DISTINCT extract(epoch FROM {month})::double precision FROM trajectories"
        for start_s in connection.execute(sa.text(held)).scalars().all():
            make_month(connection, start_s)
    op.execute(
        "INSERT INTO bodies (trajectory, created_s, body) SELECT id, created_s, body FROM trajectories"
    )
    op.drop_column("trajectories", "body")


def downgrade() -> None:
    """Move them back."""
    op.add_column("trajectories", sa.Column("body", JSON))
    own = "bodies.trajectory = trajectories.id"
    op.execute(f"UPDATE trajectories SET body = (SELECT bodies.body FROM bodies WHERE {own})")
    op.drop_table("bodies")
    with op.batch_alter_table("trajectories") as batch:
        batch.alter_column("body", existing_type=JSON, nullable=False)
