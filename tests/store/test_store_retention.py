"""What a rule keeps, what it deletes, and what stays because a pool needs it."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from coevolve.database.tables import owners, scorings, spans, statements, traces, trajectories, vectors
from coevolve.database.vector_type import DIMS
from coevolve.errors import StoreError
from coevolve.store import Store, deletion
from coevolve.store.deletion import Gone
from coevolve.store.pools import append_pool, pools_from
from coevolve.store.retention import DAY_S, Keep, keep
from coevolve.store.spans import append_spans, settle
from coevolve.store.statements import append_statements
from coevolve.store.vectors import Vectors
from coevolve.types import Outcome, Split, StatementKind
from live_samples import says, talk
from span_samples import NOW_S, conversation, with_attributes
from store_samples import scored


def aged(store: Store, table: sa.Table, ids: Any, days: float) -> None:
    """As if it had arrived `days` before NOW_S."""
    column = "last_s" if table is traces else "created_s"
    key = table.c.trace_id if table is traces else table.c.id
    with store.database.write() as connection:
        changed = sa.update(table).where(key.in_(list(ids))).values({column: NOW_S - days * DAY_S})
        connection.execute(changed)


def lives(store: Store, *ages: float, split: Split = Split.LIVE) -> list[str]:
    """Scored trajectories of these ages in days, each with a vector and a word on its session; their ids."""
    made: list[str] = []
    for age in ages:
        number = store.count()
        one = scored(talk(("q", "a"), name=f"{split}{number}"), Outcome.SUCCESS)
        one = replace(one, task=replace(one.task, split=split))
        store.append([one])
        Vectors(store.database).append({one.id: np.ones(DIMS)})
        append_statements(store.database, [says(StatementKind.STARS, 5, session=one.session_id)])
        aged(store, trajectories, [one.id], age)
        made.append(one.id)
    return made


def kept(store: Store) -> list[str]:
    return [one.id for one in store.find()]


def counts(store: Store) -> list[int]:
    with store.database.read() as connection:
        held = (trajectories, scorings, vectors, statements, spans, traces, owners)
        return [connection.execute(sa.select(sa.func.count()).select_from(one)).scalar_one() for one in held]


def test_what_is_older_goes_with_its_scorings_vectors_and_words(store: Store) -> None:
    ids = lives(store, 40, 31, 29, 1)
    told = keep(store.database, Keep(days=30), NOW_S)
    assert told.gone == Gone(trajectories=2, scorings=2, vectors=2, statements=2)
    assert kept(store) == ids[2:]
    assert counts(store) == [2, 2, 2, 2, 0, 0, 0]


def test_the_newest_stay_and_of_two_limits_what_fails_one_goes(store: Store) -> None:
    ids = lives(store, 1, 1, 40, 1, 1)
    assert keep(store.database, Keep(newest=4), NOW_S).gone.trajectories == 1
    assert kept(store) == ids[1:]
    assert keep(store.database, Keep(newest=3, days=30), NOW_S).gone.trajectories == 2
    assert kept(store) == ids[3:]
    assert keep(store.database, Keep(newest=9), NOW_S).gone == Gone()
    assert keep(store.database, Keep(newest=0), NOW_S).gone.trajectories == 2


def test_of_a_split_alone_the_others_are_neither_counted_nor_deleted(store: Store) -> None:
    lives(store, 40, split=Split.TRAIN)
    live = lives(store, 40, 40, 1)
    lives(store, 40, split=Split.TRAIN)
    keep(store.database, Keep(days=30, newest=2, split=Split.LIVE), NOW_S)
    assert sorted(kept(store)) == sorted([live[2], "t-train0", "t-train4"])


def test_what_a_pool_was_made_from_stays_and_is_said_unless_asked_for(store: Store) -> None:
    ids = lives(store, 40, 40, 1)
    append_pool(store.database, "p2", path="p2", sources=[ids[0], ids[2]])
    append_pool(store.database, "p1", path="p1", sources=[ids[0]])
    told = keep(store.database, Keep(days=30), NOW_S)
    assert (told.gone.trajectories, told.for_pools, told.pools) == (1, 1, ("p1", "p2"))
    assert kept(store) == [ids[0], ids[2]]
    told = keep(store.database, Keep(days=30, pools_too=True), NOW_S)
    assert (told.gone.trajectories, told.for_pools, told.pools) == (1, 0, ())
    assert pools_from(store.database, ids[0]) == ["p2", "p1"]  # which pools hold it can still be asked


def test_words_on_a_session_stay_while_it_has_a_trajectory(store: Store) -> None:
    (old,) = lives(store, 40)
    store.append([talk(("q", "b"), name="live0", id="t-later")])
    aged(store, trajectories, ["t-later"], 1)
    assert keep(store.database, Keep(days=30), NOW_S).gone.statements == 0
    assert old not in kept(store)
    assert keep(store.database, Keep(newest=0), NOW_S).gone.statements == 1


def settled(store: Store, number: int, age: float) -> str:
    """A trace of that age that has become a trajectory."""
    name = f"{number:032x}"
    found = [
        replace(with_attributes(one, **{"session.id": f"s-{number}"}), trace_id=name)
        for one in conversation()
    ]
    append_spans(store, found, NOW_S - age * DAY_S)
    settle(store, NOW_S)
    aged(store, trajectories, [name], age)
    return name


def test_traces_go_with_their_last_trajectory_and_old_ones_without_any_by_age(store: Store) -> None:
    old, young = settled(store, 1, 40), settled(store, 2, 1)
    for number, age in ((3, 40), (4, 1)):
        some = [replace(one, trace_id=f"{number:032x}") for one in conversation()[:1]]
        append_spans(store, some, NOW_S - age * DAY_S)
    append_statements(store.database, [says(StatementKind.THUMB, True, session="never seen")])
    aged(store, statements, ["never seen/thumb/True"], 40)
    told = keep(store.database, Keep(days=30), NOW_S)
    assert told.gone == Gone(trajectories=1, spans=5, traces=2, statements=1)
    assert kept(store) == [young] != [old]
    assert counts(store) == [1, 0, 0, 0, 5, 2, 2]


def test_spans_that_come_late_do_not_bring_back_what_was_deleted(store: Store) -> None:
    old = settled(store, 1, 40)
    keep(store.database, Keep(days=30), NOW_S)
    assert settle(store, NOW_S + 100) == []
    assert old not in kept(store)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_trace_that_is_assembled_between_looking_and_deleting_stays_with_its_trajectory(
    store: Store,
) -> None:
    append_spans(store, conversation(), NOW_S - 40 * DAY_S)
    made: list[str] = []

    def settled_meanwhile(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM traces" in statement and threading.current_thread() is threading.main_thread() and not made:
            thread = threading.Thread(target=lambda: made.extend(one.id for one in settle(store, NOW_S)))
            thread.start()
            thread.join(60)

    sa.event.listen(store.database.engine, "after_cursor_execute", settled_meanwhile)
    keep(store.database, Keep(days=30), NOW_S)
    assert kept(store) == made != []
    assert counts(store)[4:6] == [4, 1]


def test_a_dry_run_counts_exactly_what_then_goes_and_deletes_nothing(store: Store) -> None:
    ids = lives(store, 40, 40, 40, 1)
    store.append([talk(("q", "b"), name="live2", id="t-later")])
    aged(store, trajectories, ["t-later"], 1)
    settled(store, 1, 40)
    settled(store, 2, 1)
    append_spans(store, [replace(conversation()[0], trace_id="9" * 32)], NOW_S - 50 * DAY_S)
    append_pool(store.database, "p", path="p", sources=[ids[1]])
    before = counts(store)
    for rule in (Keep(days=30), Keep(newest=1, split=Split.LIVE), Keep(days=30, pools_too=True)):
        dry = keep(store.database, rule, NOW_S, dry_run=True)
        assert counts(store) == before
        assert keep(store.database, rule, NOW_S) == dry
        assert dry.gone.trajectories > 0
        assert keep(store.database, rule, NOW_S, dry_run=True).gone == Gone()
        before = counts(store)


def test_others_write_between_the_batches(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coevolve.store.retention._AT_ONCE", 2)
    lives(store, 40, 40, 40, 40, 40)
    began: list[int] = []
    real = deletion.delete_trajectories

    def watched(connection: Any, ids: Any) -> Gone:
        began.append(store.count())
        return real(connection, ids)

    monkeypatch.setattr("coevolve.store.retention.delete_trajectories", watched)
    assert keep(store.database, Keep(days=30), NOW_S).gone.trajectories == 5
    assert began == [5, 3, 1]
    assert not store.database.writing


def test_one_that_fails_has_done_whole_batches_and_goes_on_when_called_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coevolve.store.retention._AT_ONCE", 2)
    lives(store, 40, 40, 40, 40, 40)
    real, calls = deletion.delete_statements, list[int]()

    def broken(connection: Any, ids: Any) -> Gone:
        calls.append(1)
        if len(calls) == 2:
            raise KeyError("stop")
        return real(connection, ids)

    with monkeypatch.context() as patch:
        patch.setattr("coevolve.store.retention.delete_statements", broken)
        with pytest.raises(KeyError):
            keep(store.database, Keep(days=30), NOW_S)
    assert counts(store)[:4] == [3, 3, 3, 3]
    assert keep(store.database, Keep(days=30), NOW_S).gone.trajectories == 3


@pytest.mark.parametrize("limits", [{}, {"days": -1.0}, {"newest": -1}])
def test_a_rule_without_a_limit_is_refused_with_the_flags(limits: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="fix: give --days, --newest or both"):
        Keep(**limits)
