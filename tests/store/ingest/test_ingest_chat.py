from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from coevolve.errors import StoreError
from coevolve.feedback.behaviour import user_messages
from coevolve.store import Store
from coevolve.store.forget import forget
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.chat import Chat, RefusedLine, append_chats, read_chats
from coevolve.store.redaction import Redactor
from coevolve.types import Action, StopReason
from span_samples import ANSWERED, TOLD, conversation


def line(**given: Any) -> str:
    return json.dumps({"messages": [*ANSWERED, *TOLD], **given})


def test_a_chat_is_the_trajectory_that_its_spans_would_be() -> None:
    given = line(id="c-1", session_id="s-9", agent="clerk", task_type="status", version="v2")
    (read,) = read_chats([given])
    assert isinstance(read, Chat)
    found = read.trajectory
    assert found.turns == assemble(conversation())[0].turns
    assert (found.id, found.session_id, found.agent) == ("c-1", "s-9", "clerk")
    assert (found.task.type, found.version) == ("status", "v2")


def test_a_chat_without_an_id_always_gets_the_same_one() -> None:
    one, two, other = read_chats([line(), line(), line(agent="x")])
    assert isinstance(one, Chat) and isinstance(two, Chat) and isinstance(other, Chat)
    assert one.trajectory.id == two.trajectory.id != other.trajectory.id


def test_what_the_user_said_last_is_kept_as_what_came_of_the_last_answer() -> None:
    talk = [*ANSWERED, *TOLD, {"role": "user", "content": "That did not help."}]
    (read,) = read_chats([json.dumps({"messages": talk})])
    assert isinstance(read, Chat)
    assert user_messages(read.trajectory)[-1] == (2, "That did not help.")
    assert read.trajectory.stop is StopReason.LEFT
    (whole,) = read_chats([line()])
    assert isinstance(whole, Chat)
    assert (whole.trajectory.turns[-1].result, whole.trajectory.stop) == ("", StopReason.DONE)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("{", ""),
        ("[]", "messages"),
        ('{"messages": 3}', "messages"),
        ('{"messages": [{"role": "user", "content": "hi"}]}', "messages"),
        ('{"messages": [{"role": "king"}]}', "messages.0.role"),
        ('{"messages": ["x"]}', "messages.0.role"),
        ('{"messages": [{"role": ["user"]}]}', "messages.0.role"),
        ('{"messages": [{"role": "assistant", "content": "a"}], "x": NaN}', ""),
        ('{"messages": [{"role": "assistant", "content": "a"}], "x": 1e999}', "messages"),
        ("[" * 100_000, ""),
    ],
)
def test_a_bad_line_is_told_with_number_and_field_and_the_others_are_kept(text: str, field: str) -> None:
    first, second, third = read_chats([line(), text, "", line()])
    assert isinstance(first, Chat) and isinstance(third, Chat)
    assert isinstance(second, RefusedLine)
    assert (second.number, second.field) == (2, field)
    assert second.why


def without_json(chat: Chat) -> Chat:
    """The same with a call that holds a value JSON has no word for."""
    turn = replace(chat.trajectory.turns[0], action=Action("get_order", {"id": float("nan")}))
    return replace(chat, trajectory=replace(chat.trajectory, turns=(turn,)))


def test_what_cannot_be_kept_is_told_with_its_number_and_the_others_are_kept(store: Store) -> None:
    redactor = Redactor(b"k" * 32)
    given = [
        line(id="a"),
        line(id="nan"),
        line(id="ann@example.org", user="ann"),
        line(id="a", agent="another"),
        line(id="ANN@example.org", agent="another"),
        line(id="b"),
    ]
    chats = [one for one in read_chats(given, redactor.subject) if isinstance(one, Chat)]
    assert len(chats) == 6
    chats[1] = without_json(chats[1])
    refused = append_chats(store, chats, redactor)
    assert [(one.number, one.field) for one in refused] == [(2, "messages"), (4, "id"), (5, "id")]
    assert all(one.why for one in refused) and "ann@" not in repr(refused).lower()
    mail = redactor.text("ann@example.org")
    assert [one.id for one in store.find()] == ["a", mail, "b"]
    assert append_chats(store, [chats[0], chats[2], chats[5]], redactor) == []
    assert forget(store.database, subject=redactor.subject("ann")).gone.trajectories == 1


def test_a_database_that_refuses_is_no_lines_fault(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise StoreError("no space", fix="free some")

    (chat,) = read_chats([line()])
    assert isinstance(chat, Chat)
    monkeypatch.setattr(store, "append", full)
    with pytest.raises(StoreError, match="no space"):
        append_chats(store, [chat], Redactor(b"k" * 32))
