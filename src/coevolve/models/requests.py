"""Requests that wait for a model which works in a thread of its own, and the task that serves them.

A prompt and a `Sampling` enter and a `Completion` leaves when an engine's driver has set it. The driver
runs while anything waits. It bounds no queue: `model.concurrency` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from coevolve.errors import ModelError
from coevolve.models.protocol import Completion, Sampling

SETTLE_TURNS = 12  # turns of the event loop granted to episodes before a batch; in-memory worlds need four
T = TypeVar("T")


@dataclass(slots=True)
class Request:
    """One prompt; `done` holds its completion, or why there is none."""

    ids: Sequence[int]
    sampling: Sampling
    done: asyncio.Future[Completion]
    handle: Any = None  # the engine's own


@dataclass(slots=True)
class RequestQueue:
    """Requests of one model. Held resource: close it."""

    name: str  # the model's, for errors
    drive: Callable[[], Coroutine[Any, Any, None]]  # serves `waiting` until nothing is left
    waiting: list[Request] = field(default_factory=list)
    _driver: asyncio.Task[None] | None = None
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "model"))
    _closed: bool = False

    async def ask(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        """One completion. Raises ModelError: deadline missed, closed, or what the driver set."""
        if self._closed:
            raise self._closed_error()
        loop = asyncio.get_running_loop()
        request = Request(prompt_ids, sampling, loop.create_future())
        self.waiting.append(request)
        if self._driver is None or self._driver.done():
            self._driver = loop.create_task(self.drive())
        try:
            async with asyncio.timeout(sampling.deadline_s):
                return await request.done
        except TimeoutError:
            raise ModelError(
                f"no completion within {sampling.deadline_s:g} s from {self.name}",
                fix="raise agent.turn_timeout_s, or lower model.concurrency",
            ) from None

    def take(self, at_most: int | None = None) -> list[Request]:
        """Remove those who wait longest from the queue; whose asker gave up is left out."""
        wanted = [request for request in self.waiting if not request.done.done()]
        count = len(wanted) if at_most is None else at_most
        self.waiting = wanted[count:]
        return wanted[:count]

    async def settle(self) -> None:
        """Give every episode that can ask the time to do so: what asks at one moment runs together."""
        for _ in range(SETTLE_TURNS):
            await asyncio.sleep(0)

    async def in_thread(self, work: Callable[..., T], *values: object) -> T:
        """Run the model's own code where it does not hold up the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *values)

    def finish(self, request: Request, completion: Completion) -> None:
        """Answer a request, unless its asker gave up."""
        if not request.done.done():
            request.done.set_result(completion)

    def fail(self, requests: Iterable[Request], error: ModelError) -> None:
        """End those that are not done yet."""
        for request in requests:
            if not request.done.done():
                request.done.set_exception(error)

    def close(self) -> None:
        """Stop serving and end the thread; who still waits is told. Idempotent."""
        self._closed = True
        self.fail(self.take(), self._closed_error())
        if self._driver is not None and not self._driver.done():
            self._driver.cancel()
        self._thread.shutdown(wait=True)

    def _closed_error(self) -> ModelError:
        return ModelError(f"model {self.name} is closed", fix="open it again with open_model")
