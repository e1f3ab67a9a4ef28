from __future__ import annotations

from dataclasses import replace

from coevolve.store import Store
from coevolve.store.sessions import session_order
from coevolve.store.spans import append_spans, settle
from live_samples import talk
from span_samples import NOW_S, conversation


def test_what_late_spans_make_anew_keeps_its_place_in_the_session(store: Store) -> None:
    first, second = ([replace(one, trace_id=digit * 32) for one in conversation()] for digit in "12")
    append_spans(store, first[:2], NOW_S)
    append_spans(store, second, NOW_S + 1)
    settle(store, NOW_S + 100)
    append_spans(store, first[2:], NOW_S + 200)
    settle(store, NOW_S + 300)
    assert [one.id for one in store.find()] == ["2" * 32, f"{'1' * 32}~2"]
    assert session_order(store.database, ["s-9"]) == {"s-9": [f"{'1' * 32}~2", "2" * 32]}


def test_what_another_agent_started_heard_no_user(store: Store) -> None:
    asked, again = talk(("Hi", "Yes?"), name="a"), talk(("And?", "No."), name="b", session_id="a")
    helper = talk(("look it up", "3 found"), name="c", session_id="a", parent=asked.id)
    store.append([asked, helper, again])
    store.append([talk(("Hello", "Yes?"), name="other")])
    assert session_order(store.database, ["a", "none"]) == {"a": [asked.id, again.id]}
