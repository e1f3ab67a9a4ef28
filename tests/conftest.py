from __future__ import annotations

from hypothesis import settings

pytest_plugins = ["loop_world"]  # fixtures of the loop over the toy world

# A shared machine's pauses are no findings, and the same commit must give the same result everywhere.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")
