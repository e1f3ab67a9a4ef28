from __future__ import annotations

import json
from typing import Any

import pytest

from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.chat import RefusedLine, read_chats
from coevolve.types import Trajectory
from span_samples import ANSWERED, TOLD, conversation


def line(**given: Any) -> str:
    return json.dumps({"messages": [*ANSWERED, *TOLD], **given})


def test_a_chat_is_the_trajectory_that_its_spans_would_be() -> None:
    (found,) = read_chats([line(id="c-1", session_id="s-9", agent="clerk", task_type="status", version="v2")])
    assert isinstance(found, Trajectory)
    assert found.turns == assemble(conversation())[0].turns
    assert (found.id, found.session_id, found.agent, found.task.type, found.version) == (
        "c-1",
        "s-9",
        "clerk",
        "status",
        "v2",
    )


def test_a_chat_without_an_id_always_gets_the_same_one() -> None:
    one, two, other = read_chats([line(), line(), line(agent="x")])
    assert isinstance(one, Trajectory) and isinstance(two, Trajectory) and isinstance(other, Trajectory)
    assert one.id == two.id != other.id


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
    assert isinstance(first, Trajectory) and isinstance(third, Trajectory)
    assert isinstance(second, RefusedLine)
    assert (second.number, second.field) == (2, field)
    assert second.why
