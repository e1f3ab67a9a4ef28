"""One writer for many senders: what is waiting is committed together, and who sent it is told then.

A database that makes every commit durable has some hundred commits a second, whoever asks; rows it has a
hundred thousand. Senders wait for a commit, not for a turn of their own. More than can be waited for is
pushed back, never dropped.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

from coevolve.errors import IngestError

T = TypeVar("T")


class Writer(Generic[T]):
    """A thread that commits. Held resource: close it, which first commits what waits."""

    def __init__(
        self, commit: Callable[[Sequence[T]], None], most_waiting: int = 20_000, most_at_once: int = 5_000
    ) -> None:
        """`commit` keeps items durably, or raises and keeps none; both limits are in items."""
        self._commit = commit
        self._most_waiting, self._most_at_once = most_waiting, most_at_once
        self._waiting = 0
        self._lock = threading.Lock()
        self._closed = False
        self._queue: queue.SimpleQueue[tuple[Sequence[T], Future[None]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, items: Sequence[T]) -> Future[None]:
        """Hand items in; the future is done once they are durable, or holds why they are not kept.

        Raises: IngestError: too many wait already (status 429), or the writer is closed (503).
        """
        future: Future[None] = Future()
        with self._lock:
            if self._closed:
                raise IngestError("the store is closing", fix="send it again in a moment", status=503)
            if self._waiting and self._waiting + len(items) > self._most_waiting:
                raise IngestError(
                    f"{self._waiting} items wait to be written", fix="send it again later", status=429
                )
            self._waiting += len(items)
            self._queue.put((items, future))
        return future

    @property
    def waiting(self) -> int:
        """How many items wait or are being written."""
        return self._waiting

    def close(self) -> None:
        """Commit what waits and end. Idempotent."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        ending = False
        while not ending:
            batch: list[tuple[Sequence[T], Future[None]]] = []
            count = 0
            one = self._queue.get()
            while True:
                if one is None:
                    ending = True
                    break
                batch.append(one)
                one[1].set_running_or_notify_cancel()  # from here on nobody can cancel it
                count += len(one[0])
                if count >= self._most_at_once or self._queue.empty():
                    break
                one = self._queue.get()
            self._write(batch)

    def _write(self, batch: Sequence[tuple[Sequence[T], Future[None]]]) -> None:
        """All in one commit; where that fails, each by itself, so that one cannot spoil the others."""
        if not batch:
            return
        try:
            self._commit([item for items, _ in batch for item in items])
        except Exception as error:  # handed to whoever sent it
            if len(batch) > 1:
                for one in batch:
                    self._write([one])
                return
            self._no_longer_waiting(batch)
            if not batch[0][1].cancelled():
                batch[0][1].set_exception(error)
            return
        self._no_longer_waiting(batch)
        for _, future in batch:
            if not future.cancelled():  # what was handed in is kept, though its sender has gone
                future.set_result(None)

    def _no_longer_waiting(self, batch: Sequence[tuple[Sequence[T], Future[None]]]) -> None:
        """Before the senders are told, since they may send again at once."""
        with self._lock:
            self._waiting -= sum(len(items) for items, _ in batch)
