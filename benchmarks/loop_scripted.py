"""The loop without a language model: a scripted one that errs less the more its lesson shows it.

It plays the shop's expert and gives up at a turn with a probability that halves with every few examples of
that task type. So every stage runs as it is, training and inference apart, and its figures say whether
the loop works; they say nothing about a language model.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coevolve import loop
from coevolve.agents.action_text import parse, render
from coevolve.config import RunConfig, override
from coevolve.environments.shop import Shop
from coevolve.environments.shop.tools import SPECS
from coevolve.learn.lesson import Lesson
from coevolve.models.protocol import ChatFormat, Completion, LanguageModel, Sampling
from coevolve.models.scripted import ByteChat, Message
from coevolve.sections import LearnSection
from coevolve.types import Action, Candidate, Split, Task
from coevolve.workspace import open_workspace

SCRIPTED = "scripted"
PROMPT = "You serve the customers of an online shop."  # it reads none, and bytes are many tokens
SKILL_FILE = "adapter_config.json"  # task type -> examples in the lesson
BASE_ERROR = 0.95  # chance per turn of giving up on a type that no lesson showed
HALVING = 1.5  # examples of a type that halve that chance
GIVING_UP = render(
    "I do not know.", Action("reply", {"message": "Sorry, I cannot help with that."}), SPECS["reply"]
)
SMALLER: Mapping[str, Any] = {
    "run.max_rounds": 2,
    "run.target": 0.9,
    "agent.max_tokens": 400,  # of this model a token is a byte
    "agent.max_episode_tokens": 40_000,
    "collect.episodes": 30,
    "gate.tasks": 50,
    "gate.draw_tasks": 50,
    "gate.max_tasks": 50,
    "test.tasks": 30,
}
SMALLER_LONG: Mapping[str, Any] = {
    "run.max_rounds": 1,
    "collect.episodes": 40,
    "gate.tasks": 100,
    "gate.draw_tasks": 100,
    "gate.max_tasks": 100,
    "test.tasks": 40,
}


class RememberedShop(Shop):
    """The shop, which knows its tasks again by the customer's first message."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, list[Task]] = {}

    def task(self, split: Split, type_name: str, seed: int) -> Task:
        """As the shop's, remembered."""
        made = super().task(split, type_name, seed)
        same = self.known.setdefault(made.opening, [])
        if made not in same:
            same.append(made)
        return made


@dataclass(slots=True)
class FallibleModel:
    """A LanguageModel that reads the conversation from its ids and plays the expert, or gives up."""

    shop: RememberedShop
    skill: Mapping[str, int]
    name: str
    chat: ChatFormat = field(default_factory=ByteChat)

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        """The next turn of the conversation that these ids are."""
        messages = ByteChat().messages(prompt_ids)
        task, text = self._expert(messages[1:])
        error = BASE_ERROR * 0.5 ** (self.skill.get(task.type, 0) / HALVING)
        if random.Random(f"{self.name}:{sampling.seed}").random() < error:
            text = GIVING_UP
        ids = self.chat.encode_output(text)
        return Completion(ids=ids, logprobs=(0.0,) * len(ids), text=text, finished=True)

    def close(self) -> None:
        """Nothing is held."""

    def _expert(self, said: Sequence[Message]) -> tuple[Task, str]:
        """The task that this conversation belongs to, and the expert's next text in it."""
        for task in self.shop.known[said[0].text]:
            episode = self.shop.start(task)
            for turn, answer in zip(said[1::2], said[2::2], strict=True):
                action = parse(turn.text, self.shop.tools()).action
                if action is not None and episode.step(action).observation != answer.text:
                    break
            else:
                thought, action = self.shop.teacher().act(episode, task)
                return task, render(thought, action, SPECS[action.tool])
        raise KeyError("no known task answers as this conversation did")


@dataclass(slots=True)
class FallibleEngine:
    """Opens that model with the skill that its adapter's file tells."""

    shop: RememberedShop
    base: str = SCRIPTED
    chat: ChatFormat = field(default_factory=ByteChat)

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        """The model of one version."""
        if adapter is None:
            return FallibleModel(self.shop, {}, self.base)
        text = (adapter / SKILL_FILE).read_text(encoding="utf-8")
        return FallibleModel(self.shop, json.loads(text), text)

    def learn(self, lesson: Lesson, settings: LearnSection, on_examples: Callable[[int], None]) -> Candidate:
        """In the place of training: count the lesson's examples of each type."""
        skill = dict(sorted(Counter(one.task_type for one in lesson.examples).items()))
        lesson.out.mkdir(parents=True, exist_ok=True)
        (lesson.out / SKILL_FILE).write_text(json.dumps(skill), encoding="utf-8")
        notes = {"entries": len(lesson.examples)}
        return Candidate(adapter_dir=str(lesson.out), learner=SCRIPTED, notes=notes)


def smaller(config: RunConfig, arm: str) -> RunConfig:
    """The same run in a size for seconds."""
    return override(config, {**SMALLER, **(SMALLER_LONG if arm == "long" else {})})


def run_scripted(config: RunConfig) -> None:
    """Run the whole loop under this config, in this process; a finished run is left as it is."""
    shop = RememberedShop()
    ws = open_workspace(config, engine=FallibleEngine(shop))
    ws.env = shop
    ws.harness = replace(ws.harness, system=PROMPT)
    try:
        if ws.journal.get("ended") is None:
            asyncio.run(loop.run(ws))
    finally:
        ws.close()
