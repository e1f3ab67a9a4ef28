"""The HTTP door of the store: OTLP traces and what users say, answered once they are on the disk.

Bodies enter; an answer leaves when what it holds is durable, or with the field and the fix. Reading and
redacting run in threads or processes, so the event loop only waits. There is no authentication: bind it to
a private address. What is refused in a batch does not cost the rest of it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import FastAPI, Request
from fastapi import Query as QueryParam
from fastapi.responses import JSONResponse, Response
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coevolve.errors import CoevolveError, IngestError
from coevolve.store.experience import Store
from coevolve.store.ingest.readers import Body, Readers
from coevolve.store.ingest.spans import MOST_BYTES, Refused, clock_off
from coevolve.store.ingest.writer import Writer
from coevolve.store.redaction import Redactor
from coevolve.store.spans import MOST, Broken, SpanRow, append_rows, settle_some
from coevolve.store.statements import append_statements
from coevolve.types import Statement, StatementKind

RETRY_AFTER_S = 1
_SHOWN = 20  # broken traces that `/health` names, the last


_NO_NUL = r"^[^\x00]*$"  # which PostgreSQL keeps in no column
_Name = Annotated[str, Field(max_length=200, pattern=_NO_NUL)]
_Id = Annotated[str, Field(min_length=1, max_length=200, pattern=_NO_NUL)]


class Said(BaseModel):
    """One statement as it is sent."""

    model_config = ConfigDict(extra="forbid")

    id: _Id
    session_id: _Id
    kind: StatementKind
    value: object
    turn: int | None = Field(default=None, ge=0)
    trajectory: _Name | None = None  # where a session has several; none = all
    by: _Name = ""
    user: _Name | None = None  # whose session it is; kept as a keyed hash
    given_s: float | None = Field(default=None, ge=0, allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What the door asks of those who judge; each is called in a thread."""

    refusal: Callable[[Statement], str | None] = lambda said: None  # what is wrong with a statement's value
    settled: Callable[[], None] = lambda: None  # after traces became trajectories, and from time to time
    review: Callable[[int], list[dict[str, object]]] = lambda count: []  # what a person should look at next


@dataclass(slots=True)
class _Background:
    """How the settling goes, which nobody waits for."""

    trouble: CoevolveError | None = None  # the last one's, until one succeeds
    broken: deque[Broken] = field(default_factory=lambda: deque(maxlen=_SHOWN))

    def told(self) -> dict[str, object]:
        """What `/health` answers."""
        answer: dict[str, object] = {"status": "ok"}
        if self.trouble is not None:
            answer = {"status": "degraded", "error": self.trouble.what, "fix": self.trouble.fix}
        if self.broken:
            answer["broken_traces"] = [one._asdict() for one in self.broken]
        return answer


def create_app(
    store: Store,
    redactor: Redactor,
    *,
    now: Callable[[], float] = time.time,
    most_waiting: int = 20_000,
    settle_every_s: float = 5.0,
    hooks: Hooks = Hooks(),
    processes: int = 0,
) -> FastAPI:
    """The service over an open store; closing the app commits what waits, and leaves the store open.

    Args: processes: that read and redact beside this one; see `Readers`.
    """
    readers = Readers(redactor, processes)
    writer: Writer[SpanRow] = Writer(lambda rows: append_rows(store, rows, now()), most_waiting)
    background = _Background()

    async def settling() -> None:
        while True:
            await asyncio.sleep(settle_every_s)
            try:
                looked_at = MOST
                while looked_at == MOST:
                    found = await asyncio.to_thread(settle_some, store, now())
                    background.broken.extend(found.broken)
                    # Who sends comes first; the rest of what is quiet has time.
                    looked_at = 0 if writer.waiting else found.looked_at
                await asyncio.to_thread(hooks.settled)
                background.trouble = None
            except CoevolveError as error:  # a full disk, say: what came in is kept and is tried again
                background.trouble = error
            except Exception as error:  # it must not end unseen
                background.trouble = _unforeseen(error)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        readers.start()
        task = asyncio.create_task(settling())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await asyncio.to_thread(writer.close)
            await asyncio.to_thread(readers.close)

    app = FastAPI(title="coevolve ingest", lifespan=lifespan)

    @app.exception_handler(CoevolveError)
    async def explain(_: Request, error: CoevolveError) -> JSONResponse:
        status = error.status if isinstance(error, IngestError) else 503
        headers = {"Retry-After": str(RETRY_AFTER_S)} if status in (429, 503) else None
        return JSONResponse({"error": error.what, "fix": error.fix}, status, headers)

    @app.get("/health")
    async def health() -> dict[str, object]:
        return background.told()

    @app.get("/v1/review")
    async def review(count: Annotated[int, QueryParam(ge=1, le=1000)] = 20) -> dict[str, object]:
        return {"review": await asyncio.to_thread(hooks.review, count)}

    @app.post("/v1/traces")
    async def traces(request: Request) -> Response:
        body = await _body(request)
        kind = request.headers.get("content-type", "")
        encoding = request.headers.get("content-encoding", "").strip().lower()
        rows, refused = await readers.read(Body(body, kind, encoding, now()))
        if rows:
            await asyncio.wrap_future(writer.submit(rows))
        return _answer(kind, refused)

    @app.post("/v1/feedback")
    async def feedback(request: Request) -> JSONResponse:
        body = await _body(request)
        given, users, refused = await asyncio.to_thread(_statements, body, redactor, now(), hooks.refusal)
        new = await asyncio.to_thread(append_statements, store.database, given, users) if given else []
        answer = {"accepted": len(given), "new": len(new), "refused": refused}
        return JSONResponse(answer, 400 if refused else 200)

    return app


def _unforeseen(error: Exception) -> CoevolveError:
    return CoevolveError(
        f"what came in is not judged further: {type(error).__name__}: {error}",
        fix="report this as a bug of coevolve; what came in is kept, and is tried again",
    )


async def _body(request: Request) -> bytes:
    """The whole body, given up as soon as it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            fix = f"send smaller batches, at most {MOST_BYTES // 2**20} MiB"
            raise IngestError(f"a body of more than {MOST_BYTES // 2**20} MiB", fix=fix, status=413)
        parts.append(part)
    return b"".join(parts)


def _answer(kind: str, refused: Sequence[Refused]) -> Response:
    """OTLP's answer in the language of the request; 400 where a span was refused, the others being kept."""
    words = "; ".join(f"span {one.span_id}: {one.field}: {one.why}" for one in refused[:20])
    status = 400 if refused else 200
    if kind.startswith("application/json"):
        partial = (
            {"partialSuccess": {"rejectedSpans": len(refused), "errorMessage": words}} if refused else {}
        )
        return JSONResponse(partial, status)
    message = ExportTraceServiceResponse()
    if refused:
        message.partial_success.rejected_spans = len(refused)
        message.partial_success.error_message = words
    return Response(message.SerializeToString(), status, media_type="application/x-protobuf")


def _statements(
    body: bytes, redactor: Redactor, now_s: float, refusal: Callable[[Statement], str | None]
) -> tuple[list[Statement], dict[str, str], list[dict[str, object]]]:
    """The statements of a body (one object or a list), whose they are, and what is wrong with the others."""
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise IngestError(
            f"the body is no JSON: {error}"[:200], fix="send one statement or a list of them", status=400
        ) from error
    given: list[Statement] = []
    users: dict[str, str] = {}
    refused: list[dict[str, object]] = []
    for place, one in enumerate(sent if isinstance(sent, list) else [sent]):
        try:
            said = Said.model_validate(one)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"])) or "body"
            refused.append({"place": place, "field": where, "why": first["msg"]})
            continue
        if said.given_s is not None and (why := clock_off(said.given_s, now_s)):
            refused.append({"place": place, "field": "given_s", "why": why})
            continue
        statement = Statement(
            id=said.id,
            session_id=redactor.text(said.session_id),
            kind=said.kind,
            value=redactor.value(said.value),
            turn=said.turn,
            trajectory=said.trajectory,
            by=redactor.text(said.by),
            given_s=now_s if said.given_s is None else said.given_s,
        )
        if (why := refusal(statement)) is None:
            given.append(statement)
            if said.user and said.user.strip():
                users[said.id] = redactor.subject(said.user)
        else:
            refused.append({"place": place, "field": "value", "why": why})
    return given, users, refused
