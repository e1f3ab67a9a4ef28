from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from coevolve.errors import IngestError
from coevolve.store.ingest.readers import Body, Readers, read
from coevolve.store.redaction import Redactor
from otlp_samples import PROTOBUF, proto, text
from otlp_samples import request as otlp
from span_samples import NOW_S

KEY = b"k" * 32
SENT = otlp(*(proto(k, attributes=[text("note", f"write to ada{k}@example.org")]) for k in (1, 2)))


@pytest.fixture(params=[0, 2], ids=["thread", "processes"])
def readers(request: pytest.FixtureRequest) -> Iterator[Readers]:
    opened = Readers(Redactor(KEY), request.param)
    opened.start()
    yield opened
    opened.close()


def body(content_type: str = PROTOBUF) -> Body:
    return Body(SENT, content_type, "", NOW_S)


def test_rows_are_redacted_the_same_in_a_thread_and_in_processes(readers: Readers) -> None:
    rows, refused = asyncio.run(readers.read(body()))
    assert list(refused) == []
    assert rows == read(body(), Redactor(KEY)).rows
    assert [row.span_id[-1] for row in rows] == ["1", "2"]
    assert not any("ada" in row.body for row in rows)


def test_fields_that_the_owner_names_are_replaced_by_processes_too() -> None:
    opened = Readers(Redactor(KEY, fields=("note",)), 1)
    opened.start()
    rows, _ = asyncio.run(opened.read(body()))
    opened.close()
    assert rows == read(body(), Redactor(KEY, fields=("note",))).rows
    assert all("<NOTE_" in row.body for row in rows)


def test_a_body_that_cannot_be_read_raises_the_same_error_from_either(readers: Readers) -> None:
    with pytest.raises(IngestError) as wrong:
        asyncio.run(readers.read(body("text/plain")))
    assert (wrong.value.status, "x-protobuf" in wrong.value.fix) == (415, True)


def test_a_reader_that_dies_is_replaced_and_its_sender_is_told_to_send_again() -> None:
    readers = Readers(Redactor(KEY), 1)

    async def killed() -> None:
        loop = asyncio.get_running_loop()
        pid = await loop.run_in_executor(readers._executor, os.getpid)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(IngestError) as told:
            while True:  # until its death is noticed
                await readers.read(body())
        assert told.value.status == 503
        assert (await readers.read(body()))[0] == read(body(), Redactor(KEY)).rows

    try:
        asyncio.run(killed())
    finally:
        readers.close()
