"""One conversation at the shop's desk: actions in, results out, with a picture of every state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coevolve.environments.protocol import StepResult
from coevolve.environments.shop.checks import check_episode
from coevolve.environments.shop.customer import Answers
from coevolve.environments.shop.desk import Desk
from coevolve.environments.shop.tools import CHANGING, SPECS, TOOLS
from coevolve.environments.shop.world import World, differences, world_from_json
from coevolve.environments.tools import check_args, coerce_args
from coevolve.errors import WorldError
from coevolve.types import Action, Signal, Task


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was carried out, and its result."""

    tool: str
    args: Mapping[str, Any]
    result: Mapping[str, Any]  # for `ask`: {"customer": words}

    @property
    def failed(self) -> bool:
        """Whether the tool refused or failed."""
        return "error" in self.result


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole state; nothing changes what it holds."""

    task_id: str
    world: World
    answers: Answers
    verified: str
    told: str | None
    calls: tuple[Call, ...]
    events: tuple[str, ...]


class ShopEpisode:
    """A running episode. Costs well under a millisecond a step."""

    def __init__(self, task: Task) -> None:
        """Build the task's world.

        Raises: WorldError: the spec is no shop task's.
        """
        try:
            customer = task.spec["customer"]
            answers = Answers(dict(customer["words"]), frozenset(customer["needed"]))
            self.task = task
            self.before = world_from_json(task.spec["world"])
            self.expect: Mapping[str, Any] = task.spec["expect"]
            self.desk = Desk(self.before.copy(), answers)
            self.calls: tuple[Call, ...] = ()
            self.events: tuple[str, ...] = ()  # of the whole episode
            self.checks()  # a broken expectation shows now, not at the end
            answers.words["confused"]
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            raise WorldError(
                f"task {task.id} is no shop task: {type(error).__name__}: {error}",
                fix="make tasks with Shop.tasks",
            ) from error

    @property
    def done(self) -> bool:
        """Whether the final reply was given."""
        return self.desk.told is not None

    @property
    def changes(self) -> Mapping[str, str | int]:
        """What the agent changed in the world so far."""
        return differences(self.before, self.desk.world)

    def step(self, action: Action) -> StepResult:
        """Carry out one action; a refused call changes nothing and says why."""
        if self.done:
            return _refused("the conversation is over", done=True)
        spec = SPECS.get(action.tool)
        if spec is None:
            return _refused(f"no tool named {action.tool}")
        args = coerce_args(spec, action.args)
        wrong = check_args(spec, args)
        if wrong:
            return _refused(wrong)
        desk = self.desk
        desk.events = []
        outcome = TOOLS[action.tool](desk, **args)
        result = {"customer": outcome} if isinstance(outcome, str) else outcome
        if action.tool in CHANGING and not any(event.startswith("violation") for event in desk.events):
            allowed = self.expect["changes"]
            if any(key not in allowed for key in self.changes):
                desk.events.append("violation:unasked_change")
        events = tuple(desk.events)
        self.calls += (Call(action.tool, args, result),)
        self.events += events
        if isinstance(outcome, str):
            return StepResult(outcome, "user", self.done, None, events)
        return StepResult(compact(outcome), "tool", False, outcome.get("error"), events)

    def snapshot(self) -> Picture:
        """A picture of the whole state."""
        desk = self.desk
        return Picture(
            self.task.id,
            desk.world.copy(),
            desk.answers.copy(),
            desk.verified,
            desk.told,
            self.calls,
            self.events,
        )

    def restore(self, picture: object) -> None:
        """Return to a picture of this task.

        Raises: WorldError: it is a picture of something else.
        """
        if not isinstance(picture, Picture) or picture.task_id != self.task.id:
            raise WorldError("this is no picture of this episode", fix="restore what snapshot() returned")
        self.desk = Desk(picture.world.copy(), picture.answers.copy(), picture.verified, [], picture.told)
        self.calls, self.events = picture.calls, picture.events

    def checks(self) -> tuple[Signal, ...]:
        """One OUTCOME signal per requirement of the task, 1 or -1."""
        return check_episode(self.task, self.desk.told, self.changes, self.calls, self.events)


def compact(result: Mapping[str, Any]) -> str:
    """A result as the agent reads it."""
    return json.dumps(result, separators=(",", ":"), ensure_ascii=False)


def _refused(why: str, done: bool = False) -> StepResult:
    return StepResult(compact({"error": why}), "tool", done, why)
