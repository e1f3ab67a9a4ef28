"""Does an engine compute what the trainer computes? Asked whenever a model is loaded.

A model and a folder with a parity file enter; nothing leaves, or an error that says how far apart they are.
"""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path

import numpy as np

from coevolve.errors import ModelError
from coevolve.models.protocol import LanguageModel, Sampling
from coevolve.models.weights import Weights, make_once, quiet, torch_folder

PARITY_FILE = "parity.json"
CLEAR = math.log(0.6)  # log-probability from which on no rounding makes another token the likelier one
_BASE_PROMPTS = ("1, 2, 3, 4, 5, 6, 7,", "Monday, Tuesday, Wednesday,", "a, b, c, d, e, f, g,")
_BASE_TOKENS = 8


def base_parity(weights: Weights) -> Path:
    """The folder of a base model with its parity file, which transformers writes once, in f32."""
    make_once(weights.folder / PARITY_FILE, lambda path: _write_base(torch_folder(weights), path))
    return weights.folder


async def check_parity(model: LanguageModel, folder: Path, *, exact: bool) -> None:
    """Hold the engine against what was recorded: greedy ids equal, log-probabilities close.

    The trainer writes `parity.json` beside an adapter: prompts with the output that its own argmax
    follows at every token, and that output's log-probabilities. Takes under 2 s; folders without the
    file (an adapter from elsewhere, or one that follows none of its examples) are passed over.

    Args: exact: the engine computes in f32, so every prompt must agree to 0.05 in the mean absolute
        difference; in half precision near ties may fall otherwise, so half of the prompts to 0.5.
    Raises: ModelError: the engine says something else than the trainer.
    """
    file = folder / PARITY_FILE
    if not file.is_file():
        return
    rows = json.loads(file.read_text(encoding="utf-8"))
    if not rows:
        raise ModelError(
            f"{file} holds no prompt, so {model.name} cannot be checked", fix="train the version again"
        )
    asked = (model.complete(row["prompt_ids"], Sampling(max_tokens=len(row["output_ids"]))) for row in rows)
    answers = await asyncio.gather(*asked)
    gaps = [
        float(np.mean(np.abs(np.subtract(got.logprobs, row["logprobs"]))))
        if list(got.ids) == row["output_ids"]
        else float("inf")
        for got, row in zip(answers, rows, strict=True)
    ]
    agreeing = sum(gap <= (0.05 if exact else 0.5) for gap in gaps)
    if agreeing < (len(rows) if exact else len(rows) / 2):
        raise ModelError(
            f"{model.name} does not compute what {file} records: {agreeing} of {len(rows)} prompts agree, "
            f"log-probability gaps {[round(gap, 3) for gap in gaps]}",
            fix='set model.precision = "f32"; if it persists, an adapter is of another base model',
        )


def _write_base(folder: Path, path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with quiet():
        network = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = []
    for prompt in _BASE_PROMPTS:
        ids = list(tokenizer(prompt).input_ids)
        said: list[int] = []
        logprobs: list[float] = []
        while len(said) < _BASE_TOKENS:
            with torch.inference_mode():
                logp_V = network(torch.tensor([ids + said])).logits[0, -1].float().log_softmax(-1)
            token = int(logp_V.argmax())
            if said and (logp_V[token] < CLEAR or token == tokenizer.eos_token_id):
                break
            said.append(token)
            logprobs.append(round(float(logp_V[token]), 5))
        rows.append({"prompt_ids": ids, "output_ids": said, "logprobs": logprobs})
    path.write_text(json.dumps(rows), encoding="utf-8")
