from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coevolve.database.vector_type import DIMS
from coevolve.errors import StoreError
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.store.vectors import Vectors
from live_samples import talk


def filled(store: Store, count: int, seed: int = 0) -> np.ndarray:
    """Trajectories t-0 to t-N of two agents, with random unit vectors: shape (N, DIMS)."""
    rng = np.random.default_rng(seed)
    found_ND = rng.normal(size=(count, DIMS)).astype(np.float32)
    found_ND /= np.linalg.norm(found_ND, axis=1, keepdims=True)
    store.append([replace(talk(("q", "a"), name=str(k)), agent=f"agent-{k % 2}") for k in range(count)])
    Vectors(store.database).append({f"t-{k}": found_ND[k] for k in range(count)})
    return found_ND


def test_the_nearest_come_first_with_their_similarity(store: Store) -> None:
    held_ND = filled(store, 300)
    rng = np.random.default_rng(1)
    index = Vectors(store.database)
    for _ in range(5):
        wanted_D = rng.normal(size=DIMS).astype(np.float32)
        alike_N = held_ND @ (wanted_D / np.linalg.norm(wanted_D))
        exact = [f"t-{k}" for k in np.argsort(-alike_N)[:10]]
        found = index.nearest(wanted_D, 10)
        assert len(set(exact) & {one for one, _ in found}) >= 9
        assert found == sorted(found, key=lambda one: -one[1])
        assert found[0][1] == pytest.approx(float(alike_N.max()), abs=1e-3)


def test_only_what_matches_a_query_is_found(store: Store) -> None:
    held_ND = filled(store, 60)
    found = Vectors(store.database).nearest(held_ND[3], 40, Query(agent="agent-1"))
    assert found[0][0] == "t-3"
    assert len(found) == 30
    assert {int(one.removeprefix("t-")) % 2 for one, _ in found} == {1}
    assert Vectors(store.database).nearest(held_ND[3], 5, Query(agent="nobody")) == []


def test_vectors_that_others_add_are_found_and_one_is_never_replaced(store: Store) -> None:
    held_ND = filled(store, 5)
    index = Vectors(store.database)
    assert index.nearest(held_ND[0], 1)[0][0] == "t-0"
    store.append([talk(("q", "a"), name="late")])
    assert index.missing(["t-0", "t-late", "t-none"]) == ["t-late", "t-none"]
    Vectors(store.database).append({"t-late": -held_ND[0], "t-0": held_ND[1]})
    assert index.nearest(-held_ND[0], 1)[0][0] == "t-late"
    assert index.nearest(held_ND[0], 1)[0][0] == "t-0"


def test_an_empty_store_has_no_nearest_and_wrong_vectors_are_refused(store: Store) -> None:
    index = Vectors(store.database)
    assert index.nearest(np.ones(DIMS), 3) == []
    store.append([talk(("q", "a"), name="x")])
    for wrong in (np.ones(3), np.full(DIMS, np.nan)):
        with pytest.raises(StoreError, match="the vector of t-x"):
            index.append({"t-x": wrong})
    with pytest.raises(StoreError):
        index.append({"t-nobody": np.ones(DIMS)})
