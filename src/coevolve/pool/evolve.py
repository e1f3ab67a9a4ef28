"""One round of curation: the pool so far and scored trajectories come in, the next version leaves.

Order: refuse what must never be here, classify, let the teacher complete failures, drop duplicates,
balance the types, bound the size, cap the synthetic shares. Every step is deterministic; the seed
breaks ties. It trusts `reward` and `Task.split`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace

from coevolve.errors import PoolError
from coevolve.examples import IMITATED
from coevolve.pool.balance import Ranking, cap_synthetic, keep_best, shrink, success_rates
from coevolve.pool.duplicates import best_of_clusters
from coevolve.pool.versions import identify, short_hash
from coevolve.types import MEASURING, Operation, Outcome, PoolEntry, PoolVersion, Trajectory

Complete = Callable[[Trajectory], Trajectory | None]

TEACHER = "teacher"  # the version that acts in a demonstration, and who acts in its turns


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRule:
    """What a pool may hold. Shares are of the entries to imitate, 0 to 1."""

    max_size: int = 1500  # entries of all kinds
    per_type: int = 120  # own successes of one task type; a type that always succeeds keeps half of it
    failures_per_type: int = 60  # kept for pairs and statistics; 0 keeps none
    unverified_share: float = 0.2  # cap of synthetic entries that were not executed
    executed_share: float = 0.85  # cap of synthetic entries that were executed and passed
    opening: int = 48  # executed synthetic entries allowed whatever the share: a first pool has nothing else
    completions: int = 128  # failures handed to the teacher in one round, at most
    near_duplicate: float = 0.9  # Jaccard similarity from which two entries are one

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            share = item.name in ("unverified_share", "executed_share", "near_duplicate")
            low = 1 if item.name in ("max_size", "per_type") else 0
            if not (low <= value <= (1 if share else math.inf)) or (
                item.name == "near_duplicate" and not value
            ):
                span = "a share between 0 and 1" if share else f"a count of {low} or more"
                raise PoolError(f"PoolRule.{item.name} is {value!r}", fix=f"set pool.{item.name} to {span}")


@dataclass(slots=True)
class _Ledger:
    """Who is not in, and why; the first reason stands."""

    refusals: dict[str, str] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)

    def refuse(self, trajectory_id: str, reason: str, detail: str = "") -> None:
        if trajectory_id not in self.refusals:
            self.refusals[trajectory_id] = f"{reason}: {detail}" if detail else reason
            self.reasons[reason] += 1


def evolve(
    pool: PoolVersion | None,
    scored: Sequence[Trajectory],
    rule: PoolRule,
    complete: Complete | None,
    seed: int,
    round: int,
) -> PoolVersion:
    """The next version of the pool.

    Args:
        pool: the version so far; None starts one.
        scored: trajectories with rewards; their order does not matter.
        rule: caps and bounds.
        complete: finishes a failed trajectory, executed and scored; None where
            it cannot. Called at most `rule.completions` times, weakest types first, once per task.
        seed: breaks ties.
        round: number of this round, kept on the entries.

    Returns: a new version; `rejected` counts reasons, `refusals` has the reason per trajectory.
    Raises: PoolError: a trajectory of a held-out, test or validation task.
    """
    for trajectory in scored:
        _refuse_split(trajectory)
    ledger = _Ledger()
    held = pool.entries if pool is not None else ()
    fresh = _classify(held, scored, round, ledger)
    rates = success_rates([*held, *fresh], fresh)
    if complete is not None and rule.completions:
        fresh += _completions([*held, *fresh], fresh, rates, complete, rule, round, ledger)
    ranking = Ranking(rates=rates, seed=seed, partnered=_partnered([*held, *fresh]))
    entries, late = _select([*held, *fresh], rule, ranking)
    for trajectory_id, (reason, detail) in late.items():
        ledger.refuse(trajectory_id, reason, detail)
    made = PoolVersion(
        id="",
        parent=pool.id if pool is not None else None,
        entries=tuple(sorted(entries, key=lambda one: (one.round, one.operation.value, one.trajectory.id))),
        rejected=dict(sorted(ledger.reasons.items())),
        refusals=dict(sorted(ledger.refusals.items())),
        recipe={"seed": seed, "round": round, "rule": asdict(rule)},
    )
    return replace(made, id=identify(made))


def why(pool: PoolVersion, trajectory_id: str) -> str:
    """One sentence on what became of a trajectory in this version."""
    for entry in pool.entries:
        if entry.trajectory.id == trajectory_id:
            return (
                f"{trajectory_id} is in pool {pool.id} as {entry.operation.value} (entry {entry.id}, "
                f"since round {entry.round})"
            )
    used = [entry.id for entry in pool.entries if trajectory_id in entry.sources]
    taught = f"; it is a source of {', '.join(used)}" if used else ""
    if trajectory_id in pool.refusals:
        return f"{trajectory_id} is not in pool {pool.id}: {pool.refusals[trajectory_id]}{taught}"
    earlier = f"; look in its parent {pool.parent}" if pool.parent else ""
    return f"{trajectory_id} was not offered to pool {pool.id}{taught}{earlier}"


def _refuse_split(trajectory: Trajectory) -> None:
    split = trajectory.task.split
    if split in MEASURING:
        raise PoolError(
            f"trajectory {trajectory.id} belongs to a {split.value} task ({trajectory.task.id})",
            fix="offer only train and live trajectories to the pool; this split measures and never teaches",
        )


def _classify(
    held: Sequence[PoolEntry], scored: Sequence[Trajectory], round: int, ledger: _Ledger
) -> list[PoolEntry]:
    known = {entry.trajectory.id for entry in held}
    fresh: list[PoolEntry] = []
    for trajectory in sorted(scored, key=lambda t: t.id):
        outcome = trajectory.reward.outcome if trajectory.reward is not None else None
        if trajectory.id in known:
            ledger.refuse(trajectory.id, "already in the pool")
        elif outcome is None:
            detail = trajectory.reward.why if trajectory.reward is not None else "it was never scored"
            ledger.refuse(trajectory.id, "unknown outcome", detail)
        elif not trajectory.turns:
            ledger.refuse(trajectory.id, "no turns")
        elif trajectory.version != TEACHER and any(turn.by == TEACHER for turn in trajectory.turns):
            if outcome is Outcome.SUCCESS:  # completed in an earlier run: not the agent's own either
                source = trajectory.parent or trajectory.id
                fresh.append(_entry(Operation.TEACHER_COMPLETION, trajectory, (source,), round))
            else:
                ledger.refuse(trajectory.id, "completion did not pass")
        elif trajectory.version != TEACHER:
            kind = Operation.OWN_SUCCESS if outcome is Outcome.SUCCESS else Operation.OWN_FAILURE
            fresh.append(_entry(kind, trajectory, (trajectory.id,), round))
        elif outcome is Outcome.SUCCESS:
            fresh.append(_entry(Operation.DEMONSTRATION, trajectory, (trajectory.id,), round))
        else:
            ledger.refuse(trajectory.id, "demonstration did not pass")
        known.add(trajectory.id)
    return fresh


def _entry(operation: Operation, trajectory: Trajectory, sources: tuple[str, ...], round: int) -> PoolEntry:
    synthetic = operation in (Operation.DEMONSTRATION, Operation.TEACHER_COMPLETION)
    return PoolEntry(
        id=short_hash([operation.value, trajectory.id, *sources]),
        operation=operation,
        trajectory=trajectory,
        sources=sources,
        synthetic=synthetic,
        executed=operation is not Operation.OWN_FAILURE,
        round=round,
    )


def _completions(
    everything: Sequence[PoolEntry],
    fresh: Sequence[PoolEntry],
    rates: Mapping[str, float],
    complete: Complete,
    rule: PoolRule,
    round: int,
    ledger: _Ledger,
) -> list[PoolEntry]:
    solved = {entry.trajectory.task.id for entry in everything if entry.operation in IMITATED}
    known = {entry.trajectory.id for entry in everything}
    made: list[PoolEntry] = []
    for failed in _worth_completing(fresh, solved, rates)[: rule.completions]:
        source = failed.trajectory
        done = complete(source)
        if done is None:
            ledger.reasons["teacher could not complete it"] += 1  # the failure itself may well stay
            continue
        _refuse_split(done)
        passed = done.reward is not None and done.reward.outcome is Outcome.SUCCESS
        if done.id in known:
            raise PoolError(
                f"the completion of {source.id} has the id {done.id}, which is taken",
                fix="let `complete` return a trajectory with an id of its own",
            )
        known.add(done.id)
        if passed and done.turns:
            made.append(_entry(Operation.TEACHER_COMPLETION, done, (source.id,), round))
        else:
            ledger.refuse(done.id, "completion did not pass")
    return made


def _worth_completing(
    fresh: Sequence[PoolEntry], solved: set[str], rates: Mapping[str, float]
) -> list[PoolEntry]:
    """One failure per task: unsolved tasks first, then types in turn, the weakest before the others."""
    by_type: dict[str, list[PoolEntry]] = defaultdict(list)
    tasks: set[str] = set()
    failures = [
        e
        for e in fresh
        if e.operation is Operation.OWN_FAILURE
        and e.trajectory.reward is not None
        and e.trajectory.reward.first_wrong is not None
    ]
    for entry in sorted(failures, key=lambda e: (e.trajectory.task.id in solved, e.trajectory.id)):
        if entry.trajectory.task.id not in tasks:
            tasks.add(entry.trajectory.task.id)
            by_type[entry.trajectory.task.type].append(entry)
    order = [
        (entry.trajectory.task.id in solved, rank, rates.get(kind, 0.5), kind, entry)
        for kind, crowd in by_type.items()
        for rank, entry in enumerate(crowd)
    ]
    return [item[-1] for item in sorted(order, key=lambda item: item[:-1])]


def _partnered(entries: Sequence[PoolEntry]) -> frozenset[str]:
    """Ids of trajectories that failed at a task which another entry solves: these make pairs."""
    solved = {entry.trajectory.task.id for entry in entries if entry.operation in IMITATED}
    return frozenset(
        entry.trajectory.id
        for entry in entries
        if entry.operation is Operation.OWN_FAILURE and entry.trajectory.task.id in solved
    )


def _select(
    entries: Sequence[PoolEntry], rule: PoolRule, ranking: Ranking
) -> tuple[list[PoolEntry], dict[str, tuple[str, str]]]:
    """Those that stay, and for every other one's trajectory the reason and its detail."""
    late: dict[str, tuple[str, str]] = {}

    def drop(gone: Sequence[PoolEntry], reason: str) -> None:
        for entry in gone:
            late[entry.trajectory.id] = (reason, "")

    chosen: list[PoolEntry] = []
    for wanted in (True, False):
        side = sorted((e for e in entries if (e.operation in IMITATED) is wanted), key=ranking.in_cluster)
        kept, twins = best_of_clusters(side, rule.near_duplicate, ranking.seed)
        for entry in side:
            if entry.id in twins:
                twin, exact = twins[entry.id]
                reason = "duplicate" if exact else "near-duplicate"
                late[entry.trajectory.id] = (reason, f"of {twin.trajectory.id}")
        chosen += kept
    chosen, gone = keep_best(chosen, Operation.OWN_SUCCESS, rule.per_type, ranking)
    drop(gone, "type is full")
    chosen, gone = keep_best(chosen, Operation.OWN_FAILURE, rule.failures_per_type, ranking)
    drop(gone, "enough failures of this type")
    chosen, gone = shrink(chosen, rule.max_size, ranking)
    drop(gone, "pool is full")
    chosen, gone, unverified = cap_synthetic(
        chosen, (rule.unverified_share, rule.executed_share), rule.opening, ranking
    )
    drop(gone, "over the cap of executed synthetic entries")
    drop(unverified, "over the cap of unverified synthetic entries")
    return chosen, late
