"""Lessons on a tiny random Llama: it learns them, repeatably, and says how to check it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from coevolve.errors import LearnError
from coevolve.examples import Pair
from coevolve.learn import open as opening
from coevolve.learn.fit import Network
from coevolve.learn.learner import clear_stretch, learn, turn_accuracy
from coevolve.learn.llama import LlamaLora
from coevolve.learn.open import open_network
from coevolve.learn.packing import Row, pack
from coevolve.sections import DpoSection
from lesson_samples import FAST, PREFIX, adapter_bytes, lesson, rows_of, some_examples, some_ids, some_pairs
from tiny_llama import VOCAB

pytestmark = pytest.mark.usefixtures("one_thread")


def opened(base: Path, adapter: str | None, exact: bool = True) -> Network:
    path = None if adapter is None else Path(adapter)
    return open_network(base, adapter=path, rank=8, alpha=16.0, seed=5, exact=exact)


def test_a_lesson_is_learned_until_every_turn_is_right(base: Path, tmp_path: Path) -> None:
    rows = rows_of(some_examples())
    assert turn_accuracy(opened(base, None), rows, 64) < 0.5
    told: list[int] = []
    candidate = learn(base, lesson(tmp_path, epochs=40), FAST, told.append)
    losses = candidate.notes["sft"]["losses"]
    assert losses[-1] < 0.2 * losses[0]  # processors round bf16 differently
    assert turn_accuracy(opened(base, candidate.adapter_dir), rows, 64) == 1.0
    assert candidate.learner == "sft" and candidate.notes["seed"] == 5
    assert sum(told) == 40 * len(some_examples())
    assert (tmp_path / "work" / "losses.csv").is_file()


def test_a_finished_phase_is_repeated_for_another_lesson_only(base: Path, tmp_path: Path) -> None:
    learn(base, lesson(tmp_path, epochs=2), FAST)
    told: list[int] = []
    again = learn(base, lesson(tmp_path, epochs=2), FAST, told.append)
    assert told == [] and again.notes["sft"]["steps"] > 0
    learn(base, replace(lesson(tmp_path, epochs=2), seed=6), FAST, told.append)
    assert told


def test_turn_accuracy_counts_whole_turns(base: Path) -> None:
    network = opened(base, None)
    example = some_examples(1)[0]
    ids = list(example.ids)
    for place in range(len(PREFIX) + 4, len(ids)):  # turn by turn what the model itself would say
        if example.mask[place]:
            for token in range(VOCAB):
                one = Row((*ids[:place], token), (0.0,) * place + (1.0,))
                if bool(network.forward(pack([one]), grad=False)[1][0]):
                    ids[place] = token
                    break
    (right,) = rows_of([replace(example, ids=tuple(ids))])
    assert turn_accuracy(network, [right], 64) == 1.0
    wrong_last = Row((*right.ids[:-1], (right.ids[-1] + 1) % VOCAB), right.weights)
    assert turn_accuracy(network, [wrong_last], 64) == 0.5
    assert turn_accuracy(network, [right, wrong_last], 64) == 0.75
    # a wrong token in the first turn may change what is right in the second, so only the first is judged
    middle = len(PREFIX) + 6
    first_only = Row(right.ids[: middle + 1], (0.0,) * (middle - 1) + (1.0, 1.0))
    broken = Row(
        (*first_only.ids[:-2], (first_only.ids[-2] + 1) % VOCAB, first_only.ids[-1]), first_only.weights
    )
    assert turn_accuracy(network, [first_only, broken], 64) == 0.5


def margin(network: Network, pairs: list[Pair]) -> float:
    total = 0.0
    for pair in pairs:
        for ids, sign in ((pair.chosen_ids, 1), (pair.rejected_ids, -1)):
            row = Row(pair.prompt_ids + ids, (0.0,) * len(pair.prompt_ids) + (1.0,) * len(ids))
            total += sign * float(network.forward(pack([row]), grad=False)[0].sum())
    return total / len(pairs)


def test_preference_raises_the_chosen_over_the_rejected(base: Path, tmp_path: Path) -> None:
    pairs = some_pairs()
    dpo = DpoSection(learning_rate=5e-3, epochs=6, beta=0.5)
    imitated = learn(base, lesson(tmp_path / "sft", pairs=pairs), FAST)
    preferred = learn(base, lesson(tmp_path / "dpo", pairs=pairs), replace(FAST, method="sft+dpo", dpo=dpo))
    assert preferred.notes["dpo"]["pairs"] == 6 and "dpo" not in imitated.notes
    assert preferred.notes["sft"] == imitated.notes["sft"]
    losses = preferred.notes["dpo"]["losses"]
    assert losses[-1] < losses[0]
    before, after = (margin(opened(base, one.adapter_dir), pairs) for one in (imitated, preferred))
    assert after > before + 1.0


def test_an_interrupted_preference_phase_ends_with_the_same_bytes(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(FAST, method="sft+dpo", dpo=DpoSection(epochs=3))
    whole = learn(base, lesson(tmp_path / "whole", pairs=some_pairs()), settings)
    told = 0

    def stop(examples: int) -> None:
        nonlocal told
        told += examples
        if told > 2 * len(some_examples()) + 2 * len(some_pairs()):  # in the last of three epochs of pairs
            raise KeyboardInterrupt

    cut = lesson(tmp_path / "cut", pairs=some_pairs())
    with pytest.raises(KeyboardInterrupt):
        learn(base, cut, settings, stop)
    resumed = learn(base, cut, settings)
    assert adapter_bytes(resumed.adapter_dir) == adapter_bytes(whole.adapter_dir)
    assert resumed.notes == whole.notes


def test_equal_seeds_give_equal_bytes_and_other_seeds_others(base: Path, tmp_path: Path) -> None:
    one, same, other = (
        learn(base, lesson(tmp_path / name, seed=seed), FAST) for name, seed in (("a", 5), ("b", 5), ("c", 6))
    )
    assert adapter_bytes(one.adapter_dir) == adapter_bytes(same.adapter_dir)
    assert one.notes == same.notes
    assert adapter_bytes(one.adapter_dir) != adapter_bytes(other.adapter_dir)


def test_an_interrupted_lesson_ends_with_the_same_bytes(base: Path, tmp_path: Path) -> None:
    whole = learn(base, lesson(tmp_path / "whole", epochs=16), FAST)
    calls = 0

    def stop(tokens: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 22:  # past the checkpoint at 20 steps
            raise KeyboardInterrupt

    cut = lesson(tmp_path / "cut", epochs=16)
    with pytest.raises(KeyboardInterrupt):
        learn(base, cut, FAST, stop)
    done: list[int] = []
    resumed = learn(base, cut, FAST, done.append)
    assert adapter_bytes(resumed.adapter_dir) == adapter_bytes(whole.adapter_dir)
    assert 0 < sum(done) < whole.notes["sft"]["tokens"]


def test_a_lesson_goes_on_from_an_adapter(base: Path, tmp_path: Path) -> None:
    first = learn(base, lesson(tmp_path / "first", epochs=30), FAST)
    second = learn(base, lesson(tmp_path / "second", adapter=Path(first.adapter_dir), epochs=1), FAST)
    assert second.notes["sft"]["losses"][0] < 0.5 * first.notes["sft"]["losses"][0]


def test_validation_stops_a_lesson_that_rises_no_more(base: Path, tmp_path: Path) -> None:
    unlearnable = [replace(one, ids=PREFIX + some_ids(90, 16)) for one in some_examples(1)]
    told: list[int] = []
    given = lesson(tmp_path, validation=unlearnable, epochs=30, patience=2)
    scores = learn(base, given, FAST, told.append).notes["sft"]["validation"]
    assert len(scores) < 30 and sum(told) == len(scores) * (len(some_examples()) + 1)
    assert max(scores) == scores[-3]


@pytest.mark.parametrize(
    ("own", "clear", "stretch"),
    [
        ((3, 4, 5, 9, 10), (True, True, False, True, True), range(2)),
        ((3, 4, 5, 9, 10), (False, True, True, True, True), range(1, 3)),
        ((3, 4, 8, 9, 10), (True, True, True, True, True), range(2, 5)),
        ((3, 4), (False, False), range(0)),
        ((), (), range(0)),
    ],
)
def test_parity_is_asked_on_the_longest_clear_stretch_of_one_turn(
    own: tuple[int, ...], clear: tuple[bool, ...], stretch: range
) -> None:
    assert clear_stretch(own, clear) == stretch


def test_parity_file_agrees_with_a_computation_of_its_own(base: Path, tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    from coevolve.models.weights import quiet

    candidate = learn(base, lesson(tmp_path, epochs=40), FAST)
    rows = json.loads((Path(candidate.adapter_dir) / "parity.json").read_text())
    assert 1 <= len(rows) <= 3
    with quiet():
        model = PeftModel.from_pretrained(
            AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32), candidate.adapter_dir
        )
    for row in rows:
        ids = torch.tensor([row["prompt_ids"] + row["output_ids"]])
        with torch.no_grad():
            scores: Tensor = model(ids).logits[0].log_softmax(-1)
        steps = range(len(row["prompt_ids"]) - 1, ids.shape[1] - 1)
        assert [int(scores[k].argmax()) for k in steps] == row["output_ids"]
        found = [float(scores[k, ids[0, k + 1]]) for k in steps]
        assert found == pytest.approx(row["logprobs"], abs=1e-3)
        assert row["output_ids"]


def test_loss_falls_on_the_agents_own_tokens_alone(base: Path, tmp_path: Path) -> None:
    """What it saw is context: other observations behind the last own token change nothing."""
    plain = some_examples()
    longer = [replace(one, ids=(*one.ids, 7, 8, 9), mask=(*one.mask, False, False, False)) for one in plain]
    one, other = (
        learn(base, lesson(tmp_path / name, examples=examples, epochs=1), replace(FAST, batch_tokens=9_999))
        for name, examples in (("plain", plain), ("longer", longer))
    )
    assert one.notes["sft"]["losses"] == pytest.approx(other.notes["sft"]["losses"], abs=5e-3)


def test_an_empty_lesson_is_refused_before_anything_is_written(base: Path, tmp_path: Path) -> None:
    with pytest.raises(LearnError, match="no examples to learn from") as refused:
        learn(base, lesson(tmp_path / "out", examples=()), FAST)
    assert refused.value.fix
    assert not (tmp_path / "out").exists()


def test_a_lesson_from_an_adapter_of_another_model_is_refused(base: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong").mkdir()
    with pytest.raises(LearnError, match="cannot continue from adapter"):
        learn(base, lesson(tmp_path / "out", adapter=tmp_path / "wrong"), FAST)


def test_a_plain_llama_is_trained_on_a_cpu_by_the_projects_own_code(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "training_device", lambda: torch.device("cpu"))
    assert isinstance(opened(base, None), LlamaLora)
