"""A step of TRL's trainers is a step of the project's own loop: the same losses, the same adapter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from coevolve.learn.fit import Batch, Fitted, fit
from coevolve.learn.lesson import Lesson
from coevolve.learn.losses import imitation, preference
from coevolve.learn.open import open_network
from coevolve.learn.packing import Row, pack
from coevolve.learn.plans import Plan
from coevolve.sections import DpoSection, LearnSection
from lesson_samples import FAST, PREFIX, lesson, rows_of, some_examples, some_pairs, with_trl
from tiny_llama import random_adapter

pytestmark = pytest.mark.usefixtures("one_thread")

CONTEXT = (0.0,) * (len(PREFIX) + 4)


@pytest.fixture(scope="module")
def start(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_adapter(tmp_path_factory.mktemp("start"), base, 3)


def weights(folder: Path | str) -> dict[str, Tensor]:
    found: dict[str, Tensor] = load_file(Path(folder) / "adapter_model.safetensors")
    return found


def taught_exactly(base: Path, given: Lesson, settings: LearnSection) -> dict[str, Any]:
    """By TRL in f32, into `given.out / "adapter"`."""
    from coevolve.learn.with_trl import train

    return train(base, given, settings, given.out / "adapter", exact=True)


def fitted_exactly(
    base: Path, start: Path, batch: Callable[[Any], Batch], plan: Plan, out: Path
) -> tuple[Fitted, dict[str, Tensor]]:
    """By the project's own loop in f32, one batch an epoch."""
    network = open_network(base, adapter=start, rank=8, alpha=16.0, seed=5, exact=True)
    out.mkdir()
    one = batch(network)
    done = fit(network, lambda epoch: iter([one]), 1, plan, folder=out)
    network.save(out / "adapter")
    return done, weights(out / "adapter")


def plan_of(settings: LearnSection, epochs: int, learning_rate: float) -> Plan:
    return Plan(phase="sft", learning_rate=learning_rate, weight_decay=settings.weight_decay, epochs=epochs)


@with_trl
def test_a_step_of_trl_is_a_step_of_the_own_loop(base: Path, start: Path, tmp_path: Path) -> None:
    """Same adapter, examples, rate and masks: the same losses and the same adapter."""
    settings = replace(FAST, batch_tokens=9_999, learning_rate=1e-2)
    packed = pack(rows_of(some_examples()))
    own, expected = fitted_exactly(
        base,
        start,
        lambda _: Batch(packed, imitation(packed.weight_N, error_weight=0.0), ("all",)),
        plan_of(settings, 3, 1e-2),
        tmp_path / "own",
    )
    notes = taught_exactly(base, lesson(tmp_path / "trl", adapter=start, epochs=3), settings)
    assert notes["sft"]["steps"] == own.steps == 3
    assert notes["sft"]["losses"] == pytest.approx(own.losses, abs=1e-5)
    found = weights(tmp_path / "trl" / "adapter")
    assert found.keys() == expected.keys()
    before = weights(start)
    assert max(float((found[name] - before[name]).abs().max()) for name in found) > 1e-3
    for name, value in found.items():
        torch.testing.assert_close(value, expected[name], atol=2e-4, rtol=0)


@with_trl
def test_the_loss_of_trl_is_that_of_the_own_tokens_by_hand(base: Path, start: Path, tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    from coevolve.models.weights import quiet

    with quiet():
        model = PeftModel.from_pretrained(
            AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32), str(start)
        )
    nats: list[float] = []
    for example in some_examples():
        scores = model(torch.tensor([example.ids])).logits[0].log_softmax(-1)
        nats += [-float(scores[k - 1, example.ids[k]]) for k, own in enumerate(example.mask) if own]
    settings = replace(FAST, batch_tokens=9_999)
    notes = taught_exactly(base, lesson(tmp_path, adapter=start, epochs=1), settings)
    assert len(nats) == 6 * 9
    assert notes["sft"]["losses"] == pytest.approx([sum(nats) / len(nats)], abs=1e-5)


@with_trl
def test_preference_by_trl_is_that_of_the_own_loop(base: Path, start: Path, tmp_path: Path) -> None:
    from datasets import Dataset

    from coevolve.learn import trl_trainers
    from coevolve.learn.peft_network import load_peft, save_peft

    (pair,) = some_pairs(1)
    dpo = DpoSection(learning_rate=5e-3, epochs=3, beta=0.5)
    chosen, rejected = (
        Row(pair.prompt_ids + ids, CONTEXT + (1.0,) * len(ids))
        for ids in (pair.chosen_ids, pair.rejected_ids)
    )
    packed = pack([chosen, rejected])

    def preferred(network: Any) -> Batch:
        reference_N = network.forward(packed, grad=False)[0]
        loss = preference(reference_N, packed.row_N, beta=dpo.beta, sft_weight=dpo.sft_weight)
        return Batch(packed, loss, (pair.entry,))

    plan = plan_of(FAST, dpo.epochs, dpo.learning_rate)
    own, expected = fitted_exactly(base, start, preferred, plan, tmp_path / "own")
    model = load_peft(base, adapter=start, rank=8, alpha=16.0, seed=5, attention="sdpa")
    columns = ("prompt_ids", "chosen_ids", "rejected_ids")
    course = trl_trainers.Course(
        plan=plan,
        folder=tmp_path / "trl",
        examples=1,
        batch=1,
        seed=5,
        exact=True,
        on_examples=lambda _: None,
    )
    dataset = Dataset.from_dict({name: [list(getattr(pair, name))] for name in columns})
    notes = trl_trainers.fit(trl_trainers.preference(model, dataset, dpo, course), course)
    assert notes["losses"] == pytest.approx(own.losses, abs=1e-5)
    assert own.losses[0] > own.losses[-1]
    save_peft(model, tmp_path / "adapter")
    for name, value in weights(tmp_path / "adapter").items():
        torch.testing.assert_close(value, expected[name], atol=2e-4, rtol=0)
