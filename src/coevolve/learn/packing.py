"""Several sequences in one row, their common beginning computed once and nothing padded.

All episodes of one agent begin with the same system prompt; encoding it once per batch instead of once
per sequence saves most of the work on short episodes (Hydragen, arXiv:2402.05099, does so for
inference). Attention runs span by span: the shared prefix sees itself, each span sees prefix and itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from coevolve.errors import LearnError
from coevolve.examples import Example

PACKED_ATTENTION = "coevolve_packed"


@dataclass(frozen=True, slots=True)
class Row:
    """One sequence to learn from: `weights[i]` is what predicting `ids[i]` counts; 0 = context."""

    ids: tuple[int, ...]
    weights: tuple[float, ...]


def row_of(example: Example) -> Row:
    """An example to imitate: every token of its own counts alike."""
    return Row(example.ids, tuple(float(own) for own in example.mask))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """Rows as one line of T tokens with N predictions."""

    ids_T: Tensor
    positions_T: Tensor
    spans: tuple[tuple[int, int], ...]  # [start, end); the first is the shared prefix, maybe empty
    source_N: Tensor  # where in T a prediction is read off
    target_N: Tensor  # the token to predict
    weight_N: Tensor
    row_N: Tensor  # which row it belongs to

    @property
    def tokens(self) -> int:
        """T."""
        return int(self.ids_T.numel())


def pack(rows: Sequence[Row]) -> Pack:
    """Lay rows side by side behind their longest common prefix.

    The prefix ends before the first token that is to be predicted, so every prediction is read off its
    own row. Raises: LearnError: no rows, or one with nothing to predict.
    """
    if not rows:
        raise LearnError("an empty batch", fix="give at least one example")
    firsts = first_targets(rows)
    shared = _common(rows, min(firsts) - 1)
    ids, positions = list(rows[0].ids[:shared]), list(range(shared))
    spans = [(0, shared)]
    source, target, weight, owner = [], [], [], []
    for number, row in enumerate(rows):
        start = len(ids)
        ids += row.ids[shared:]
        positions += range(shared, len(row.ids))
        spans.append((start, len(ids)))
        for i in range(firsts[number], len(row.ids)):
            if row.weights[i]:
                source.append(start + i - shared - 1)
                target.append(row.ids[i])
                weight.append(row.weights[i])
                owner.append(number)
    return Pack(
        ids_T=torch.tensor(ids),
        positions_T=torch.tensor(positions),
        spans=tuple(spans),
        source_N=torch.tensor(source),
        target_N=torch.tensor(target),
        weight_N=torch.tensor(weight, dtype=torch.float32),
        row_N=torch.tensor(owner),
    )


def first_targets(rows: Sequence[Row]) -> list[int]:
    """Where in each row the first prediction is.

    Raises: LearnError: a row with nothing to predict, or of which the very first token would be predicted.
    """
    firsts = [next((i for i, weight in enumerate(row.weights) if weight), 0) for row in rows]
    if min(firsts) < 1:
        raise LearnError(
            "an example has nothing to predict, or would predict its very first token",
            fix="drop examples whose mask is empty or begins at 0",
        )
    return firsts


def batches(rows: Sequence[Row], tokens: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """Shuffled indices in batches of at most `tokens` tokens after the prefix common to all rows."""
    shared = _common(rows, min(len(row.ids) for row in rows) - 1) if rows else 0
    batch: list[int] = []
    filled = 0
    for index in rng.permutation(len(rows)):
        size = len(rows[index].ids) - shared
        if batch and filled + size > tokens:
            yield batch
            batch, filled = [], 0
        batch.append(int(index))
        filled += size
    if batch:
        yield batch


def packed_attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    spans: Sequence[tuple[int, int]],
    scaling: float,
    **_: object,
) -> tuple[Tensor, None]:
    """transformers' attention interface for a pack: q (1, H, T, D), k and v (1, K, T, D) -> (1, T, H, D).

    `spans` comes through the model's keyword arguments; no mask over T x T is ever built.
    """
    groups = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    start, shared = spans[0]
    out = []
    if shared > start:
        part = slice(start, shared)
        out.append(
            scaled_dot_product_attention(
                query[:, :, part], key[:, :, part], value[:, :, part], is_causal=True, scale=scaling
            )
        )
    for start, end in spans[1:]:
        keys = torch.cat((key[:, :, :shared], key[:, :, start:end]), 2)
        values = torch.cat((value[:, :, :shared], value[:, :, start:end]), 2)
        size = (end - start, shared + end - start)
        seen = torch.ones(size, dtype=torch.bool, device=query.device).tril(shared)
        out.append(
            scaled_dot_product_attention(query[:, :, start:end], keys, values, attn_mask=seen, scale=scaling)
        )
    return torch.cat(out, 2).transpose(1, 2), None


def _common(rows: Sequence[Row], limit: int) -> int:
    first = rows[0].ids[:limit]
    for row in rows[1:]:
        same = next((i for i, (a, b) in enumerate(zip(first, row.ids, strict=False)) if a != b), None)
        first = first[: min(len(row.ids), len(first)) if same is None else same]
    return len(first)
