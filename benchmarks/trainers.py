"""Tokens a second of the trainers on the default model: own, PEFT through the own loop, and TRL.

Each is given the same demonstrations of the shop, from a fresh adapter of the same shape, in a process of its
own. What counts is the examples' tokens, prompts among them, over the seconds of the steps after the first.
Own and PEFT compute a prompt once a pack, TRL once an example. Where torch sees a GPU, own is left out.

`--quick` makes two small steps of each and writes trainers.quick.json.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from coevolve.config import load, override
from coevolve.examples import Example, example_of
from coevolve.learn.fit import Batch, Network, fit
from coevolve.learn.lesson import Lesson
from coevolve.learn.llama import LlamaLora
from coevolve.learn.losses import imitation
from coevolve.learn.packing import Row, batches, pack, row_of
from coevolve.learn.peft_network import PeftNetwork, training_device
from coevolve.learn.plans import Plan
from coevolve.machine import machine
from coevolve.models.weights import find_weights, torch_folder
from coevolve.sections import LearnSection
from coevolve.teaching import demonstrations
from coevolve.types import Split
from coevolve.workspace import open_workspace

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
COMMAND = "python benchmarks/trainers.py"
ARMS = ("own", "peft", "trl")
_DEMONSTRATIONS = 48


def examples_of(seed: int, folder: Path) -> tuple[Path, list[Example], LearnSection]:
    """The base model's folder, the shop's opening demonstrations, and how the demo learns."""
    config = load(ROOT / "examples" / "shop.toml")
    ws = open_workspace(override(config, {"run.seed": seed, "run.out_dir": str(folder)}))
    try:
        made = [example_of(one) for one in demonstrations(ws, Split.TRAIN, _DEMONSTRATIONS)]
    finally:
        ws.close()
    base = torch_folder(find_weights(config.model.name, None))
    return base, [one for one in made if one is not None], config.learn


def measure(arm: str, steps: int, seed: int, batch_tokens: int) -> dict[str, float | int]:
    """One arm's seconds over at most `steps` steps, after a first that warms up."""
    with tempfile.TemporaryDirectory() as folder:
        base, examples, section = examples_of(seed, Path(folder))
        section = replace(section, batch_tokens=batch_tokens)
        rows = [row_of(one) for one in examples]
        groups = list(islice(batches(rows, section.batch_tokens, np.random.default_rng(seed)), steps + 1))
        plan = Plan(phase="sft", learning_rate=section.learning_rate, weight_decay=0.01, epochs=1)
        ends: list[float] = []
        if arm == "trl":
            learned = [examples[i] for group in groups for i in group]
            _by_trl(base, learned, section, ends)
        else:
            network = _network(arm, base, section, seed)
            made = [_batch([rows[i] for i in group]) for group in groups]
            fit(network, lambda _: iter(made), len(made), plan, folder=Path(folder), on_batch=_clock(ends))
    seconds = ends[-1] - ends[0]
    tokens = sum(len(rows[i].ids) for group in groups for i in group) * (len(ends) - 1) / len(ends)
    return {
        "tokens_per_s": round(tokens / seconds, 1),
        "steps": len(ends) - 1,
        "seconds": round(seconds, 2),
        "peak_rss_gib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2),
    }


def _clock(ends: list[float]) -> Callable[[int], None]:
    return lambda _: ends.append(time.perf_counter())


def _batch(rows: Sequence[Row]) -> Batch:
    packed = pack(rows)
    return Batch(packed, imitation(packed.weight_N, error_weight=0.0), ())


def _network(arm: str, base: Path, section: LearnSection, seed: int) -> Network:
    shape: dict[str, Any] = {"adapter": None, "rank": section.rank, "alpha": section.alpha, "seed": seed}
    return LlamaLora.load(base, **shape) if arm == "own" else PeftNetwork.load(base, **shape)


def _by_trl(base: Path, examples: Sequence[Example], section: LearnSection, ends: list[float]) -> None:
    from coevolve.learn.with_trl import train

    with tempfile.TemporaryDirectory() as folder:
        lesson = Lesson(examples=examples, out=Path(folder))
        train(base, lesson, section, Path(folder) / "adapter", _clock(ends))


def figures(asked: argparse.Namespace) -> dict[str, Any]:
    """Each arm in a process of its own; None where it cannot run here."""
    found: dict[str, Any] = {}
    for arm in ARMS:
        measured = None if _missing(arm) else _in_process(arm, asked)
        for key in ("tokens_per_s", "peak_rss_gib"):
            found[f"{key}_{arm}"] = None if measured is None else measured[key]
    return found


def _missing(arm: str) -> bool:
    if arm == "trl":
        return importlib.util.find_spec("trl") is None
    return arm == "own" and training_device().type != "cpu"


def _in_process(arm: str, asked: argparse.Namespace) -> dict[str, Any]:
    words = [sys.executable, __file__, "--arm", arm, "--steps", str(asked.steps), "--seed", str(asked.seed)]
    words += ["--batch-tokens", str(asked.batch_tokens)]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0."""
    asked = _parser().parse_args(arguments)
    if asked.quick:
        asked.steps, asked.batch_tokens = 2, 128
    if asked.arm:
        print(json.dumps(measure(asked.arm, asked.steps, asked.seed, asked.batch_tokens)))
        return 0
    options = (
        ["--quick"]
        if asked.quick
        else ["--steps", str(asked.steps), "--batch-tokens", str(asked.batch_tokens)]
    )
    data = {
        "machine": machine() | {"trains_on": training_device().type},
        "command": shlex.join([*shlex.split(COMMAND), *options, "--seed", str(asked.seed)]),
        "date": date.today().isoformat(),
        "seeds": [asked.seed],
        "figures": figures(asked),
    }
    file = asked.out / ("trainers.quick.json" if asked.quick else "trainers.json")
    file.parent.mkdir(parents=True, exist_ok=True)
    building = file.with_suffix(".new")
    building.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    os.replace(building, file)
    print(json.dumps(data, indent=1) if asked.json else f"{json.dumps(data['figures'])}\nfigures: {file}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two small steps of each")
    parser.add_argument("--steps", type=int, default=8, help="measured steps, at most those of one epoch")
    parser.add_argument("--batch-tokens", type=int, default=1536, help="of a pack, as learn.batch_tokens")
    parser.add_argument("--arm", choices=ARMS, help="this one alone, in this process")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the figures")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print the figures file on standard output")
    return parser


if __name__ == "__main__":
    sys.exit(main())
