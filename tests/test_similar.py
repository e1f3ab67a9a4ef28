from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coevolve.models.embeddings import open_embedder
from coevolve.similar import about, encode_missing, similar
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.store.vectors import Vectors
from live_samples import talk

TALKS = (
    talk(("May I send it back after five weeks?", "The window is thirty days."), name="return"),
    talk(("My card was refused twice.", "Please try another card."), name="pay"),
    talk(("What does the lamp cost?", "It costs 40."), name="price"),
)


def test_a_question_finds_what_is_about_the_like_by_meaning(store: Store) -> None:
    store.append(TALKS)
    (nearest, likeness), *others = similar(store, open_embedder().embed, "how long can I return things", 3)
    assert nearest == "t-return"
    assert likeness > others[0][1]
    assert {one for one, _ in others} == {"t-pay", "t-price"}


def test_only_what_matches_is_encoded_and_that_once(store: Store) -> None:
    store.append(TALKS)
    store.append([talk(("Hello?", "Yes?"), name="other", agent="second")])
    calls: list[int] = []
    embedder = open_embedder()

    def embed(texts: Sequence[str]) -> np.ndarray:
        calls.append(len(texts))
        return embedder.embed(texts)

    vectors = Vectors(store.database)
    assert encode_missing(store, vectors, embed, Query(agent="second")) == 1
    assert encode_missing(store, vectors, embed) == 3
    assert encode_missing(store, vectors, embed) == 0
    assert calls == [1, 3]


def test_what_it_is_about_is_the_question_and_the_last_words() -> None:
    assert about(TALKS[1]) == "My card was refused twice.\nPlease try another card."
