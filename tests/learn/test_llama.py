"""The hand-written Llama against transformers and PEFT, on a small random model."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from coevolve.errors import LearnError
from coevolve.learn import llama_attention
from coevolve.learn.llama import LlamaLora, read_shape
from coevolve.learn.packing import Pack, Row, pack
from coevolve.models.weights import quiet

pytestmark = pytest.mark.usefixtures("one_thread")

VOCAB = 97
PREFIX = 23


@dataclass(frozen=True, slots=True)
class Reference:
    """PEFT's model over a saved Llama, the rows of one batch, and a random d loss / d logp."""

    base: Path
    adapter: Path
    model: Any
    rows: tuple[Row, ...]
    grad_N: Tensor

    @property
    def packed(self) -> Pack:
        return pack(self.rows)

    def logp(self, row: Row) -> Tensor:
        """Log-probabilities of one row's targets, computed on its own."""
        ids = torch.tensor(row.ids)
        scores = self.model(ids[None]).logits[0].log_softmax(-1)
        return torch.stack([scores[i - 1, ids[i]] for i, weight in enumerate(row.weights) if weight])

    def logps(self) -> Tensor:
        return torch.cat([self.logp(row) for row in self.rows])

    def gradients(self) -> dict[str, Tensor]:
        self.model.zero_grad()
        (self.logps() * self.grad_N).sum().backward()  # type: ignore[no-untyped-call]
        return {
            name.replace(".default", ""): p.grad.clone()
            for name, p in self.model.named_parameters()
            if p.requires_grad
        }


@pytest.fixture(scope="module", params=[True, False], ids=["tied", "untied"])
def reference(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    from peft import LoraConfig, get_peft_model
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("llama")
    config = LlamaConfig(
        vocab_size=VOCAB,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        tie_word_embeddings=request.param,
        rms_norm_eps=1e-5,
        rope_theta=5000.0,
    )
    with quiet():
        base = LlamaForCausalLM(config)
        for name, p in base.named_parameters():
            with torch.no_grad():
                p.uniform_(0.5, 1.5) if "norm" in name else p.normal_(0, 0.15)
        base.save_pretrained(folder / "base")
        targets = [f"{name}_proj" for name in ("q", "k", "v", "o", "gate", "up", "down")]
        model = get_peft_model(
            base, LoraConfig(r=4, lora_alpha=10, target_modules=targets, task_type="CAUSAL_LM")
        )
        for name, p in model.named_parameters():
            if "lora_B" in name:
                with torch.no_grad():
                    p.normal_(0, 0.1)
        model.save_pretrained(folder / "adapter")
    prefix = torch.randint(0, VOCAB, (PREFIX,)).tolist()
    rows = []
    for length in (11, 7, 19):
        own = torch.randint(0, VOCAB, (length,)).tolist()
        rows.append(Row(tuple(prefix + own), (0.0,) * (PREFIX + 3) + (1.0,) * (length - 3)))
    grad_N = torch.randn(sum(len(row.ids) - PREFIX - 3 for row in rows))
    return Reference(folder / "base", folder / "adapter", model, tuple(rows), grad_N)


def continued(reference: Reference, dtype: torch.dtype = torch.float32) -> LlamaLora:
    return LlamaLora.load(reference.base, adapter=reference.adapter, rank=1, alpha=1, seed=0, dtype=dtype)


def relative(mine: Tensor, theirs: Tensor) -> float:
    return float((mine - theirs).norm() / theirs.norm())


def grad(value: Tensor) -> Tensor:
    assert value.grad is not None
    return value.grad


@pytest.mark.parametrize("query_block", [384, 5])
def test_logps_and_every_gradient_equal_peft_in_f32(
    reference: Reference, monkeypatch: pytest.MonkeyPatch, query_block: int
) -> None:
    monkeypatch.setattr(llama_attention, "QUERY_BLOCK", query_block)
    network = continued(reference)
    logp_N, _ = network.forward(reference.packed)
    network.backward(reference.grad_N)
    theirs = reference.gradients()
    torch.testing.assert_close(logp_N, reference.logps().detach(), atol=1e-4, rtol=0)
    assert network.parameters.keys() == theirs.keys()
    for name, value in network.parameters.items():
        assert relative(grad(value), theirs[name]) < 1e-3, name


def test_rows_without_a_common_prefix_are_learned_from_as_well(reference: Reference) -> None:
    rows = tuple(
        Row((number, *row.ids[1:]), row.weights) for number, row in enumerate(reference.rows, start=1)
    )
    other = Reference(reference.base, reference.adapter, reference.model, rows, reference.grad_N)
    assert other.packed.spans[0] == (0, 0)
    network = continued(reference)
    logp_N, _ = network.forward(other.packed)
    network.backward(other.grad_N)
    theirs = other.gradients()
    torch.testing.assert_close(logp_N, other.logps().detach(), atol=1e-4, rtol=0)
    assert max(relative(grad(v), theirs[n]) for n, v in network.parameters.items()) < 1e-3


def test_bf16_stays_close_to_f32(reference: Reference) -> None:
    network = continued(reference, torch.bfloat16)
    logp_N, _ = network.forward(reference.packed)
    network.backward(reference.grad_N)
    theirs = reference.gradients()
    assert (logp_N - reference.logps().detach()).abs().max() < 0.15
    names = sorted(theirs)
    mine = torch.cat([grad(network.parameters[name]).flatten() for name in names])
    assert relative(mine, torch.cat([theirs[name].flatten() for name in names])) < 0.05


def test_hits_are_where_the_target_is_the_most_likely_token(reference: Reference) -> None:
    network = continued(reference)
    row = reference.rows[0]
    best = int(reference.model(torch.tensor(row.ids[:-1])[None]).logits[0, -1].argmax())
    for token in (best, (best + 1) % VOCAB):
        one = Row((*row.ids[:-1], token), (0.0,) * (len(row.ids) - 1) + (1.0,))
        assert network.forward(pack([one]), grad=False)[1].tolist() == [token == best]


def test_gradients_of_several_packs_add_up(reference: Reference) -> None:
    network = continued(reference)
    cuts = [len(row.ids) - PREFIX - 3 for row in reference.rows]
    for row, part in zip(reference.rows, torch.split(reference.grad_N, cuts), strict=True):
        network.forward(pack([row]))
        network.backward(part)
    theirs = reference.gradients()
    assert max(relative(grad(v), theirs[n]) for n, v in network.parameters.items()) < 1e-3


def test_a_forward_without_gradients_between_leaves_the_next_step_alone(reference: Reference) -> None:
    network = continued(reference)
    network.forward(reference.packed, grad=False)
    logp_N, _ = network.forward(reference.packed)
    network.backward(reference.grad_N)
    torch.testing.assert_close(logp_N, reference.logps().detach(), atol=1e-4, rtol=0)
    assert all(value.grad is not None for value in network.parameters.values())


def test_backward_needs_its_own_forward(reference: Reference) -> None:
    network = continued(reference)
    network.forward(reference.packed)
    network.backward(reference.grad_N)
    with pytest.raises(LearnError, match="backward without a forward"):
        network.backward(reference.grad_N)
    network.forward(reference.packed, grad=False)
    with pytest.raises(LearnError, match="backward without a forward"):
        network.backward(reference.grad_N)


def test_saved_adapter_is_loaded_by_peft_with_the_same_logps(reference: Reference, tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    network = LlamaLora.load(reference.base, adapter=None, rank=3, alpha=6, seed=1, dtype=torch.float32)
    optimiser = torch.optim.SGD(network.parameters.values(), lr=0.5)
    network.forward(reference.packed)
    network.backward(reference.grad_N)
    optimiser.step()
    network.save(tmp_path / "adapter")
    with quiet():
        base = AutoModelForCausalLM.from_pretrained(reference.base, dtype=torch.float32)
        loaded = PeftModel.from_pretrained(base, str(tmp_path / "adapter"))
    theirs = Reference(reference.base, tmp_path, loaded, reference.rows, reference.grad_N)
    mine, _ = network.forward(reference.packed)
    torch.testing.assert_close(mine, theirs.logps().detach(), atol=1e-4, rtol=0)
    assert (mine - reference.logps().detach()).abs().max() > 1e-2


def test_loading_a_saved_adapter_continues_and_saves_the_same_bytes(
    reference: Reference, tmp_path: Path
) -> None:
    continued(reference).save(tmp_path / "one")
    network = LlamaLora.load(reference.base, adapter=tmp_path / "one", rank=99, alpha=99, seed=5)
    network.save(tmp_path / "two")
    for name in ("adapter_model.safetensors", "adapter_config.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    kept = load_file(reference.adapter / "adapter_model.safetensors")
    assert all(torch.equal(network.parameters[name], value) for name, value in kept.items())


def test_a_fresh_adapter_has_no_effect_and_follows_its_seed(reference: Reference) -> None:
    one, same, other = (
        LlamaLora.load(reference.base, adapter=None, rank=2, alpha=4, seed=seed, dtype=torch.float32)
        for seed in (7, 7, 8)
    )
    with reference.model.disable_adapter():
        torch.testing.assert_close(
            one.forward(reference.packed)[0], reference.logps().detach(), atol=1e-4, rtol=0
        )
    name = "base_model.model.model.layers.1.mlp.down_proj.lora_A.weight"
    assert torch.equal(one.parameters[name], same.parameters[name])
    assert not torch.equal(one.parameters[name], other.parameters[name])
    assert one.parameters[name].abs().max() <= 1 / math.sqrt(96)


def test_an_adapter_of_another_model_is_refused_with_its_fix(reference: Reference, tmp_path: Path) -> None:
    continued(reference).save(tmp_path)
    file = tmp_path / "adapter_model.safetensors"
    values = load_file(file)
    values.pop(min(values))
    save_file(values, file)
    for folder, message in ((tmp_path, "does not fit"), (tmp_path / "missing", "cannot continue")):
        with pytest.raises(LearnError, match=message):
            LlamaLora.load(reference.base, adapter=folder, rank=1, alpha=1, seed=0)


def test_only_plain_llamas_are_supported(reference: Reference) -> None:
    config = json.loads((reference.base / "config.json").read_text())
    assert LlamaLora.supports(config)
    assert read_shape(config).rope_theta == 5000.0
    for change in (
        {"model_type": "qwen2"},
        {"attention_bias": True},
        {"hidden_act": "gelu"},
        {"rope_parameters": {"rope_type": "llama3"}},
    ):
        assert not LlamaLora.supports({**config, **change})
