"""Whether an event loop goes on while something is done that takes a while."""

from __future__ import annotations

import asyncio
import threading

_TURNS = 50
_DEADLINE_S = 10.0  # after which the loop stands still


def until_the_loop_turned(loop: asyncio.AbstractEventLoop) -> None:
    """Wait, in a thread, for fifty turns of the loop: they never come where the loop waits for us.

    Raises: AssertionError: the loop stood still.
    """
    turned = threading.Event()

    def beat(left: int) -> None:
        if left:
            loop.call_soon(beat, left - 1)
        else:
            turned.set()

    loop.call_soon_threadsafe(beat, _TURNS)
    assert turned.wait(_DEADLINE_S), "the event loop stood still"
