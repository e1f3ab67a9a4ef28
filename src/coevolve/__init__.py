"""coevolve: an agent that gets better at its own job from its own experience."""

__version__ = "0.1.0"
