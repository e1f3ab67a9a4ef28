"""The loop with the real language model: in a couple of minutes it measurably improves at two easy jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from coevolve import config, loop
from coevolve.agents.harness import opening_ids
from coevolve.config import RunConfig
from coevolve.models.parity import PARITY_FILE
from coevolve.models.protocol import Sampling
from coevolve.pool import load
from coevolve.summary import REPORT_FOLDER, write_report
from coevolve.types import Split
from coevolve.workspace import Workspace, open_workspace

pytestmark = pytest.mark.model

SETTINGS: dict[str, Any] = {
    "run.name": "small",
    "run.max_rounds": 1,
    "run.minutes_budget": 60.0,
    "run.target": 1.0,
    "environment.types": ["price", "stock"],
    "agent.max_turns": 3,
    "agent.max_tokens": 72,
    "agent.max_thought_words": 16,
    "opening.demonstrations": 12,
    "opening.validation": 4,
    "opening.epochs": 3,
    "learn.batch_tokens": 256,
    "opening.batch_tokens": 256,
    "learn.max_examples": 16,
    "collect.episodes": 16,
    "gate.tasks": 32,  # the least with which the gate decides is 30
    "gate.draw_tasks": 32,
    "gate.max_tasks": 32,
    "test.open": False,
}


@dataclass(frozen=True, slots=True)
class Finished:
    ws: Workspace
    ended: loop.Ended

    def value(self, step: str) -> Any:
        return self.ws.journal.get(step)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    settings = {**SETTINGS, "run.out_dir": str(tmp_path_factory.mktemp("runs"))}
    ws = open_workspace(config.override(RunConfig(), settings))

    def report() -> None:
        write_report(ws, finished=False)

    ended = asyncio.run(loop.run(ws, report))
    yield Finished(ws, ended)
    ws.close()


def test_the_run_finishes_with_a_candidate_better_than_the_base_on_unseen_tasks(finished: Finished) -> None:
    verdicts = [finished.value(f"round-{number}/gate") for number in range(finished.ended.rounds + 1)]
    base = verdicts[0]["overall"]["champion_rate"]
    best = max(verdict["overall"]["candidate_rate"] for verdict in verdicts)
    assert base <= 0.1
    assert best >= base + 0.25, verdicts
    accepted = [verdict["candidate"] for verdict in verdicts if verdict["decision"] == "accept"]
    assert accepted and finished.ended.champion == accepted[-1]


def test_training_lowered_the_loss_on_train_tasks_alone(finished: Finished) -> None:
    losses = finished.value("round-0/learn")["notes"]["sft"]["losses"]
    assert losses[-1] < 0.5 * losses[0]
    pool = load(finished.ws.pools, finished.value("round-0/evolve")["pool"])
    assert {entry.trajectory.task.split for entry in pool.entries} == {Split.TRAIN}


async def test_the_champions_adapter_loads_passes_parity_and_acts(finished: Finished) -> None:
    ws = finished.ws
    champion = ws.registry.get(finished.ended.champion)
    adapter = ws.adapter(champion)
    assert adapter is not None and (adapter / PARITY_FILE).is_file()
    ws.release_model()
    model = await ws.acting(champion)  # opening it holds it against its parity file
    task = ws.env.tasks(Split.VALIDATION, ["price"], 1, 7)[0]
    prompt = opening_ids(model.chat, ws.env, task, ws.harness)
    said = await model.complete(prompt, Sampling(max_tokens=72))
    assert said.finished and '{"tool":' in said.text
    ws.release_model()


def test_the_report_is_there(finished: Finished) -> None:
    folder = finished.ws.folder / REPORT_FOLDER
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "price" in page and "stock" in page
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
