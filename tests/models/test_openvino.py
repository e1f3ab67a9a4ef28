"""The local engine against transformers and PEFT, on the real model."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from coevolve.agents.action_text import parse
from coevolve.agents.harness import Harness, opening_ids
from coevolve.environments.shop import Shop
from coevolve.errors import ModelError
from coevolve.learn.llama import LlamaLora
from coevolve.learn.packing import Row, pack
from coevolve.models.chat import load_chat
from coevolve.models.grammar import action_grammar
from coevolve.models.openvino import OpenVinoModel, open_model
from coevolve.models.parity import base_parity, check_parity
from coevolve.models.protocol import Completion, Sampling
from coevolve.models.weights import Weights, find_weights, quiet, torch_folder
from coevolve.types import Split
from tiny_llama import random_adapter

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("one_thread")]

TOKENS = 16
ADAPTED = 0.01  # random adapters enlarge the rounding of f32; base: 0.003
GREEDY = Sampling(max_tokens=TOKENS)
QUESTIONS = (
    "Name three colours.",
    "What is the capital of France?",
    "Write one sentence about the sea.",
    "How many legs has a spider?",
    "Translate 'good morning' into Spanish.",
    "Why is the sky blue?",
)


@dataclass(frozen=True, slots=True)
class Said:
    """What transformers says greedily to one prompt, with the log-probability of each token."""

    prompt: tuple[int, ...]
    ids: tuple[int, ...]
    logps: tuple[float, ...]
    leads: tuple[float, ...]  # by how much each token was likelier than the next best


@dataclass(frozen=True, slots=True)
class World:
    """The base model, two adapters with an effect, and what transformers (with PEFT) says with each."""

    weights: Weights
    adapters: dict[str, Path]
    said: dict[str, list[Said]]  # "base", "a", "b"


@torch.no_grad()
def greedy(model: Any, prompts: list[tuple[int, ...]], end_id: int) -> list[Said]:
    said = []
    for prompt in prompts:
        ids = torch.tensor([prompt])
        with quiet():
            out = model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                max_new_tokens=TOKENS,
                eos_token_id=end_id,
                pad_token_id=end_id,
            )[0].tolist()
        scores = model(torch.tensor([out])).logits[0].log_softmax(-1)
        own = range(len(prompt), len(out))
        logps = tuple(float(scores[k - 1, out[k]]) for k in own)
        best = [scores[k - 1].topk(2).values for k in own]
        said.append(Said(prompt, tuple(out[len(prompt) :]), logps, tuple(float(a - b) for a, b in best)))
    return said


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    weights = find_weights("smollm2-135m")
    base = torch_folder(weights)
    chat = load_chat(base)
    prompts = [chat.open("You are brief.", question) for question in QUESTIONS]
    folder = tmp_path_factory.mktemp("adapters")
    adapters = {name: random_adapter(folder / name, base, seed) for name, seed in (("a", 1), ("b", 2))}
    with quiet():
        model: Any = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    said = {"base": greedy(model, prompts, chat.end_id)}
    with quiet():
        model = PeftModel.from_pretrained(model, str(adapters["a"]), adapter_name="a")
        model.load_adapter(str(adapters["b"]), adapter_name="b")
    for name in adapters:
        model.set_adapter(name)
        said[name] = greedy(model, prompts, chat.end_id)
    del model
    gc.collect()
    return World(weights, adapters, said)


@pytest.fixture(scope="module")
def base_model(world: World) -> Iterator[OpenVinoModel]:
    model = open_model(world.weights)
    yield model
    model.close()


@pytest.fixture(scope="module")
def model_a(world: World) -> Iterator[OpenVinoModel]:
    model = open_model(world.weights, adapter=world.adapters["a"])
    yield model
    model.close()


async def answers(model: OpenVinoModel, said: list[Said], sampling: Sampling = GREEDY) -> list[Completion]:
    return list(await asyncio.gather(*(model.complete(one.prompt, sampling) for one in said)))


def assert_equal(found: list[Completion], said: list[Said], within: float = 0.003) -> None:
    """Equal token by token and in log-probabilities; at most one text may part at a tie within rounding."""
    parted = 0
    for completion, one in zip(found, said, strict=True):
        pairs = list(zip(completion.ids, one.ids, strict=False))
        same = next((k for k, (mine, theirs) in enumerate(pairs) if mine != theirs), len(pairs))
        assert completion.logprobs[:same] == pytest.approx(one.logps[:same], abs=within)
        if completion.ids != one.ids:
            assert same < len(one.ids) and one.leads[same] < 2 * within, (completion.text, same)
            parted += 1
    assert parted <= 1


async def test_base_model_says_what_transformers_says(base_model: OpenVinoModel, world: World) -> None:
    found = await answers(base_model, world.said["base"])
    assert_equal(found, world.said["base"])
    for completion in found:
        assert completion.finished == (completion.ids[-1] == base_model.tokens.end_id)
        assert completion.text == base_model.tokens.decode(completion.ids)
        assert completion.finished or len(completion.ids) == TOKENS


async def test_adapted_model_says_what_transformers_with_peft_says(
    model_a: OpenVinoModel, world: World
) -> None:
    assert_equal(await answers(model_a, world.said["a"]), world.said["a"], ADAPTED)
    differing = sum(a.ids != base.ids for a, base in zip(world.said["a"], world.said["base"], strict=True))
    assert differing >= 4  # the adapter is noticeable, or this test would hold nothing
    assert_equal(await answers(model_a, world.said["a"]), world.said["a"], ADAPTED)  # from the prefix cache


async def test_a_second_version_in_its_own_pipeline_is_untouched_by_the_first(
    model_a: OpenVinoModel, world: World
) -> None:
    """One pipeline per version: OpenVINO's prefix cache is not keyed by adapter."""
    await answers(model_a, world.said["a"])
    model_b = open_model(world.weights, adapter=world.adapters["b"])
    try:
        together = await asyncio.gather(answers(model_b, world.said["b"]), answers(model_a, world.said["a"]))
    finally:
        model_b.close()
    assert_equal(together[0], world.said["b"], ADAPTED)
    assert_equal(together[1], world.said["a"], ADAPTED)
    assert [one.ids for one in world.said["a"]] != [one.ids for one in world.said["b"]]
    with pytest.raises(ModelError, match="is closed"):
        await model_b.complete(world.said["b"][0].prompt, GREEDY)


async def test_a_seed_repeats_its_text_and_another_seed_gives_another(
    base_model: OpenVinoModel, world: World
) -> None:
    prompt = world.said["base"][2].prompt
    hot = [Sampling(temperature=1.0, max_tokens=TOKENS, seed=seed) for seed in (1, 2, 3, 4)]
    first = await asyncio.gather(*(base_model.complete(prompt, one) for one in hot))
    second = await asyncio.gather(*(base_model.complete(prompt, one) for one in hot))
    assert [one.ids for one in first] == [one.ids for one in second]
    assert len({one.ids for one in first}) == 4


async def test_sampled_log_probabilities_are_those_of_the_model(
    base_model: OpenVinoModel, world: World
) -> None:
    prompt = world.said["base"][3].prompt
    drawn = await base_model.complete(prompt, Sampling(temperature=1.0, max_tokens=12, seed=7))
    network = LlamaLora.load(
        torch_folder(world.weights), adapter=None, rank=1, alpha=1, seed=0, dtype=torch.float32
    )
    row = Row(prompt + drawn.ids, (0.0,) * len(prompt) + (1.0,) * len(drawn.ids))
    expected = network.forward(pack([row]), grad=False)[0].tolist()
    assert drawn.logprobs == pytest.approx(expected, abs=0.01)


async def test_the_grammar_lets_even_the_base_write_valid_actions(base_model: OpenVinoModel) -> None:
    env = Shop()
    tasks = env.tasks(Split.TRAIN, tuple(env.task_types()), 8, 3)
    grammar = action_grammar(env.tools(), max_thought_words=8)
    prompts = [opening_ids(base_model.chat, env, task, Harness()) for task in tasks]
    await base_model.complete(prompts[0], Sampling(max_tokens=1))
    sampling = Sampling(temperature=1.0, max_tokens=160, grammar=grammar)
    found = await asyncio.gather(
        *(base_model.complete(ids, replace(sampling, seed=k)) for k, ids in enumerate(prompts))
    )
    parsed = [parse(one.text, env.tools()) for one in found]
    valid = [read.error is None for read in parsed]
    # The grammar bounds the form, not the length: what the token limit did not cut off is an action.
    assert all(ok for ok, one in zip(valid, found, strict=True) if one.finished), parsed
    assert sum(valid) >= 5, [read.error for read in parsed]


async def test_requests_join_while_others_run(base_model: OpenVinoModel, world: World) -> None:
    said = world.said["base"]
    early = [asyncio.create_task(base_model.complete(one.prompt, GREEDY)) for one in said[:2]]
    while not base_model._running:
        await asyncio.sleep(0)
    late = await answers(base_model, said[2:])
    assert_equal([*(await asyncio.gather(*early)), *late], said)


async def test_a_missed_deadline_fails_one_request_and_leaves_the_engine_usable(
    base_model: OpenVinoModel, world: World
) -> None:
    said = world.said["base"]
    slow = Sampling(max_tokens=400, temperature=1.0, deadline_s=0.02)
    missed, *found = await asyncio.gather(
        base_model.complete(said[0].prompt, slow),
        *(base_model.complete(one.prompt, GREEDY) for one in said[1:]),
        return_exceptions=True,
    )
    assert isinstance(missed, ModelError) and "within 0.02 s" in missed.what
    assert "turn_timeout_s" in missed.fix
    assert_equal([one for one in found if isinstance(one, Completion)], said[1:])
    assert_equal(await answers(base_model, said), said)


async def test_a_cancelled_request_leaves_the_engine_usable(base_model: OpenVinoModel, world: World) -> None:
    said = world.said["base"]
    task = asyncio.create_task(base_model.complete(said[0].prompt, Sampling(max_tokens=400, temperature=1.0)))
    while not base_model._running:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert_equal(await answers(base_model, said[:2]), said[:2])


async def test_parity_holds_for_its_adapter_and_not_for_another(
    model_a: OpenVinoModel, base_model: OpenVinoModel, world: World
) -> None:
    folder = world.adapters["a"]
    await check_parity(model_a, folder, exact=True)  # no parity.json: nothing to hold it against
    clear = [one for one in world.said["a"] if min(one.leads[:8]) > 2 * ADAPTED]  # no ties
    assert len(clear) >= 3
    rows: list[dict[str, Any]] = [
        {"prompt_ids": one.prompt, "output_ids": one.ids[:8], "logprobs": one.logps[:8]} for one in clear[:3]
    ]
    file = folder / "parity.json"
    file.write_text(json.dumps(rows))
    await check_parity(model_a, folder, exact=True)
    with pytest.raises(ModelError, match="0 of 3 prompts agree"):
        await check_parity(base_model, folder, exact=True)
    rows[1] = {**rows[1], "logprobs": [value - 0.5 for value in clear[1].logps[:8]]}
    file.write_text(json.dumps(rows))
    with pytest.raises(ModelError, match="2 of 3 prompts agree") as refused:
        await check_parity(model_a, folder, exact=True)
    assert "model.precision" in refused.value.fix
    await check_parity(model_a, folder, exact=False)  # half precision: one near tie may fall otherwise


async def test_the_base_is_held_against_transformers_too(
    base_model: OpenVinoModel, model_a: OpenVinoModel, world: World, tmp_path: Path
) -> None:
    weights = replace(world.weights, folder=tmp_path, source=torch_folder(world.weights))
    folder = base_parity(weights)
    rows = json.loads((folder / "parity.json").read_text())
    assert len(rows) == 3 and max(len(row["output_ids"]) for row in rows) > 3
    await check_parity(base_model, folder, exact=True)
    with pytest.raises(ModelError, match="of 3 prompts agree"):
        await check_parity(model_a, folder, exact=True)
    (folder / "parity.json").write_text("[]")
    with pytest.raises(ModelError, match="holds no prompt"):
        await check_parity(base_model, folder, exact=True)


def test_an_adapter_of_another_model_is_refused_before_it_is_loaded(world: World, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    name = "base_model.model.model.layers.0.self_attn.q_proj.lora_{}.weight"
    wrong = {name.format("A"): torch.zeros(8, 999), name.format("B"): torch.zeros(999, 8)}
    save_file(wrong, tmp_path / "adapter_model.safetensors")
    (tmp_path / "adapter_config.json").write_text('{"r": 8, "lora_alpha": 16}')
    with pytest.raises(ModelError, match=r"q_proj\.lora_A"):
        open_model(world.weights, adapter=tmp_path)
