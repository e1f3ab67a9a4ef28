from __future__ import annotations

import json
from typing import Any

import pytest

from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.chat import Chat, RefusedLine, read_chats
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


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("{", ""),
        ("[]", "messages"),
        ('{"messages": 3}', "messages"),
        ('{"messages": [{"role": "user", "content": "hi"}]}', "messages"),
        ('{"messages": [{"role": "king"}]}', "messages.0.role"),
        ('{"messages": ["x"]}', "messages.0.role"),
        ("[" * 100_000, ""),
    ],
)
def test_a_bad_line_is_told_with_number_and_field_and_the_others_are_kept(text: str, field: str) -> None:
    first, second, third = read_chats([line(), text, "", line()])
    assert isinstance(first, Chat) and isinstance(third, Chat)
    assert isinstance(second, RefusedLine)
    assert (second.number, second.field) == (2, field)
    assert second.why
