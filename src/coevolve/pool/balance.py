"""Which entries are worth their place: entries and bounds come in, those that stay leave.

Worth is relative: inside a task type entries stand in a queue, and what goes first is the tail of the
longest queue of the type that needs it least. So no step can empty a weak type to keep a strong one.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from coevolve.examples import IMITATED
from coevolve.types import Operation, PoolEntry

NEUTRAL = 0.5  # success rate of a type nobody has tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What an entry's worth depends on beside itself."""

    rates: Mapping[str, float]  # success per task type, 0 to 1
    seed: int
    partnered: frozenset[str]  # failed trajectories whose task another entry solves

    def in_cluster(self, entry: PoolEntry) -> tuple[float, int, bool, int, str]:
        """Sort key, best first: reward, then the shortest, the agent's own, the elder."""
        return (-_reward(entry), len(entry.trajectory.turns), entry.synthetic, entry.round, self._tie(entry))

    def in_queue(self, entry: PoolEntry) -> tuple[bool, int, float, int, int, str]:
        """Sort key, best first: of use for pairs, harder, higher reward, newer, shorter.

        Rewards within a tenth count as equal, so that fresh experience replaces old of the same worth.
        """
        task = entry.trajectory.task
        useful = entry.operation in IMITATED or entry.trajectory.id in self.partnered
        turns = len(entry.trajectory.turns)
        return (
            not useful,
            -task.difficulty,
            -round(_reward(entry), 1),
            -entry.round,
            turns,
            self._tie(entry),
        )

    def need(self, task_type: str) -> float:
        """How little a type may lose: 1.5 where it always fails, 0.5 where it always succeeds."""
        return 1.5 - self.rates.get(task_type, NEUTRAL)

    def _tie(self, entry: PoolEntry) -> str:
        return hashlib.sha256(f"{self.seed} {entry.id}".encode()).hexdigest()


def success_rates(everything: Iterable[PoolEntry], fresh: Iterable[PoolEntry]) -> dict[str, float]:
    """The agent's own success per task type: of this round where it tried the type, else of the pool."""
    rates = _own_rates(everything)
    rates.update(_own_rates(fresh))
    return rates


def keep_best(
    entries: Sequence[PoolEntry], operation: Operation, bound: int, ranking: Ranking
) -> tuple[list[PoolEntry], list[PoolEntry]]:
    """Bound one operation's entries per task type; easy types keep down to half of the bound.

    Returns: those that stay, in their order, and those that go.
    """
    crowds: dict[str, list[PoolEntry]] = defaultdict(list)
    for entry in entries:
        if entry.operation is operation:
            crowds[entry.trajectory.task.type].append(entry)
    gone: set[str] = set()
    for kind, crowd in crowds.items():
        share = 1.0
        if operation is Operation.OWN_SUCCESS:
            share = 1.0 - ranking.rates.get(kind, NEUTRAL) / 2
        crowd.sort(key=ranking.in_queue)
        gone.update(entry.id for entry in crowd[math.ceil(bound * share) :])
    return _split(entries, gone)


def shrink(
    entries: Sequence[PoolEntry], bound: int, ranking: Ranking
) -> tuple[list[PoolEntry], list[PoolEntry]]:
    """Bound the whole pool. Failures go before what can be imitated."""
    if len(entries) <= bound:
        return list(entries), []
    order = _least_needed(entries, ranking)
    order.sort(key=lambda entry: entry.operation in IMITATED)  # stable
    return _split(entries, {entry.id for entry in order[: len(entries) - bound]})


def cap_synthetic(
    entries: Sequence[PoolEntry], shares: tuple[float, float], floor: int, ranking: Ranking
) -> tuple[list[PoolEntry], list[PoolEntry], list[PoolEntry]]:
    """Hold synthetic entries to their shares of what can be imitated.

    Args:
        entries: of all kinds.
        shares: caps of unverified and of executed synthetic entries, 0 to 1.
        floor: executed ones allowed whatever their share.
        ranking: decides which go first.

    Returns: those that stay, the executed ones and the unverified ones that go.
    """
    unverified_share, executed_share = shares
    synthetic = [entry for entry in entries if entry.synthetic and entry.operation in IMITATED]
    unverified = _least_needed([entry for entry in synthetic if not entry.executed], ranking)
    executed = _least_needed([entry for entry in synthetic if entry.executed], ranking)
    own = sum(entry.operation in IMITATED for entry in entries) - len(synthetic)
    keep_u, keep_e = len(unverified), len(executed)
    while True:  # each pass drops one, and both counts are finite
        total = own + keep_u + keep_e
        if keep_u > unverified_share * total + 1e-9:
            keep_u -= 1
        elif keep_e > max(floor, executed_share * total + 1e-9):
            keep_e -= 1
        else:
            break
    gone_u = {entry.id for entry in unverified[: len(unverified) - keep_u]}
    gone_e = {entry.id for entry in executed[: len(executed) - keep_e]}
    kept = [entry for entry in entries if entry.id not in gone_u | gone_e]
    dropped_u, dropped_e = ([e for e in entries if e.id in gone] for gone in (gone_u, gone_e))
    return kept, dropped_e, dropped_u


def _least_needed(entries: Iterable[PoolEntry], ranking: Ranking) -> list[PoolEntry]:
    """Those that can go first, first: far back in a long queue of a type that does well."""
    queues: dict[Hashable, list[PoolEntry]] = defaultdict(list)
    for entry in entries:
        queues[(entry.trajectory.task.type, entry.operation in IMITATED)].append(entry)
    worth: list[tuple[float, PoolEntry]] = []
    for queue in queues.values():
        queue.sort(key=ranking.in_queue)
        need = ranking.need(queue[0].trajectory.task.type)
        worth += [(-(rank + 1) / need, entry) for rank, entry in enumerate(queue)]
    worth.sort(key=lambda pair: (pair[0], pair[1].id))
    return [entry for _, entry in worth]


def _own_rates(entries: Iterable[PoolEntry]) -> dict[str, float]:
    tried: dict[str, list[bool]] = defaultdict(list)
    for entry in entries:
        if entry.operation in (Operation.OWN_SUCCESS, Operation.OWN_FAILURE):
            tried[entry.trajectory.task.type].append(entry.operation is Operation.OWN_SUCCESS)
    return {kind: sum(results) / len(results) for kind, results in tried.items()}


def _split(entries: Sequence[PoolEntry], gone: set[str]) -> tuple[list[PoolEntry], list[PoolEntry]]:
    return [e for e in entries if e.id not in gone], [e for e in entries if e.id in gone]


def _reward(entry: PoolEntry) -> float:
    reward = entry.trajectory.reward
    return reward.total if reward is not None and reward.total is not None else -1.0
