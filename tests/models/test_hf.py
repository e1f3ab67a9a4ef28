"""The transformers engine against transformers' own generation and the OpenVINO engine's contract."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from coevolve.errors import ModelError
from coevolve.learn.llama import LlamaLora
from coevolve.learn.packing import Row, pack
from coevolve.models.hf import TransformersModel, open_model
from coevolve.models.protocol import Completion, Sampling
from coevolve.models.weights import find_weights, torch_folder
from tiny_llama import random_adapter

pytestmark = pytest.mark.model

QUESTIONS = ("Name three colours.", "Write one long sentence about the sea and the wind.", "Hi")


@pytest.fixture(scope="module")
def model() -> Iterator[TransformersModel]:
    opened = open_model(find_weights("smollm2-135m"))
    yield opened
    opened.close()


def prompts(model: TransformersModel) -> list[tuple[int, ...]]:
    return [model.chat.open("You are brief.", question) for question in QUESTIONS]


async def together(model: TransformersModel, sampling: Sampling) -> list[Completion]:
    return list(await asyncio.gather(*(model.complete(one, sampling) for one in prompts(model))))


async def test_a_batch_says_what_each_prompt_says_alone(model: TransformersModel) -> None:
    greedy = Sampling(max_tokens=10)
    found = await together(model, greedy)
    for prompt, one in zip(prompts(model), found, strict=True):
        alone = await model.complete(prompt, greedy)
        assert one.ids == alone.ids and one.logprobs == pytest.approx(alone.logprobs, abs=0.003)
    assert {one.finished for one in found} <= {True, False} and max(len(one.ids) for one in found) == 10


async def test_sampled_log_probabilities_are_those_of_the_model(model: TransformersModel) -> None:
    drawn = (await together(model, Sampling(temperature=1.0, max_tokens=8, seed=3)))[1]
    network = LlamaLora.load(
        torch_folder(find_weights("smollm2-135m")), adapter=None, rank=1, alpha=1, seed=0, dtype=torch.float32
    )
    prompt = prompts(model)[1]
    row = Row(prompt + drawn.ids, (0.0,) * len(prompt) + (1.0,) * len(drawn.ids))
    assert drawn.logprobs == pytest.approx(network.forward(pack([row]), grad=False)[0].tolist(), abs=0.01)


async def test_an_adapter_acts_as_it_was_trained(tmp_path: Path) -> None:
    weights = find_weights("smollm2-135m")
    base = torch_folder(weights)
    adapter = random_adapter(tmp_path / "adapter", base, seed=1)
    adapted = open_model(weights, adapter=adapter)
    prompt = adapted.chat.open("You are brief.", QUESTIONS[0])
    said = await adapted.complete(prompt, Sampling(max_tokens=8))
    adapted.close()
    row = Row(prompt + said.ids, (0.0,) * len(prompt) + (1.0,) * len(said.ids))
    network = LlamaLora.load(base, adapter=adapter, rank=8, alpha=16, seed=1, dtype=torch.float32)
    logp_N, hit_N = network.forward(pack([row]), grad=False)
    assert bool(hit_N.all()) and said.logprobs == pytest.approx(logp_N.tolist(), abs=0.01)


async def test_any_failure_of_the_model_is_its_requests_failure(model: TransformersModel) -> None:
    prompt, sound = prompts(model)[0], model.network
    model.network = lambda **_: (_ for _ in ()).throw(TypeError("no such argument"))
    try:
        with pytest.raises(ModelError, match="no such argument"):
            await model.complete(prompt, Sampling(max_tokens=2))
    finally:
        model.network = sound
    assert (await model.complete(prompt, Sampling(max_tokens=2))).ids


async def test_a_seed_repeats_its_text_and_another_gives_another(model: TransformersModel) -> None:
    prompt = prompts(model)[1]
    texts = [
        (await model.complete(prompt, Sampling(temperature=1.0, max_tokens=8, seed=seed))).ids
        for seed in (1, 1, 2)
    ]
    assert texts[0] == texts[1] != texts[2]


async def test_a_grammar_is_refused_with_its_fix(model: TransformersModel) -> None:
    with pytest.raises(ModelError, match=r"agent\.constrained = false"):
        await model.complete((1, 2), Sampling(grammar='root ::= "a"'))


async def test_a_missed_deadline_leaves_the_engine_usable(model: TransformersModel) -> None:
    prompt = prompts(model)[0]
    with pytest.raises(ModelError, match="no completion within"):
        await model.complete(prompt, Sampling(max_tokens=64, deadline_s=0.05))
    assert (await model.complete(prompt, Sampling(max_tokens=2))).ids


def test_an_adapter_of_another_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no safetensors file"):
        open_model(find_weights("smollm2-135m"), adapter=tmp_path)
