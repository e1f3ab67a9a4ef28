"""An engine for architectures that OpenVINO's reader does not know: transformers on this machine.

Token ids and a `Sampling` enter, ids with log-probabilities leave. What is waiting when the model is free
is decoded together, padded on the left, until the last of it has ended; who comes later waits. It knows no
grammar and no shared prompt, so it is several times slower than the OpenVINO engine. It does not protect
against a batch too large for memory: `batch_requests` bounds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from coevolve.errors import ModelError
from coevolve.models.chat import TokenChat, load_chat
from coevolve.models.ir import check_adapter
from coevolve.models.protocol import ChatFormat, Completion, Sampling
from coevolve.models.requests import Request, RequestQueue
from coevolve.models.weights import Weights, quiet, torch_folder


@dataclass(slots=True)
class TransformersModel:
    """A `LanguageModel`. Made by `open_model`."""

    name: str
    chat: ChatFormat
    tokens: TokenChat  # the same format, with what only the engine needs
    network: Any
    batch_requests: int = 32
    _queue: RequestQueue = field(init=False)

    def __post_init__(self) -> None:
        self._queue = RequestQueue(self.name, self._drive)

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        """One completion. Raises ModelError: deadline missed, a grammar is asked for, or it failed."""
        if sampling.grammar is not None:
            raise ModelError(
                "the transformers engine cannot decode under a grammar", fix="set agent.constrained = false"
            )
        return await self._queue.ask(prompt_ids, sampling)

    def close(self) -> None:
        """Free the model's memory. Idempotent."""
        self._queue.close()
        self.network = None

    async def _drive(self) -> None:
        queue = self._queue
        while queue.waiting:
            await queue.settle()
            batch = queue.take(self.batch_requests)
            if not batch:
                continue
            try:
                drawn = await queue.in_thread(_decode, self.network, batch, self.tokens)
            except Exception as error:  # the boundary to any model's code: its failure is its requests'
                fix = "lower model.concurrency, or see `coevolve doctor`"
                queue.fail(batch, ModelError(f"{self.name} failed: {error}", fix=fix))
                continue
            for one, completion in zip(batch, drawn, strict=True):
                queue.finish(one, completion)


def open_model(weights: Weights, *, adapter: Path | None = None) -> TransformersModel:
    """Load a base model in f32, with one adapter merged into it or none.

    Raises: ModelError: weights or adapter are missing or do not fit.
    """
    import torch
    from transformers import AutoModelForCausalLM

    folder = torch_folder(weights)
    try:
        with quiet():
            network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
            if adapter is not None:
                from peft import PeftModel

                check_adapter(adapter, folder)
                network = PeftModel.from_pretrained(network, str(adapter)).merge_and_unload()
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"transformers cannot load {weights.id}: {error}",
            fix="set model.name to a folder with config.json, safetensors and tokenizer.json",
        ) from error
    chat = load_chat(folder)
    name = weights.id if adapter is None else f"{weights.id}+{adapter.parent.name[:12]}"
    return TransformersModel(name=name, chat=chat, tokens=chat, network=network.eval())


def _decode(network: Any, batch: Sequence[Request], tokens: TokenChat) -> list[Completion]:
    """Draw all completions of a batch, one token of each at a time; who gave up waiting is left out."""
    import torch

    longest = max(len(one.ids) for one in batch)
    pads = [longest - len(one.ids) for one in batch]
    ids_BT = torch.tensor(
        [[tokens.end_id] * pad + list(one.ids) for pad, one in zip(pads, batch, strict=True)]
    )
    seen_BT = torch.tensor([[0] * pad + [1] * (longest - pad) for pad in pads])
    generators = [torch.Generator().manual_seed(one.sampling.seed) for one in batch]
    drawn: list[list[tuple[int, float]]] = [[] for _ in batch]
    going, cache = set(range(len(batch))), None
    with torch.inference_mode():
        while going:
            positions_BT = (seen_BT.cumsum(1) - 1).clamp(min=0)[:, -ids_BT.shape[1] :]
            out = network(
                input_ids=ids_BT,
                attention_mask=seen_BT,
                position_ids=positions_BT,
                cache=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = out.cache
            logp_BV = out.logits[:, -1].float().log_softmax(-1)
            following = [tokens.end_id] * len(batch)
            for row in sorted(going):
                sampling = batch[row].sampling
                token, logp = _draw(logp_BV[row], sampling.temperature, generators[row])
                drawn[row].append((token, logp))
                following[row] = token
                over = token == tokens.end_id or len(drawn[row]) >= sampling.max_tokens
                if over or batch[row].done.done():
                    going.discard(row)
            ids_BT = torch.tensor(following)[:, None]
            seen_BT = torch.cat([seen_BT, torch.ones_like(ids_BT)], 1)
    return [_completion(row, tokens) for row in drawn]


def _draw(logp_V: Any, temperature: float, generator: Any) -> tuple[int, float]:
    """A token and its log-probability under what it was drawn from: the tempered distribution."""
    if temperature <= 0:
        token = int(logp_V.argmax())
        return token, float(logp_V[token])
    tempered_V = (logp_V / temperature).log_softmax(-1)
    token = int(tempered_V.exp().multinomial(1, generator=generator))
    return token, float(tempered_V[token])


def _completion(drawn: Sequence[tuple[int, float]], tokens: TokenChat) -> Completion:
    ids = tuple(token for token, _ in drawn)
    return Completion(
        ids=ids,
        logprobs=tuple(logp for _, logp in drawn),
        text=tokens.decode(ids),
        finished=ids[-1] == tokens.end_id,
    )
