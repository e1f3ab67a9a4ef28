"""Tasks in, trajectories out: many episodes at once over one engine.

Each episode has its own seed and deadline, so neither its neighbours nor the scheduling change what it
does. An episode that hangs, crashes or is too slow fails alone, and its record says who failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from coevolve.agents.harness import Attempt, Exploration, Harness, Retry, derive_seed, trajectory_id
from coevolve.agents.solo import run_episode
from coevolve.environments.protocol import Environment
from coevolve.errors import RolloutError
from coevolve.models.protocol import LanguageModel
from coevolve.types import MEASURING, Task, Trajectory


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a version, the model that computes it, and its harness."""

    version: str
    model: LanguageModel
    harness: Harness


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How tasks are tried. Measuring is greedy and tries each once, which is the default.

    Raises: RolloutError: attempts, concurrency or the deadline are not positive.
    """

    temperature: float = 0.0
    explore: Exploration = field(default_factory=Exploration)
    attempts: int = 1  # at each task
    retries: Mapping[str, Retry] = field(default_factory=dict)  # by the id of a task that was failed before
    seed: int = 0  # with the task and the number of the attempt it gives each episode its own
    concurrency: int = 64  # episodes under way at once
    deadline_s: float = 120.0  # for one whole episode, from the moment it starts

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.concurrency < 1 or self.deadline_s <= 0:
            raise RolloutError(
                f"attempts={self.attempts}, concurrency={self.concurrency}, deadline_s={self.deadline_s:g}",
                fix="set all three above zero",
            )


async def collect(
    actor: Actor,
    env: Environment,
    tasks: Sequence[Task],
    manner: Manner,
    *,
    on_done: Callable[[Trajectory], None] = lambda trajectory: None,
    known: Callable[[str], Trajectory | None] = lambda trajectory_id: None,
) -> list[Trajectory]:
    """Run `manner.attempts` episodes of every task.

    Args:
        on_done: called with each new trajectory as it ends, in order of ending; what it raises ends the run.
        known: trajectory id -> the record of that very attempt, where it was run before; it is not run again.

    Returns: `len(tasks) * attempts` trajectories, in the order of the tasks, attempts of one task beside
    each other. A failing episode is data, never raised.
    """
    gate = asyncio.Semaphore(manner.concurrency)

    async def one(task: Task, number: int) -> Trajectory:
        if (found := known(attempt_id(actor.version, task, manner, number))) is not None:
            return found
        attempt = Attempt(
            version=actor.version,
            seed=_episode_seed(manner, task, number),
            temperature=manner.temperature,
            tag=_tag(manner, task, number),
            explore=manner.explore,
            retry=manner.retries.get(task.id),
            deadline_s=manner.deadline_s,
        )
        async with gate:
            trajectory = await run_episode(actor.model, env, task, harness=actor.harness, attempt=attempt)
        on_done(trajectory)
        return trajectory

    try:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one(task, k)) for task in tasks for k in range(manner.attempts)]
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    return [task.result() for task in running]


def attempt_id(version: str, task: Task, manner: Manner, number: int) -> str:
    """The trajectory's id of the `number`-th attempt that `collect` makes at a task in this manner."""
    return trajectory_id(version, task, _episode_seed(manner, task, number), _tag(manner, task, number))


def _episode_seed(manner: Manner, task: Task, number: int) -> int:
    return derive_seed("episode", manner.seed, task.type, task.id, number)


def _tag(manner: Manner, task: Task, number: int) -> str:
    retry = manner.retries.get(task.id)
    return str(number) if retry is None else f"{number}:{retry.parent}"


def replay_failed(tasks: Sequence[Task], failures: Sequence[Task], share: float) -> list[Task]:
    """The same number of tasks, up to `share` of them replaced by ones that were failed.

    Replacements are spread evenly, prefer a place of their own type, so that a balance over types
    stays, and come in the order given. Tasks already among `tasks` are not repeated.

    Raises: RolloutError: a share outside [0, 1], or a failure from a split that must not be learned from.
    """
    if not 0.0 <= share <= 1.0:
        raise RolloutError(f"replay share is {share:g}", fix="set it within 0 and 1")
    sealed = [task.id for task in failures if task.split in MEASURING]
    if sealed:
        raise RolloutError(
            f"task {sealed[0]} comes from a split that only measures and cannot be replayed",
            fix="replay only failures on train tasks",
        )
    mixed = list(tasks)
    present = {task.id for task in tasks}
    fresh = list({task.id: task for task in failures if task.id not in present}.values())
    wanted = min(round(share * len(mixed)), len(fresh))
    free = list(range(len(mixed)))
    for k in range(wanted):
        even = k * len(mixed) // wanted
        same_type = [place for place in free if tasks[place].type == fresh[k].type]
        place = min(same_type or free, key=lambda place: (abs(place - even), place))
        mixed[place] = fresh[k]
        free.remove(place)
    return mixed
