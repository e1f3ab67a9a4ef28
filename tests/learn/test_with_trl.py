"""TRL's trainers learn what the project's own loop learns, from the same token ids, to the same adapter."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from coevolve.config import load as load_config
from coevolve.engines import LocalEngine
from coevolve.errors import ConfigError, LearnError, MissingExtraError
from coevolve.examples import Example, Pair
from coevolve.learn.checkpoints import clear
from coevolve.learn.fit import Batch, Fitted, Plan, fit
from coevolve.learn.learner import learn, turn_accuracy
from coevolve.learn.lesson import Lesson
from coevolve.learn.losses import imitation, preference
from coevolve.learn.open import open_network
from coevolve.learn.packing import Row, pack
from coevolve.models.weights import find_weights
from coevolve.sections import DpoSection, LearnSection
from tiny_llama import VOCAB, random_adapter, save_tiny_llama

pytestmark = pytest.mark.usefixtures("one_thread")
with_trl = pytest.mark.skipif(
    importlib.util.find_spec("trl") is None, reason="TRL is not installed: pip install '.[trl]'"
)

FAST = LearnSection(rank=8, alpha=16.0, learning_rate=3e-2, batch_tokens=64)
TRAINERS: tuple[Literal["trl", "own"], ...] = ("trl", "own")
by_trl = partial(learn, trainer="trl")
PREFIX = tuple(range(1, 21))
MASK = (False,) * (len(PREFIX) + 4) + (True,) * 5 + (False,) * 3 + (True,) * 4
CONTEXT = (0.0,) * (len(PREFIX) + 4)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_llama(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def start(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_adapter(tmp_path_factory.mktemp("start"), base, 3)


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
    return [Row(one.ids, tuple(float(own) for own in one.mask)) for one in examples]


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


@with_trl
def test_a_lesson_by_trl_leaves_what_the_own_loop_leaves(base: Path, tmp_path: Path) -> None:
    two = some_examples(2)
    told: list[int] = []
    candidate, own = (
        learn(
            base,
            lesson(tmp_path / trainer, examples=two, epochs=25),
            FAST,
            told.append,
            trainer=trainer,
        )
        for trainer in TRAINERS
    )
    assert candidate.learner == own.learner == "sft" and candidate.notes["trainer"] == "trl"
    assert told == 2 * 25 * [2]
    files = [sorted(file.name for file in Path(one.adapter_dir).iterdir()) for one in (candidate, own)]
    assert files[0] == files[1] == ["adapter_config.json", "adapter_model.safetensors", "parity.json"]
    assert candidate.notes["sft"].keys() == own.notes["sft"].keys()
    assert candidate.notes["sft"]["steps"] == own.notes["sft"]["steps"]
    network = open_network(base, adapter=Path(candidate.adapter_dir), rank=8, alpha=16.0, seed=0)
    assert turn_accuracy(network, rows_of(two), 64) == 1.0


@pytest.fixture(scope="module")
def whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Mapping[str, Any], bytes]:
    """Notes and adapter of the interruptible lesson, learned without interruption."""
    out = tmp_path_factory.mktemp("whole")
    candidate = by_trl(base, interruptible(out), PREFERRING)
    return candidate.notes, adapter_bytes(candidate.adapter_dir)


PREFERRING = replace(FAST, method="sft+dpo", dpo=DpoSection(epochs=2, learning_rate=5e-3))


def interruptible(out: Path) -> Lesson:
    """24 steps of imitation, past the checkpoint at 20, and then of preference."""
    return lesson(out, epochs=12, pairs=some_pairs())


def adapter_bytes(folder: str) -> bytes:
    return (Path(folder) / "adapter_model.safetensors").read_bytes()


@with_trl
@pytest.mark.parametrize("stop_at", [70, 75], ids=["imitation", "preference"])
def test_an_interrupted_lesson_by_trl_ends_with_the_same_bytes(
    base: Path, tmp_path: Path, whole: tuple[Mapping[str, Any], bytes], stop_at: int
) -> None:
    told = 0

    def stop(examples: int) -> None:
        nonlocal told
        told += examples
        if told >= stop_at:
            for folder in (tmp_path / "work").iterdir():
                (folder / "checkpoint-99").mkdir()  # as a kill while it is written leaves it
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        by_trl(base, interruptible(tmp_path), PREFERRING, stop)
    again: list[int] = []
    resumed = by_trl(base, interruptible(tmp_path), PREFERRING, again.append)
    assert adapter_bytes(resumed.adapter_dir) == whole[1]
    assert resumed.notes == whole[0]
    assert 0 < sum(again) < 6 * 12  # not from the beginning
    clear(tmp_path)
    assert list((tmp_path / "work").iterdir()) == []


@with_trl
def test_preference_by_trl_raises_the_chosen_over_the_rejected(
    base: Path, whole: tuple[Mapping[str, Any], bytes]
) -> None:
    found = whole[0]["dpo"]
    assert found["pairs"] == 6
    assert found["losses"][-1] < found["losses"][0]


@with_trl
def test_validation_stops_trl_where_it_rises_no_more_and_the_best_is_kept(base: Path, tmp_path: Path) -> None:
    two = some_examples(2)
    mixed = [two[0], replace(two[1], ids=PREFIX + some_ids(90, 16))]  # the second is never taught
    given = lesson(tmp_path, examples=two, validation=mixed, epochs=40, patience=8)
    candidate = by_trl(base, given, replace(FAST, batch_tokens=16))
    scores = candidate.notes["sft"]["validation"]
    assert len(scores) < 40
    assert scores.index(max(scores)) == len(scores) - 1 - 8
    network = open_network(base, adapter=Path(candidate.adapter_dir), rank=8, alpha=16.0, seed=0)
    assert turn_accuracy(network, rows_of(mixed), 64) == max(scores) > 0


@with_trl
def test_trl_tells_nobody_and_prints_nothing(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from trl.trainer import base_trainer

    sent: list[object] = []
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(base_trainer, "send_telemetry", lambda *_, **__: sent.append(1))
    candidate = by_trl(base, lesson(tmp_path, epochs=1, pairs=some_pairs()), PREFERRING)
    assert sent == []
    assert capsys.readouterr().out == ""
    assert candidate.notes["dpo"]["steps"] == 2 * 2


@with_trl
def test_a_loss_of_trl_that_is_not_finite_stops_with_a_fix(base: Path, tmp_path: Path) -> None:
    with pytest.raises(LearnError, match="the loss became nan at step 2 of sft") as stopped:
        by_trl(base, lesson(tmp_path), replace(FAST, learning_rate=1e30))
    assert "learn.learning_rate" in stopped.value.fix


@with_trl
def test_trl_refuses_what_it_cannot_do(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LearnError, match=r"learn\.error_weight is not 0"):
        by_trl(base, lesson(tmp_path), replace(FAST, error_weight=0.5))
    blank = replace(some_examples(1)[0], mask=(False,) * len(MASK))
    with pytest.raises(LearnError, match="nothing to predict"):
        by_trl(base, lesson(tmp_path, examples=[blank]), FAST)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(LearnError, match="one GPU in this process, which sees 2") as refused:
        by_trl(base, lesson(tmp_path), FAST)
    assert "CUDA_VISIBLE_DEVICES" in refused.value.fix


def test_without_trl_the_line_that_installs_it_is_named(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "trl"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "trl", None)
    with pytest.raises(MissingExtraError) as missing:
        by_trl(base, lesson(tmp_path), FAST)
    assert "'.[trl]'" in missing.value.fix


def test_a_file_that_asks_trl_for_weighted_tokens_is_refused_before_anything_runs(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('[model]\ntrainer = "trl"\n[learn]\nerror_weight = 0.5\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"learn\.error_weight is not 0"):
        load_config(file)


@with_trl
def test_a_run_whose_file_names_trl_learns_by_it(base: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(f'[model]\ntrainer = "trl"\nname = "{base}"\n', encoding="utf-8")
    engine = LocalEngine.__new__(LocalEngine)  # without the chat format, which a folder of ids alone has not
    engine._section = load_config(file).model
    engine.weights = find_weights(engine._section.name)
    candidate = engine.learn(lesson(tmp_path / "out", epochs=1), FAST, lambda _: None)
    assert candidate.notes["trainer"] == "trl"
