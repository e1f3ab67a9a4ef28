"""Lessons by TRL's trainers: what they leave, how they go on and end, and what they refuse."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
import torch

from coevolve.config import load as load_config
from coevolve.engines import LocalEngine
from coevolve.errors import ConfigError, LearnError, MissingExtraError
from coevolve.learn.checkpoints import clear
from coevolve.learn.learner import learn, turn_accuracy
from coevolve.learn.lesson import Lesson
from coevolve.learn.open import open_network
from coevolve.models.weights import find_weights
from coevolve.sections import DpoSection
from lesson_samples import (
    FAST,
    MASK,
    PREFIX,
    adapter_bytes,
    lesson,
    rows_of,
    some_examples,
    some_ids,
    some_pairs,
    with_trl,
)

pytestmark = pytest.mark.usefixtures("one_thread")

TRAINERS: tuple[Literal["trl", "own"], ...] = ("trl", "own")
by_trl = partial(learn, trainer="trl")


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
    told: list[int] = []
    candidate = by_trl(base, given, replace(FAST, batch_tokens=16), told.append)
    scores = candidate.notes["sft"]["validation"]
    assert len(scores) < 40 and sum(told) == len(scores) * (len(two) + len(mixed))
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
