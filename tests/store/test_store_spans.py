from __future__ import annotations

from dataclasses import replace

from coevolve.store import Store
from coevolve.store.ingest.assemble import assemble
from coevolve.store.spans import append_spans, settle
from span_samples import NOW_S, TRACE, conversation


def test_a_trace_becomes_trajectories_once_it_is_quiet(store: Store) -> None:
    spans = conversation()
    append_spans(store, spans[:2], NOW_S)
    append_spans(store, spans[1:], NOW_S + 20)  # one of them again
    assert settle(store, NOW_S + 40) == []
    assert settle(store, NOW_S + 50) == assemble(spans)
    assert settle(store, NOW_S + 500) == []
    assert store.find() == assemble(spans)


def test_late_spans_make_a_new_trajectory_that_replaces_the_old_one(store: Store) -> None:
    early, late = conversation()[:2], conversation()
    append_spans(store, early, NOW_S)
    (old,) = settle(store, NOW_S + 100)
    append_spans(store, late, NOW_S + 200)
    (new,) = settle(store, NOW_S + 300)
    assert (old.id, new.id) == (TRACE, f"{TRACE}~2")
    assert replace(new, id=TRACE) == assemble(late)[0]
    assert store.find() == [new]
    assert store.get(old.id) == old  # what learned from it can still be explained


def test_late_spans_that_change_nothing_make_nothing(store: Store) -> None:
    append_spans(store, conversation(), NOW_S)
    settle(store, NOW_S + 100)
    append_spans(store, conversation()[:1], NOW_S + 200)
    assert settle(store, NOW_S + 300) == []
    assert len(store.find()) == 1


def test_many_traces_settle_some_at_a_time_the_oldest_first(store: Store) -> None:
    for k in range(5):
        spans = [replace(one, trace_id=f"{k:032x}") for one in conversation()]
        append_spans(store, spans, NOW_S + k)
    assert [one.id[-1] for one in settle(store, NOW_S + 100, most=3)] == ["0", "1", "2"]
    assert [one.id[-1] for one in settle(store, NOW_S + 100, most=3)] == ["3", "4"]


def test_a_trace_without_a_models_answer_makes_nothing_and_is_not_looked_at_again(store: Store) -> None:
    append_spans(store, conversation()[:1], NOW_S)
    assert settle(store, NOW_S + 100) == []
    assert store.find() == []
