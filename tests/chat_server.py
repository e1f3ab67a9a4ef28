"""A server of chat completions in OpenAI's form: gives prepared answers, keeps what it was asked."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

Answer = Callable[[Request, dict[str, Any]], Awaitable[Response]]


class ChatServer:
    """A chat completions server that gives its prepared answers one by one; the last one stays."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.bodies: list[dict[str, Any]] = []
        app = FastAPI()
        app.add_api_route("/v1/chat/completions", self._answer, methods=["POST"], response_model=None)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        config = uvicorn.Config(app, lifespan="off", ws="none", log_level="critical")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})
        self._thread.start()

    async def _answer(self, request: Request) -> Response:
        body = await request.json()
        self.bodies.append(body)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(request, body)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()


def message(content: str | None, reason: str = "stop", calls: list[dict[str, Any]] | None = None) -> Answer:
    async def answer(request: Request, body: dict[str, Any]) -> Response:
        said = {"role": "assistant", "content": content, "tool_calls": calls}
        choice = {"index": 0, "finish_reason": reason, "message": said}
        frame = {"id": "1", "object": "chat.completion", "created": 1, "model": "fake", "choices": [choice]}
        return JSONResponse(frame)

    return answer


def stream(deltas: list[dict[str, Any]], reason: str | None = "stop") -> Answer:
    def frame(delta: dict[str, Any], end: str | None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
        return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"

    async def pieces() -> AsyncIterator[str]:
        for delta in deltas:
            yield frame(delta, None)
        if reason is not None:
            yield frame({}, reason)
            yield "data: [DONE]\n\n"

    async def answer(request: Request, body: dict[str, Any]) -> Response:
        assert body["stream"] is True
        return StreamingResponse(pieces(), media_type="text/event-stream")

    return answer
