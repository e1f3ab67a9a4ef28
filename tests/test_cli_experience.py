from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
import uvicorn

from cli_world import invoke
from coevolve.cli import stores
from coevolve.store import open_store
from coevolve.store.ingest import service
from coevolve.store.ingest.service import Hooks
from coevolve.types import SignalSource
from live_samples import talk
from otlp_samples import JSON, json_body, json_span
from span_samples import ANSWERED, TOLD


def chats(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in lines), "utf-8")
    return path


def test_chats_are_imported_once_redacted_and_bad_lines_are_told(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/x.db"
    mail = [*ANSWERED, {"role": "assistant", "content": "Written to ann@example.org."}]
    file = chats(tmp_path / "chats.jsonl", {"messages": [*ANSWERED, *TOLD]}, "{", {"messages": mail})
    first = json.loads(invoke("experience", "import", file, "--store", store, "--json").stdout)
    assert (first["added"], [(one["line"], one["field"]) for one in first["refused"]]) == (2, [(2, "")])
    again = json.loads(invoke("experience", "import", file, "--store", store, "--json").stdout)
    assert again["added"] == 0
    opened = open_store(store)
    assert "ann@example.org" not in repr(opened.find())
    opened.close()


def test_only_a_newline_ends_a_line_and_what_cannot_be_kept_is_told(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/x.db"
    said = [*ANSWERED, {"role": "assistant", "content": "one\u2028two\u2029three\u0085four"}]
    file = chats(
        tmp_path / "chats.jsonl",
        json.dumps({"id": "a", "messages": said}, ensure_ascii=False) + "\r",
        {"id": "b", "messages": [*ANSWERED, *TOLD]},
        {"id": "b", "messages": TOLD},
        {"messages": [{"role": ["x"]}]},
    )
    told = json.loads(invoke("experience", "import", file, "--store", store, "--json").stdout)
    refused = [(one["line"], one["field"]) for one in told["refused"]]
    assert (told["added"], refused) == (2, [(3, "id"), (4, "messages.0.role")])
    opened = open_store(store)
    (last,) = [one.turns[-1] for one in opened.find() if one.id == "a"]
    opened.close()
    assert last.raw == "one\u2028two\u2029three\u0085four"


def test_an_id_that_is_an_address_is_kept_without_it_and_its_user_can_be_forgotten(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/x.db"
    chat = {"id": "ann@example.org", "user": "ann", "messages": [*ANSWERED, *TOLD]}
    file = chats(tmp_path / "chats.jsonl", chat)
    assert json.loads(invoke("experience", "import", file, "--store", store, "--json").stdout)["added"] == 1
    assert b"ann@example.org" not in b"".join(one.read_bytes() for one in tmp_path.glob("x.db*"))
    words = ("experience", "forget", "--user", "ann", "--yes", "--store", store, "--json")
    assert json.loads(invoke(*words).stdout)["gone"]["trajectories"] == 1


def test_the_open_door_judges_what_settled_by_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = f"sqlite:///{tmp_path}/x.db"
    opened = open_store(where)
    opened.append([talk(("Where is it?", "Hm."), ("What of my parcel?", "Hm."))])
    opened.close()
    encoder = SimpleNamespace(nearness=lambda texts: np.full((len(texts), len(texts)), 0.8))
    monkeypatch.setattr(stores, "open_embedder", lambda: encoder)
    hooks: list[Hooks] = []  # in place of a server that waits for traces to be quiet
    monkeypatch.setattr(service, "create_app", lambda *_, **given: hooks.append(given["hooks"]))
    monkeypatch.setattr(uvicorn, "Config", lambda app, **_: app)
    monkeypatch.setattr(
        uvicorn, "Server", lambda app: SimpleNamespace(run=lambda sockets: hooks[0].settled())
    )
    assert invoke("experience", "serve", "--store", where, "--port", "0").exit_code == 0
    opened = open_store(where)
    (scored,) = opened.find()
    opened.close()
    assert [one.name for one in scored.signals if one.source is SignalSource.BEHAVIOUR] == [
        "behaviour.rephrased_question"
    ]


def test_fields_that_a_toml_names_are_replaced(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/x.db"
    config = tmp_path / "mine.toml"
    config.write_text('[redaction]\nfields = ["full_name"]\n')
    told = [*ANSWERED, {"role": "assistant", "content": 'It is for {"full_name": "Ann Lee"}.'}]
    file = chats(tmp_path / "chats.jsonl", {"messages": told})
    invoke("experience", "import", file, "--store", store, "--config", config)
    opened = open_store(store)
    (found,) = opened.find()
    opened.close()
    assert "<FULL_NAME_" in found.turns[-1].raw and "Ann Lee" not in repr(found)
    config.write_text('[redaction]\nfields = ["full name"]\n')
    done = invoke("experience", "import", file, "--store", store, "--config", config)
    assert done.exit_code == 2 and "redaction.fields.0" in done.stderr


def test_a_missing_file_is_an_error_with_a_fix(tmp_path: Path) -> None:
    done = invoke("experience", "import", tmp_path / "none.jsonl", "--store", f"sqlite:///{tmp_path}/x.db")
    assert done.exit_code == 2
    assert "fix: name a file of chats" in done.stderr


def test_the_door_answers_when_what_was_sent_is_durable_and_survives_kill_nine(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/x.db"
    config = tmp_path / "mine.toml"
    config.write_text('[redaction]\nfields = ["full_name"]\n')
    words = ["experience", "serve", "--store", store, "--port", "0", "--json", "--config", str(config)]
    with subprocess.Popen(
        [sys.executable, "-m", "coevolve", *words], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        import time

        body = json_body(
            json_span(
                startTimeUnixNano=str(time.time_ns()),
                endTimeUnixNano=str(time.time_ns()),
                attributes=[{"key": "full_name", "value": {"stringValue": "Ann Lee"}}],
            )
        )
        with httpx.Client(base_url=url, transport=httpx.HTTPTransport(retries=20), timeout=60) as client:
            assert client.post("/v1/traces", content=body, headers={"content-type": JSON}).status_code == 200
            said = {"id": "f", "session_id": "s", "kind": "stars", "value": 5, "early": True}
            assert client.post("/v1/feedback", json=said).status_code == 200
        os.kill(process.pid, signal.SIGKILL)
    opened = open_store(store)
    with opened.database.read() as connection:
        counts = [
            connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar()
            for name in ("spans", "statements")
        ]
        (body_kept,) = connection.exec_driver_sql("SELECT body FROM spans").scalars()
    opened.close()
    assert counts == [1, 1]
    assert "<FULL_NAME_" in body_kept and "Ann Lee" not in body_kept
