"""From paired results to figures: overall, by type, on fresh tasks, and what nobody could judge.

Enters: one PairedResult a task, with the draw it came in. Leaves: counts and intervals; nothing is decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coevolve.errors import GateError
from coevolve.gate.rule import PairedResult
from coevolve.gate.statistics import mean_interval, paired_interval
from coevolve.types import TypeFigures

OVERALL = "overall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the results of all looks together show."""

    overall: TypeFigures  # without the fresh tasks of single types
    types: tuple[TypeFigures, ...]  # with them
    main: Sequence[PairedResult]
    seen: int
    unknown: int
    fresh_draws: Mapping[str, int]  # how often each type was drawn afresh
    fresh_loss: Mapping[str, int]  # losses less wins on a type's fresh tasks alone
    steps: Mapping[str, float]  # mean turns of both sides, overall and per type
    lone: Mapping[str, int]  # tasks of each type that the champion solved and the candidate left unjudged


def gather(results: Sequence[PairedResult]) -> Evidence:
    """Figures of all types and overall.

    Raises: GateError: a task id twice, or one type both refusal and not.
    """
    _check(results)
    by_type: dict[str, list[PairedResult]] = {}
    for result in results:
        by_type.setdefault(result.task_type, []).append(result)
    main = [result for result in results if not result.fresh]
    return Evidence(
        overall=figures(OVERALL, False, main),
        types=tuple(figures(name, rows[0].refusal, rows) for name, rows in sorted(by_type.items())),
        main=main,
        seen=len(results),
        unknown=sum(not result.judged for result in results),
        fresh_draws={name: len({row.draw for row in rows if row.fresh}) for name, rows in by_type.items()},
        fresh_loss={
            name: sum(bool(row.champion) - bool(row.candidate) for row in rows if row.fresh and row.judged)
            for name, rows in by_type.items()
        },
        lone={
            name: sum(row.champion is True and row.candidate is None for row in rows)
            for name, rows in by_type.items()
        },
        steps=_steps(main, by_type),
    )


def figures(name: str, refusal: bool, results: Sequence[PairedResult]) -> TypeFigures:
    """Paired figures of some results: rates in [0, 1], Newcombe's 95% interval of the difference."""
    judged = [result for result in results if result.judged]
    wins = sum(bool(row.candidate) and not row.champion for row in judged)
    losses = sum(bool(row.champion) and not row.candidate for row in judged)
    both = sum(bool(row.champion) and bool(row.candidate) for row in judged)
    count = len(judged)
    low, high = paired_interval(both, wins, losses, count - both - wins - losses)
    return TypeFigures(
        type=name,
        refusal=refusal,
        tasks=count,
        champion_rate=(both + losses) / count if count else 0.0,
        candidate_rate=(both + wins) / count if count else 0.0,
        difference=(wins - losses) / count if count else 0.0,
        low=low,
        high=high,
        wins=wins,
        losses=losses,
        unknown=len(results) - count,
    )


def _check(results: Sequence[PairedResult]) -> None:
    seen: set[str] = set()
    refusal: dict[str, bool] = {}
    for result in results:
        if result.task_id in seen:
            raise GateError(f"task {result.task_id} is counted twice", fix="hand each held-out task in once")
        seen.add(result.task_id)
        if refusal.setdefault(result.task_type, result.refusal) != result.refusal:
            raise GateError(
                f"type {result.task_type} is a refusal type in one task and not in another",
                fix="give every task of a type the same `refusal`",
            )


def _steps(main: Sequence[PairedResult], by_type: Mapping[str, Sequence[PairedResult]]) -> dict[str, float]:
    """Mean turns of both sides on judged pairs, overall and per type; empty where nothing was judged."""
    steps: dict[str, float] = {}
    for prefix, rows in {"": main, **{f"{name}/": rows for name, rows in sorted(by_type.items())}}.items():
        judged = [row for row in rows if row.judged]
        if not judged:
            continue
        gaps = [float(row.candidate_turns - row.champion_turns) for row in judged]
        steps[f"{prefix}champion"] = sum(row.champion_turns for row in judged) / len(judged)
        steps[f"{prefix}candidate"] = sum(row.candidate_turns for row in judged) / len(judged)
        steps[f"{prefix}difference"] = sum(gaps) / len(gaps)
        bounds = mean_interval(gaps)
        if bounds is not None:
            steps[f"{prefix}difference_low"], steps[f"{prefix}difference_high"] = bounds
    return steps
