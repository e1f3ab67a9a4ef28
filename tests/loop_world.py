"""The loop over the toy world, with a scripted engine whose skill grows with every candidate."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cli_world import clueless, remember_round, write_config
from coevolve import config, loop
from coevolve.environments.protocol import Episode
from coevolve.learn.lesson import Lesson
from coevolve.models.protocol import ChatFormat, LanguageModel
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.sections import LearnSection
from coevolve.types import Candidate, Split, Task
from coevolve.workspace import Workspace, open_workspace
from toy_world import ToyWorld, solver

GROWING = (10, 20, 30, 30, 30)  # counts to this after the opening, round 1, ...
STAGES = ("collect", "score", "evolve", "learn", "gate")


@dataclass
class GrowingEngine:
    """What has an adapter solves targets up to the skill of the round in which it was learned."""

    skills: Sequence[int] = GROWING
    base: str = "scripted-base"
    chat: ChatFormat = field(default_factory=ByteChat)
    opened: list[int] = field(default_factory=list)  # -1 is the base

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        if adapter is None:
            self.opened.append(-1)
            return ScriptedModel(clueless)
        number = json.loads((adapter / "adapter_config.json").read_text())["round"]
        self.opened.append(number)
        skill = self.skills[number]

        def policy(transcript: str) -> str:
            target = int(transcript.split("Count to ")[1].split(",")[0])
            return solver(transcript) if target <= skill else clueless(transcript)

        return ScriptedModel(policy)

    def learn(self, lesson: Lesson, settings: LearnSection, on_examples: Callable[[int], None]) -> Candidate:
        return remember_round(lesson)


@dataclass
class WatchedWorld(ToyWorld):
    """Remembers how many episodes began in each split."""

    started: Counter[Split] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__init__()

    def start(self, task: Task) -> Episode:
        self.started[task.split] += 1
        return super().start(task)


class Crash(Exception):
    pass


@pytest.fixture
def no_garbage_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "collect", lambda: 0)  # a scripted model holds no memory worth the time


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[Any]:
    """Opens workspaces on one run's folder; one that is open by then ends, as its process would."""
    path = write_config(tmp_path)
    opened: list[Workspace] = []

    def make(engine: GrowingEngine | None = None, **settings: object) -> Workspace:
        while opened:
            opened.pop().close()
        dotted = {name.replace("__", "."): value for name, value in settings.items()}
        run = config.override(config.load(path), {"run.max_rounds": 4, "test.tasks": 6, **dotted})
        ws = open_workspace(run, engine=engine or GrowingEngine())
        ws.env = WatchedWorld()
        opened.append(ws)
        return ws

    yield make
    for ws in opened:
        ws.close()


def crash(patch: pytest.MonkeyPatch, number: int, stage: str, *, after: bool) -> None:
    """Let one stage of one round die, before or after its work, but before the journal has it."""
    inner = loop._RUN[stage]

    async def dying(ws: Workspace, at: int) -> Any:
        if at != number:
            return await inner(ws, at)
        if after:
            await inner(ws, at)
        raise Crash

    patch.setitem(loop._RUN, stage, dying)


def counted(patch: pytest.MonkeyPatch, calls: Counter[str]) -> None:
    for name in STAGES:

        async def counting(ws: Workspace, at: int, name: str = name, inner: Any = loop._RUN[name]) -> Any:
            calls[f"{at}/{name}"] += 1
            return await inner(ws, at)

        patch.setitem(loop._RUN, name, counting)


def decisions(ws: Workspace, rounds: int) -> list[str]:
    verdicts = [ws.journal.get(f"round-{number}/gate") for number in range(rounds)]
    return [verdict["decision"] for verdict in verdicts if verdict is not None]
