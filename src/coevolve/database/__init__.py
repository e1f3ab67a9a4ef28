"""The one SQL database on which store and registry stand."""

from coevolve.database.engine import BUSY_TIMEOUT_S, Database, code_revision, open_database

__all__ = ["BUSY_TIMEOUT_S", "Database", "code_revision", "open_database"]
