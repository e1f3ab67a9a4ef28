"""coevolve: an agent that gets better at its own job from its own experience."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coevolve.tracing import recorded, trace

__version__ = "0.1.0"
__all__ = ["__version__", "recorded", "trace"]


def __getattr__(name: str) -> Any:
    """`trace` and `recorded`, loaded at first use, so that importing the package stays cheap."""
    if name in ("recorded", "trace"):
        from coevolve import tracing

        return getattr(tracing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
