"""What a run has shown so far, as a report: from the journal, the registry and the store.

An open workspace enters, `ReportData` or a written report leaves. It works at every moment of a run, also
right after it began; what is not known yet is left out, never 0. Nothing is computed anew and no model is
loaded: the figures are those that the gate and the final measurement recorded.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from coevolve.codec import from_json
from coevolve.config import resolved
from coevolve.errors import StoreError
from coevolve.gate import wilson
from coevolve.machine import machine
from coevolve.report import Example, GateRow, PoolRow, Rate, ReportData, RoundPoint, TypeRow, example, render
from coevolve.store.journal import Step
from coevolve.timekeeping import elapsed_s, ended, extensions
from coevolve.types import Decision, Trajectory, TypeFigures, Verdict
from coevolve.workspace import Workspace, succeeded

REPORT_FOLDER = "report"
MOMENTS = ("base", "opening", "final")
MAX_EXAMPLES = 4


def write_report(ws: Workspace, *, finished: bool) -> Path:
    """Write `report.html` and `curve.png` into the run's folder and return that report's folder.

    Raises: ReportError: the folder cannot be written.
    """
    return render(report_data(ws, finished=finished), ws.folder / REPORT_FOLDER).parent


def report_data(ws: Workspace, *, finished: bool) -> ReportData:
    """Everything the report shows of this run, as far as it has come."""
    steps = {step.name: step for step in ws.journal.steps()}
    verdicts = _verdicts(steps)
    tested = {name: steps[f"test/{name}"].value for name in MOMENTS if f"test/{name}" in steps}
    moments = _tested(tested) if tested else _weighed(verdicts)
    headline = _tested_overall(moments) if tested else _weighed_overall(verdicts)
    began, last = steps.get("begin"), ended(ws)
    wall_s = elapsed_s(ws)
    return ReportData(
        title=f"The {ws.env.name} agent",
        run_id=ws.config.run.name,
        date=datetime.fromtimestamp(began.value["started_s"], UTC).date().isoformat() if began else "",
        finished=finished,
        base=headline.get("base"),
        opening=headline.get("opening"),
        final=headline.get("final"),
        measured_on="test" if tested else "held-out",
        rounds=_points(steps, verdicts),
        types=_types(moments, ws.refusals()),
        verdicts=tuple(_gate_row(number, verdict) for number, verdict in verdicts.items()),
        pools=_pools(steps),
        examples=_examples(ws, tested),
        stage_s=_stage_s(steps.values()),
        wall_s=wall_s if wall_s > 0 else None,
        peak_memory_gib=last.get("peak_gib") if last else None,
        config=resolved(ws.config),
        machine=(began.value.get("machine") if began else None) or machine(),
        notes=_notes(ws, steps, verdicts),
    )


def outdated_test(ws: Workspace) -> str | None:
    """What the test figures do not tell: of a champion crowned after the test split was opened."""
    measured, champion = ws.journal.get("test/final"), ws.registry.champion()
    if not extensions(ws) or measured is None or champion is None or champion.id == measured["version"]:
        return None
    return (
        "the test split was opened once, before the run went on: its figures are of "
        f"{measured['version']}, and the champion {champion.id} won on held-out tasks alone"
    )


def label(number: int) -> str:
    """A round's name on the page."""
    return f"round {number}" if number else "opening"


def overall_rate(step: Mapping[str, Any]) -> Rate | None:
    """The rate over all types of one `test/...` step's value, with its Wilson interval; None = unknown."""
    return _overall({name: _rate(rate, n) for name, (rate, n) in step["success"].items()})


def _rate(rate: float, n: int) -> Rate:
    return Rate(rate, *wilson(round(rate * n), n), n)


def _overall(types: Mapping[str, Rate]) -> Rate | None:
    n = sum(rate.n for rate in types.values())
    return _rate(sum(r.rate * r.n for r in types.values()) / n, n) if n else None


def _round_of(step: str) -> tuple[int, str] | None:
    head, _, stage = step.partition("/")
    return (int(head.removeprefix("round-")), stage) if head.startswith("round-") else None


def _verdicts(steps: Mapping[str, Step]) -> dict[int, Verdict]:
    found = {}
    for name, step in steps.items():
        if (at := _round_of(name)) is not None and at[1] == "gate":
            found[at[0]] = from_json(Verdict, step.value)
    return dict(sorted(found.items()))


def _tested(tested: Mapping[str, Any]) -> dict[str, dict[str, Rate]]:
    return {
        name: {kind: _rate(rate, n) for kind, (rate, n) in value["success"].items()}
        for name, value in tested.items()
    }


def _weighed(verdicts: Mapping[int, Verdict]) -> dict[str, dict[str, Rate]]:
    """The same three moments by the gate's own tasks: the first champion, the opening, the last champion."""
    if not verdicts:
        return {}
    first, last = next(iter(verdicts.values())), list(verdicts.values())[-1]
    found = {"base": _side(first.types, candidate=False), "final": _side(last.types, candidate=_won(last))}
    if 0 in verdicts:
        found["opening"] = _side(verdicts[0].types, candidate=True)
    return found


def _tested_overall(moments: Mapping[str, Mapping[str, Rate]]) -> dict[str, Rate]:
    return {name: rate for name, types in moments.items() if (rate := _overall(types)) is not None}


def _weighed_overall(verdicts: Mapping[int, Verdict]) -> dict[str, Rate]:
    """As on the curve: without the fresh tasks that a verdict drew for single types."""
    if not verdicts:
        return {}
    first, last = next(iter(verdicts.values())), list(verdicts.values())[-1]
    found = _side([replace(first.overall, type="base")], candidate=False)
    found |= _side([replace(last.overall, type="final")], candidate=_won(last))
    return found | (
        _side([replace(verdicts[0].overall, type="opening")], candidate=True) if 0 in verdicts else {}
    )


def _side(types: Sequence[TypeFigures], *, candidate: bool) -> dict[str, Rate]:
    rates = {t.type: (t.candidate_rate if candidate else t.champion_rate, t.tasks) for t in types}
    return {name: _rate(rate, n) for name, (rate, n) in rates.items() if n}


def _won(verdict: Verdict) -> bool:
    return verdict.decision is Decision.ACCEPT


def _points(steps: Mapping[str, Step], verdicts: Mapping[int, Verdict]) -> tuple[RoundPoint, ...]:
    """The champion before the first verdict and after each one, over the seconds of work so far."""
    if not verdicts:
        return ()
    first = next(iter(verdicts.values()))
    points = []
    if first.overall.tasks:
        points.append(
            RoundPoint(
                label="base", wall_s=0.0, success=_rate(first.overall.champion_rate, first.overall.tasks)
            )
        )
    wall_s = 0.0
    for number, verdict in verdicts.items():
        mine = {at[1]: s for name, s in steps.items() if (at := _round_of(name)) and at[0] == number}
        wall_s += sum(step.wall_s for step in mine.values())
        shown = verdict.overall
        if shown.tasks:
            rate = shown.candidate_rate if _won(verdict) else shown.champion_rate
            points.append(
                RoundPoint(
                    label=label(number),
                    wall_s=wall_s,
                    success=_rate(rate, shown.tasks),
                    tokens=_tokens(mine),
                    stage_s={stage: step.wall_s for stage, step in mine.items()},
                )
            )
    return tuple(points)


def _tokens(stages: Mapping[str, Step]) -> int:
    """Tokens generated in collecting and trained on in learning, as far as the steps say."""
    count = 0
    if "collect" in stages:
        count += int(stages["collect"].value.get("tokens", 0))
    if "learn" in stages:
        notes = stages["learn"].value.get("notes", {})
        count += sum(int(notes.get(phase, {}).get("tokens", 0)) for phase in ("sft", "dpo"))
    return count


def _types(moments: Mapping[str, Mapping[str, Rate]], refusals: Mapping[str, bool]) -> tuple[TypeRow, ...]:
    measured = {name for types in moments.values() for name in types}
    return tuple(
        TypeRow(
            type=name,
            refusal=refusals.get(name, False),
            **{moment: moments.get(moment, {}).get(name) for moment in MOMENTS},
        )
        for name in [*refusals, *sorted(measured - set(refusals))]
        if name in measured
    )


def _gate_row(number: int, verdict: Verdict) -> GateRow:
    shown = verdict.overall
    return GateRow(
        label=label(number),
        decision=verdict.decision.value,
        why=verdict.why,
        difference=shown.difference if shown.tasks else None,
        low=shown.low if shown.tasks else None,
        high=shown.high if shown.tasks else None,
        n=shown.tasks,
    )


def _pools(steps: Mapping[str, Step]) -> tuple[PoolRow, ...]:
    rows = {}
    for name, step in steps.items():
        if (at := _round_of(name)) is not None and at[1] == "evolve":
            stats = step.value["stats"]
            rows[at[0]] = PoolRow(
                label=label(at[0]),
                operations=stats["operations"],
                types=stats["types"],
                rejected=stats["rejected"],
            )
    return tuple(row for _, row in sorted(rows.items()))


def _stage_s(steps: Iterable[Step]) -> dict[str, float]:
    total: dict[str, float] = defaultdict(float)
    for step in steps:
        if (at := _round_of(step.name)) is not None:
            total[at[1]] += step.wall_s
        elif step.name.startswith("test/"):
            total["test"] += step.wall_s
    return dict(total)


def _examples(ws: Workspace, tested: Mapping[str, Any]) -> tuple[Example, ...]:
    """The same test tasks by the base and by the champion, once both are measured.

    Never held-out ones: whoever read them would tune on them, and they are the gate's alone.
    """
    if "base" not in tested or "final" not in tested:
        return ()
    before, after = (_kept(ws, tested[name]["trajectories"]) for name in ("base", "final"))
    known = {t.task.id: t for t in before}
    pairs = [(known[t.task.id], t) for t in after if t.task.id in known and known[t.task.id].id != t.id]
    return tuple(example(was, now) for was, now in _telling(pairs))


def _kept(ws: Workspace, ids: Sequence[str]) -> list[Trajectory]:
    found = []
    for one in ids:
        try:
            found.append(ws.store.get(one))
        except StoreError:  # taken out of the store since: one example fewer
            continue
    return found


def _telling(pairs: Sequence[tuple[Trajectory, Trajectory]]) -> list[tuple[Trajectory, Trajectory]]:
    """A few pairs of different types: a refusal and a long one first, and those that were mended first."""

    def rank(pair: tuple[Trajectory, Trajectory]) -> tuple[bool, bool, str]:
        mended = succeeded(pair[0]) is False and succeeded(pair[1]) is True
        return (not mended, succeeded(pair[1]) is not True, pair[1].task.id)

    ordered = sorted(pairs, key=rank)
    chosen: list[tuple[Trajectory, Trajectory]] = []
    mended = [pair for pair in ordered if not rank(pair)[0]]
    chosen += [pair for pair in mended if pair[1].task.refusal][:1]
    longest = sorted((p for p in mended if not p[1].task.refusal), key=lambda p: -len(p[1].turns))
    chosen += longest[:1]
    for pair in ordered:
        if len(chosen) >= MAX_EXAMPLES:
            break
        if pair[1].task.type not in {one[1].task.type for one in chosen}:
            chosen.append(pair)
    return chosen


def _notes(ws: Workspace, steps: Mapping[str, Step], verdicts: Mapping[int, Verdict]) -> tuple[str, ...]:
    model = ws.config.model
    notes = [f"Acted by {model.name} on the engine {model.engine} at precision {model.precision}."]
    if (last := ended(ws)) is not None:
        notes.append(f"The loop ended: {last['why']}.")
    if (outdated := outdated_test(ws)) is not None:
        notes.append(f"{outdated[0].upper()}{outdated[1:]}.")
    for number, verdict in verdicts.items():
        if verdict.decision is Decision.UNDECIDED:
            notes.append(f"The verdict of {label(number)} is undecided: {verdict.why}")
    broken = {
        at[0]: step.value["outcomes"]["unknown"]
        for name, step in steps.items()
        if (at := _round_of(name)) and at[1] == "score" and step.value["outcomes"].get("unknown")
    }
    notes += [f"{count} episodes of {label(number)} could not be judged." for number, count in broken.items()]
    for name, step in steps.items():
        if (at := _round_of(name)) and at[1] == "score":
            told = step.value.get("alarms", ())
            notes += [f"The reward may be hacked from {label(at[0])} on: {one['why']}" for one in told]
        if name.startswith("test/") and step.value.get("unknown"):
            notes.append(f"{step.value['unknown']} test episodes of {name[5:]} could not be judged.")
    return tuple(notes)
