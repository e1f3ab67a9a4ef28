"""The optimisation loop: batches of rows or pairs in, better parameters out.

Every gradient with respect to a token's log-probability is written by hand, so a network only needs
`forward` and `backward`. A checkpoint holds parameters, Adam's moments and the position in the data, as
safetensors, so that a killed run goes on where it was instead of starting over.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from coevolve.errors import LearnError
from coevolve.learn.checkpoints import checkpoint
from coevolve.learn.packing import Pack
from coevolve.learn.plans import Plan

CLIP_NORM = 1.0
_WARMUP_STEPS = 4
_FINAL_RATE = 0.1  # share of the learning rate at the last step
_POSITION = ("lesson", "epoch", "batch", "steps", "tokens", "since_best", "losses", "validation", "running")


class Network(Protocol):
    """A model with trainable parameters, seen as log-probabilities of given tokens."""

    parameters: dict[str, Tensor]  # f32 leaves; `backward` adds to their `grad`

    def forward(self, pack: Pack, grad: bool = True) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the pack's targets (N,), f32, and whether each is the argmax (N,).

        Both are on the CPU, wherever the model is.
        """
        ...

    def backward(self, grad_logp_N: Tensor) -> None:
        """Backpropagate d loss / d logp of the last forward into the parameters' gradients."""
        ...

    def save(self, folder: Path) -> None:
        """Write the adapter in PEFT's layout."""
        ...


@dataclass(frozen=True, slots=True)
class Batch:
    """One pack with its loss: `gradient(logp_N, hit_N)` -> (loss, d loss / d logp_N)."""

    pack: Pack
    gradient: Callable[[Tensor, Tensor], tuple[float, Tensor]]
    names: tuple[str, ...]  # entries in it, for errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What came of a fit."""

    steps: int
    tokens: int
    losses: tuple[float, ...]  # mean per epoch
    validation: tuple[float, ...]  # per epoch, higher is better; empty without `validate`


def fit(
    network: Network,
    batches: Callable[[int], Iterator[Batch]],
    batch_count: int,
    plan: Plan,
    *,
    folder: Path,
    validate: Callable[[], float] | None = None,
    on_batch: Callable[[int], None] = lambda examples: None,
) -> Fitted:
    """Train until the plan ends or validation no longer rises; the best parameters stay in `network`.

    Args:
        batches: epoch -> its batches, the same on every call: what resuming relies on.
        batch_count: about how many batches one epoch has, for the schedule.
        folder: holds the phase's checkpoint and `losses.csv`. A finished phase's checkpoint stays, so that
            a later phase that is interrupted does not repeat it.
        validate: after every epoch; higher is better.
        on_batch: told the number of examples (pairs) in each finished batch.

    Raises: LearnError: a loss that is not finite, naming the entries of the batch.
    """
    state = _State.resumed(network, plan, folder)
    total = max(1, plan.epochs * -(-batch_count // plan.accumulate))
    log = _log(folder / "losses.csv")
    for epoch in range(state.epoch, plan.epochs):
        if plan.patience and state.since_best >= plan.patience:
            break
        for number, batch in enumerate(batches(epoch)):
            if number < state.batch:
                continue
            loss = _learn_one(network, batch, plan.accumulate)
            state.add(batch.pack.tokens, loss)
            if (number + 1) % plan.accumulate == 0:
                rate = plan.learning_rate * schedule(state.steps, total)
                norm = state.step(rate)
                log([plan.phase, epoch, state.steps, f"{loss:.5f}", f"{norm:.4f}", f"{rate:.3g}"])
                if state.steps % plan.checkpoint_steps == 0:
                    state.batch = number + 1
                    state.write(folder)
            on_batch(len(batch.names))
        if state.pending:  # the last step of an epoch takes what is left
            state.step(plan.learning_rate * schedule(state.steps, total))
        state.end_epoch(None if validate is None else validate())
        state.write(folder)
    state.restore_best()
    return Fitted(
        steps=state.steps,
        tokens=state.tokens,
        losses=tuple(state.losses),
        validation=tuple(state.validation),
    )


def _learn_one(network: Network, batch: Batch, accumulate: int) -> float:
    logp_N, hit_N = network.forward(batch.pack)
    loss, grad_N = batch.gradient(logp_N.detach(), hit_N)
    if not np.isfinite(loss):
        raise LearnError(
            f"the loss became {loss} on a batch with {', '.join(batch.names[:4])}",
            fix="lower learn.learning_rate, or drop those entries from the pool",
        )
    network.backward(grad_N / accumulate)
    return loss


def schedule(step: int, total: int) -> float:
    """The share of the learning rate at a step (from 0): linear warm-up, then linear decay to a tenth."""
    if step < _WARMUP_STEPS:
        return (step + 1) / (_WARMUP_STEPS + 1)
    return 1.0 - (1.0 - _FINAL_RATE) * min(1.0, step / total)


class _State:
    """Parameters, moments and position: what a checkpoint holds."""

    def __init__(self, network: Network, plan: Plan) -> None:
        self.parameters, self.phase, self.lesson = network.parameters, plan.phase, plan.lesson
        self.optimizer = torch.optim.AdamW(
            list(self.parameters.values()),
            lr=plan.learning_rate,
            weight_decay=plan.weight_decay,
            fused=True,
        )
        self.epoch = self.batch = self.steps = self.tokens = self.since_best = 0
        self.pending = 0
        self.losses: list[float] = []
        self.validation: list[float] = []
        self.running: list[float] = []
        self.best: dict[str, Tensor] = {}

    @classmethod
    def resumed(cls, network: Network, plan: Plan, folder: Path) -> _State:
        """The state of an interrupted fit of the same phase, else a fresh one."""
        state = cls(network, plan)
        file = checkpoint(folder, plan.phase)
        if not file.is_file():
            return state
        try:
            with safe_open(str(file), "pt") as stream:
                position = json.loads(stream.metadata()["position"])
                tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118
        except (SafetensorError, OSError, KeyError, ValueError) as error:
            raise LearnError(f"checkpoint {file} is damaged: {error}", fix=f"delete {file}") from error
        if position["lesson"] != plan.lesson:
            return state
        for name in _POSITION:
            setattr(state, name, position[name])
        for name, parameter in state.parameters.items():
            with torch.no_grad():
                parameter.copy_(tensors[f"now.{name}"])
            if f"mean.{name}" in tensors:
                moments = {
                    "step": torch.tensor(float(state.steps)),
                    "exp_avg": tensors[f"mean.{name}"],
                    "exp_avg_sq": tensors[f"square.{name}"],
                }
                state.optimizer.state[parameter] = {k: v.to(parameter.device) for k, v in moments.items()}
            if f"best.{name}" in tensors:
                state.best[name] = tensors[f"best.{name}"]
        return state

    def add(self, tokens: int, loss: float) -> None:
        self.tokens += tokens
        self.running.append(loss)
        self.pending += 1

    def step(self, rate: float) -> float:
        """One optimiser step; returns the gradient's norm before clipping."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        norm = float(torch.nn.utils.clip_grad_norm_(self.parameters.values(), CLIP_NORM))
        self.optimizer.step()
        # The fused step changes values without saying so; a network that keeps a copy in bf16 must notice.
        torch.autograd.graph.increment_version(self.parameters.values())
        self.optimizer.zero_grad(set_to_none=False)
        self.steps += 1
        self.pending = 0
        return norm

    def end_epoch(self, score: float | None) -> None:
        self.losses.append(float(np.mean(self.running)) if self.running else 0.0)
        self.running, self.batch = [], 0
        self.epoch += 1
        if score is None:
            return
        if not self.validation or score > max(self.validation):
            self.best = {name: p.detach().clone() for name, p in self.parameters.items()}
            self.since_best = 0
        else:
            self.since_best += 1
        self.validation.append(score)

    def restore_best(self) -> None:
        for name, value in self.best.items():
            with torch.no_grad():
                self.parameters[name].copy_(value)

    def write(self, folder: Path) -> None:
        tensors = {f"now.{name}": p.detach().contiguous() for name, p in self.parameters.items()}
        for name, parameter in self.parameters.items():
            moments = self.optimizer.state.get(parameter)
            if moments:
                tensors[f"mean.{name}"] = moments["exp_avg"].contiguous()
                tensors[f"square.{name}"] = moments["exp_avg_sq"].contiguous()
        tensors |= {f"best.{name}": value for name, value in self.best.items()}
        position: Mapping[str, object] = {name: getattr(self, name) for name in _POSITION}
        file = checkpoint(folder, self.phase)
        building = file.with_suffix(".new")
        try:
            save_file(tensors, str(building), {"position": json.dumps(position)})
            os.replace(building, file)
        except (OSError, SafetensorError) as error:
            building.unlink(missing_ok=True)
            raise LearnError(
                f"cannot write a checkpoint to {folder}: {error}", fix="free disk space, then --resume"
            ) from error


def _log(file: Path) -> Callable[[Sequence[object]], None]:
    def write(row: Sequence[object]) -> None:
        try:
            with file.open("a", encoding="utf-8", newline="") as stream:
                csv.writer(stream).writerow(row)
        except OSError as error:
            raise LearnError(
                f"cannot write {file}: {error.strerror}", fix="free disk space, then --resume"
            ) from error

    if not file.exists():
        write(["phase", "epoch", "step", "loss", "gradient_norm", "learning_rate"])
    return write
