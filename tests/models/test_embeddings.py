from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from coevolve.models import embeddings
from coevolve.models.embeddings import Embedder


def test_what_was_compared_lately_is_not_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def embed(_: Embedder, texts: Sequence[str]) -> np.ndarray:
        asked.append(list(texts))
        return np.array([[1.0, 0.0] if text == "a" else [0.0, 1.0] for text in texts]).reshape(-1, 2)

    monkeypatch.setattr(Embedder, "embed", embed)
    monkeypatch.setattr(embeddings, "_REMEMBERED", 4)
    encoder = Embedder("any", 2, None, None)
    assert encoder.nearness(["a", "b", "a"]).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert encoder.nearness(["b", "c"]).tolist() == [[1, 1], [1, 1]]
    assert encoder.nearness(["d", "e"]).shape == (2, 2)  # too many by then: it begins anew
    assert encoder.nearness(["a"]).tolist() == [[1]]
    assert encoder.nearness([]).shape == (0, 0)
    assert [one for one in asked if one] == [["a", "b"], ["c"], ["d", "e"], ["a"]]
