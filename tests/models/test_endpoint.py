from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from fastapi import Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from chat_server import Answer, ChatServer, message, stream
from coevolve.agents.harness import Attempt, Harness
from coevolve.agents.solo import run_episode
from coevolve.errors import ModelError
from coevolve.models.endpoint import Endpoint, EndpointModel
from coevolve.models.protocol import Sampling
from coevolve.models.scripted import END, ByteChat
from toy_world import TOOLS, ToyWorld, solver, toy_task

pytest.importorskip("openai")
USER = [{"role": "user", "content": "Hi"}]


@pytest.fixture(scope="module")
def _running() -> Iterator[ChatServer]:
    server = ChatServer()
    yield server
    server.stop()


@pytest.fixture
def server(_running: ChatServer) -> ChatServer:
    _running.answers, _running.bodies = [], []
    return _running


@pytest.fixture
async def model(server: ChatServer) -> AsyncIterator[EndpointModel]:
    made = EndpointModel(Endpoint(model="fake", base_url=server.url, backoff_s=0.001, retries=2))
    yield made
    await made.aclose()


def _status(code: int, headers: dict[str, str] | None = None) -> Answer:
    async def answer(request: Request, body: dict[str, Any]) -> Response:
        return JSONResponse({"error": {"message": f"no {code}"}}, status_code=code, headers=headers)

    return answer


async def _hang(request: Request, body: dict[str, Any]) -> Response:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    return Response()


async def _broken_json(request: Request, body: dict[str, Any]) -> Response:
    return Response('{"choices": [', media_type="application/json")


async def _no_choices(request: Request, body: dict[str, Any]) -> Response:
    return JSONResponse({"hello": "world"})


async def test_a_completion_sends_the_conversation_and_brings_text_back(
    server: ChatServer, model: EndpointModel
) -> None:
    server.answers = [message("Grüße")]
    chat = ByteChat()
    prompt = chat.open("Serve.", "Hi") + chat.encode_output("Yes?") + chat.extend("tool", "[]")
    drawn = await model.complete(prompt, Sampling(temperature=0.7, max_tokens=9, seed=5))
    assert (drawn.text, drawn.finished, drawn.logprobs) == ("Grüße", True, ())
    assert drawn.ids == chat.encode_output("Grüße")
    body = server.bodies[0]
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["messages"][3]["content"] == "Tool result: []"
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.7, 9, 5)


async def test_an_answer_cut_off_by_its_limit_has_no_end_of_turn(
    server: ChatServer, model: EndpointModel
) -> None:
    server.answers = [message("Gr", reason="length")]
    drawn = await model.complete(ByteChat().open("s", "u"), Sampling())
    assert not drawn.finished
    assert END not in drawn.ids


@pytest.mark.parametrize("code", [429, 500, 503])
async def test_what_may_pass_is_tried_again(server: ChatServer, model: EndpointModel, code: int) -> None:
    server.answers = [_status(code), _status(code, {"retry-after": "0"}), message("Hello")]
    assert (await model.converse(USER)).text == "Hello"
    assert len(server.bodies) == 3


async def test_when_the_retries_are_spent_the_error_says_what_came_last(
    server: ChatServer, model: EndpointModel
) -> None:
    server.answers = [_status(429)]
    with pytest.raises(ModelError, match=r"failed 3 times, last: HTTP 429"):
        await model.converse(USER)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("code", "fix"), [(400, "max_tokens_field"), (401, "api_key_env"), (404, "base_url")]
)
async def test_what_will_not_pass_is_asked_once_and_says_what_to_mend(
    server: ChatServer, model: EndpointModel, code: int, fix: str
) -> None:
    server.answers = [_status(code)]
    with pytest.raises(ModelError, match=f"HTTP {code}") as caught:
        await model.converse(USER)
    assert fix in caught.value.fix
    assert len(server.bodies) == 1


async def test_no_server_at_all_is_a_model_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    model = EndpointModel(Endpoint(model="fake", base_url=url, backoff_s=0.001, retries=1))
    with pytest.raises(ModelError, match="failed 2 times, last: no connection"):
        await model.converse(USER)
    await model.aclose()


async def test_a_server_that_hangs_past_the_deadline_is_a_model_error(
    server: ChatServer, model: EndpointModel
) -> None:
    server.answers = [_hang]
    with pytest.raises(ModelError, match=r"no answer within 0\.05 s"):
        await model.converse(USER, sampling=Sampling(deadline_s=0.05))


async def test_waiting_to_try_again_does_not_outlast_the_deadline(
    server: ChatServer, model: EndpointModel
) -> None:
    server.answers = [_status(429, {"retry-after": "3600"})]
    with pytest.raises(ModelError, match="no answer within"):
        await model.converse(USER, sampling=Sampling(deadline_s=0.1))


@pytest.mark.parametrize("answer", [_broken_json, _no_choices])
async def test_an_answer_outside_the_contract_is_a_model_error(
    server: ChatServer, model: EndpointModel, answer: Answer
) -> None:
    server.answers = [answer]
    with pytest.raises(ModelError, match="outside the chat completions contract"):
        await model.converse(USER)


async def test_streamed_text_is_handed_over_piece_by_piece(server: ChatServer, model: EndpointModel) -> None:
    server.answers = [stream([{"role": "assistant", "content": "Hel"}, {"content": "lo"}])]
    seen: list[str] = []
    reply = await model.converse(USER, on_text=seen.append)
    assert (seen, reply.text, reply.finished) == (["Hel", "lo"], "Hello", True)


async def test_a_stream_that_breaks_off_is_tried_again_only_before_text_was_handed_over(
    server: ChatServer,
) -> None:
    model = EndpointModel(Endpoint(model="fake", base_url=server.url, backoff_s=0.001, stream=True))
    server.answers = [stream([{"content": "Hel"}], reason=None), stream([{"content": "Hello"}])]
    assert (await model.converse(USER)).text == "Hello"
    server.answers = [stream([{"content": "Hel"}], reason=None), stream([{"content": "Hello"}])]
    with pytest.raises(ModelError, match="broke off"):
        await model.converse(USER, on_text=lambda _: None)
    await model.aclose()


async def test_tool_calls_are_read_and_the_tools_are_sent(server: ChatServer, model: EndpointModel) -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "add", "arguments": '{"amount": 2}'}},
        {"id": "b", "type": "function", "function": {"name": "add", "arguments": '{"amount": '}},
    ]
    server.answers = [message(None, "tool_calls", calls)]
    reply = await model.converse(USER, TOOLS)
    assert [(call.id, call.args) for call in reply.tool_calls] == [("a", {"amount": 2}), ("b", None)]
    assert reply.tool_calls[1].raw == '{"amount": '
    assert server.bodies[0]["tools"][0]["function"]["parameters"] == TOOLS[0].parameters


async def test_streamed_tool_calls_are_put_together_from_their_fragments(
    server: ChatServer, model: EndpointModel
) -> None:
    def part(index: int, **function: str) -> dict[str, Any]:
        head = {"id": f"c{index}", "type": "function"} if "name" in function else {}
        return {"tool_calls": [{"index": index, **head, "function": function}]}

    deltas = [
        part(0, name="add", arguments='{"am'),
        part(1, name="reply", arguments=""),
        part(0, arguments='ount": 2}'),
        part(1, arguments='{"message": "ok"}'),
    ]
    server.answers = [stream(deltas, "tool_calls")]
    reply = await model.converse(USER, TOOLS, on_text=lambda _: None)
    assert [(call.id, call.name, call.args) for call in reply.tool_calls] == [
        ("c0", "add", {"amount": 2}),
        ("c1", "reply", {"message": "ok"}),
    ]


async def test_a_grammar_travels_in_the_field_the_server_wants_or_not_at_all(server: ChatServer) -> None:
    server.answers = [message("x")]
    for field in (None, "structured_outputs.grammar", "grammar"):
        model = EndpointModel(Endpoint(model="fake", base_url=server.url, grammar_field=field))
        await model.converse(USER, sampling=Sampling(grammar="root ::= [a]"))
        await model.aclose()
    none, nested, flat = server.bodies
    assert "root" not in json.dumps(none)
    assert nested["structured_outputs"] == {"grammar": "root ::= [a]"}
    assert flat["grammar"] == "root ::= [a]"


async def test_without_a_key_or_a_server_of_ones_own_the_error_names_the_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    model = EndpointModel(Endpoint(model="fake", api_key_env="NO_SUCH_KEY"))
    with pytest.raises(ModelError, match="NO_SUCH_KEY"):
        await model.converse(USER)


async def test_a_closed_model_answers_no_more(model: EndpointModel) -> None:
    model.close()
    with pytest.raises(ModelError, match="closed"):
        await model.converse(USER)


async def test_the_solo_agent_solves_a_task_over_http(server: ChatServer, model: EndpointModel) -> None:
    async def solve(request: Request, body: dict[str, Any]) -> Response:
        text = solver("\n".join(message["content"] for message in body["messages"]))
        return await message(text)(request, body)

    server.answers = [solve]
    attempt = Attempt(version="v1", seed=1)
    trajectory = await run_episode(model, ToyWorld(), toy_task(), harness=Harness(), attempt=attempt)
    assert (trajectory.failure, trajectory.checks[0].score) == (None, 1.0)
    assert all(turn.logprobs == () for turn in trajectory.turns)


async def test_a_connection_lost_in_mid_stream_is_tried_again(server: ChatServer) -> None:
    async def pieces() -> AsyncIterator[str]:
        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
        yield f"data: {json.dumps({**head, 'choices': []})}\n\n"
        raise ConnectionResetError

    async def lose(request: Request, body: dict[str, Any]) -> Response:
        return StreamingResponse(pieces(), media_type="text/event-stream")

    server.answers = [lose, stream([{"content": "Hello"}])]
    model = EndpointModel(Endpoint(model="fake", base_url=server.url, backoff_s=0.001, stream=True))
    assert (await model.converse(USER)).text == "Hello"
    await model.aclose()
