"""Alembic's entry: runs revisions on the connection, and inside the transaction, that it is handed."""

from __future__ import annotations

from alembic import context

from coevolve.database.tables import metadata


def migrate() -> None:
    """Run what `alembic.command` asked for."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        transactional_ddl=True,  # BEGIN is sent explicitly, so that SQLite rolls DDL back as well
        render_as_batch=True,  # SQLite alters a table by copying it
    )
    with context.begin_transaction():
        context.run_migrations()


if __name__ == "env_py":  # the name under which Alembic loads this file
    migrate()
