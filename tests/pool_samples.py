"""Scored trajectories to fill pools with: plain values, no environment."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from coevolve.pool import PoolRule, evolve
from coevolve.types import (
    Action,
    Operation,
    Outcome,
    PoolEntry,
    PoolVersion,
    Reward,
    Split,
    StopReason,
    Task,
    Trajectory,
    Turn,
)

TOTALS = {Outcome.SUCCESS: 0.8, Outcome.PARTIAL: 0.0, Outcome.FAILURE: -0.8}
RULE = PoolRule()


def ids(text: str) -> tuple[int, ...]:
    """Four stand-in token ids, the same for the same text."""
    return tuple(hashlib.sha256(text.encode()).digest()[:4])


def turn(index: int, said: str, *, tool: str = "search", by: str = "agent", error: str | None = None) -> Turn:
    return Turn(
        index=index,
        observation=f"seen {index}",
        raw=said,
        action=Action(tool, {"text": said}),
        result=f"result of {said}",
        error=error,
        by=by,
        context_ids=ids(f"context {index}"),
        output_ids=ids(said),
        logprobs=(-0.1, -0.2, -0.3, -0.4),
    )


def trajectory(
    name: str,
    outcome: Outcome | None = Outcome.SUCCESS,
    *,
    kind: str = "price",
    task: str = "",
    said: tuple[str, ...] = (),
    version: str = "v1",
    split: Split = Split.TRAIN,
    total: float | None = None,
    difficulty: int = 1,
) -> Trajectory:
    task = task or f"task-{name}"
    words = hashlib.sha256(task.encode()).hexdigest()[:24]
    letters = " ".join(words[k : k + 4] for k in range(0, 24, 4))
    said = said or (f"look up {name} {letters}", f"tell {name}")
    done = tuple(
        turn(k, text, by="teacher" if version == "teacher" else "agent") for k, text in enumerate(said)
    )
    worth = total if total is not None or outcome is None else TOTALS[outcome]
    failed = outcome in (Outcome.FAILURE, Outcome.PARTIAL)
    return Trajectory(
        id=name,
        session_id=name,
        task=Task(
            id=task, type=kind, split=split, seed=1, difficulty=difficulty, opening=f"please {letters} for me"
        ),
        version=version,
        seed=1,
        turns=done,
        stop=StopReason.DONE,
        reward=Reward(
            total=worth,
            outcome=outcome,
            turns=() if worth is None else (worth,) * len(done),
            first_wrong=len(done) - 1 if failed else None,
            why="as planted",
        ),
        wall_s=1.5,
    )


def completed(failed: Trajectory, outcome: Outcome = Outcome.SUCCESS) -> Trajectory:
    """What a teacher makes of a failure: the turns before the wrong one, then its own."""
    assert failed.reward is not None
    at = failed.reward.first_wrong or 0
    mended = turn(at, f"the right way for {failed.id}", tool="reply", by="teacher")
    worth = TOTALS[outcome]
    return replace(
        failed,
        id=f"{failed.id}-completed",
        parent=failed.id,
        turns=(*failed.turns[:at], mended),
        reward=Reward(
            total=worth, outcome=outcome, turns=(worth,) * (at + 1), first_wrong=None, why="completed"
        ),
    )


def entry(made: Trajectory, operation: Operation, *, synthetic: bool, executed: bool) -> PoolEntry:
    return PoolEntry(
        id=f"entry-{made.id}",
        operation=operation,
        trajectory=made,
        sources=(made.id,),
        synthetic=synthetic,
        executed=executed,
    )


def made(*scored: Trajectory, rule: PoolRule = RULE, pool: PoolVersion | None = None) -> PoolVersion:
    """The pool after one round of these, without a teacher."""
    return evolve(pool, scored, rule, None, seed=0, round=1)


def inside(pool: PoolVersion) -> set[str]:
    """Ids of the trajectories in a pool."""
    return {e.trajectory.id for e in pool.entries}
