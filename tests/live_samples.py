"""Live conversations as plain values: what a user said, what the agent answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from coevolve.types import (
    Action,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    Statement,
    StatementKind,
    StopReason,
    Task,
    Trajectory,
    Turn,
)


def talk(*lines: tuple[str, str], name: str = "s1", kind: str = "live", **other: Any) -> Trajectory:
    """A live session of (user's message, agent's reply) lines; the last reply has no answer."""
    task = Task(id=f"task-{name}", type=kind, split=Split.LIVE, seed=0, difficulty=1, opening=lines[0][0])
    heard = [user for user, _ in lines[1:]] + [""]
    turns = tuple(
        Turn(
            index=k,
            observation=user,
            raw=reply,
            action=Action("reply", {"message": reply}),
            result=answer,
        )
        for k, ((user, reply), answer) in enumerate(zip(lines, heard, strict=True))
    )
    blank = Trajectory(
        id=f"t-{name}",
        session_id=name,
        task=task,
        version="v1",
        seed=0,
        turns=turns,
        stop=StopReason.DONE,
    )
    return replace(blank, **other)


def says(kind: StatementKind, value: Any, *, session: str = "s1", turn: int | None = None) -> Statement:
    return Statement(id=f"{session}/{kind}/{value}", session_id=session, kind=kind, value=value, turn=turn)


def outcome_signal(source: SignalSource, score: float | None, weight: float = 1.0) -> Signal:
    return Signal(f"{source}.x", score, "why", SignalKind.OUTCOME, source, None, weight)
