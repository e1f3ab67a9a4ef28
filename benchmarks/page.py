"""Makes docs/benchmarks.md from the figures files in benchmarks/results.

The files enter, the page leaves; the same files always give the same page. With `--check` nothing is written
and the exit status says whether the page is what the files make.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # started as a file, this is not part of a package yet

from benchmarks.page_tables import one_line, table  # noqa: E402
from benchmarks.store_page import store_tables  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
MOMENTS = ("base", "opening", "final")
TITLES = {
    "loop": "The loop: a language model learns the shop's customer service",
    "loop.quick": "The loop with a scripted model",
    "store": "The experience store, beside MLflow and Arize Phoenix",
    "store.quick": "The experience store, with small loads",
}
NOTES = {
    "loop.quick": "No language model ran: a scripted one plays the shop's expert and errs less the more of a "
    "task type its lesson shows. It checks in seconds that every stage works and that figures are collected; "
    "its rates, times and memory say nothing about a language model.",
    "store.quick": "Loads are so small that starting up is a good part of every time. It checks that every "
    "part works and that figures are collected; only what was lost or doubled says anything.",
}
ARMS = {
    "teacher": "with the teacher",
    "none": "without a teacher",
    "long": "long run, all task types",
}
MEANINGS = {
    "base": "success on test, base model",
    "opening": "success on test, after the demonstrations",
    "final": "success on test, final champion",
    "rise_after_opening_points": "rise by the rounds after the opening",
    "refusal_final": "lowest refusal type, final",
    "refusal_final_mean": "mean of the refusal types, final",
    "weak_after_opening_final": "lowest final rate of a type that was under 50% after the opening",
    "first_improvement_s": "work until the gate accepted a first candidate",
    "wall_s": "wall time of the run",
    "peak_rss_gib": "peak memory",
    "opening_without_teacher": "without a teacher: after the demonstrations",
    "final_without_teacher": "without a teacher: final champion",
    "final_without_teacher_minus_opening": "without a teacher: rise by the rounds",
    "wall_s_without_teacher": "without a teacher: wall time",
    "opening_long": "long run: after the demonstrations",
    "final_long": "long run: final champion",
    "refusal_final_long": "long run: lowest refusal type, final",
    "wall_s_long": "long run: wall time",
    "peak_rss_gib_long": "long run: peak memory",
}
HEAD = """# Benchmarks

Made by `make benchmarks-page` from the files in `benchmarks/results`; do not edit. `make bench` reruns the
loop's figures, `make bench-store` those of the experience store. Success is checked on the end state of the
world and the facts in the reply, on tasks of a split that shares no product, name, number or sentence core
with those trained on. Brackets hold 95% Wilson intervals over tasks. A dash was not measured.
"""


def page(files: Mapping[str, Mapping[str, Any]]) -> str:
    """The whole page. Args: files: name without `.json` -> its content."""
    return "\n".join([HEAD, *(_section(name, files[name]) for name in sorted(files))])


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """All figures files of a folder, by name without `.json`."""
    return {
        path.name.removesuffix(".json"): json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0; 1 where `--check` finds another page."""
    parser = argparse.ArgumentParser(prog="python benchmarks/page.py")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    made = page(read_results(RESULTS))
    if parser.parse_args(arguments).check:
        same = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made
        if not same:
            print(f"{PAGE.relative_to(ROOT)} is stale\n  fix: make benchmarks-page", file=sys.stderr)
        return 0 if same else 1
    write_page()
    print(PAGE.relative_to(ROOT))
    return 0


def write_page() -> None:
    """Write the page anew."""
    PAGE.write_text(page(read_results(RESULTS)), encoding="utf-8")


def _section(name: str, data: Mapping[str, Any]) -> str:
    parts = [f"## {TITLES.get(name, name)}\n"]
    if name in NOTES:
        parts.append(f"{NOTES[name]}\n")
    parts.append(_facts(data))
    if "parts" in data:
        return "\n".join([*parts, store_tables(data)])
    parts.append(_figures(data))
    if data.get("model") == "scripted":  # its tables per type and stage would only look like findings
        return "\n".join(parts)
    if data.get("runs"):
        parts.append(_runs(data["runs"]))
    for arm, by_seed in data.get("types", {}).items():
        parts.append(_types(arm, by_seed))
    if data.get("stage_s"):
        parts.append(_stages(data["stage_s"]))
    return "\n".join(parts)


def _facts(data: Mapping[str, Any]) -> str:
    facts = {"model": data.get("model"), "seeds": ", ".join(map(str, data["seeds"]))}
    made: dict[tuple[str, str, str], list[str]] = defaultdict(list)  # seeds by arm, and when and where it ran
    for run in data.get("runs", ()):
        if run["finished"]:
            made[run["arm"], run["date"], _machine(run["machine"])].append(str(run["seed"]))
    if made and data.get("model") != "scripted":
        for (arm, date, place), seeds in made.items():
            command = f"python benchmarks/loop.py --seeds {' '.join(seeds)} --arms {arm}"
            facts[f"{ARMS[arm]}, seeds {', '.join(seeds)}"] = f"{date}, `{command}`, on {place}"
    else:
        facts = {"machine": _machine(data["machine"]), **facts, "command": f"`{data['command']}`"}
        facts["date"] = data["date"]
    return "\n".join(f"- {key}: {one_line(value)}" for key, value in facts.items() if value) + "\n"


def _machine(machine: str | Mapping[str, Any] | None) -> str:
    if machine is None:
        return "a machine that nobody noted"
    if isinstance(machine, str):
        return machine
    return ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in machine.items())


def _figures(data: Mapping[str, Any]) -> str:
    seeds = data["seeds"]
    intervals = data.get("intervals", {})
    rows = []
    for key, value in data["figures"].items():
        values = value if isinstance(value, list) else [value]
        bounds = intervals.get(key, [])
        known = [one for one in values if one is not None]
        spread = [min(known), median(known), max(known)] if known else [None] * 3
        each = [
            _cell(key, one, bounds[at] if at < len(bounds) else None)
            for at, one in enumerate([*values, *[None] * (len(seeds) - len(values))])
        ]
        named = f"{MEANINGS[key]} (`{key}`)" if key in MEANINGS else f"`{key}`"
        rows.append([named, *(_cell(key, one) for one in spread), *each])
    return table(["figure", "min", "median", "max", *(f"seed {seed}" for seed in seeds)], rows)


def _runs(runs: Sequence[Mapping[str, Any]]) -> str:
    rows = [
        [
            ARMS.get(run["arm"], run["arm"]),
            str(run["seed"]),
            _count(run["rounds"]),
            one_line(run["why"] or run.get("error") or "not finished"),
        ]
        for run in runs
    ]
    return "How each run ended:\n\n" + table(["run", "seed", "rounds", "why it ended"], rows)


def _types(arm: str, by_seed: Mapping[str, Mapping[str, Any]]) -> str:
    """Success by type, the tasks of all seeds together, with the lowest seed's final rate."""
    names = sorted({name for types in by_seed.values() for name in types})
    rows = []
    for name in names:
        found = [types[name] for types in by_seed.values() if name in types]
        title = f"{name} (must refuse)" if any(one.get("refusal") for one in found) else name
        finals = [one["final"][0] for one in found if "final" in one]
        lowest = _percent(min(finals)) if finals else "-"
        rows.append([title, *(_pooled(one[m] for one in found if m in one) for m in MOMENTS), lowest])
    title = f"Success by task type, {ARMS.get(arm, arm)} (all seeds together):\n\n"
    return title + table(["type", *MOMENTS, "final, lowest seed"], rows)


def _pooled(pairs: Any) -> str:
    listed = list(pairs)
    tasks = sum(n for _, n in listed)
    wins = sum(round(rate * n) for rate, n in listed)
    return f"{_percent(wins / tasks)} of {tasks}" if tasks else "-"


def _stages(by_arm: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    order = ("opening", "collect", "score", "evolve", "learn", "gate", "test")
    rows = [
        [ARMS.get(arm, arm), seed, *(_seconds(stages.get(stage)) for stage in order)]
        for arm, by_seed in by_arm.items()
        for seed, stages in by_seed.items()
    ]
    return "Seconds by stage, all rounds together (the opening is one column):\n\n" + table(
        ["run", "seed", *order], rows
    )


def _cell(key: str, value: float | None, bounds: Sequence[float] | None = None) -> str:
    if value is None:
        return "-"
    stem = key.removesuffix("_long").removesuffix("_without_teacher")
    if "_points" in key or key.endswith("_minus_opening"):
        return f"{value:+.1f} points"
    if stem.endswith("_s"):
        return _seconds(value)
    if stem.endswith("_gib"):
        return f"{value:.2f} GiB"
    within = f" [{_percent(bounds[0])}, {_percent(bounds[1])}]" if bounds else ""
    return f"{_percent(value)}{within}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value / 60:.1f} min" if value >= 120 else f"{value:.1f} s"


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)


if __name__ == "__main__":
    sys.exit(main())
