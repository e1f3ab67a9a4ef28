"""The toy world behind a scripted engine, so that a command line can run the whole loop without weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from coevolve import engines
from coevolve.cli import app
from coevolve.config import RunConfig
from coevolve.learn.lesson import Lesson
from coevolve.models.protocol import ChatFormat, LanguageModel
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.sections import LearnSection
from coevolve.types import Candidate
from toy_world import solver

TOML = """
[run]
name = "toy"
out_dir = "{out}"
max_rounds = 1
target = 1.0
minutes_budget = 60

[environment]
name = "{world}:ToyWorld"

[opening]
demonstrations = 8
validation = 4

[collect]
episodes = 8

[gate]
tasks = 30
draw_tasks = 30
max_tasks = 30

[test]
tasks = 12
"""


def clueless(transcript: str) -> str:
    """A policy that gives up at once, with words that a terminal must not obey."""
    return 'I cannot.\n{"tool": "reply", "message": "[bold red]no\\u001b[31m[/]"}'


@dataclass
class ScriptedEngine:
    """The base gives up; whatever has an adapter solves the toy world."""

    config: RunConfig | None = None
    base: str = "scripted-base"
    chat: ChatFormat = field(default_factory=ByteChat)
    opened: list[str] = field(default_factory=list)

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        self.opened.append("base" if adapter is None else adapter.name)
        return ScriptedModel(clueless if adapter is None else solver)

    def learn(self, lesson: Lesson, settings: LearnSection, on_examples: Callable[[int], None]) -> Candidate:
        return remember_round(lesson)


def remember_round(lesson: Lesson) -> Candidate:
    """In the place of training: an adapter that is one small file with the number of its round."""
    lesson.out.mkdir(parents=True, exist_ok=True)
    number = lesson.out.name.removeprefix("round-")
    (lesson.out / "adapter_config.json").write_text(f'{{"round": {number}}}')
    return Candidate(adapter_dir=str(lesson.out), learner="sft", notes={"sft": {"tokens": 100}})


@contextmanager
def scripted() -> Iterator[pytest.MonkeyPatch]:
    """Within it a workspace's engine is the scripted one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "LocalEngine", ScriptedEngine)
        yield patch


def invoke(*words: object) -> Any:
    """The command line's answer to these words."""
    return CliRunner().invoke(app, [str(word) for word in words])


def write_config(folder: Path) -> Path:
    """A TOML file of a run in the toy world, all of it below `folder`."""
    path = folder / "toy.toml"
    world = Path(__file__).parent / "toy_world.py"
    path.write_text(TOML.format(out=folder / "runs", world=world))
    return path
