"""Lessons on the tiny Llama's token ids: examples, pairs, and the settings that learn them fast."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from coevolve.examples import Example, Pair
from coevolve.learn.lesson import Lesson
from coevolve.learn.packing import Row, row_of
from coevolve.sections import LearnSection
from tiny_llama import VOCAB

with_trl = pytest.mark.skipif(
    importlib.util.find_spec("trl") is None, reason="TRL is not installed: pip install '.[trl]'"
)

FAST = LearnSection(rank=8, alpha=16.0, learning_rate=3e-2, batch_tokens=64)
PREFIX = tuple(range(1, 21))
MASK = (False,) * (len(PREFIX) + 4) + (True,) * 5 + (False,) * 3 + (True,) * 4


def some_ids(seed: int, count: int) -> tuple[int, ...]:
    return tuple(torch.randint(1, VOCAB, (count,), generator=torch.Generator().manual_seed(seed)).tolist())


def some_examples(count: int = 6) -> list[Example]:
    """Prefix, a question of 4 tokens, a turn of 5, an observation of 3, a turn of 4."""
    return [
        Example(ids=PREFIX + some_ids(k, 16), mask=MASK, task_type="count", entry=f"entry-{k}")
        for k in range(count)
    ]


def some_pairs(count: int = 6) -> list[Pair]:
    return [
        Pair(
            prompt_ids=PREFIX + some_ids(50 + k, 4),
            chosen_ids=some_ids(60 + k, 5),
            rejected_ids=some_ids(70 + k, 3),
            task_type="count",
            entry=f"pair-{k}",
        )
        for k in range(count)
    ]


def lesson(out: Path, **changes: object) -> Lesson:
    return replace(Lesson(examples=some_examples(), out=out, epochs=2, seed=5), **changes)  # type: ignore[arg-type]


def rows_of(examples: list[Example]) -> list[Row]:
    return [row_of(one) for one in examples]


def adapter_bytes(folder: str) -> bytes:
    return (Path(folder) / "adapter_model.safetensors").read_bytes()
