"""Trajectories as a store gets them: raw, and scored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from coevolve.types import (
    Action,
    Outcome,
    Reward,
    Signal,
    Split,
    StopReason,
    Task,
    Trajectory,
    Turn,
)


def lived(id: str, *, type: str = "price", split: Split = Split.TRAIN, **changes: Any) -> Trajectory:
    trajectory = Trajectory(
        id=id,
        session_id=f"s-{id}",
        task=Task(id=f"k-{id}", type=type, split=split, seed=1, difficulty=1, opening="How much is it?"),
        version="v1",
        seed=7,
        turns=(
            Turn(
                index=0,
                observation="How much is it?",
                raw='{"tool": "reply"}',
                action=Action("reply", {"text": "12 €"}),
                output_ids=(5, 6, 7),
                logprobs=(-0.1, -0.25, -1.5),
            ),
        ),
        stop=StopReason.DONE,
    )
    return replace(trajectory, **changes)


def scored(trajectory: Trajectory, outcome: Outcome | None, why: str = "checked") -> Trajectory:
    total = None if outcome is None else 1.0 if outcome is Outcome.SUCCESS else -1.0
    return replace(
        trajectory,
        signals=(Signal("answered", total, why), Signal("polite", None, "no judge")),
        reward=Reward(total=total, outcome=outcome, turns=(0.5,), first_wrong=None, why=why),
    )
