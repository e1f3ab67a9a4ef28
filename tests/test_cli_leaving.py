"""`coevolve experience export`, `keep` and `forget`, as they are typed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli_world import invoke
from coevolve.database import Database
from coevolve.errors import StoreError
from coevolve.registry import Registry
from coevolve.registry.registry import make_version
from coevolve.store import Store, open_store
from coevolve.store.export import read_exported
from coevolve.store.key import redaction_key
from coevolve.store.pools import append_pool
from coevolve.store.redaction import subject_of
from coevolve.store.rows import Origin
from coevolve.store.statements import append_statements
from coevolve.types import Outcome, Split, StatementKind
from live_samples import says, talk
from span_samples import ANSWERED, TOLD
from store_samples import lived, scored

TOOL = {"type": "function", "function": {"name": "get_order"}}


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/x.db"


@pytest.fixture
def store(url: str) -> Store:
    """Ann's session, of which a pool and a version were made, another session, and one of the loop's own."""
    opened = open_store(url)
    ann = subject_of(redaction_key(url), "ann")
    opened.append([scored(talk(("help", "yes"), name="s1"), Outcome.SUCCESS)], origins={"t-s1": Origin(ann)})
    opened.append([talk(("hello", "hi"), name="s2"), lived("own")])
    append_statements(opened.database, [says(StatementKind.STARS, 5)])
    append_pool(opened.database, "p1", path="p1", sources=["t-s1"])
    version = make_version(base="b", harness={"system": "Be kind."}, pool="p1")
    Registry(opened.database).add(version)
    opened.append([talk(("again", "yes"), name="s3", version=version.id)])
    opened.close()
    return opened


def answer(*words: object) -> Any:
    done = invoke("experience", *words, "--json")
    return json.loads(done.stdout) | {"exit": done.exit_code}


def held(url: str) -> list[str]:
    opened = open_store(url)
    found = [one.id for one in opened.find()]
    opened.close()
    return found


def test_the_form_follows_the_files_name_and_the_filters_what_is_in_it(
    store: Store, url: str, tmp_path: Path
) -> None:
    for name, form, words, ids in (
        ("a.jsonl", "jsonl", (), ["t-s1", "t-s2", "own", "t-s3"]),
        ("b.parquet", "parquet", ("--split", "live", "--limit", 2), ["t-s2", "t-s3"]),
        ("c.jsonl", "jsonl", ("--outcome", "success"), ["t-s1"]),
        ("d.jsonl", "jsonl", ("--session", "s2", "--session", "s1"), ["t-s1", "t-s2"]),
        ("e.jsonl", "jsonl", ("--days", 1, "--type", "price"), ["own"]),
    ):
        told = answer("export", tmp_path / name, "--store", url, *words)
        assert (told["form"], told["trajectories"], told["exit"]) == (form, len(ids), 0)
        assert [one.id for one in read_exported(tmp_path / name)] == ids


def test_a_chat_export_has_the_registrys_prompts_and_is_imported_again(
    store: Store, url: str, tmp_path: Path
) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    chats = tmp_path / "chats.jsonl"
    words = ("--form", "chat", "--split", "live", "--tools", tmp_path / "tools.json")
    assert answer("export", chats, "--store", url, *words)["trajectories"] == 3
    lines = [json.loads(one) for one in chats.read_text("utf-8").splitlines()]
    assert [line["messages"][0]["content"] for line in lines] == ["help", "hello", "Be kind."]
    assert all(line["tools"] == [TOOL] for line in lines)
    again = f"sqlite:///{tmp_path}/again.db"
    assert answer("import", chats, "--store", again) == {"added": 3, "refused": [], "exit": 0}
    assert held(again) == ["t-s1", "t-s2", "t-s3"]


@pytest.mark.parametrize("text", ["{", "{}", '["x"]', '[{"name": "x"}]'])
def test_tools_that_are_none_are_refused_with_an_example(
    store: Store, url: str, tmp_path: Path, text: str
) -> None:
    (tmp_path / "tools.json").write_text(text)
    told = answer("export", tmp_path / "c", "--store", url, "--tools", tmp_path / "tools.json")
    assert told["exit"] == 2 and '"type": "function"' in told["fix"]
    assert not (tmp_path / "c").exists()


def test_a_rule_is_tried_dry_and_keeps_what_a_pool_was_made_from(store: Store, url: str) -> None:
    words = ("keep", "--store", url, "--newest", 0)
    dry = answer(*words, "--dry-run")
    assert (dry["dry_run"], dry["gone"]["trajectories"]) == (True, 2)
    assert len(held(url)) == 4
    told = answer(*words)
    assert told == {**dry, "dry_run": False}
    assert (told["kept_for_pools"], told["pools"]) == (1, ["p1"])
    assert held(url) == ["t-s1", "own"]  # of the split live alone
    shown = invoke("experience", *words).stdout
    assert "1 trajectories stay because pools were made from them: p1" in shown
    answer(*words, "--pools-too", "--split", "all")
    assert held(url) == []


def test_a_rule_without_a_limit_or_of_no_split_says_its_fix(store: Store, url: str) -> None:
    assert "--days" in answer("keep", "--store", url)["fix"]
    assert "held_out" in answer("keep", "--store", url, "--days", 1, "--split", "x")["fix"]
    assert len(held(url)) == 4


def test_a_user_is_forgotten_only_with_yes_and_what_derives_is_listed(store: Store, url: str) -> None:
    words = ("forget", "--store", url, "--user", "ann")
    dry = answer(*words, "--dry-run")
    asked = answer(*words)
    assert len(held(url)) == 4
    assert (dry["exit"], asked["exit"]) == (0, 2)
    assert "--yes" in asked["fix"] and asked["gone"] == dry["gone"]
    told = answer(*words, "--yes")
    assert told == {**dry, "dry_run": False}
    assert (told["sessions"], told["gone"]["trajectories"], told["gone"]["statements"]) == (["s1"], 1, 1)
    assert [(one["id"], one["path"]) for one in told["pools"]] == [("p1", "p1")]
    assert [one["standing"] for one in told["versions"]] == ["candidate"]
    assert all(one["fix"] for one in told["pools"] + told["versions"])
    assert any("exported" in note for note in told["notes"])
    assert held(url) == ["t-s2", "own", "t-s3"]


def test_without_json_the_same_is_read_and_the_refusal_says_its_fix(store: Store, url: str) -> None:
    done = invoke("experience", "forget", "--store", url, "--user", "ann")
    assert done.exit_code == 2
    assert "would be deleted" in done.stdout and "pools that still hold the text" in done.stdout
    assert "versions that learned from it" in done.stdout and "files that were exported" in done.stdout
    assert "fix: the same command with --yes" in done.stderr
    assert invoke("experience", "forget", "--store", url, "--session", "s2", "--yes").exit_code == 0
    assert held(url) == ["t-s1", "own", "t-s3"]


@pytest.mark.parametrize("nobody", [(), ("--user", " ")])
def test_nobody_named_says_the_flags(store: Store, url: str, nobody: tuple[str, ...]) -> None:
    assert "--user or --session" in answer("forget", "--store", url, *nobody, "--yes")["fix"]


def test_a_lost_key_is_missed_by_all_who_ask_for_somebody_and_no_new_one_is_made(
    store: Store, url: str, tmp_path: Path
) -> None:
    (tmp_path / "x.db.key").unlink()
    for words in (
        ("forget", "--user", "ann", "--yes"),
        ("forget", "--session", "s1", "--yes"),
        ("export", tmp_path / "out.jsonl", "--session", "s1"),
        ("label", "t-s1", "good"),
    ):
        told = answer(*words, "--store", url)
        assert told["exit"] == 2
        assert "x.db.key is not there" in told["error"] and "from a backup" in told["fix"]
    assert not (tmp_path / "x.db.key").exists()
    assert len(held(url)) == 4


def test_what_derives_is_said_although_the_files_could_not_be_scrubbed(
    store: Store, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Database) -> None:
        raise StoreError("a reader is there", fix="stop it")

    monkeypatch.setattr(Database, "scrub", refuse)
    told = answer("forget", "--store", url, "--user", "ann", "--yes")
    assert (told["exit"], told["error"], told["fix"]) == (2, "a reader is there", "stop it")
    assert (told["dry_run"], [one["id"] for one in told["pools"]]) == (False, ["p1"])
    assert "t-s1" not in held(url)


def test_a_user_whom_nobody_knows_is_asked_about(store: Store, url: str) -> None:
    told = answer("forget", "--store", url, "--user", "Ann", "--yes")
    assert told["gone"]["trajectories"] == 0
    assert "is the id written as it was sent" in told["notes"][0]


def test_an_imported_chats_user_can_be_forgotten_and_is_nowhere_in_clear(url: str, tmp_path: Path) -> None:
    chats = [{"messages": [*ANSWERED, *TOLD], "user": user} for user in ("ann-the-user", "bob")]
    file = tmp_path / "chats.jsonl"
    file.write_text("\n".join(map(json.dumps, chats)), "utf-8")
    assert answer("import", file, "--store", url)["added"] == 2
    assert b"ann-the-user" not in b"".join(one.read_bytes() for one in tmp_path.glob("x.db*"))
    assert answer("forget", "--store", url, "--user", "ann-the-user", "--yes")["gone"]["trajectories"] == 1
    assert len(held(url)) == 1


def test_a_session_that_is_an_address_is_kept_without_it_and_found_by_it(url: str, tmp_path: Path) -> None:
    chat = {"session_id": "ann@example.org", "messages": [*ANSWERED, *TOLD]}
    file = tmp_path / "chats.jsonl"
    file.write_text(json.dumps(chat), "utf-8")
    assert answer("import", file, "--store", url)["added"] == 1
    opened = open_store(url)
    (kept,) = opened.find()
    opened.close()
    assert "ann@example.org" not in repr(kept)
    out = tmp_path / "out.jsonl"
    assert answer("export", out, "--session", "ann@example.org", "--store", url)["trajectories"] == 1
    gone = answer("forget", "--session", "ann@example.org", "--yes", "--store", url)
    assert kept.session_id in gone["sessions"] and gone["gone"]["trajectories"] == 1


def test_tasks_that_measure_are_exported_only_by_name_and_never_as_chats(url: str, tmp_path: Path) -> None:
    opened = open_store(url)
    task = replace(talk(("q", "a")).task, split=Split.HELD_OUT)
    opened.append([talk(("q", "a"), name="live"), talk(("q", "a"), name="sealed", task=task)])
    opened.close()
    assert answer("export", tmp_path / "all.jsonl", "--store", url)["trajectories"] == 1
    named = ("--split", "held_out", "--store", url)
    assert answer("export", tmp_path / "sealed.jsonl", *named)["trajectories"] == 1
    refused = invoke("experience", "export", tmp_path / "chats.jsonl", "--form", "chat", *named)
    assert refused.exit_code == 2 and "held_out tasks measure" in refused.stderr
