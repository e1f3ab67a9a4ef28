"""A scored trajectory as rows of a table: what was right, what was wrong and why."""

from __future__ import annotations

from dataclasses import dataclass

from coevolve.feedback.rules import called
from coevolve.types import Signal, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    turn: int | None  # None: the whole trajectory
    action: str
    credit: float | None  # of the turn, [-1, 1]; None = unknown
    signal: str
    score: float | None  # of the signal, [-1, 1]; None = could not be judged
    why: str


def explain(trajectory: Trajectory) -> list[Row]:
    """One row per signal, in order of turns; a turn nobody spoke of has one row; the verdict is last."""
    rows: list[Row] = []
    reward = trajectory.reward
    for position, turn in enumerate(trajectory.turns):
        action = called(turn) or "(no action)"
        credit = reward.turns[position] if reward is not None and position < len(reward.turns) else None
        spoken = [signal for signal in trajectory.signals if signal.turn == turn.index]
        rows += [_row(signal, turn.index, action, credit) for signal in spoken]
        if not spoken:
            rows.append(Row(turn=turn.index, action=action, credit=credit, signal="", score=None, why=""))
    rows += [_row(signal, None, "", None) for signal in trajectory.signals if signal.turn is None]
    if reward is not None:
        outcome = "unknown" if reward.outcome is None else reward.outcome.value
        rows.append(
            Row(turn=None, action="", credit=None, signal=f"= {outcome}", score=reward.total, why=reward.why)
        )
    return rows


def _row(signal: Signal, turn: int | None, action: str, credit: float | None) -> Row:
    return Row(
        turn=turn, action=action, credit=credit, signal=signal.name, score=signal.score, why=signal.why
    )
