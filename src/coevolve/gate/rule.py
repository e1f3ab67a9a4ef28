"""What the gate is asked to hold, and what it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coevolve.errors import GateError


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRule:
    """When a candidate may replace the champion. Shares are 0 to 1.

    Raises: GateError: a value out of its range.
    """

    alpha: float = 0.10  # one-sided error of "better overall", over all looks; Holm's over types for harm
    margin: float = 0.10  # share of a type's tasks by which it may fall before harm is looked for
    margins: Mapping[str, float] = field(default_factory=dict)  # a type's own margin; not for refusals
    unknown_share: float = 0.10  # of all pairs; more than this and nothing is decided
    min_tasks: int = 30  # judged pairs overall, below which nothing is decided
    min_type_tasks: int = 5  # judged pairs a type, below which nothing is promoted
    draw_tasks: int = 96  # tasks added at each further look
    max_tasks: int = 384  # cap on the tasks of all looks together, without the fresh ones of single types
    type_draw_tasks: int = 24  # fresh tasks for each doubtful type at each fresh draw
    refusal_draws: int = 2  # fresh draws of a doubtful type; a refusal type's loss after them is a veto

    def __post_init__(self) -> None:
        shares = {"alpha": self.alpha, "margin": self.margin, "unknown_share": self.unknown_share}
        shares |= {f"margins.{name}": value for name, value in self.margins.items()}
        for name, value in shares.items():
            if not 0.0 <= value < 1.0 or (name == "alpha" and not 0.0 < value <= 0.5):
                raise GateError(
                    f"gate rule: {name} = {value} is out of range",
                    fix="give a share: alpha in (0, 0.5], the others in [0, 1)",
                )
        counts = {
            "min_tasks": self.min_tasks,
            "min_type_tasks": self.min_type_tasks,
            "draw_tasks": self.draw_tasks,
            "max_tasks": self.max_tasks,
            "type_draw_tasks": self.type_draw_tasks,
        }
        for name, count in counts.items():
            if count < 1:
                raise GateError(f"gate rule: {name} = {count} is not a count", fix="give 1 or more")
        if self.refusal_draws < 0:
            raise GateError(f"gate rule: refusal_draws = {self.refusal_draws}", fix="give 0 or more")

    def margin_of(self, task_type: str, *, refusal: bool) -> float:
        """The share by which this type may fall; 0 for a refusal type."""
        return 0.0 if refusal else self.margins.get(task_type, self.margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedResult:
    """Both versions on one task and seed. None: that side could not be judged."""

    task_id: str
    task_type: str
    refusal: bool
    champion: bool | None
    candidate: bool | None
    champion_turns: int
    candidate_turns: int
    draw: int = 0  # 0 = the first set of tasks; later draws count up
    fresh: bool = False  # drawn for its type alone: counts for that type, not overall

    @property
    def judged(self) -> bool:
        """Whether both sides are known."""
        return self.champion is not None and self.candidate is not None
