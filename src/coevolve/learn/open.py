"""Opens the trainer's network for a base model: the project's own fast one, or transformers with PEFT."""

from __future__ import annotations

from pathlib import Path

from coevolve.learn.fit import Network
from coevolve.learn.peft_network import PeftNetwork


def open_network(
    folder: Path, *, adapter: Path | None, rank: int, alpha: float, seed: int, exact: bool = False
) -> Network:
    """A network with a trainable adapter over the base model in `folder`.

    Args:
        adapter: PEFT folder where training continues; None = a fresh adapter with zero effect.
        exact: all arithmetic in f32, to compare with an engine.
    Raises: LearnError: the adapter does not belong to this base model.
    """
    return PeftNetwork.load(folder, adapter=adapter, rank=rank, alpha=alpha, seed=seed, exact=exact)
