"""From the journals of finished runs to the figures of a benchmark.

The folder that holds the runs enters; one JSON object leaves. Nothing is computed anew: a figure is what the
run itself recorded on its test split. What was not measured is null, never 0. Shares are 0 to 1, names that
end in `_points` and every difference are percentage points.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from coevolve.gate import wilson
from coevolve.machine import machine
from coevolve.store import Journal, open_store
from coevolve.store.journal import Step
from coevolve.summary import MOMENTS

ARMS = ("teacher", "none", "long")
PROCESSES = "processes.jsonl"  # beside a run's database: one line per process that worked on it
DATABASE = "experience.db"

Counts = dict[str, tuple[float, int]]  # task type -> success rate, tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one (seed, arm) has shown so far."""

    arm: str
    seed: int
    name: str
    steps: Mapping[str, Step]
    refusals: frozenset[str]
    processes: Sequence[Mapping[str, Any]] = ()

    @property
    def ended(self) -> Mapping[str, Any] | None:
        """How the run ended; None while it has not."""
        return self.steps["ended"].value if "ended" in self.steps else None

    @property
    def date(self) -> str | None:
        """The day on which the run ended; None while it has not."""
        if (step := self.steps.get("ended")) is None:
            return None
        return datetime.fromtimestamp(step.finished_s, UTC).date().isoformat()

    @property
    def machine(self) -> Mapping[str, Any] | None:
        """Where its last process ran; None where nobody noted it."""
        noted = [one["machine"] for one in self.processes if "machine" in one]
        return noted[-1] if noted else None

    def types(self, moment: str) -> Counts | None:
        """Rates by type on the test split of "base", "opening" or "final"."""
        step = self.steps.get(f"test/{moment}")
        return (
            None if step is None else {kind: (rate, n) for kind, (rate, n) in step.value["success"].items()}
        )

    def count(self, moment: str) -> tuple[int, int] | None:
        """Successes and tasks over all types; None where that moment was not measured."""
        types = self.types(moment)
        if not types:
            return None
        return sum(round(rate * n) for rate, n in types.values()), sum(n for _, n in types.values())

    def rate(self, moment: str) -> float | None:
        """Success over all types."""
        found = self.count(moment)
        return None if found is None else found[0] / found[1]

    def rise_points(self) -> float | None:
        """Final minus opening, in percentage points."""
        opening, final = self.rate("opening"), self.rate("final")
        return None if opening is None or final is None else 100 * (final - opening)

    def refusal_types(self) -> Counts:
        """The refusal types among the final rates."""
        return {name: pair for name, pair in (self.types("final") or {}).items() if name in self.refusals}

    def wall_s(self) -> float | None:
        """Seconds of its processes, start-up included; the journal's where a process left no record."""
        if self.ended is None:
            return None
        noted = sum(float(one["wall_s"]) for one in self.processes)
        worked = float(self.ended["wall_s"])
        return noted if noted >= worked else worked

    def peak_gib(self) -> float | None:
        """The largest resident memory of any process of this run."""
        if self.ended is None:
            return None
        return max([float(self.ended["peak_gib"]), *(float(one["peak_rss_gib"]) for one in self.processes)])

    def first_improvement_s(self) -> float | None:
        """Seconds of work until the gate first accepted a candidate."""
        worked = 0.0
        for step in self.steps.values():
            worked += 0.0 if step.name in ("begin", "ended") else step.wall_s
            if step.name.endswith("/gate") and step.value["decision"] == "accept":
                return worked
        return None


def run_name(arm: str, seed: int) -> str:
    """A run's folder below the folder of all benchmark runs."""
    return f"{arm}-seed{seed}"


def read_run(runs: Path, arm: str, seed: int, refusals: frozenset[str]) -> Measured | None:
    """What the run of this arm and seed recorded; None where there is none."""
    name = run_name(arm, seed)
    folder = runs / name
    if not (folder / DATABASE).is_file():
        return None
    store = open_store(f"sqlite:///{folder / DATABASE}")
    try:
        steps = {step.name: step for step in Journal(store, name).steps()}
    finally:
        store.close()
    noted = folder / PROCESSES
    lines = noted.read_text(encoding="utf-8").splitlines() if noted.is_file() else []
    processes = [json.loads(line) for line in lines if line.strip()]
    return Measured(arm=arm, seed=seed, name=name, steps=steps, refusals=refusals, processes=processes)


def seeds_found(runs: Path) -> set[int]:
    """Seeds of which some arm has a folder."""
    folders = [path.name for arm in ARMS for path in runs.glob(f"{arm}-seed*") if path.is_dir()]
    return {int(name.rpartition("seed")[2]) for name in folders if name.rpartition("seed")[2].isdigit()}


def summarise(
    measured: Sequence[Measured], seeds: Sequence[int], command: str, **also: Any
) -> dict[str, Any]:
    """The figures file: one value per seed under each key, null where that seed or arm has not ended.

    Args: also: further fields of the file, such as the scripted model's name.
    """
    done = {(one.arm, one.seed): one for one in measured if one.ended is not None}
    by_arm = {arm: [done.get((arm, seed)) for seed in seeds] for arm in ARMS}
    ends = [one.date for one in done.values() if one.date]
    return {
        "machine": machine(),
        "command": command,
        "date": max(ends, default=None),
        "seeds": list(seeds),
        **also,
        "figures": _figures(by_arm),
        "intervals": _intervals(by_arm),
        "types": {arm: _types(found) for arm, found in by_arm.items() if any(found)},
        "stage_s": {arm: _stages(found) for arm, found in by_arm.items() if any(found)},
        "runs": [_ending(one) for one in sorted(measured, key=lambda one: (ARMS.index(one.arm), one.seed))],
    }


def _figures(by_arm: Mapping[str, Sequence[Measured | None]]) -> dict[str, list[float | None]]:
    teacher, none, long = (by_arm[arm] for arm in ARMS)

    def each(found: Sequence[Measured | None], value: Any, digits: int) -> list[float | None]:
        values = [None if one is None else value(one) for one in found]
        return [None if number is None else round(number, digits) for number in values]

    return {
        "base": each(teacher, lambda one: one.rate("base"), 4),
        "opening": each(teacher, lambda one: one.rate("opening"), 4),
        "final": each(teacher, lambda one: one.rate("final"), 4),
        "rise_after_opening_points": each(teacher, Measured.rise_points, 1),
        "refusal_final": each(teacher, lambda one: _lowest(one.refusal_types()), 4),
        "refusal_final_mean": each(teacher, lambda one: _mean(one.refusal_types()), 4),
        "weak_after_opening_final": each(teacher, lambda one: _lowest(_weak(one)), 4),
        "first_improvement_s": each(teacher, Measured.first_improvement_s, 1),
        "wall_s": each(teacher, Measured.wall_s, 1),
        "peak_rss_gib": each(teacher, Measured.peak_gib, 2),
        "opening_without_teacher": each(none, lambda one: one.rate("opening"), 4),
        "final_without_teacher": each(none, lambda one: one.rate("final"), 4),
        "final_without_teacher_minus_opening": each(none, Measured.rise_points, 1),
        "wall_s_without_teacher": each(none, Measured.wall_s, 1),
        "opening_long": each(long, lambda one: one.rate("opening"), 4),
        "final_long": each(long, lambda one: one.rate("final"), 4),
        "refusal_final_long": each(long, lambda one: _lowest(one.refusal_types()), 4),
        "wall_s_long": each(long, Measured.wall_s, 1),
        "peak_rss_gib_long": each(long, Measured.peak_gib, 2),
    }


def _intervals(by_arm: Mapping[str, Sequence[Measured | None]]) -> dict[str, list[list[float] | None]]:
    """Wilson's 95% interval beside each share that is one count of successes."""
    suffix = {"teacher": "", "none": "_without_teacher", "long": "_long"}
    found = {
        f"{moment}{suffix[arm]}": [_interval(one.count(moment) if one else None) for one in by_arm[arm]]
        for arm in ARMS
        for moment in MOMENTS
        if arm == "teacher" or moment != "base"
    }
    for key, arm in (("refusal_final", "teacher"), ("refusal_final_long", "long")):
        lowest = [min(one.refusal_types().values(), default=None) if one else None for one in by_arm[arm]]
        found[key] = [_interval((round(pair[0] * pair[1]), pair[1]) if pair else None) for pair in lowest]
    return found


def _interval(count: tuple[int, int] | None) -> list[float] | None:
    return None if count is None else [round(bound, 4) for bound in wilson(*count)]


def _lowest(types: Counts) -> float | None:
    return min((rate for rate, _ in types.values()), default=None)


def _mean(types: Counts) -> float | None:
    return sum(rate for rate, _ in types.values()) / len(types) if types else None


def _weak(one: Measured) -> Counts:
    """Final rates of the types that were under one half after the opening."""
    opening, final = one.types("opening") or {}, one.types("final") or {}
    return {name: pair for name, pair in final.items() if name in opening and opening[name][0] < 0.5}


def _types(found: Sequence[Measured | None]) -> dict[str, dict[str, Any]]:
    """Per seed and type: [rate, tasks] of each moment, and whether it is a refusal type."""
    tables: dict[str, dict[str, Any]] = {}
    for one in found:
        if one is None:
            continue
        by_moment = {moment: types for moment in MOMENTS if (types := one.types(moment)) is not None}
        names = sorted({name for types in by_moment.values() for name in types})
        tables[str(one.seed)] = {
            name: {"refusal": name in one.refusals}
            | {moment: _pair(types[name]) for moment, types in by_moment.items() if name in types}
            for name in names
        }
    return tables


def _pair(pair: tuple[float, int]) -> list[float]:
    return [round(pair[0], 4), pair[1]]


def _stages(found: Sequence[Measured | None]) -> dict[str, dict[str, float]]:
    """Per seed: seconds by stage, all rounds together; "opening" is the whole of round 0."""
    tables = {}
    for one in found:
        if one is None:
            continue
        spent: dict[str, float] = defaultdict(float)
        for step in one.steps.values():
            head, _, stage = step.name.partition("/")
            if stage:
                spent["opening" if head == "round-0" else "test" if head == "test" else stage] += step.wall_s
        tables[str(one.seed)] = {stage: round(seconds, 1) for stage, seconds in spent.items()}
    return tables


def _ending(one: Measured) -> dict[str, Any]:
    ended = one.ended
    return {
        "arm": one.arm,
        "seed": one.seed,
        "machine": one.machine,
        "date": one.date,
        "finished": ended is not None,
        "why": ended["why"] if ended else None,
        "rounds": ended["rounds"] if ended else None,
        "champion": ended["champion"] if ended else None,
        "work_s": round(float(ended["wall_s"]), 1) if ended else None,
        "processes": len(one.processes) or None,
    }
