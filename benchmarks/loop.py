"""Reruns the main job per seed and arm, and writes what it showed to benchmarks/results/loop.json.

Arms that it has no runs of keep the figures that the file holds of them, with where and when they were made.

Each (seed, arm) is one `coevolve run` in a process of its own, so that wall time and peak memory are that
run's. A finished one is read from its journal and not repeated, an interrupted one goes on.

    teacher   examples/shop.toml as it is
    none      the same with run.teacher = "none", at most 40 minutes: nobody hands it what it fails at
    long      examples/shop_long.toml: all task types, at most 90 minutes

`--quick` runs the same loop with a scripted model in seconds and writes loop.quick.json.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coevolve.config import RunConfig, load, override
from coevolve.errors import CoevolveError, ConfigError
from coevolve.machine import machine
from coevolve.workspace import CONFIG_FILE, environment

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # started as a file, this is not part of a package yet

from benchmarks.loop_arms import with_earlier  # noqa: E402
from benchmarks.loop_figures import (  # noqa: E402
    ARMS,
    PROCESSES,
    Measured,
    read_run,
    run_name,
    seeds_found,
    summarise,
)
from benchmarks.loop_scripted import SCRIPTED, run_scripted, smaller  # noqa: E402
from benchmarks.page import RESULTS, write_page  # noqa: E402

CONFIGS = {"teacher": "shop.toml", "none": "shop.toml", "long": "shop_long.toml"}
CHANGES: Mapping[str, Mapping[str, str | int]] = {
    "teacher": {},
    "none": {"run.teacher": "none", "run.minutes_budget": 40, "run.max_rounds": 10},
    "long": {},
}
COMMAND = "python benchmarks/loop.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run and where it goes."""

    seeds: tuple[int, ...]
    arms: tuple[str, ...]  # those to run; figures are read for all
    runs: Path  # folder of all runs
    out: Path  # folder of the figures files
    quick: bool

    @property
    def file(self) -> Path:
        """The figures file."""
        return self.out / ("loop.quick.json" if self.quick else "loop.json")

    @property
    def command(self) -> str:
        """The line that makes these figures again."""
        words = [*shlex.split(COMMAND), *(["--quick"] if self.quick else [])]
        arms = [] if self.quick else ["--arms", *self.arms]
        return shlex.join([*words, "--seeds", *map(str, self.seeds), *arms])


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0, or 1 where a run failed; figures of the others are written nevertheless."""
    asked = _parser().parse_args(arguments)
    arms = tuple(ARMS if asked.arms is None and asked.long else asked.arms or ARMS[:2])
    plan = Plan(
        seeds=tuple(dict.fromkeys(asked.seeds)),
        arms=ARMS if asked.quick else arms,
        runs=asked.runs,
        out=asked.out,
        quick=asked.quick,
    )
    try:
        data, failed = _quick(plan) if asked.quick else _full(plan, collect_only=asked.collect_only)
    except CoevolveError as error:
        print(f"error: {error.what}\nfix: {error.fix}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on: {plan.command}", file=sys.stderr)
        return 130
    print(json.dumps(data, indent=1) if asked.json else _readable(plan, data))
    return 1 if failed else 0


def settings(arm: str, seed: int, runs: Path) -> RunConfig:
    """The config of one run."""
    config = load(ROOT / "examples" / CONFIGS[arm])
    values = {"run.seed": seed, "run.name": run_name(arm, seed), "run.out_dir": str(runs)}
    return override(config, {**values, **CHANGES[arm]})


def command_of(arm: str, seed: int, runs: Path) -> list[str]:
    """The process that runs one (seed, arm), or goes on with it."""
    sets = {"run.out_dir": str(runs), **CHANGES[arm]}
    words = [sys.executable, "-m", "coevolve", "run", str(ROOT / "examples" / CONFIGS[arm])]
    words += ["--seed", str(seed), "--name", run_name(arm, seed)]
    for field, value in sets.items():
        words += ["--set", f"{field}={value}"]
    return [*words, "--resume", "--json"]


def measured_run(words: Sequence[str], folder: Path) -> dict[str, Any]:
    """Run a process to its end and note its wall time and peak memory in the run's folder.

    Returns: the JSON object that it printed; {"error": ...} where it printed none.
    """
    began = time.monotonic()
    # Its own session: Ctrl-C reaches it once, from here, and not from the terminal as well.
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    try:
        with process.stdout as answered:
            printed = answered.read()
    except BaseException:
        process.terminate()  # it writes its report and ends; the journal keeps what was done
        _note(process, began, folder)
        raise
    code = _note(process, began, folder)
    try:
        answer: dict[str, Any] = json.loads(printed)
    except json.JSONDecodeError:
        answer = {"error": f"exit status {code} without an answer"}
    return answer


def _note(process: subprocess.Popen[str], began: float, folder: Path) -> int:
    """Wait for the process; one line about it beside the run. Returns its exit status."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if folder.is_dir():
        line = {
            "wall_s": round(time.monotonic() - began, 1),
            "peak_rss_gib": round(used.ru_maxrss / 2**20, 3),
            "machine": machine(),
        }
        with (folder / PROCESSES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return process.returncode


def _full(plan: Plan, *, collect_only: bool) -> tuple[dict[str, Any], bool]:
    """The real runs, arm by arm, with figures on disk after each."""
    failed: dict[str, str] = {}
    for arm in () if collect_only else plan.arms:
        for seed in plan.seeds:
            found = _read(plan, arm, seed)
            if found is not None and found.ended is not None:
                continue
            name = run_name(arm, seed)
            print(f"== {name} ==", file=sys.stderr, flush=True)
            answer = measured_run(command_of(arm, seed, plan.runs), plan.runs / name)
            if "error" in answer:
                failed[name] = str(answer["error"])
            if answer.get("interrupted"):
                raise KeyboardInterrupt
            _write(plan, _collect(plan, failed))
    return _write(plan, _collect(plan, failed)), bool(failed)


def _quick(plan: Plan) -> tuple[dict[str, Any], bool]:
    """The scripted runs, in a folder that does not stay."""
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        measured = []
        for arm in plan.arms:
            for seed in plan.seeds:
                config = smaller(settings(arm, seed, runs), arm)
                run_scripted(config)
                found = read_run(runs, arm, seed, refusals(config))
                assert found is not None  # it has just ended
                measured.append(found)
                print(f"{found.name}: {found.rate('final'):.0%}", file=sys.stderr, flush=True)
        data = summarise(measured, plan.seeds, plan.command, model=SCRIPTED)
    return _write(plan, data), False


def _collect(plan: Plan, failed: Mapping[str, str]) -> dict[str, Any]:
    """Figures of every run in the folder: of the seeds asked for and of those found there."""
    seeds = sorted({*plan.seeds, *seeds_found(plan.runs)})
    read = [_read(plan, arm, seed) for arm in ARMS for seed in seeds]
    measured = [one for one in read if one is not None]
    model = settings("teacher", 0, plan.runs).model
    data = summarise(measured, seeds, plan.command, model=f"{model.name} ({model.precision})")
    for run in data["runs"]:
        run["error"] = failed.get(run_name(run["arm"], run["seed"]))
    return data


def _read(plan: Plan, arm: str, seed: int) -> Measured | None:
    """A run of this folder, if it was made with the settings that the examples have now.

    Raises: ConfigError: it was made with others.
    """
    config = settings(arm, seed, plan.runs)
    found = read_run(plan.runs, arm, seed, refusals(config))
    kept = plan.runs / run_name(arm, seed) / CONFIG_FILE
    if found is not None and "begin" in found.steps and load(kept) != config:
        raise ConfigError(
            f"{kept.parent} was run with other settings than {CONFIGS[arm]} has now",
            fix="delete that folder, or name another folder with --runs",
        )
    return found


def refusals(config: RunConfig) -> frozenset[str]:
    """Names of the world's refusal types."""
    return frozenset(name for name, refuses in environment(config).task_types().items() if refuses)


def _write(plan: Plan, made: dict[str, Any]) -> dict[str, Any]:
    """Replace the figures file, once there is a figure; the page in docs follows those in results."""
    if not any(run["finished"] for run in made["runs"]):
        return made
    plan.out.mkdir(parents=True, exist_ok=True)
    data = made
    if not plan.quick:  # which runs every arm
        earlier = json.loads(plan.file.read_text(encoding="utf-8")) if plan.file.is_file() else None
        data = with_earlier(made, earlier)
    building = plan.file.with_suffix(".new")
    building.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    os.replace(building, plan.file)
    if plan.out.resolve() == RESULTS:
        write_page()
    return data


def _readable(plan: Plan, data: Mapping[str, Any]) -> str:
    rows = [("seed", data["seeds"]), *data["figures"].items()]
    lines = [f"{key:<38}" + "  ".join(f"{_cell(one):>8}" for one in row) for key, row in rows]
    wrote = plan.file.is_file() and any(run["finished"] for run in data["runs"])
    return "\n".join(
        [*lines, f"figures: {plan.file}" if wrote else "no run has finished; nothing was written"]
    )


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a scripted model, under a minute")
    parser.add_argument("--json", action="store_true", help="print the figures file on standard output")
    parser.add_argument("--long", action="store_true", help="also the long run of all task types")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--arms", nargs="+", choices=ARMS, help="which to run (default: teacher none)")
    parser.add_argument("--collect-only", action="store_true", help="run nothing, read what has finished")
    parser.add_argument("--runs", type=Path, default=Path("runs/benchmark"), help="folder of the runs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the figures")
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the run under way is stopped too
    sys.exit(main())
