"""What a report is made from: plain values, any of which may be missing in an interrupted run.

Shares are 0 to 1, times are seconds, memory is GiB. Texts may be hostile: the page escapes all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from coevolve.types import Trajectory, Turn


@dataclass(frozen=True, slots=True)
class Rate:
    """A success rate, its 95% interval and how many tasks it rests on."""

    rate: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPoint:
    """The champion at one moment of the run."""

    label: str  # "base", "opening", "round 1"
    wall_s: float  # since the start of the run
    success: Rate
    tokens: int = 0  # generated and trained on since the last point
    stage_s: Mapping[str, float] = field(default_factory=dict)  # stage -> seconds since the last point


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRow:
    """One task type at three moments; None where it was not measured."""

    type: str
    refusal: bool = False
    base: Rate | None = None
    opening: Rate | None = None
    final: Rate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """The gate's word on one round's candidate. The difference and its interval are shares."""

    label: str
    decision: str  # a `coevolve.types.Decision`'s value
    why: str
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRow:
    """What the pool of one round consisted of: counts of entries."""

    label: str
    operations: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)  # reason -> count


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleTurn:
    """One decision of an agent, as text."""

    observation: str = ""
    thought: str = ""
    action: str = ""
    result: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The same task before and after."""

    task_id: str
    task_type: str
    before: tuple[ExampleTurn, ...] = ()
    after: tuple[ExampleTurn, ...] = ()
    before_outcome: str = ""  # "failure", "success"
    after_outcome: str = ""
    before_label: str = "Base model"
    after_label: str = "Champion"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """Everything a report can show. Empty and None parts are left out of the page."""

    title: str
    run_id: str
    date: str = ""
    finished: bool = True  # False: interrupted; the page says so
    base: Rate | None = None
    opening: Rate | None = None
    final: Rate | None = None
    measured_on: str = "held-out"  # what base, opening, final and `types` were measured on: or "test"
    curve_on: str = "held-out"  # what `rounds` were measured on
    rounds: tuple[RoundPoint, ...] = ()
    types: tuple[TypeRow, ...] = ()
    verdicts: tuple[GateRow, ...] = ()
    pools: tuple[PoolRow, ...] = ()
    examples: tuple[Example, ...] = ()
    stage_s: Mapping[str, float] = field(default_factory=dict)  # stage -> seconds over the whole run
    wall_s: float | None = None
    peak_memory_gib: float | None = None
    config: Mapping[str, object] = field(default_factory=dict)  # may be nested
    machine: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # warnings a reader must see


def example(
    before: Trajectory, after: Trajectory, before_label: str = "Base model", after_label: str = "Champion"
) -> Example:
    """An example from two trajectories of the same task."""
    return Example(
        task_id=after.task.id,
        task_type=after.task.type,
        before=tuple(_example_turn(turn) for turn in before.turns),
        after=tuple(_example_turn(turn) for turn in after.turns),
        before_outcome=_outcome(before),
        after_outcome=_outcome(after),
        before_label=before_label,
        after_label=after_label,
    )


def _example_turn(turn: Turn) -> ExampleTurn:
    action = turn.raw
    if turn.action is not None:
        args = ", ".join(
            f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in turn.action.args.items()
        )
        action = f"{turn.action.tool}({args})"
    return ExampleTurn(
        observation=turn.observation,
        thought=turn.thought,
        action=action,
        result=turn.result,
        error=turn.error or "",
    )


def _outcome(trajectory: Trajectory) -> str:
    if trajectory.failure is not None:
        return f"broken by the {trajectory.failure.party.value}"
    if trajectory.reward is None or trajectory.reward.outcome is None:
        return "not judged"
    return trajectory.reward.outcome.value
