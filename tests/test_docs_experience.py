"""docs/experience.md is what the program takes: bodies are sent, settings are loaded, commands exist."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cli_world import invoke
from coevolve.config import load
from coevolve.feedback.statements import refusal
from coevolve.store import open_store
from coevolve.store.ingest.chat import Chat, append_chats, read_chats
from coevolve.store.ingest.service import Hooks, create_app
from coevolve.store.redaction import Redactor
from coevolve.types import StatementKind

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "experience.md").read_text(encoding="utf-8")
READS = ("conventions", "owners", "assemble", "agents")  # modules that know attributes


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)


def test_bodies_of_the_page_are_taken_by_the_door_and_there_is_one_of_each_kind(tmp_path: Path) -> None:
    chat, batch, early = map(json.loads, blocks("json"))
    known: list[dict[str, Any]] = [one for one in batch if one["kind"] in list(StatementKind)]
    assert {one["kind"] for one in known} == {one.value for one in StatementKind}
    store, redactor = open_store(f"sqlite:///{tmp_path / 'x.db'}"), Redactor(b"k" * 32)
    (read,) = read_chats([json.dumps(chat)], redactor.subject)
    assert isinstance(read, Chat) and append_chats(store, [read], redactor) == []
    assert (read.trajectory.task.type, read.trajectory.version) == (chat["task_type"], chat["version"])
    app = create_app(store, redactor, settle_every_s=3600, hooks=Hooks(refusal=refusal))
    with TestClient(app) as client:
        answer = client.post("/v1/feedback", json=known)
        assert answer.json() == {"accepted": len(known), "new": len(known), "refused": []}
        assert client.post("/v1/feedback", json=early).status_code == 200
        assert client.get(f"/v1/trajectories/{chat['id']}").json()["trajectory"]["id"] == chat["id"]
        paths = re.findall(r"^\| `(GET|POST) (/[\w/]+)", PAGE, re.M)
        assert len(paths) == 5
        assert {client.request(method, path).status_code for method, path in paths if method == "GET"} <= {
            200,
            404,
        }
    store.close()


@pytest.mark.parametrize("block", blocks("toml"))
def test_settings_of_the_page_load(tmp_path: Path, block: str) -> None:
    file = tmp_path / "agent.toml"
    file.write_text(block, encoding="utf-8")
    config = load(file, run=False)
    assert config.redaction.fields == ("full_name", "customer.street")
    assert config.feedback.rubrics and config.feedback.figures


def test_commands_of_the_page_exist_with_their_options() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("coevolve ")]
    assert len(lines) > 10
    for line in lines:
        _, *words = shlex.split(line, comments=True)
        verb = words[:2] if words[0] == "experience" else words[:1]
        told = invoke(*verb, "--help")
        assert told.exit_code == 0, line
        assert [one for one in words if one.startswith("--") and one not in told.stdout] == [], line


def test_attributes_that_the_page_names_are_read() -> None:
    source = "".join(
        (ROOT / f"src/coevolve/store/ingest/{name}.py").read_text(encoding="utf-8") for name in READS
    )
    rows = PAGE.partition("| what | attributes")[2].partition("## Chats")[0]
    named = {one for one in re.findall(r"`([\w.]+)`", rows) if not one.endswith(".N")}
    assert len(named) > 25
    assert {one for one in named if f'"{one}"' not in source} == set()


@pytest.mark.parametrize("code", blocks("python"))
def test_code_of_the_page_records_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(code, names)
    (found,) = names["store"].find()
    names["store"].close()
    assert (found.session_id, found.turns[-1].raw) == (
        "s-9",
        '{"tool": "reply", "message": "You get 20 back."}',
    )
