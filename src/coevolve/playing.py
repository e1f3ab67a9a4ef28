"""Episodes of a version, scored and kept: what every stage that acts or measures goes through.

A workspace, a version and tasks enter; scored trajectories leave, which the store has as well. What an
earlier call kept is not run again, so a stage that was interrupted goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from coevolve.agents.harness import derive_seed, harness_from_json
from coevolve.progress import Advance, progress
from coevolve.rollout.collect import Actor, Manner, attempt_id, collect
from coevolve.types import Task, Trajectory, Version
from coevolve.workspace import Workspace

GREEDY = Manner()
_KEPT_AT_ONCE = 32  # episodes of one transaction: what a kill may lose


async def play(
    ws: Workspace, version: Version, tasks: Sequence[Task], label: str, *, round: int, manner: Manner = GREEDY
) -> list[Trajectory]:
    """`manner.attempts` episodes of each task; concurrency and deadline are the run's own.

    What broke because the model or the world did is tried once more in a later call, and the broken
    episode stays in the store beside the new one: an outage must not be an answer for ever.
    """
    attempts = manner.attempts
    ids = [attempt_id(version.id, task, manner, k) for task in tasks for k in range(attempts)]
    known = ws.store.known(ids)
    played = [known[one] for one in ids if one in known]
    if len(played) < len(ids):
        with progress(len(ids), label, "episodes") as bar:
            played = await _collect(ws, version, tasks, manner, known, _Keeping(ws, round, bar))
    played = [ws.score(trajectory) for trajectory in played]
    for k in range(attempts):
        broken = [at for at in range(k, len(ids), attempts) if ids[at] in known and played[at].failure]
        if broken:
            stuck = [played[at].task for at in broken]
            other = replace(manner, attempts=1, seed=derive_seed(manner.seed, "again", k))
            again = await play(ws, version, stuck, label, round=round, manner=other)
            for at, trajectory in zip(broken, again, strict=True):
                played[at] = trajectory
    return played


@dataclass(slots=True)
class _Keeping:
    """Puts episodes into the store as they end, some at a time."""

    ws: Workspace
    round: int
    bar: Advance
    fresh: list[Trajectory] = field(default_factory=list)

    def add(self, trajectory: Trajectory) -> None:
        self.fresh.append(self.ws.score(trajectory))
        self.bar.advance()
        if len(self.fresh) >= _KEPT_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        self.ws.store.append(self.fresh, run=self.ws.journal.run_id, round=self.round)
        self.fresh.clear()


async def _collect(
    ws: Workspace,
    version: Version,
    tasks: Sequence[Task],
    manner: Manner,
    known: Mapping[str, Trajectory],
    keeping: _Keeping,
) -> list[Trajectory]:
    """Runs what is not known yet, and keeps it also when it is interrupted."""
    model, agent = ws.config.model, ws.config.agent
    manner = replace(manner, concurrency=model.concurrency, deadline_s=2 * agent.seconds)
    actor = Actor(version.id, await ws.acting(version), harness_from_json(version.harness))
    try:
        return await collect(actor, ws.env, tasks, manner, on_done=keeping.add, known=known.get)
    finally:
        keeping.flush()
