"""Files out of the store: nothing is lost, nothing is half written, and others can read them."""

from __future__ import annotations

import json
import resource
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow.json import read_json

from coevolve.errors import StoreError
from coevolve.store import Store
from coevolve.store.chat_form import Setting
from coevolve.store.export import Form, export, read_exported
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.chat import Chat, read_chats
from coevolve.store.query import Query
from coevolve.types import Failure, Outcome, Party, Split, Trajectory
from live_samples import talk
from span_samples import conversation
from store_samples import lived, scored

TOOLS = [{"type": "function", "function": {"name": "get_order", "parameters": {"type": "object"}}}]


def several() -> list[Trajectory]:
    odd = "half \ud83d of a pair, \x00, €, 12\u2028and a line"
    return [
        scored(lived("a"), Outcome.SUCCESS),
        lived("b", failure=Failure(Party.MODEL, odd)),
        talk((odd, odd), name="c"),
        *assemble(conversation()),
        lived("none", turns=()),
        lived("t", split=Split.TEST),
    ]


@pytest.mark.parametrize("form", [Form.JSONL, Form.PARQUET])
def test_what_is_read_again_is_equal_in_the_order_of_arrival(
    store: Store, tmp_path: Path, form: Form
) -> None:
    store.append(several())
    again = scored(several()[0], Outcome.FAILURE)
    store.append_scores("r", [again])
    done = export(store, tmp_path / f"out.{form}", form)
    assert list(read_exported(done.path)) == [again, *several()[1:]]
    assert (done.trajectories, done.left_out) == (6, 0)
    assert done.size_bytes == Path(done.path).stat().st_size


def test_only_what_matches_is_written_and_of_a_limit_the_newest(store: Store, tmp_path: Path) -> None:
    store.append(several())
    for name, query, ids in (
        ("test", Query(split=Split.TEST), ["t"]),
        ("good", Query(outcome=Outcome.SUCCESS), ["a"]),
        ("new", Query(limit=2), ["none", "t"]),
        ("nothing", Query(agent="nobody"), []),
    ):
        for form in (Form.JSONL, Form.PARQUET):
            done = export(store, tmp_path / f"{name}.{form}", form, query)
            assert [one.id for one in read_exported(done.path)] == ids


def test_a_chat_file_is_read_by_our_own_import_as_what_was_exported(store: Store, tmp_path: Path) -> None:
    (found,) = assemble(conversation())
    plain = talk(("one", "two"), ("three", "four"))
    expected = replace(plain, turns=tuple(replace(turn, result="") for turn in plain.turns))
    store.append([found, plain, lived("none", turns=())])
    done = export(store, tmp_path / "chats.jsonl", Form.CHAT, setting=Setting({"live": "Be kind."}, TOOLS))
    assert (done.trajectories, done.left_out) == (2, 1)
    lines = Path(done.path).read_text("utf-8").splitlines()
    read = [one.trajectory for one in read_chats(lines) if isinstance(one, Chat)]
    assert [one.turns for one in read] == [found.turns, expected.turns]
    for again, before in zip(read, (found, plain), strict=True):
        assert (again.id, again.session_id, again.task.type) == (
            before.id,
            before.session_id,
            before.task.type,
        )
        assert (again.agent, again.version) == (before.agent, before.version)
    chats = [json.loads(one) for one in lines]
    assert chats[0]["messages"][0] == {"role": "system", "content": "Be kind."}
    assert all(chat["tools"] == TOOLS for chat in chats)


def test_a_table_has_columns_to_query_and_messages_of_one_shape(store: Store, tmp_path: Path) -> None:
    store.append(several())
    done = export(store, tmp_path / "out.parquet", Form.PARQUET, setting=Setting(tools=TOOLS))
    rows = pq.read_table(done.path).to_pylist()
    assert [row["outcome"] for row in rows] == ["success", None, None, None, None, None]
    assert [row["failed_party"] for row in rows] == [None, "model", None, None, None, None]
    assert (rows[0]["reward"], rows[0]["turns"], rows[5]["split"]) == (1.0, 1, "test")
    messages = rows[3]["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[1]["tool_calls"][0]["function"] == {"name": "get_order", "arguments": '{"id": "77"}'}
    assert messages[2]["tool_call_id"] == messages[1]["tool_calls"][0]["id"]
    assert messages[0]["tool_calls"] is None
    assert json.loads(rows[0]["tools"]) == TOOLS


def test_a_trainers_loader_finds_one_shape_of_messages_in_all_chats(store: Store, tmp_path: Path) -> None:
    """pyarrow reads JSON lines as `datasets` does: a column is a type, or the file is refused."""
    store.append([talk(("one", "two")), *assemble(conversation()), scored(lived("a"), Outcome.SUCCESS)])
    done = export(store, tmp_path / "chats.jsonl", Form.CHAT, setting=Setting(tools=TOOLS))
    column = read_json(done.path).column("messages")
    assert {field.name for field in column.type.value_type} == {
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
    }
    roles = [[message["role"] for message in chat] for chat in column.to_pylist()]
    assert roles == [["user", "assistant"], ["user", "assistant", "tool", "assistant"], ["user", "assistant"]]


def test_a_file_that_is_there_is_not_written_over(store: Store, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("mine")
    with pytest.raises(StoreError, match=r"x\.jsonl is there already(.|\n)*fix: name another file"):
        export(store, tmp_path / "x.jsonl", Form.JSONL)
    assert (tmp_path / "x.jsonl").read_text() == "mine"


@contextmanager
def files_of_at_most(size_bytes: int) -> Iterator[None]:
    """What a full disk is to whoever writes: the system refuses the next byte."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk_leaves_no_half_file_and_says_the_fix(store: Store, tmp_path: Path, form: Form) -> None:
    noise = [f"{k * 7919 % 104729:x}" * 9 for k in range(400)]
    store.append([talk((f"q{k}", " ".join(noise[k:])), name=str(k)) for k in range(200)])
    out = tmp_path / "out"
    out.mkdir()
    with (
        files_of_at_most(20_000),
        pytest.raises(StoreError, match=r"cannot write(.|\n)*fix: free space"),
    ):
        export(store, out / "x", form)
    assert list(out.iterdir()) == []
    export(store, out / "x", form)
    assert [one.name for one in out.iterdir()] == ["x"]


def test_a_folder_that_is_not_there_is_named_with_its_fix(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none(.|\n)*fix: free space there, or name"):
        export(store, tmp_path / "none" / "x.jsonl", Form.JSONL)


@pytest.mark.parametrize("form", [Form.JSONL, Form.PARQUET])
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_large_store_is_never_in_memory_whole(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: Form
) -> None:
    monkeypatch.setattr("coevolve.store.export._AT_ONCE", 10)
    long = "".join(chr(97 + k * k % 23) for k in range(20_000))
    store.append([talk(("q", f"{k}{long}"), name=str(k)) for k in range(300)])
    tracemalloc.start()
    export(store, tmp_path / "x", form)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300 * len(long) / 2


def test_what_is_written_meanwhile_is_not_in_the_file(store: Store) -> None:
    store.append([lived(f"a{k}") for k in range(30)])
    found = store.stream(at_once=5)
    first = next(found)
    store.append([lived("late")])
    assert [first.id, *(one.id for one in found)] == [f"a{k}" for k in range(30)]


def test_a_file_of_something_else_is_refused_with_its_place(tmp_path: Path) -> None:
    for name, text in (("a.jsonl", "{}\n"), ("b.jsonl", "nothing\n"), ("c.parquet", "nothing")):
        (tmp_path / name).write_text(text)
        with pytest.raises(StoreError, match=f"{name}, record 1"):
            list(read_exported(tmp_path / name))
    with pytest.raises(StoreError, match="cannot read"):
        list(read_exported(tmp_path / "none.jsonl"))
