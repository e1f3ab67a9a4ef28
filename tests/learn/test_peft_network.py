"""Models that the project's own code does not compute are trained through transformers and PEFT."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from coevolve.errors import LearnError
from coevolve.learn import open as opening
from coevolve.learn import peft_network
from coevolve.learn.fit import Batch, fit
from coevolve.learn.llama import LlamaLora
from coevolve.learn.losses import imitation
from coevolve.learn.open import open_network
from coevolve.learn.packing import Pack, Row, pack
from coevolve.learn.peft_network import PeftNetwork
from coevolve.learn.plans import Plan
from coevolve.models.weights import quiet
from tiny_llama import VOCAB

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def adapter(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with an effect, written by the project's own trainer."""
    folder = tmp_path_factory.mktemp("adapter")
    network = LlamaLora.load(base, adapter=None, rank=4, alpha=8, seed=1)
    torch.manual_seed(2)
    with torch.no_grad():
        for name, value in network.parameters.items():
            if "lora_B" in name:
                value.normal_(0, 0.2)
    network.save(folder)
    return folder


def some_rows() -> list[Row]:
    random = torch.Generator().manual_seed(9)
    prefix = torch.randint(0, VOCAB, (12,), generator=random).tolist()
    rows = []
    for length in (5, 9, 7):
        ids = prefix + torch.randint(0, VOCAB, (length,), generator=random).tolist()
        rows.append(Row(tuple(ids), (0.0,) * 14 + (1.0,) * (length - 2)))
    return rows


def load(base: Path, adapter: Path | None, exact: bool = True) -> PeftNetwork:
    return PeftNetwork.load(base, adapter=adapter, rank=4, alpha=8, seed=1, exact=exact)


def test_it_agrees_with_the_projects_own_llama_in_logps_and_gradients(base: Path, adapter: Path) -> None:
    packed: Pack = pack(some_rows())
    theirs = load(base, adapter)
    mine = LlamaLora.load(base, adapter=adapter, rank=1, alpha=1, seed=0, dtype=torch.float32)
    grad_N = torch.linspace(-1, 1, len(packed.target_N))
    found = []
    for network in (theirs, mine):
        logp_N, hit_N = network.forward(packed)
        network.backward(grad_N)
        gradients = [value.grad.norm() for value in network.parameters.values() if value.grad is not None]
        assert len(gradients) == len(network.parameters) == 2 * 2 * 7
        found.append((logp_N.detach(), hit_N, torch.stack(gradients).norm()))
    torch.testing.assert_close(found[0][0], found[1][0], atol=1e-4, rtol=0)
    assert found[0][1].tolist() == found[1][1].tolist()
    torch.testing.assert_close(found[0][2], found[1][2], atol=0, rtol=1e-3)


def test_packed_rows_have_the_logps_of_each_row_alone(base: Path, adapter: Path) -> None:
    network, rows = load(base, adapter), some_rows()
    alone = [network.forward(pack([row]), grad=False)[0] for row in rows]
    torch.testing.assert_close(
        network.forward(pack(rows), grad=False)[0], torch.cat(alone), atol=1e-4, rtol=0
    )


def test_halved_weights_stay_close_to_exact_ones(base: Path, adapter: Path) -> None:
    packed = pack(some_rows())
    exact, halved = (load(base, adapter, exact).forward(packed, grad=False)[0] for exact in (True, False))
    assert 0 < float((exact - halved).abs().max()) < 0.3


def test_saving_and_loading_keeps_the_adapter_and_its_bytes(
    base: Path, adapter: Path, tmp_path: Path
) -> None:
    load(base, adapter).save(tmp_path / "one")
    load(base, tmp_path / "one").save(tmp_path / "two")
    names = sorted(one.name for one in (tmp_path / "one").iterdir())
    assert names == ["adapter_config.json", "adapter_model.safetensors"]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    packed = pack(some_rows())
    one, two = (load(base, folder).forward(packed, grad=False)[0] for folder in (adapter, tmp_path / "two"))
    assert torch.equal(one, two)


def test_a_fresh_adapter_has_no_effect_and_follows_its_seed(base: Path) -> None:
    one, same = load(base, None), load(base, None)
    other = PeftNetwork.load(base, adapter=None, rank=4, alpha=8, seed=2, exact=True)
    name = next(name for name in one.parameters if "lora_A" in name)
    assert torch.equal(one.parameters[name], same.parameters[name])
    assert not torch.equal(one.parameters[name], other.parameters[name])
    packed = pack(some_rows())
    assert torch.equal(one.forward(packed, grad=False)[0], other.forward(packed, grad=False)[0])


def test_backward_needs_a_forward_with_gradients(base: Path) -> None:
    network, packed = load(base, None), pack(some_rows())
    network.forward(packed, grad=False)
    with pytest.raises(LearnError, match="backward without a forward"):
        network.backward(torch.ones(len(packed.target_N)))


def test_an_adapter_that_peft_cannot_load_is_refused_with_a_fix(base: Path, tmp_path: Path) -> None:
    with pytest.raises(LearnError, match="cannot continue from adapter") as refused:
        load(base, tmp_path / "missing")
    assert refused.value.fix


def test_another_architecture_is_opened_through_transformers(tmp_path: Path) -> None:
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        vocab_size=VOCAB,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
    )
    with quiet():
        Qwen2ForCausalLM(config).save_pretrained(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["model_type"] == "qwen2"
    network = open_network(tmp_path, adapter=None, rank=2, alpha=4, seed=0)
    assert isinstance(network, PeftNetwork)
    packed = pack(some_rows())
    logp_N, _ = network.forward(packed)
    network.backward(torch.ones_like(logp_N))
    assert all(value.grad is not None for value in network.parameters.values())


def test_on_a_gpu_every_model_is_opened_through_transformers(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own placing apart, which only a machine with a GPU can try."""
    monkeypatch.setattr(opening, "training_device", lambda: torch.device("cuda"))
    monkeypatch.setattr(peft_network, "training_device", lambda: torch.device("cpu"))
    assert isinstance(open_network(base, adapter=None, rank=2, alpha=4, seed=0), PeftNetwork)


def only(batch: Batch, _epoch: int) -> Iterator[Batch]:
    yield batch


@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no GPU")
def test_a_gpu_computes_what_the_cpu_does(
    base: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packed = pack(some_rows())
    found = []
    for device in ("cuda", "cpu"):
        monkeypatch.setattr(peft_network, "training_device", lambda name=device: torch.device(name))
        batch = Batch(packed, imitation(packed.weight_N, error_weight=0.0), ("one",))
        plan = Plan(phase="sft", learning_rate=1e-2, weight_decay=0.01, epochs=2)
        (tmp_path / device).mkdir()
        for epochs in (1, 2):  # the second goes on from the first's checkpoint
            network = load(base, adapter)
            once = replace(plan, epochs=epochs)
            done = fit(network, partial(only, batch), 1, once, folder=tmp_path / device)
        logp_N, _ = network.forward(packed, grad=False)
        found.append((torch.tensor(done.losses), logp_N))
    for gpu, cpu in zip(*found, strict=True):
        torch.testing.assert_close(gpu, cpu, atol=1e-3, rtol=0)
