"""coevolve: an agent that gets better at its own job from its own experience."""

import importlib
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`trace` and `recorded` of `tracing`, loaded at first use, so that an import stays cheap."""
    if name in ("recorded", "trace"):
        return getattr(importlib.import_module("coevolve.tracing"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
