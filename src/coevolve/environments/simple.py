"""The short way to an environment of your own: typed tool functions, a task maker and a check.

You write functions over a state object of your own; this file makes them an `Environment` whose
episodes can be snapshotted, restored and checked:

    @dataclass
    class Shelf:
        prices: dict[str, int]

    def get_price(shelf: Shelf, /, name: str) -> dict[str, object]:
        '''Read a product's price.'''
        if name not in shelf.prices:
            return {"error": f"no product {name}"}
        return {"price": shelf.prices[name]}

    def make_task(split: Split, type_name: str, seed: int) -> Task: ...
    def new_state(task: Task) -> Shelf: ...
    def check(task: Task, shelf: Shelf, told: str | None) -> list[Requirement]: ...

    environment = SimpleEnvironment(
        name="shelf", briefing="You sell things.", task_kinds={"price": False},
        tool_functions=(get_price,), make_task=make_task, new_state=new_state, check=check,
    )

Rules: the state comes first and is positional-only (`/`), which keeps it out of the tool's schema.
A tool returns a JSON object; the key "error" marks a refused call, the key "events" (a list of
texts) is taken out and recorded: milestones such as "order_read", or "violation:..." for what broke
your policy. A tool that raises breaks the episode and is recorded as the environment's failure.
`ask` and `reply` are added for you. State is copied with `copy.deepcopy`, so keep it plain data.

Not provided: isolation (tools run in this process) and speed for large states.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from coevolve.environments.protocol import Episode, StepResult, ToolSpec
from coevolve.environments.tools import check_args, coerce_args, tool_spec
from coevolve.errors import WorldError
from coevolve.types import Action, JsonObject, Signal, SignalKind, SignalSource, Split, Task, Trajectory

State = TypeVar("State")
History: TypeAlias = tuple[tuple[Action, str], ...]  # what was done and what came back

_SEEDS = 1_000_000  # tasks one seed can make before it would meet the next one's


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that must be true for the episode to count as a success."""

    name: str  # "end_state", "fact.price"
    met: bool
    why: str  # checkable by a person


@dataclass(frozen=True, slots=True)
class SimplePicture:
    """A snapshot of a `SimpleEpisode`; treat it as opaque."""

    task_id: str
    state: object
    told: str | None
    history: History


@dataclass(slots=True, kw_only=True)  # not frozen: the protocol has plain attributes
class SimpleEnvironment(Generic[State]):
    """An environment from functions; see the module's text for an example.

    Raises: WorldError: a tool has no usable types or docstring, or takes the name "ask" or "reply".
    """

    name: str
    briefing: str  # the system prompt's text on the job and its policy
    task_kinds: Mapping[str, bool]  # task type -> whether success means declining
    tool_functions: Sequence[Callable[..., JsonObject]]  # first parameter: the state, positional-only
    make_task: Callable[[Split, str, int], Task]  # the same task for the same arguments
    new_state: Callable[[Task], State]
    check: Callable[[Task, State, str | None], Sequence[Requirement]]  # the reply is None before the end
    answer: Callable[[Task, State, str], str] | None = None  # the simulated user's words to a question
    expert: Callable[[Task, State, History], tuple[str, Action]] | None = None  # thought and action

    def __post_init__(self) -> None:
        self.tools()

    def task_types(self) -> Mapping[str, bool]:
        """Every task type, and whether it is a refusal type."""
        return dict(self.task_kinds)

    def tools(self) -> tuple[ToolSpec, ...]:
        """Your tools, then `ask` and `reply`."""
        specs = tuple(tool_spec(fn) for fn in self.tool_functions)
        names = [spec.name for spec in (*specs, _ASK, _REPLY)]
        for name in names:
            if names.count(name) > 1:
                raise WorldError(f"two tools are named {name}", fix="rename one; ask and reply are built in")
        return (*specs, _ASK, _REPLY)

    def tasks(self, split: Split, types: Sequence[str], count: int, seed: int) -> list[Task]:
        """`count` tasks, round-robin over `types` (none: all of them).

        Raises: WorldError: an unknown type, or `make_task` returned another split, type or refusal.
        """
        names = tuple(types) or tuple(self.task_kinds)
        for name in names:
            if name not in self.task_kinds:
                known = ", ".join(self.task_kinds)
                raise WorldError(f"{self.name} has no task type {name!r}", fix=f"use one of {known}")
        made = []
        for index in range(count):
            name = names[index % len(names)]
            task = self.make_task(split, name, seed * _SEEDS + index // len(names))
            if (task.split, task.type) != (split, name):
                raise WorldError(
                    f"make_task was asked for {split.value}/{name} and made {task.split.value}/{task.type}",
                    fix="return Task(type=type_name, split=split, ...)",
                )
            if task.refusal != self.task_kinds[name]:
                raise WorldError(
                    f"make_task made a task of {name} with refusal={task.refusal}, against task_kinds",
                    fix=f"return Task(..., refusal={self.task_kinds[name]}): the gate's veto goes by it",
                )
            made.append(task)
        return made

    def start(self, task: Task) -> SimpleEpisode[State]:
        """A fresh episode of this task."""
        return SimpleEpisode(self, task)

    def teacher(self) -> SimpleTeacher | None:
        """The scripted expert, where `expert` was given."""
        return SimpleTeacher() if self.expert is not None else None

    def review(self, trajectory: Trajectory) -> tuple[Signal, ...]:
        """Process signals by rules that hold anywhere: bad calls, repetition, violations, milestones."""
        specs = {spec.name: spec for spec in self.tools()}
        signals: list[Signal] = []
        seen: dict[str, int] = {}
        for turn in trajectory.turns:
            if turn.action is None:
                continue
            key = f"{turn.action.tool} {json.dumps(dict(turn.action.args), sort_keys=True, default=str)}"
            spec = specs.get(turn.action.tool)
            wrong = (
                check_args(spec, coerce_args(spec, turn.action.args))
                if spec is not None
                else f"there is no tool {turn.action.tool}"
            )
            if wrong:
                signals.append(Signal("bad_call", -0.8, wrong, turn=turn.index))
            elif key in seen:
                why = f"the same call was made in turn {seen[key]}"
                signals.append(Signal("repeated_call", -0.4, why, turn=turn.index))
            for event in turn.events:
                if event.startswith("violation:"):
                    what = event.removeprefix("violation:")
                    signals.append(Signal(f"violation.{what}", -1.0, f"{key}: {what}", turn=turn.index))
                else:
                    signals.append(Signal(f"milestone.{event}", 0.3, f"{key}: {event}", turn=turn.index))
            seen.setdefault(key, turn.index)
        return tuple(signals)


class SimpleEpisode(Generic[State]):
    """A running episode over a copyable state."""

    def __init__(self, environment: SimpleEnvironment[State], task: Task) -> None:
        self.environment = environment
        self.task = task
        self.state: State = environment.new_state(task)
        self.told: str | None = None
        self.history: History = ()
        self._specs = {spec.name: spec for spec in environment.tools()}
        self._functions = {fn.__name__: fn for fn in environment.tool_functions}

    def step(self, action: Action) -> StepResult:
        """Carry out one action; a refused call says why."""
        result = self._step(action)
        self.history += ((action, result.observation),)
        return result

    def snapshot(self) -> SimplePicture:
        """A picture of the whole state."""
        return SimplePicture(self.task.id, copy.deepcopy(self.state), self.told, self.history)

    def restore(self, picture: object) -> None:
        """Return to a snapshot of this task.

        Raises: WorldError: it is a picture of something else.
        """
        if not isinstance(picture, SimplePicture) or picture.task_id != self.task.id:
            raise WorldError("this is no picture of this episode", fix="restore what snapshot() returned")
        self.state = copy.deepcopy(picture.state)  # type: ignore[assignment]  # a picture of this task
        self.told, self.history = picture.told, picture.history

    def checks(self) -> tuple[Signal, ...]:
        """The check function's requirements as OUTCOME signals, 1 or -1."""
        return tuple(
            Signal(r.name, 1.0 if r.met else -1.0, r.why, SignalKind.OUTCOME, SignalSource.CHECK)
            for r in self.environment.check(self.task, self.state, self.told)
        )

    def _step(self, action: Action) -> StepResult:
        if self.told is not None:
            return _refused("the conversation is over", done=True)
        spec = self._specs.get(action.tool)
        if spec is None:
            return _refused(f"no tool named {action.tool}")
        args = coerce_args(spec, action.args)
        wrong = check_args(spec, args)
        if wrong:
            return _refused(wrong)
        if spec is _REPLY:
            self.told = args["message"]
            return StepResult("", "user", True, None, ("replied",))
        if spec is _ASK:
            answer = self.environment.answer
            words = answer(self.task, self.state, args["question"]) if answer else "I told you all I know."
            return StepResult(words, "user")
        result = dict(self._functions[action.tool](self.state, **args))
        events = tuple(result.pop("events", ()))
        return StepResult(_compact(result), "tool", False, result.get("error"), events)


class SimpleTeacher:
    """Lets the environment's `expert` function act."""

    def act(self, episode: Episode, task: Task) -> tuple[str, Action]:
        """The thought and the action of the expert in the episode's current state.

        Raises: WorldError: the episode belongs to an environment without an expert.
        """
        if not isinstance(episode, SimpleEpisode) or episode.environment.expert is None:
            raise WorldError("this episode has no expert", fix="give SimpleEnvironment an expert function")
        thought, action = episode.environment.expert(task, episode.state, episode.history)
        return str(thought), action


def ask(*, question: str) -> None:
    """Ask the user for what is missing.

    Args:
        question: one short question
    """


def reply(*, message: str) -> None:
    """Give the final answer and end.

    Args:
        message: what to tell the user
    """


_ASK, _REPLY = tool_spec(ask), tool_spec(reply)


def _compact(result: Mapping[str, Any]) -> str:
    return json.dumps(result, separators=(",", ":"), ensure_ascii=False)


def _refused(why: str, done: bool = False) -> StepResult:
    return StepResult(_compact({"error": why}), "tool", done, why)
