"""Grouped-query attention of a pack on a CPU, by blocks of queries, forwards and backwards.

The shared prefix sees itself; every other span sees the prefix and itself. T x T is never formed: each
block of queries is one product with the keys it sees, and its probabilities are kept for the backward
(PyTorch's own attention is slow backwards on CPUs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, prod

import torch
from torch import Tensor

from coevolve.learn.llama_parts import Buffers, Shape

_ALIGNED = 32  # elements that a block's memory begins at a multiple of: a cache line in bf16
QUERY_BLOCK = 384  # queries of one product: fewer calls if large, fewer scores of the future if small


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Queries [start, end) of a pack, which see the keys [0, shared) and [own, end), causally."""

    start: int
    end: int
    own: int
    shared: int
    last: bool  # of its span, so that it sees all of it

    @property
    def length(self) -> int:
        """How many queries it has."""
        return self.end - self.start

    @property
    def keys(self) -> int:
        """How many keys the block sees."""
        return self.shared + self.end - self.own


def blocks_of(spans: Sequence[tuple[int, int]]) -> list[Block]:
    """A pack's spans (the first is the shared prefix) in blocks; a span's last block comes first."""
    shared, blocks = spans[0][1], []
    for start, end in spans:
        count = ceil((end - start) / QUERY_BLOCK)
        cuts = [start + (end - start) * i // count for i in range(count + 1)] if count else []
        for at in reversed(range(count)):
            blocks.append(
                Block(
                    start=cuts[at],
                    end=cuts[at + 1],
                    own=start,
                    shared=0 if end <= shared else shared,
                    last=at == count - 1,
                )
            )
    return blocks


def rotary_table(shape: Shape, positions_T: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """cos (T, 1, D) and sin (T, 1, D / 2) of the rotary embedding, in transformers' half-split form."""
    exponent = torch.arange(0, shape.head_dim, 2, dtype=torch.float32) / shape.head_dim
    angle = positions_T.float()[:, None] / shape.rope_theta**exponent
    return angle.cos().repeat(1, 2).to(dtype)[:, None], angle.sin().to(dtype)[:, None]


def rotate(x_TND: Tensor, table: tuple[Tensor, Tensor], out_TND: Tensor, *, back: bool = False) -> None:
    """Rotary embedding of N heads; `back` applies its transpose, which is the gradient's way."""
    cos, sin = table
    half, sign = x_TND.shape[-1] // 2, -1.0 if back else 1.0
    torch.mul(x_TND, cos, out=out_TND)
    out_TND[..., :half].addcmul_(x_TND[..., half:], sin, value=-sign)
    out_TND[..., half:].addcmul_(x_TND[..., :half], sin, value=sign)


@dataclass(frozen=True, slots=True)
class Seen:
    """What one block's backward needs; M = queries times heads of a group, S = keys."""

    block: Block
    query_KMD: Tensor
    key_value_2KSD: Tensor  # (2 * K, S, D), keys first
    chances_KMS: Tensor


def attend(
    qkv_TND: Tensor, blocks: Sequence[Block], shape: Shape, scratch: Buffers, saved: Buffers, out_TND: Tensor
) -> list[Seen]:
    """Writes the blocks' rows of `out_TND`; `saved` (or `scratch` again) holds what is returned.

    qkv_TND: rotated queries, rotated keys and values, the queries already scaled.
    """
    kv, groups, dim = shape.kv_heads, shape.heads // shape.kv_heads, shape.head_dim
    kept, keep = [], saved is not scratch
    sizes = [(groups * block.length, block.keys) for block in blocks]
    queries = _rooms(saved, "query", [(kv, rows, dim) for rows, _ in sizes], keep)
    pairs = _rooms(saved, "key_value", [(2 * kv, keys, dim) for _, keys in sizes], keep)
    kept_chances = _rooms(saved, "chances", [(kv, rows, keys) for rows, keys in sizes], keep)
    for block, query, pair, chances in zip(blocks, queries, pairs, kept_chances, strict=True):
        length, keys = block.length, block.keys
        own = torch.unflatten(qkv_TND[block.start : block.end, : shape.heads], 1, (kv, groups))
        query.view(kv, groups, length, dim).copy_(own.permute(1, 2, 0, 3))
        seen = (qkv_TND[: block.shared, shape.heads :], qkv_TND[block.own : block.end, shape.heads :])
        torch.cat([part.transpose(0, 1) for part in seen], 1, out=pair)
        scores = scratch.get("scores", kv, groups * length, keys)
        torch.bmm(query, pair[:kv].transpose(1, 2), out=scores)
        # Only the last `length` keys are partly in the future.
        scores.view(kv, groups, length, keys)[..., keys - length :] += _future(length, scores.dtype)
        torch.softmax(scores, -1, out=chances)
        mixed = scratch.get("mixed", kv, groups * length, dim)
        torch.bmm(chances, pair[kv:], out=mixed)
        out_TND[block.start : block.end].copy_(_rows(mixed, groups))
        if keep:
            kept.append(Seen(block, query, pair, chances))
    return kept


def attend_backward(
    kept: Sequence[Seen], grad_out_TND: Tensor, shape: Shape, scratch: Buffers, grad_TND: Tensor
) -> None:
    """Writes the gradient of `attend`'s qkv_TND into `grad_TND`."""
    kv, groups, dim = shape.kv_heads, shape.heads // shape.kv_heads, shape.head_dim
    for seen in kept:
        block, chances = seen.block, seen.chances_KMS
        size, keys = chances.shape[1], chances.shape[2]
        rows = slice(block.start, block.end)
        grad_mixed = scratch.get("grad_mixed", kv, size, dim)
        part = torch.unflatten(grad_out_TND[rows], 1, (kv, groups)).permute(1, 2, 0, 3)
        grad_mixed.view(part.shape).copy_(part)
        grad_pair = scratch.get("grad_key_value", 2 * kv, keys, dim)
        torch.bmm(chances.transpose(1, 2), grad_mixed, out=grad_pair[kv:])
        grad_chances = scratch.get("scores", *chances.shape)
        torch.bmm(grad_mixed, seen.key_value_2KSD[kv:].transpose(1, 2), out=grad_chances)
        grad_scores = scratch.get("grad_scores", *chances.shape)
        torch.ops.aten._softmax_backward_data.out(
            grad_chances, chances, -1, chances.dtype, grad_input=grad_scores
        )
        torch.bmm(grad_scores.transpose(1, 2), seen.query_KMD, out=grad_pair[:kv])
        grad_query = torch.bmm(grad_scores, seen.key_value_2KSD[:kv], out=grad_mixed)
        grad_TND[rows, : shape.heads].copy_(_rows(grad_query, groups))
        grad_SND = grad_pair.transpose(0, 1)
        own = grad_TND[block.own : block.end, shape.heads :]
        if block.last:  # the first of its span to come: it covers all the span's keys
            own.copy_(grad_SND[block.shared :])
        else:
            own += grad_SND[block.shared :]
        if block.shared:
            grad_TND[: block.shared, shape.heads :] += grad_SND[: block.shared]


def _rooms(buffers: Buffers, name: str, shapes: Sequence[tuple[int, ...]], keep: bool) -> list[Tensor]:
    """A tensor for each block: side by side in one buffer where all are kept, else each over the last.

    A buffer of its own for each block would grow to the largest block that ever had its number.
    """
    sizes = [prod(shape) for shape in shapes]
    places = [size + -size % _ALIGNED for size in sizes]
    if keep:
        rooms = torch.split(buffers.get(name, sum(places)), places)
    else:
        rooms = tuple(buffers.get(name, max(sizes)) for _ in sizes)
    return [room[:size].view(shape) for room, size, shape in zip(rooms, sizes, shapes, strict=True)]


def _rows(x_KMD: Tensor, groups: int) -> Tensor:
    """Back to (L, N, D), as a view split further (L, K, G, D) where needed."""
    return torch.unflatten(x_KMD, 1, (groups, -1)).permute(2, 0, 1, 3).flatten(1, 2)


@lru_cache(maxsize=64)
def _future(length: int, dtype: torch.dtype) -> Tensor:
    return torch.full((length, length), float("-inf"), dtype=dtype).triu_(1)
