"""Experience by meaning: a text enters, the trajectories that are about the like leave.

The sentence encoder and the store's vectors meet here. What a trajectory is about, its opening and the words
it ended with, is encoded once and kept; a new scoring changes nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from coevolve.feedback.statements import answered
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.store.vectors import Vectors
from coevolve.types import Trajectory

Embed: TypeAlias = Callable[[Sequence[str]], np.ndarray]  # N texts -> (N, D) unit vectors
_AT_ONCE = 256  # trajectories encoded and kept in one transaction


def about(trajectory: Trajectory) -> str:
    """What a trajectory is found by."""
    words = answered(trajectory, None) or ""
    return f"{trajectory.task.opening}\n{words}".strip()


def encode_missing(store: Store, vectors: Vectors, embed: Embed, query: Query | None = None) -> int:
    """Give every trajectory that matches a vector. Returns how many had none."""
    missing = vectors.missing([row.id for row in store.rows(query)])
    for start in range(0, len(missing), _AT_ONCE):
        some = list(store.known(missing[start : start + _AT_ONCE]).values())
        found_ND = embed([about(one) for one in some])
        vectors.append({one.id: found_ND[k] for k, one in enumerate(some)})
    return len(missing)


def similar(
    store: Store, embed: Embed, text: str, count: int, query: Query | None = None
) -> list[tuple[str, float]]:
    """The trajectories that are about what a text says: ids with cosine similarities, best first.

    Args: query: only among those that match; its limit is not used.
    """
    wanted = replace(query or Query(), limit=None)
    vectors = Vectors(store.database)
    encode_missing(store, vectors, embed, wanted)
    return vectors.nearest(embed([text])[0], count, wanted)
