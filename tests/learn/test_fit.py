"""The optimisation loop on a small convex problem: resuming, stopping, and what it refuses."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from torch import Tensor

from coevolve.errors import LearnError
from coevolve.learn.fit import Batch, Fitted, fit
from coevolve.learn.losses import imitation
from coevolve.learn.packing import Pack, Row, pack
from coevolve.learn.plans import Plan

TARGETS = 6
PLAN = Plan(phase="sft", learning_rate=0.1, weight_decay=0.01, epochs=3, accumulate=2, checkpoint_steps=1)
BATCHES = 7  # an odd number: the last step of an epoch accumulates less


class Bigram:
    """A `Network` of one table: logits of the next token are a row of it, scaled by a gain."""

    def __init__(self) -> None:
        random = torch.Generator().manual_seed(4)
        self.parameters: dict[str, Tensor] = {
            "table": torch.randn(TARGETS, TARGETS, generator=random).requires_grad_(),
            "gain": torch.ones(1).requires_grad_(),
        }
        self._logp_N = torch.zeros(0)

    def forward(self, pack: Pack, grad: bool = True) -> tuple[Tensor, Tensor]:
        table, gain = self.parameters["table"], self.parameters["gain"]
        with torch.set_grad_enabled(grad):
            scores_NV = (table[pack.ids_T[pack.source_N]] * gain).log_softmax(1)
            self._logp_N = scores_NV.gather(1, pack.target_N[:, None])[:, 0]
        return self._logp_N, scores_NV.argmax(1) == pack.target_N

    def backward(self, grad_logp_N: Tensor) -> None:
        self._logp_N.backward(grad_logp_N)  # type: ignore[no-untyped-call]

    def save(self, folder: Path) -> None:
        raise NotImplementedError

    def values(self) -> dict[str, Tensor]:
        return {name: value.detach().clone() for name, value in self.parameters.items()}


def examples(epoch: int) -> Iterator[Batch]:
    random = np.random.default_rng([1, epoch])
    for number in range(BATCHES):
        ids = tuple(random.integers(0, TARGETS, 5).tolist())
        packed = pack([Row(ids, (0.0, 1.0, 1.0, 1.0, 1.0))])
        yield Batch(packed, imitation(packed.weight_N, error_weight=0.5), (f"entry-{number}",))


class Stopped(Exception):
    pass


def stopping(after: int) -> Callable[[int], None]:
    seen = 0

    def on_batch(tokens: int) -> None:
        nonlocal seen
        seen += 1
        if seen == after:
            raise Stopped

    return on_batch


def run(folder: Path, plan: Plan = PLAN, **options: object) -> tuple[Bigram, Fitted]:
    folder.mkdir(exist_ok=True)
    network = Bigram()
    fitted = fit(network, examples, BATCHES, plan, folder=folder, **options)  # type: ignore[arg-type]
    return network, fitted


def checkpoint(folder: Path) -> dict[str, Tensor]:
    with safe_open(str(folder / "state.sft.safetensors"), "pt") as stream:
        return {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118


@pytest.mark.parametrize("after", [1, 2, 3, 7, 8, 13, 20, 21])
def test_an_interrupted_fit_goes_on_to_the_same_bits(tmp_path: Path, after: int) -> None:
    whole, straight = run(tmp_path / "whole")
    with pytest.raises(Stopped):
        run(tmp_path / "parts", on_batch=stopping(after))
    resumed, fitted = run(tmp_path / "parts")
    assert fitted == straight
    for name, value in whole.values().items():
        assert torch.equal(value, resumed.values()[name]), name
    one, other = checkpoint(tmp_path / "whole"), checkpoint(tmp_path / "parts")
    assert one.keys() == other.keys() and any(name.startswith("square.") for name in one)
    assert all(torch.equal(value, other[name]) for name, value in one.items())


def test_resuming_repeats_no_batch_before_the_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        run(tmp_path, on_batch=stopping(9))  # the second epoch's second batch, whose step was kept
    done: list[int] = []
    run(tmp_path, on_batch=done.append)
    assert len(done) == 3 * BATCHES - 9


def test_a_finished_fit_trains_no_more_until_its_checkpoint_is_removed(tmp_path: Path) -> None:
    first, _ = run(tmp_path)
    done: list[int] = []
    again, _ = run(tmp_path, on_batch=done.append)
    assert done == []
    assert all(torch.equal(value, again.values()[name]) for name, value in first.values().items())
    (tmp_path / "state.sft.safetensors").unlink()
    run(tmp_path, on_batch=done.append)
    assert len(done) == 3 * BATCHES


def test_another_phase_does_not_take_over_a_checkpoint(tmp_path: Path) -> None:
    run(tmp_path)
    kept = (tmp_path / "state.sft.safetensors").read_bytes()
    fresh, _ = run(tmp_path / "fresh", replace(PLAN, phase="dpo"))
    other, _ = run(tmp_path, replace(PLAN, phase="dpo"))
    assert all(torch.equal(value, other.values()[name]) for name, value in fresh.values().items())
    assert (tmp_path / "state.sft.safetensors").read_bytes() == kept


def test_a_damaged_checkpoint_is_named_with_its_fix(tmp_path: Path) -> None:
    run(tmp_path)
    file = tmp_path / "state.sft.safetensors"
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(LearnError, match="is damaged") as refused:
        run(tmp_path)
    assert refused.value.fix == f"delete {file}"


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_loss_that_is_not_finite_names_its_entries(tmp_path: Path, bad: float) -> None:
    def poisoned(epoch: int) -> Iterator[Batch]:
        for number, batch in enumerate(examples(epoch)):
            if number == 4:
                yield replace(batch, gradient=lambda logp, hit: (bad, logp), names=("good", "evil"))
            else:
                yield batch

    network = Bigram()
    with pytest.raises(LearnError, match=r"good, evil") as refused:
        fit(network, poisoned, BATCHES, PLAN, folder=tmp_path)
    assert "learning_rate" in refused.value.fix
    assert all(bool(value.isfinite().all()) for value in network.values().values())


def scoring(
    scores: list[float], network_values: list[dict[str, Tensor]], network: Bigram
) -> Callable[[], float]:
    def validate() -> float:
        network_values.append(network.values())
        return scores[len(network_values) - 1]

    return validate


def test_early_stopping_keeps_the_parameters_of_the_best_epoch(tmp_path: Path) -> None:
    network, seen = Bigram(), list[dict[str, Tensor]]()
    plan = replace(PLAN, epochs=9, patience=2)
    validate = scoring([0.1, 0.5, 0.4, 0.5, 0.9], seen, network)
    fitted = fit(network, examples, BATCHES, plan, folder=tmp_path, validate=validate)
    assert fitted.validation == (0.1, 0.5, 0.4, 0.5) and len(fitted.losses) == 4
    assert all(torch.equal(value, network.values()[name]) for name, value in seen[1].items())
    assert not torch.equal(seen[1]["table"], seen[3]["table"])


def test_a_stopped_fit_stays_stopped_when_it_is_resumed(tmp_path: Path) -> None:
    plan = replace(PLAN, epochs=9, patience=1)
    network, seen = Bigram(), list[dict[str, Tensor]]()
    fit(network, examples, BATCHES, plan, folder=tmp_path, validate=scoring([0.5, 0.4], seen, network))
    again, more = Bigram(), list[dict[str, Tensor]]()
    fitted = fit(again, examples, BATCHES, plan, folder=tmp_path, validate=scoring([0.9], more, again))
    assert more == [] and fitted.validation == (0.5, 0.4)
    assert all(torch.equal(value, again.values()[name]) for name, value in seen[0].items())


def test_without_patience_every_epoch_is_trained_and_the_best_is_kept(tmp_path: Path) -> None:
    network, seen = Bigram(), list[dict[str, Tensor]]()
    fitted = fit(
        network, examples, BATCHES, PLAN, folder=tmp_path, validate=scoring([0.9, 0.2, 0.1], seen, network)
    )
    assert fitted.validation == (0.9, 0.2, 0.1)
    assert all(torch.equal(value, network.values()[name]) for name, value in seen[0].items())


def test_the_loss_falls_and_is_logged_with_every_step(tmp_path: Path) -> None:
    _, fitted = run(tmp_path, replace(PLAN, epochs=6))
    assert fitted.losses[-1] < fitted.losses[0]
    assert fitted.steps == 6 * 4 and fitted.tokens == 6 * BATCHES * 5
    with (tmp_path / "losses.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["phase"] for row in rows} == {"sft"}
    assert [int(row["epoch"]) for row in rows] == sorted(int(row["epoch"]) for row in rows)
    assert all(float(row["loss"]) > 0 and float(row["gradient_norm"]) > 0 for row in rows)
    rates = [float(row["learning_rate"]) for row in rows]
    assert max(rates) <= 0.1 and rates[0] < max(rates) > rates[-1]


def test_accumulated_batches_count_as_their_mean(tmp_path: Path) -> None:
    """Two packs a step at half the gradient each: the first step equals one over both."""
    plan = replace(PLAN, epochs=1)
    gradients: list[Tensor] = []

    class Spy(Bigram):
        def backward(self, grad_logp_N: Tensor) -> None:
            gradients.append(grad_logp_N)
            super().backward(grad_logp_N)

    fit(Spy(), examples, BATCHES, plan, folder=tmp_path)
    first = next(examples(0))
    logp_N, hit_N = Bigram().forward(first.pack, grad=False)
    torch.testing.assert_close(gradients[0], first.gradient(logp_N, hit_N)[1] / 2)
