"""A run whose agent is a model behind an endpoint, from the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request, Response

from chat_server import ChatServer, message, stream
from cli_world import invoke, write_config
from coevolve.cli.opening import read_config
from coevolve.types import StopReason
from coevolve.workspace import open_workspace
from toy_world import solver

pytest.importorskip("openai")
SECTIONS = """
[model]
engine = "endpoint"
name = "big"
base_url = "{url}"

[agent]
constrained = {constrained}

[model.endpoint]
backoff_s = 0
"""
SHOP = """
[run]
name = "shop"
out_dir = "{out}"
max_rounds = 0
[environment]
name = "shop"
types = ["price"]
[opening]
demonstrations = 0
[test]
tasks = 1
"""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    started = ChatServer()
    yield started
    started.stop()


async def solve(request: Request, body: dict[str, Any]) -> Response:
    """The toy world's solution, streamed where a stream was asked for."""
    text = solver("\n".join(one["content"] for one in body["messages"]))
    answer = stream([{"content": text}]) if body.get("stream") else message(text)
    return await answer(request, body)


def toy(folder: Path, server: ChatServer, *, constrained: str = "false", endpoint: str = "") -> Path:
    path = write_config(folder)
    text = path.read_text().replace("max_rounds = 1", "max_rounds = 0")
    text = text.replace("demonstrations = 8", "demonstrations = 0")
    path.write_text(text + SECTIONS.format(url=server.url, constrained=constrained) + endpoint)
    return path


def test_a_run_measures_the_model_behind_an_endpoint(tmp_path: Path, server: ChatServer) -> None:
    server.answers = [solve]
    done = invoke("run", toy(tmp_path, server), "--json")
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["test"]["base"] == answer["test"]["final"]
    assert (answer["test"]["final"]["rate"], answer["test"]["final"]["n"]) == (1.0, 12)
    assert Path(answer["report"]).is_file()
    assert {body["model"] for body in server.bodies} == {"big"}
    assert all("max_tokens" in body and "stream" not in body for body in server.bodies)


def test_the_tomls_fields_say_how_the_server_is_asked(tmp_path: Path, server: ChatServer) -> None:
    server.answers = [solve]
    fields = """stream = true
max_tokens_field = "max_completion_tokens"
grammar_field = "structured_outputs.grammar"
"""
    done = invoke("run", toy(tmp_path, server, constrained="true", endpoint=fields), "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["test"]["final"]["rate"] == 1.0
    for body in server.bodies:
        assert body["stream"] is True and body["max_completion_tokens"] > 0 and "max_tokens" not in body
        assert "root ::=" in body["structured_outputs"]["grammar"]


def test_a_server_that_is_busy_once_is_asked_again_and_without_retries_breaks_the_episode(
    tmp_path: Path, server: ChatServer
) -> None:
    async def busy(request: Request, body: dict[str, Any]) -> Response:
        return Response(status_code=503)

    server.answers = [busy, solve]
    patient = invoke("run", toy(tmp_path, server), "--json", "--name", "patient")
    assert json.loads(patient.stdout)["test"]["final"]["n"] == 12
    server.answers = [busy]
    config = toy(tmp_path, server, endpoint="retries = 0\n")
    broken = invoke("run", config, "--json", "--name", "broken", "--set", "test.tasks=1")
    assert json.loads(broken.stdout)["test"] == {}  # unknown, not failed
    ws = open_workspace(read_config(tmp_path / "runs" / "broken"))
    failures = {one.failure.why for one in ws.store.find() if one.failure is not None}
    ws.close()
    assert failures == {"big failed 1 times, last: HTTP 503"}


def test_its_episodes_are_collected_and_judged_and_learning_says_why_not(
    tmp_path: Path, server: ChatServer
) -> None:
    server.answers = [solve]
    config = toy(tmp_path, server)
    collected = invoke("collect", config, "--json")
    assert collected.exit_code == 0, collected.stderr
    assert len(json.loads(collected.stdout)["value"]["trajectories"]) == 8
    scored = json.loads(invoke("score", config, "--json").stdout)
    assert scored["value"]["outcomes"] == {"success": 8}
    assert invoke("evolve", config).exit_code == 0
    refused = invoke("learn", config)
    assert refused.exit_code == 2 and "cannot be trained here" in refused.stderr


def test_the_default_token_budget_lets_a_shop_episode_take_all_its_turns(
    tmp_path: Path, server: ChatServer
) -> None:
    async def look(request: Request, body: dict[str, Any]) -> Response:
        call = json.dumps({"tool": "search_products", "query": f" phone {len(body['messages'])}"})
        return await message("They want a phone. " * 20 + f"\n{call}")(request, body)  # 80 words: 380 bytes

    server.answers = [look]
    config = tmp_path / "shop.toml"
    sections = SECTIONS.format(url=server.url, constrained="false")
    config.write_text(SHOP.format(out=tmp_path / "runs") + sections)
    done = invoke("run", config, "--json")
    assert done.exit_code == 0, done.stderr
    ws = open_workspace(read_config(config))
    played = ws.store.find()
    ws.close()
    assert [(one.stop, len(one.turns)) for one in played] == [(StopReason.TURN_BUDGET, 8)]
