"""What a Llama layer is made of, forwards and backwards by hand: sizes, memory, products, norms.

Plain tensors enter and leave; gradients of an adapter go to its leaves' `.grad`. Nothing here checks
shapes: that is the caller's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Sizes of a Llama model, as its config.json gives them."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    mlp: int
    vocab: int
    eps: float
    rope_theta: float
    tied: bool  # the output projection is the embedding


class Buffers:
    """Memory by name, grown when a larger piece is asked for and otherwise used again."""

    def __init__(self, dtype: torch.dtype) -> None:
        self.dtype = dtype
        self._held: dict[str, Tensor] = {}

    def get(self, name: str, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        """A contiguous tensor of `shape`. Growing forgets what was written."""
        size, held = prod(shape), self._held.get(name)
        if held is None or held.numel() < size:
            # Half as much again: pages that nobody writes cost nothing, and each growth leaves a hole behind.
            self._held.pop(name, None)
            held = None  # before the larger one is made
            self._held[name] = held = torch.empty(size + size // 2, dtype=dtype or self.dtype)
        return held[:size].view(shape)


@dataclass(slots=True)
class Lora:
    """One adapted projection: its leaf tensors in f32, and where its output lies in the fused one."""

    a: Tensor  # (rank, in)
    b: Tensor  # (out, rank)
    scale: float  # what B counts in the fused product


class Projection:
    """Frozen projections of one input as a single product, LoRA included.

    With `h` (T, in) the input, its buffer holds [h, h A^T] (T, in + R) and the weight [W^T; B^T]
    (in + R, out), B block-diagonal: the sum W h + B A h is formed in the product's own accumulator, so
    that small updates are never rounded away, and one product backwards gives both gradients.
    """

    def __init__(self, weights: Sequence[Tensor], loras: Sequence[Lora], norm: Tensor | None) -> None:
        """`weights` (out, in) already scaled; `norm` (in,): the weight of the norm before, folded in."""
        self.loras, self.norm = tuple(loras), norm
        self.inner = weights[0].shape[1]
        self.rank = sum(lora.a.shape[0] for lora in loras)
        self.outer = sum(weight.shape[0] for weight in weights)
        fused = torch.cat([weight.float() for weight in weights])
        self._frozen = fused if norm is None else fused * norm
        self.a = torch.empty(0)
        self.weight = torch.empty(0)

    def hold(self, dtype: torch.dtype) -> None:
        """Settle the frozen part in `dtype`; the f32 copy is dropped."""
        self.weight = torch.zeros(self.inner + self.rank, self.outer, dtype=dtype)
        self.weight[: self.inner] = self._frozen.t()
        self.a = torch.empty(self.rank, self.inner, dtype=dtype)
        del self._frozen

    def refresh(self) -> None:
        """Take over the adapter's present values."""
        low = out = 0
        for lora in self.loras:
            rank, size = lora.a.shape[0], lora.b.shape[0]
            part = self.a[low : low + rank]
            if self.norm is None:
                part.copy_(lora.a)
            else:
                torch.mul(lora.a, self.norm, out=part)
            torch.mul(
                lora.b.t(),
                lora.scale,
                out=self.weight[self.inner + low : self.inner + low + rank, out : out + size],
            )
            low, out = low + rank, out + size

    def forward(self, h: Tensor, y: Tensor) -> None:
        """`h` (T, in + R), its first `in` columns filled; y (T, out) is written."""
        torch.mm(h[:, : self.inner], self.a.t(), out=h[:, self.inner :])
        torch.mm(h, self.weight, out=y)

    def backward(self, h: Tensor, grad_y: Tensor, grad_h: Tensor) -> Tensor:
        """Adds to the adapter's .grad; returns the input's gradient (T, in), a view of `grad_h`."""
        torch.mm(grad_y, self.weight.t(), out=grad_h)
        x, xa = h[:, : self.inner], h[:, self.inner :]
        grad_x, grad_xa = grad_h[:, : self.inner], grad_h[:, self.inner :]
        grad_x.addmm_(grad_xa, self.a)
        grad_a = torch.mm(grad_xa.t(), x).float()
        if self.norm is not None:
            grad_a *= self.norm
        low = out = 0
        for lora in self.loras:
            rank, size = lora.a.shape[0], lora.b.shape[0]
            grad_b = torch.mm(grad_y[:, out : out + size].t(), xa[:, low : low + rank])
            _accumulate(lora.a, grad_a[low : low + rank])
            _accumulate(lora.b, grad_b.float().mul_(lora.scale))
            low, out = low + rank, out + size
        return grad_x


def _accumulate(leaf: Tensor, grad: Tensor) -> None:
    if leaf.grad is None:
        leaf.grad = torch.zeros_like(leaf)
    leaf.grad += grad


def rms_norm(x_TH: Tensor, eps: float, rstd_T1: Tensor, out_TH: Tensor) -> None:
    """x / rms(x) into `out_TH`, 1 / rms(x) into `rstd_T1`. The norm's weight is in the next product."""
    torch.linalg.vector_norm(x_TH, dim=-1, keepdim=True, out=rstd_T1)
    rstd_T1.square_().div_(x_TH.shape[1]).add_(eps).rsqrt_()
    torch.mul(x_TH, rstd_T1, out=out_TH)


def rms_norm_backward(
    grad_TH: Tensor, normed_TH: Tensor, rstd_T1: Tensor, scratch: Buffers, into_TH: Tensor
) -> None:
    """Adds to `into_TH` (f32) the gradient of x, given that of x / rms(x)."""
    room_TH = scratch.get("norm", *grad_TH.shape)
    torch.mul(grad_TH, normed_TH, out=room_TH)
    along_T1 = room_TH.sum(-1, keepdim=True, dtype=torch.float32).div_(grad_TH.shape[1])
    torch.addcmul(grad_TH, normed_TH, along_T1.to(room_TH.dtype), value=-1, out=room_TH)
    exact_TH = scratch.get("norm_f32", *grad_TH.shape, dtype=torch.float32).copy_(room_TH)
    into_TH.addcmul_(exact_TH, rstd_T1)
