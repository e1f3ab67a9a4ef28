from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import OperationalError

from coevolve.errors import ConflictError, StoreError
from coevolve.store import Store
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.spans import Span
from coevolve.store.spans import Broken, Settled, append_spans, settle, settle_some
from coevolve.types import Trajectory
from span_samples import NOW_S, TRACE, conversation, too_deep, with_attributes


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


def of_trace(number: int, spans: list[Span]) -> list[Span]:
    return [replace(one, trace_id=f"{number:032x}") for one in spans]


def test_a_trace_that_cannot_be_kept_is_named_and_costs_no_other(store: Store) -> None:
    append_spans(store, of_trace(1, too_deep()), NOW_S)  # the oldest
    append_spans(store, of_trace(2, conversation()), NOW_S + 1)
    found = settle_some(store, NOW_S + 100)
    assert (found.looked_at, found.made) == (2, assemble(of_trace(2, conversation())))
    (broken,) = found.broken
    assert (broken.trace_id, broken.why.partition(":")[0]) == (f"{1:032x}", "RecursionError")
    assert settle_some(store, NOW_S + 100) == Settled(0, [], [])
    append_spans(store, of_trace(1, conversation()[:1]), NOW_S + 200)
    assert [one.trace_id for one in settle_some(store, NOW_S + 300).broken] == [broken.trace_id]
    assert store.find() == found.made


def test_a_trace_that_cannot_be_read_is_named_and_costs_no_other(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def picky(spans: list[Span]) -> list[Trajectory]:
        if spans[0].trace_id == f"{1:032x}":
            raise ValueError("no such number")
        return assemble(spans)

    monkeypatch.setattr("coevolve.store.spans.assemble", picky)
    for number in (1, 2):
        append_spans(store, of_trace(number, conversation()), NOW_S + number)
    found = settle_some(store, NOW_S + 100)
    assert found.broken == [Broken(f"{1:032x}", "ValueError: no such number")]
    assert [one.id for one in found.made] == [f"{2:032x}"]


def test_what_a_column_cannot_hold_is_the_fault_of_its_trace(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coevolve.store.ingest.assemble.name_of", str)
    named = {"coevolve.version": "v" * 300}
    append_spans(store, [with_attributes(one, **named) for one in of_trace(1, conversation())], NOW_S)
    append_spans(store, of_trace(2, conversation()), NOW_S + 1)
    found = settle_some(store, NOW_S + 100)
    if store.database.engine.dialect.name == "postgresql":  # SQLite takes texts of any length
        assert [one.trace_id for one in found.broken] == [f"{1:032x}"]
    assert found.made[-1].id == f"{2:032x}"
    assert len(found.broken) + len(found.made) == 2


def test_names_of_any_length_and_with_nul_are_kept(store: Store) -> None:
    long = "n\0" * 300
    given = {"coevolve.version": long, "coevolve.task_type": long, "session.id": long, "agent.name": long}
    append_spans(store, [with_attributes(one, **given) for one in conversation()], NOW_S)
    (found,) = settle(store, NOW_S + 100)
    assert store.get(found.id) == found
    assert found.version == "n" * 200


def full_disk() -> StoreError:
    error = StoreError("the disk is full", fix="free some space")
    error.__cause__ = OperationalError("INSERT", {}, Exception("disk full"))
    return error


@pytest.mark.parametrize("error", [ConflictError("a circle", fix="again"), full_disk()])
def test_trouble_with_the_database_is_raised_and_the_trace_tried_again(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: StoreError
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    append_spans(store, conversation(), NOW_S)
    with monkeypatch.context() as patch:
        patch.setattr(Store, "append", refuse)
        with pytest.raises(type(error), match=error.what):
            settle(store, NOW_S + 100)
    assert settle(store, NOW_S + 100) == assemble(conversation())
