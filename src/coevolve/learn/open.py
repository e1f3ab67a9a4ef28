"""Opens the trainer's network for a base model: the project's own fast one, or transformers with PEFT."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from coevolve.learn.fit import Network
from coevolve.learn.llama import LlamaLora
from coevolve.learn.peft_network import PeftNetwork, training_device


def open_network(
    folder: Path, *, adapter: Path | None, rank: int, alpha: float, seed: int, exact: bool = False
) -> Network:
    """A network with a trainable adapter over the base model in `folder`.

    A plain Llama runs on a CPU in the project's own implementation, several times faster there.
    Every other architecture, and every model on a GPU, runs in transformers.

    Args:
        adapter: PEFT folder where training continues; None = a fresh adapter with zero effect.
        exact: all arithmetic in f32, to compare with an engine.
    Raises: LearnError: the adapter does not belong to this base model.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if training_device().type == "cpu" and LlamaLora.supports(config):
        dtype = torch.float32 if exact else torch.bfloat16
        return LlamaLora.load(folder, adapter=adapter, rank=rank, alpha=alpha, seed=seed, dtype=dtype)
    return PeftNetwork.load(folder, adapter=adapter, rank=rank, alpha=alpha, seed=seed, exact=exact)
