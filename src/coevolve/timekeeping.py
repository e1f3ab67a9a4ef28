"""What a run's time is spent on, what is left of it, and whether it has ended, from its journal.

Machines differ in speed by more than a round takes, and one machine from hour to hour: everything here is
at the pace of the run itself so far.
"""

from __future__ import annotations

import math
from typing import Any

from coevolve.codec import from_json
from coevolve.contenders import key
from coevolve.types import Verdict
from coevolve.workspace import Workspace

_MOMENTS = ("begin", "stopped", "ended", "more-")  # steps that are no work


def elapsed_s(ws: Workspace) -> float:
    """Seconds that the finished steps took, without pauses between and without work lost to a kill."""
    return sum(step.wall_s for step in ws.journal.steps() if not step.name.startswith(_MOMENTS))


def extensions(ws: Workspace) -> int:
    """How often the run was told to go on after it had ended."""
    return sum(step.name.startswith("more-") for step in ws.journal.steps())


def ended(ws: Workspace) -> dict[str, Any] | None:
    """How the run ended, the last time where it went on after; None while it is unfinished."""
    count = extensions(ws)
    value: dict[str, Any] | None = ws.journal.get(f"ended-{count}" if count else "ended")
    return value


def round_s(ws: Workspace, number: int) -> float:
    """Seconds that a round took, with one look at the gate: it draws further tasks only in time left over."""
    spent = {step.name: step for step in ws.journal.steps() if step.name.startswith(key(number, ""))}
    weighed = spent.pop(key(number, "gate"), None)
    whole = sum(step.wall_s for step in spent.values())
    if weighed is None:
        return whole
    further = sum(one.tasks for one in from_json(Verdict, weighed.value).types) - ws.config.gate.tasks
    return whole + max(0.0, weighed.wall_s - 2 * max(0, further) * episode_s(ws))


def episode_s(ws: Workspace) -> float:
    """Seconds an episode takes: in the collections, before the first in the opening's gate; 0 = unknown."""
    steps = ws.journal.steps()
    # An opening's demonstrations are not played, so nothing was generated.
    played = [step for step in steps if step.name.endswith("/collect") and "tokens" in step.value]
    episodes = sum(len(step.value["trajectories"]) for step in played)
    if not played:
        played = [step for step in steps if step.name.endswith("/gate")][:1]
        episodes = sum(2 * one.tasks for step in played for one in from_json(Verdict, step.value).types)
    return sum(step.wall_s for step in played) / max(1, episodes)


def left_s(ws: Workspace) -> float:
    """Seconds of the budget left for rounds, without what the final measurement of three versions takes.

    A run that goes on after it had ended has its rounds for a budget, and all the time that they take.
    """
    if extensions(ws):
        return math.inf
    test = ws.config.test
    kept = max(test.reserve_s, 3 * test.tasks * episode_s(ws)) if test.open else test.reserve_s
    return ws.config.run.minutes_budget * 60 - elapsed_s(ws) - kept
