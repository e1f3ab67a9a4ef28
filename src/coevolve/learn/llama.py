"""A Llama model with a LoRA adapter, trained on a CPU without autograd.

A folder with safetensors (or a PEFT adapter to continue from) and packs enter; log-probabilities of the
packs' targets, gradients of the adapter and a PEFT folder leave. It computes what transformers and PEFT
compute (the tests compare both), several times faster on a CPU: see `llama_layer` for how. It holds what
backward needs of ONE pack, about 1 MB a token for a model of 135M parameters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from coevolve.errors import LearnError
from coevolve.learn.llama_adapter import TARGETS, adapter_key, fresh_adapter, read_adapter, write_adapter
from coevolve.learn.llama_attention import blocks_of, rotary_table
from coevolve.learn.llama_layer import Layer
from coevolve.learn.llama_parts import Buffers, Lora, Shape, rms_norm, rms_norm_backward
from coevolve.learn.packing import Pack

HEAD_ROWS = 128  # predictions of one product with the vocabulary
SOFTMAX_ROWS = 16  # of these, at a time as f32: few enough to stay in the cores' caches


def read_shape(config: Mapping[str, Any]) -> Shape:
    """The sizes in a Llama's config.json, of old and new transformers."""
    rope = config.get("rope_parameters") or {}
    heads = config["num_attention_heads"]
    return Shape(
        layers=config["num_hidden_layers"],
        hidden=config["hidden_size"],
        heads=heads,
        kv_heads=config.get("num_key_value_heads") or heads,
        head_dim=config.get("head_dim") or config["hidden_size"] // heads,
        mlp=config["intermediate_size"],
        vocab=config["vocab_size"],
        eps=config.get("rms_norm_eps", 1e-6),
        rope_theta=rope.get("rope_theta") or config.get("rope_theta", 10000.0),
        tied=config.get("tie_word_embeddings", False),
    )


class LlamaLora:
    """A frozen Llama and its trainable adapter, with the memory of one training step.

    `parameters` are f32 leaf tensors by their names in PEFT's file. An optimiser may change them in
    place; the next forward notices.
    """

    def __init__(
        self,
        shape: Shape,
        weights: Mapping[str, Tensor],
        adapter: Mapping[str, Tensor],
        *,
        alpha: float,
        dtype: torch.dtype = torch.bfloat16,
    ) -> None:
        """`weights` and `adapter` by the names in their safetensors."""
        self.shape, self.dtype, self.alpha = shape, dtype, alpha
        self.parameters = {name: adapter[name].float().clone().requires_grad_() for name in sorted(adapter)}
        self.rank = next(iter(self.parameters.values())).shape[0]
        self._scratch = Buffers(dtype)
        self._embedding = weights["model.embed_tokens.weight"]
        output = self._embedding if shape.tied else weights["lm_head.weight"]
        self._head = (output.float() * weights["model.norm.weight"].float()).to(dtype)
        self._layers = [self._layer(number, weights) for number in range(shape.layers)]
        self._versions: tuple[int, ...] = ()
        self._last: _Last | None = None

    def _layer(self, number: int, weights: Mapping[str, Tensor]) -> Layer:
        start = f"model.layers.{number}."
        return Layer(
            self.shape,
            {name.removeprefix(start): w for name, w in weights.items() if name.startswith(start)},
            {
                target: Lora(
                    self.parameters[adapter_key(number, target, "A")],
                    self.parameters[adapter_key(number, target, "B")],
                    self.alpha / self.rank,
                )
                for target in TARGETS
            },
            self._scratch,
        )

    @staticmethod
    def supports(config: Mapping[str, Any]) -> bool:
        """Whether the model of this config.json is one that this class computes faithfully."""
        rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
        return (
            config.get("model_type") == "llama"
            and config.get("hidden_act") == "silu"
            and not config.get("attention_bias")
            and not config.get("mlp_bias")
            and (rope.get("rope_type") or rope.get("type") or "default") == "default"
        )

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        adapter: Path | None,
        rank: int,
        alpha: float,
        seed: int,
        dtype: torch.dtype = torch.bfloat16,
    ) -> LlamaLora:
        """The base model of `folder` with an adapter.

        Args:
            adapter: a PEFT folder to continue from, whose own rank and alpha hold; None = a fresh one
                with PEFT's initialisation (A uniform from `seed`, B zero: no effect at first).
            dtype: of frozen weights and activations; float32 is exact and slow.
        Raises: LearnError: another kind of model, or an adapter that is not of this model.
        """
        from safetensors.torch import load_file

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not cls.supports(config):
            raise LearnError(
                f"{folder} is no plain Llama ({config.get('model_type')})",
                fix="use a Llama without biases, or a learner that trains through transformers",
            )
        shape = read_shape(config)
        weights: dict[str, Tensor] = {}
        for file in sorted(folder.glob("*.safetensors")):
            weights.update(load_file(file))
        if adapter is None:
            values = fresh_adapter(shape, rank, seed)
        else:
            values, alpha = read_adapter(adapter, shape)
        return cls(shape, weights, values, alpha=alpha, dtype=dtype)

    @torch.no_grad()
    def forward(self, pack: Pack, grad: bool = True) -> tuple[Tensor, Tensor]:
        """Log-probabilities of a pack's targets (N,), f32, and whether none was more likely (N,).

        grad: keep what `backward` needs.
        """
        self._refresh()
        blocks = blocks_of(pack.spans)
        table = rotary_table(self.shape, pack.positions_T, self.dtype)
        x_TH = self._embedding[pack.ids_T].float()
        for layer in self._layers:
            layer.forward(x_TH, blocks, table, grad)
        logp_N, hit_N, last = self._predict(x_TH, pack.source_N, pack.target_N, grad)
        last.total, last.table, last.source_N = pack.tokens, table, pack.source_N
        self._last = last if grad else None
        return logp_N, hit_N

    @torch.no_grad()
    def backward(self, grad_logp_N: Tensor) -> None:
        """Add to the parameters' .grad what `grad_logp_N` makes of the last forward.

        Raises: LearnError: no forward with gradients, or its memory is used up by a backward.
        """
        last, self._last = self._last, None
        if last is None:
            raise LearnError("backward without a forward", fix="call forward(pack) before each backward")
        grad_NH = torch.zeros(last.grad_NH.shape)
        rms_norm_backward(last.grad_NH, last.normed_NH, last.rstd_N1, self._scratch, grad_NH)
        grad_NH *= grad_logp_N[:, None]
        grad_TH = self._scratch.get("grad", last.total, self.shape.hidden, dtype=torch.float32)
        grad_TH.zero_().index_add_(0, last.source_N, grad_NH)
        for layer in reversed(self._layers):
            layer.backward(grad_TH, last.table)

    def save(self, folder: Path) -> None:
        """Write the adapter as PEFT does; equal weights give equal bytes."""
        write_adapter(folder, self.parameters, rank=self.rank, alpha=self.alpha)

    def _refresh(self) -> None:
        versions = tuple(value._version for value in self.parameters.values())
        if versions != self._versions:
            for layer in self._layers:
                for projection in layer.projections:
                    projection.refresh()
            self._versions = versions

    def _predict(
        self, x_TH: Tensor, source_N: Tensor, target_N: Tensor, grad: bool
    ) -> tuple[Tensor, Tensor, _Last]:
        """Log-probabilities, hits, and d logp / d (normed hidden state), by rows of the vocabulary.

        That derivative needs nothing from the loss but a factor for each prediction, so that it is
        taken here, while the probabilities are at hand, and logits of all N are never kept.
        """
        count, vocab = len(source_N), self.shape.vocab
        last = _Last()
        last.rstd_N1 = torch.empty(count, 1)
        last.normed_NH = torch.empty(count, self.shape.hidden, dtype=self.dtype)
        last.grad_NH = torch.empty_like(last.normed_NH)
        rms_norm(x_TH[source_N], self.shape.eps, last.rstd_N1, last.normed_NH)
        logp_N, hit_N = torch.empty(count), torch.empty(count, dtype=torch.bool)
        for start in range(0, count, HEAD_ROWS):
            part = slice(start, min(start + HEAD_ROWS, count))
            logits_nV = self._scratch.get("logits", part.stop - start, vocab)
            torch.mm(last.normed_NH[part], self._head.t(), out=logits_nV)
            for at in range(0, len(logits_nV), SOFTMAX_ROWS):  # few enough rows to stay in the cache as f32
                some = slice(start + at, min(start + at + SOFTMAX_ROWS, part.stop))
                target_n1 = target_N[some, None]
                row_nV = self._scratch.get("row", some.stop - some.start, vocab, dtype=torch.float32)
                row_nV.copy_(logits_nV[at : at + SOFTMAX_ROWS])
                most_n1 = row_nV.amax(1, keepdim=True)
                chosen_n1 = row_nV.gather(1, target_n1) - most_n1
                sum_n1 = row_nV.sub_(most_n1).exp_().sum(1, keepdim=True)
                logp_N[some] = (chosen_n1 - sum_n1.log())[:, 0]
                hit_N[some] = chosen_n1[:, 0] == 0
                if grad:
                    row_nV.scatter_add_(1, target_n1, -sum_n1)
                    torch.mul(row_nV, -1 / sum_n1, out=logits_nV[at : at + SOFTMAX_ROWS])
            if grad:
                torch.mm(logits_nV, self._head, out=last.grad_NH[part])
        return logp_N, hit_N, last


class _Last:
    """What a forward leaves for its backward, beside the layers' own memory."""

    normed_NH: Tensor
    rstd_N1: Tensor
    grad_NH: Tensor  # d logp / d normed
    source_N: Tensor
    table: tuple[Tensor, Tensor]
    total: int
