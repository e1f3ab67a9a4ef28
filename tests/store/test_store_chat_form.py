"""What a trajectory looks like as a chat, and that a chat read and written is the same chat."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from coevolve.store.chat_form import Setting, messages_of
from coevolve.store.ingest.assemble import assemble
from coevolve.types import Action, Trajectory, Turn
from live_samples import talk
from span_samples import ANSWERED, TOLD, Talk, as_json, call, conversation, span


def turns(*given: dict[str, Any]) -> Trajectory:
    made = [Turn(**{"index": k, "observation": "", "raw": "x", **one}) for k, one in enumerate(given)]
    return replace(talk(("q", "a")), turns=tuple(made))


def plain(messages: Talk) -> list[dict[str, Any]]:
    """Without ids of calls, and without the system prompt, which a trajectory does not hold."""
    found = []
    for message in messages:
        if message["role"] == "system":
            continue
        one = {"role": message["role"], "content": message["content"]}
        if calls := message.get("tool_calls"):
            functions = [each["function"] for each in calls]
            one["calls"] = [(each["name"], json.loads(each["arguments"])) for each in functions]
        found.append(one)
    return found


def test_a_trace_becomes_the_messages_that_it_told() -> None:
    (found,) = assemble(conversation())
    assert plain(messages_of(found)) == plain([*ANSWERED, *TOLD])


def test_a_tools_message_answers_its_call_by_id_and_arguments_are_a_text_of_json() -> None:
    (found,) = assemble(conversation())
    _, called, answered, _ = messages_of(found)
    (one,) = called["tool_calls"]
    assert answered["tool_call_id"] == one["id"] != ""
    assert (one["type"], one["function"]) == ("function", {"name": "get_order", "arguments": '{"id": "77"}'})


def test_several_calls_of_one_answer_stay_one_message() -> None:
    asked: Talk = [{"role": "user", "content": "Both?"}]
    calls = [call("a", "get", id=1), call("b", "get", id=2)]
    both: Talk = [{"role": "assistant", "content": "I look.", "tool_calls": calls}]
    brought: Talk = [
        {"role": "tool", "tool_call_id": "a", "content": "one"},
        {"role": "tool", "tool_call_id": "b", "content": "two"},
    ]
    also: Talk = [{"role": "user", "content": "Quick!"}]
    whole = [*asked, *both, *brought, *also, *TOLD]
    spans = [
        span(1, attributes=as_json(asked, both)),
        span(2, attributes=as_json([*asked, *both, *brought, *also], TOLD)),
    ]
    (found,) = assemble(spans)
    messages = messages_of(found)
    assert plain(messages) == plain(whole)
    ids = [one["id"] for one in messages[1]["tool_calls"]]
    assert [messages[2]["tool_call_id"], messages[3]["tool_call_id"]] == ids and len(set(ids)) == 2


def test_the_systems_prompt_stands_first_where_its_version_is_known() -> None:
    one = talk(("q", "a"))
    setting = Setting(systems={"v1": "You are a clerk.", "v2": "Another."})
    assert messages_of(one, setting)[0] == {"role": "system", "content": "You are a clerk."}
    assert [m["role"] for m in messages_of(replace(one, version="v9"), setting)] == ["user", "assistant"]


def test_what_the_user_answers_stands_once_between_the_agents_words() -> None:
    found = messages_of(talk(("one", "two"), ("three", "four")))
    assert [(m["role"], m["content"]) for m in found] == [
        ("user", "one"),
        ("assistant", "two"),
        ("user", "three"),
        ("assistant", "four"),
    ]


def test_a_refused_call_tells_its_error_and_a_text_without_a_call_is_words() -> None:
    found = messages_of(
        turns(
            {"observation": "q", "action": Action("get", {"id": 1}), "error": "no such order"},
            {"observation": "no such order", "raw": "hm", "action": None, "error": "no action"},
            {"observation": "call a tool", "action": Action("reply", {"text": "Sorry.", "mood": 1})},
        )
    )
    assert [(m["role"], m["content"]) for m in found] == [
        ("user", "q"),
        ("assistant", ""),
        ("tool", "no such order"),
        ("assistant", "hm"),
        ("user", "call a tool"),
        ("assistant", '{"mood": 1, "text": "Sorry."}'),
    ]


def test_an_episode_without_a_turn_has_no_assistant() -> None:
    assert messages_of(replace(talk(("q", "a")), turns=())) == []
