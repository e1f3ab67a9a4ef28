"""The command line: one verb per stage, each a thin wrapper over the library function of that name."""

from coevolve.cli.app import app, main

__all__ = ["app", "main"]
