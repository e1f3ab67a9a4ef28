"""A counter as a world: two tools, and ways to hang or crash on demand."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from coevolve.environments.protocol import Episode, StepResult, Teacher, ToolSpec
from coevolve.types import Action, Signal, SignalKind, SignalSource, Split, Task, Trajectory

RELEASE = threading.Event()  # lets hanging steps end after a test

TOOLS = (
    ToolSpec(
        "add",
        "Add to the counter",
        {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]},
    ),
    ToolSpec(
        "reply",
        "Tell the user and finish",
        {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
    ),
)


class ToyEpisode:
    def __init__(self, task: Task) -> None:
        self.task = task
        self.count = 0
        self.told = ""

    def step(self, action: Action) -> StepResult:
        trouble = self.task.spec.get("trouble")
        if trouble == "hang":
            RELEASE.wait(30.0)
        if trouble == "crash":
            raise ZeroDivisionError("the counter broke")
        if action.tool == "reply":
            self.told = str(action.args["message"])
            return StepResult("", "user", done=True, events=("told",))
        if action.args["amount"] < 0:
            return StepResult("negative amounts are refused", "tool", error="negative amount")
        self.count += action.args["amount"]
        return StepResult(f'{{"count": {self.count}}}', "tool", events=("added",))

    def snapshot(self) -> object:
        return (self.count, self.told)

    def restore(self, picture: object) -> None:
        assert isinstance(picture, tuple)
        self.count, self.told = picture

    def checks(self) -> tuple[Signal, ...]:
        if self.task.spec.get("trouble") == "checks":
            raise KeyError("no end state")
        good = self.count == self.task.spec["target"] and str(self.count) in self.told
        return (
            Signal(
                "count", 1.0 if good else -1.0, f"it is {self.count}", SignalKind.OUTCOME, SignalSource.CHECK
            ),
        )


class ToyTeacher:
    def act(self, episode: Episode, task: Task) -> tuple[str, Action]:
        assert isinstance(episode, ToyEpisode)
        missing = task.spec["target"] - episode.count
        if missing > 0:
            return f"{missing} missing: add.", Action("add", {"amount": missing})
        return "Reached: tell.", Action("reply", {"message": f"It is {episode.count}"})


class ToyWorld:
    name = "toy"
    briefing = "Bring the counter to the number the user names, then tell it."

    def __init__(self, *, teacher: bool = True) -> None:
        self._teacher = teacher

    def task_types(self) -> Mapping[str, bool]:
        return {"count": False}

    def tools(self) -> tuple[ToolSpec, ...]:
        return TOOLS

    def tasks(self, split: Split, types: Sequence[str], count: int, seed: int) -> list[Task]:
        return [toy_task(f"{seed}-{k}", target=k + 1, split=split) for k in range(count)]

    def start(self, task: Task) -> Episode:
        if task.spec.get("trouble") == "start":
            raise OSError("no counter")
        return ToyEpisode(task)

    def teacher(self) -> Teacher | None:
        return ToyTeacher() if self._teacher else None

    def review(self, trajectory: Trajectory) -> tuple[Signal, ...]:
        return ()


def toy_task(
    identity: str = "t", *, target: int = 3, trouble: str | None = None, split: Split = Split.TRAIN
) -> Task:
    return Task(
        id=identity,
        type="count",
        split=split,
        seed=1,
        difficulty=1,
        opening=f"Count to {target}, please.",
        spec={"target": target, "trouble": trouble},
    )


def solver(transcript: str) -> str:
    """A scripted policy that solves the toy world."""
    target = int(transcript.split("Count to ")[1].split(",")[0])
    if f'"count": {target}' in transcript:
        return f'Done.\n{{"tool": "reply", "message": "It is {target}"}}'
    return f'Adding.\n{{"tool": "add", "amount": {target}}}'
