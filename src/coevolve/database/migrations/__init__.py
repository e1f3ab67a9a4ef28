"""Revisions of the database's schema, run by `coevolve.database.open_database`."""
