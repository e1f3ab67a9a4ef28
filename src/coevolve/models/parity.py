"""Does an engine run an adapter as it was trained? Asked whenever a version is loaded.

A model and the adapter's folder enter; nothing leaves, or an error that says how far apart they are.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np

from coevolve.errors import ModelError
from coevolve.models.protocol import LanguageModel, Sampling

PARITY_FILE = "parity.json"


async def check_parity(model: LanguageModel, adapter: Path, *, exact: bool) -> None:
    """Hold the engine against what the trainer recorded: greedy ids equal, log-probabilities close.

    The trainer writes `parity.json` beside an adapter: prompts with the output that its own argmax
    follows at every token, and that output's log-probabilities. Takes under 2 s; folders without the
    file (an adapter from elsewhere) are passed over.

    Args: exact: the engine computes in f32, so every prompt must agree to 0.05 in the mean absolute
        difference; in half precision near ties may fall otherwise, so half of the prompts to 0.5.
    Raises: ModelError: the engine says something else than the trainer.
    """
    file = adapter / PARITY_FILE
    if not file.is_file():
        return
    rows = json.loads(file.read_text(encoding="utf-8"))
    if not rows:
        raise ModelError(
            f"{file} holds no prompt, so adapter {adapter} cannot be checked", fix="train the version again"
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
            f"{model.name} does not run adapter {adapter} as it was trained: {agreeing} of "
            f"{len(rows)} prompts agree, log-probability gaps {[round(gap, 3) for gap in gaps]}",
            fix='set model.precision = "f32"; if it persists, the adapter is of another base model',
        )
