"""Tasks in, trajectories out: many episodes at once over one engine.

Each episode has its own seed and deadline, so neither its neighbours nor the scheduling change what it
does. An episode that hangs, crashes or is too slow fails alone, and its record says who failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from coevolve.agents.harness import Attempt, Exploration, Harness, derive_seed, trajectory_id
from coevolve.agents.solo import run_episode
from coevolve.environments.protocol import Environment
from coevolve.errors import RolloutError
from coevolve.models.protocol import LanguageModel
from coevolve.types import MEASURING, Task, Trajectory


async def collect(
    model: LanguageModel,
    env: Environment,
    tasks: Sequence[Task],
    *,
    version: str,
    harness: Harness,
    temperature: float = 0.0,
    seed: int = 0,
    attempts: int = 1,
    concurrency: int = 64,
    explore: Exploration | None = None,
    deadline_s: float = 120.0,
    on_done: Callable[[Trajectory], None] | None = None,
    known: Callable[[str], Trajectory | None] = lambda trajectory_id: None,
) -> list[Trajectory]:
    """Run `attempts` episodes of every task.

    Args:
        version: id of the version that acts, for the record.
        seed: with the task and the number of the attempt it gives each episode its own seed.
        concurrency: episodes under way at once.
        deadline_s: for one whole episode, from the moment it starts.
        on_done: called with each new trajectory as it ends, in order of ending; what it raises ends the run.
        known: trajectory id -> the record of that very attempt, where it was run before; it is not run again.

    Returns: `len(tasks) * attempts` trajectories, in the order of the tasks, attempts of one task beside
    each other.
    Raises: RolloutError: attempts, concurrency or the deadline are not positive. A failing episode is
    data, never raised.
    """
    if attempts < 1 or concurrency < 1 or deadline_s <= 0:
        raise RolloutError(
            f"attempts={attempts}, concurrency={concurrency}, deadline_s={deadline_s:g}",
            fix="set all three above zero",
        )
    gate = asyncio.Semaphore(concurrency)
    explore = explore or Exploration()

    async def one(task: Task, number: int) -> Trajectory:
        attempt = Attempt(
            version=version,
            seed=_episode_seed(seed, task, number),
            temperature=temperature,
            tag=str(number),
            explore=explore,
            deadline_s=deadline_s,
        )
        if (found := known(attempt_id(version, task, seed, number))) is not None:
            return found
        async with gate:
            trajectory = await run_episode(model, env, task, harness=harness, attempt=attempt)
        if on_done is not None:
            on_done(trajectory)
        return trajectory

    try:
        async with asyncio.TaskGroup() as group:
            running = [group.create_task(one(task, k)) for task in tasks for k in range(attempts)]
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    return [task.result() for task in running]


def attempt_id(version: str, task: Task, seed: int, number: int) -> str:
    """The trajectory's id of the `number`-th attempt that `collect` makes at a task with this seed."""
    return trajectory_id(version, task, _episode_seed(seed, task, number), str(number))


def _episode_seed(seed: int, task: Task, number: int) -> int:
    return derive_seed("episode", seed, task.type, task.id, number)


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
