"""One decoder layer of a Llama model with LoRA, forwards and backwards by hand, made for CPUs.

Tokens of a pack enter as rows (T, hidden) in f32, and leave the same; gradients come back the same way.
What makes it fast where memory is slow and bf16 products are quick: projections that share an input are
one product, with the adapter inside it (`Projection`); the norms' weights and the attention's scale live
in the frozen weights; attention runs by blocks of queries and never forms T x T; every buffer is made
once and used again (fresh pages cost more than the arithmetic). It protects against no misuse: shapes
are its caller's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from coevolve.learn.llama_attention import Block, Seen, attend, attend_backward, rotate
from coevolve.learn.llama_parts import Buffers, Lora, Projection, Shape, rms_norm, rms_norm_backward


class Layer:
    """One decoder layer: weights, adapter and what its backward needs, kept between packs."""

    def __init__(
        self, shape: Shape, weights: Mapping[str, Tensor], loras: Mapping[str, Lora], scratch: Buffers
    ) -> None:
        """`weights` and `loras` by transformers' names within the layer ("self_attn.q_proj")."""
        scale = shape.head_dim**-0.5
        first, second = (weights[f"{name}_layernorm.weight"].float() for name in ("input", "post_attention"))

        def fuse(part: str, names: Sequence[str], norm: Tensor | None) -> Projection:
            keys = [f"{part}.{name}_proj" for name in names]
            scales = [scale if name == "q" else 1.0 for name in names]
            adapted = [
                Lora(loras[k].a, loras[k].b, loras[k].scale * s) for k, s in zip(keys, scales, strict=True)
            ]
            frozen = [weights[f"{k}.weight"].float() * s for k, s in zip(keys, scales, strict=True)]
            fused = Projection(frozen, adapted, norm)
            fused.hold(scratch.dtype)
            return fused

        self.shape, self.scratch = shape, scratch
        self.saved = Buffers(scratch.dtype)
        self.qkv = fuse("self_attn", ("q", "k", "v"), first)
        self.out = fuse("self_attn", ("o",), None)
        self.gate_up = fuse("mlp", ("gate", "up"), second)
        self.down = fuse("mlp", ("down",), None)
        self._seen: list[Seen] = []

    @property
    def projections(self) -> tuple[Projection, ...]:
        """The four fused products."""
        return self.qkv, self.out, self.gate_up, self.down

    def forward(
        self, x_TH: Tensor, blocks: Sequence[Block], table: tuple[Tensor, Tensor], grad: bool
    ) -> None:
        """Adds the layer to the pack's rows `x_TH`, in place."""
        shape, scratch, total = self.shape, self.scratch, len(x_TH)
        rotated = shape.heads + shape.kv_heads
        keep = self.saved if grad else scratch

        def rows(name: str, width: int, dtype: torch.dtype | None = None) -> Tensor:
            return keep.get(name, total, width, dtype=dtype)

        def added(projection: Projection, h_T: Tensor) -> None:
            y_TH = scratch.get("y", total, shape.hidden)
            projection.forward(h_T, y_TH)
            # Two passes over memory that is held already; a sum of two types would make a copy of its own.
            exact_TH = scratch.get("y_f32", total, shape.hidden, dtype=torch.float32)
            x_TH.add_(exact_TH.copy_(y_TH))

        h = rows("attention_in", shape.hidden + self.qkv.rank)
        rms_norm(x_TH, shape.eps, rows("attention_rstd", 1, torch.float32), h[:, : shape.hidden])
        raw = scratch.get("qkv", total, self.qkv.outer)
        self.qkv.forward(h, raw)
        raw_TND = torch.unflatten(raw, 1, (-1, shape.head_dim))
        qkv_TND = torch.unflatten(scratch.get("turned", total, self.qkv.outer), 1, (-1, shape.head_dim))
        rotate(raw_TND[:, :rotated], table, qkv_TND[:, :rotated])
        qkv_TND[:, rotated:] = raw_TND[:, rotated:]

        width = shape.heads * shape.head_dim
        mixed = keep.get("mixed_out", total, width + self.out.rank)
        mixed_TND = torch.unflatten(mixed[:, :width], 1, (shape.heads, -1))
        self._seen = attend(qkv_TND, blocks, shape, scratch, keep, mixed_TND)
        added(self.out, mixed)

        h = rows("mlp_in", shape.hidden + self.gate_up.rank)
        rms_norm(x_TH, shape.eps, rows("mlp_rstd", 1, torch.float32), h[:, : shape.hidden])
        both = rows("gate_up", 2 * shape.mlp)
        self.gate_up.forward(h, both)
        gate, up = both[:, : shape.mlp], both[:, shape.mlp :]
        h = rows("mlp_mid", shape.mlp + self.down.rank)
        torch.mul(self._active(gate), up, out=h[:, : shape.mlp])
        added(self.down, h)

    def backward(self, grad_TH: Tensor, table: tuple[Tensor, Tensor]) -> None:
        """Turns the gradient after the layer into that before it, in place, and adds to the adapter's.

        grad_TH: f32. What forward kept is used up.
        """
        shape, scratch, length = self.shape, self.scratch, len(grad_TH)

        def rows(name: str, width: int) -> Tensor:
            return self.saved.get(name, length, width)

        def back(projection: Projection, h: Tensor, grad_y: Tensor) -> Tensor:
            room = scratch.get("grad_in", length, projection.inner + projection.rank)
            return projection.backward(h, grad_y, room)

        def through_norm(name: str, projection: Projection, grad_y: Tensor) -> None:
            h = rows(f"{name}_in", shape.hidden + projection.rank)
            rstd = self.saved.get(f"{name}_rstd", length, 1)
            grad_h = back(projection, h, grad_y)
            rms_norm_backward(grad_h, h[:, : shape.hidden], rstd, scratch, grad_TH)

        grad_y = scratch.get("y", length, shape.hidden)
        grad_y.copy_(grad_TH)
        grad_mid = back(self.down, rows("mlp_mid", shape.mlp + self.down.rank), grad_y)
        both = rows("gate_up", 2 * shape.mlp)
        gate, up = both[:, : shape.mlp], both[:, shape.mlp :]
        grad_act = torch.mul(grad_mid, up, out=scratch.get("grad_act", length, shape.mlp))
        torch.mul(grad_mid, self._active(gate), out=up)  # the values give way to their gradients
        torch.ops.aten.silu_backward.grad_input(grad_act, gate, grad_input=gate)
        through_norm("mlp", self.gate_up, both)

        grad_y.copy_(grad_TH)
        width, rotated = shape.heads * shape.head_dim, shape.heads + shape.kv_heads
        grad_mixed = back(self.out, rows("mixed_out", width + self.out.rank), grad_y)
        turned, grad_qkv = (scratch.get(name, length, self.qkv.outer) for name in ("turned", "qkv"))
        turned_TND, grad_TND = (torch.unflatten(x, 1, (-1, shape.head_dim)) for x in (turned, grad_qkv))
        grad_mixed_TND = torch.unflatten(grad_mixed, 1, (shape.heads, -1))
        attend_backward(self._seen, grad_mixed_TND, shape, scratch, turned_TND)
        rotate(turned_TND[:, :rotated], table, grad_TND[:, :rotated], back=True)
        grad_TND[:, rotated:] = turned_TND[:, rotated:]
        through_norm("attention", self.qkv, grad_qkv)
        self._seen = []

    def _active(self, gate: Tensor) -> Tensor:
        """silu(gate). Computed for either direction: kept, it would be a sixth of a pack's memory."""
        room = self.scratch.get("silu", *gate.shape)
        torch.ops.aten.silu.out(gate, out=room)
        return room
