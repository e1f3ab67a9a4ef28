"""Runs a coroutine so that Ctrl-C and SIGTERM stop it at once, wherever it is.

Training and inference run in threads that cannot be interrupted. They are not waited for: the journal makes
it safe to leave them, and `coevolve.cli.main` ends the process under them.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Coroutine
from types import FrameType
from typing import Any, TypeVar

from coevolve.cli.output import EXIT_INTERRUPTED, Interrupted

T = TypeVar("T")


def drive(work: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result. Raises: Interrupted: on SIGINT or SIGTERM."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)
    asked = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            os._exit(EXIT_INTERRUPTED)
        asked = True
        # Not through the stream: the signal may come in the middle of a line that is being written to it.
        os.write(2, b"stopping; once more to leave without a report\n")
        loop.call_soon_threadsafe(task.cancel)

    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        return loop.run_until_complete(task)
    except asyncio.CancelledError:
        if not asked:
            raise
        raise Interrupted from None
    finally:
        loop.run_until_complete(_tidy(loop, wait=not asked))
        loop.close()
        for one, handler in before.items():
            signal.signal(one, handler)


async def _tidy(loop: asyncio.AbstractEventLoop, *, wait: bool) -> None:
    """End what is left on the loop; threads are waited for only where `wait` says so."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await loop.shutdown_asyncgens()
    if wait:
        await loop.shutdown_default_executor()
