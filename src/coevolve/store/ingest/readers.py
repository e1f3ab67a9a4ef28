"""Bodies of requests enter, redacted rows leave: the costly half of taking spans in, on several cores.

Reading, redacting and writing out a span take longer than putting it on the disk, and Python does them on
one core in one process. So they run in processes of their own, which see bodies and give back texts.
A process that dies takes the bodies that it held with it: their senders are told to send again, and another
takes its place. One whose parent is gone ends by itself, also after kill -9.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from coevolve.errors import IngestError
from coevolve.store.ingest.owners import owned
from coevolve.store.ingest.spans import Refused, Span, read_spans
from coevolve.store.redaction import Redactor
from coevolve.store.spans import SpanRow, span_row


@dataclass(frozen=True, slots=True)
class Body:
    """What a request brought."""

    data: bytes
    content_type: str
    encoding: str
    now_s: float  # when it came, to tell a broken clock


@dataclass(frozen=True, slots=True)
class Read:
    """What became of a body."""

    rows: Sequence[SpanRow] = ()
    refused: Sequence[Refused] = ()
    error: tuple[str, str, int] | None = None  # of an IngestError, which does not travel between processes


class Readers:
    """Those who read. Held resource: start it, and close it."""

    def __init__(self, redactor: Redactor, processes: int = 0) -> None:
        """`processes`: 0 reads in a thread of this process, which needs no start but holds up its loop."""
        self._redactor = redactor
        self._processes = processes
        self._lock = threading.Lock()
        self._executor = self._opened()

    def _opened(self) -> Executor:
        if not self._processes:
            return ThreadPoolExecutor(1, "ingest")
        return ProcessPoolExecutor(
            self._processes,
            multiprocessing.get_context("spawn"),  # not a fork: the store is open here, and threads run
            initializer=_begin,
            initargs=(self._redactor.key, self._redactor.fields),
        )

    def start(self) -> None:
        """Start all processes now, so that no first request waits for one."""
        for _ in range(self._processes):
            self._executor.submit(os.getpid)

    async def read(self, body: Body) -> tuple[Sequence[SpanRow], Sequence[Refused]]:
        """Rows of the spans that are taken, and what was refused.

        Raises: IngestError: it cannot be read at all; or (status 503) the process that read it has died.
        """
        executor = self._executor
        loop = asyncio.get_running_loop()
        try:
            if self._processes:
                found = await loop.run_in_executor(executor, _read_here, body)
            else:
                found = await loop.run_in_executor(executor, read, body, self._redactor)
        except BrokenProcessPool as error:
            with self._lock:
                if self._executor is executor:  # the first who sees it replaces it for all
                    self._executor = self._opened()
            raise IngestError("a reader has died", fix="send it again in a moment", status=503) from error
        if found.error is not None:
            what, fix, status = found.error
            raise IngestError(what, fix=fix, status=status)
        return found.rows, found.refused

    def close(self) -> None:
        """End all processes. Idempotent."""
        self._executor.shutdown(cancel_futures=True)


def read(body: Body, redactor: Redactor) -> Read:
    """One body, in this process."""
    try:
        spans, refused = read_spans(
            body.data, content_type=body.content_type, encoding=body.encoding, now_s=body.now_s
        )
    except IngestError as error:
        return Read(error=(error.what, error.fix, error.status))
    return Read([span_row(redacted(one, redactor)) for one in spans], refused)


def redacted(given: Span, redactor: Redactor) -> Span:
    """The span with its user as a keyed hash, and with all its texts redacted."""
    one = owned(given, redactor.subject)  # of the id as it came: what the rules leave of it is another text
    return replace(
        one,
        name=redactor.text(one.name),
        attributes=redactor.value(one.attributes),
        resource=redactor.value(one.resource),
        events=tuple((name, redactor.value(attributes)) for name, attributes in one.events),
        error=None if one.error is None else redactor.text(one.error),
    )


_HERE: list[Redactor] = []  # of a reading process, which has one


def _begin(key: bytes, fields: Sequence[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which closes in order
    _HERE.append(Redactor(key, fields))
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _read_here(body: Body) -> Read:
    return read(body, _HERE[0])
