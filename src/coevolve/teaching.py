"""What the teacher adds to a round: demonstrations, completions of failures, and what validates.

A workspace enters, scored trajectories leave. A world without a teacher gives none of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from coevolve.agents.teacher import complete, demonstrate, find_parting
from coevolve.errors import ConfigError
from coevolve.examples import Example, example_of
from coevolve.types import Split, Trajectory
from coevolve.workspace import Workspace, succeeded


def is_taught(ws: Workspace) -> bool:
    """Whether a teacher completes what the agent failed at."""
    return ws.config.run.teacher == "scripted" and ws.env.teacher() is not None


def demonstrations(ws: Workspace, split: Split, count: int) -> list[Trajectory]:
    """The teacher's own episodes at the run's tasks of a split, scored.

    Raises: ConfigError: the world has no teacher.
    """
    if ws.env.teacher() is None:
        raise ConfigError(
            f"the world {ws.env.name} has no teacher to demonstrate", fix="set opening.demonstrations = 0"
        )
    tasks = ws.env.tasks(split, ws.types, count, ws.draw_seed("opening", split))
    return [ws.score(demonstrate(ws.env, task, ws.engine.chat, ws.harness)) for task in tasks]


def validation_examples(ws: Workspace) -> Sequence[Example]:
    """Demonstrated validation tasks as examples: they tell when to stop and are never trained on."""
    shown = demonstrations(ws, Split.VALIDATION, ws.config.opening.validation)
    made = (example_of(t) for t in shown if succeeded(t))
    return [example for example in made if example is not None]


def completion(ws: Workspace, failed: Trajectory) -> Trajectory | None:
    """The teacher from where it parts with the agent; where that is beyond saving, from earlier turns."""
    wrong = failed.reward.first_wrong if failed.reward is not None else None
    start = find_parting(ws.env, failed, wrong if wrong is not None else len(failed.turns) - 1)
    for turn in range(start, -1, -1):
        made = complete(ws.env, failed, ws.engine.chat, ws.harness, turn)
        if made is not None and succeeded(scored := ws.score(made)):
            return scored
    return None
