"""The journal: a finished step is finished once."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from coevolve.errors import CoevolveError, StoreError
from coevolve.store import Journal, Store, open_store
from coevolve.store.pools import append_pool, pool_rows


def test_a_finished_step_is_returned_after_reopening_and_not_run_again(database_url: sa.URL) -> None:
    ran: list[str] = []

    def run_once() -> list[Any]:
        store = open_store(database_url)
        journal = Journal(store, "run-1")
        values = []
        for step in ("collect", "learn"):
            value = journal.get(step)
            if value is None:
                ran.append(step)
                value = {"ids": ["a", "b"], "loss": 0.1}
                journal.done(step, value)
            values.append(value)
        store.close()
        return values

    assert run_once() == run_once()
    assert ran == ["collect", "learn"]


def test_false_values_count_as_finished(store: Store) -> None:
    journal = Journal(store, "r")
    for number, value in enumerate(({}, [], 0, "", False)):
        journal.done(str(number), value)
        assert journal.get(str(number)) == value
        assert journal.get(str(number)) is not None


def test_null_and_what_is_no_json_are_refused(store: Store) -> None:
    journal = Journal(store, "r")
    with pytest.raises(StoreError, match="has no value"):
        journal.done("a", None)
    with pytest.raises(CoevolveError, match="Path"):
        journal.done("a", {"path": Path("x")})
    assert journal.get("a") is None


def test_the_same_value_again_is_passed_over_and_another_is_refused(store: Store) -> None:
    journal = Journal(store, "r")
    journal.done("a", {"x": 1, "y": (2,)})
    journal.done("a", {"y": [2], "x": 1})
    with pytest.raises(StoreError, match="step 'a' of run r is already finished with another value"):
        journal.done("a", {"x": 2})
    assert journal.get("a") == {"x": 1, "y": [2]}


def test_runs_do_not_see_each_others_steps(store: Store) -> None:
    Journal(store, "r1").done("a", 1)
    assert Journal(store, "r2").get("a") is None
    assert Journal(store, "r2").steps() == []


def test_steps_are_listed_in_the_order_of_finishing_with_wall_times(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 103.0, 105.5, 106.0, 110.0])
    faked = SimpleNamespace(monotonic=lambda: next(clock), time=time.time)
    monkeypatch.setattr("coevolve.store.journal.time", faked)
    journal = Journal(store, "r")  # 100
    assert journal.get("b") is None
    journal.start()  # 103
    journal.done("b", 1)  # 105.5
    assert journal.get("a") is None
    journal.start()  # 106
    journal.done("a", 2)  # 110
    assert [(step.name, step.value, step.wall_s) for step in journal.steps()] == [
        ("b", 1, 2.5),
        ("a", 2, 4.0),
    ]
    assert journal.steps()[0].finished_s > 1e9


def test_a_step_can_commit_together_with_what_it_names(store: Store) -> None:
    journal = Journal(store, "r")
    with pytest.raises(KeyError), store.database.write():
        append_pool(store.database, "p", path="x")
        journal.done("evolve", {"pool": "p"})
        raise KeyError("killed here")
    assert pool_rows(store.database) == [] and journal.get("evolve") is None
    with store.database.write():
        append_pool(store.database, "p", path="x")
        journal.done("evolve", {"pool": "p"})
    assert len(pool_rows(store.database)) == 1 and journal.get("evolve") == {"pool": "p"}
