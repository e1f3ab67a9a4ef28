"""How a task that was failed is tried again: scored attempts enter, a `Retry` for each task leaves.

A confident agent that is merely asked again says mostly the same again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from coevolve.agents.harness import Retry
from coevolve.types import Trajectory


def retries_of(failed: Sequence[Trajectory]) -> dict[str, Retry]:
    """By task id, a try whose first turn none of these attempts has said.

    Feedback blames a later turn as often as not, where what the agent did follows from what it first took
    the task for: going on from the turn before the blamed one solved a third as many (decision 034).

    Args: failed: attempts at tasks that none of them solved; of each task the first before later ones.
    """
    tries: dict[str, list[Trajectory]] = defaultdict(list)
    for one in failed:
        if one.turns:
            tries[one.task.id].append(one)
    return {
        task: Retry(parent=some[0].id, tried=frozenset(one.turns[0].raw for one in some))
        for task, some in tries.items()
    }
