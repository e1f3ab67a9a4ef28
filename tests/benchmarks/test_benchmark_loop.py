"""The benchmark of the loop: figures are what journals hold, and what was not measured is null."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.append(str(ROOT))

from benchmarks.loop_arms import with_earlier  # noqa: E402
from benchmarks.loop_figures import ARMS, PROCESSES, read_run, run_name, seeds_found, summarise  # noqa: E402

from benchmarks import loop as bench  # noqa: E402
from coevolve.config import to_toml  # noqa: E402
from coevolve.errors import ConfigError  # noqa: E402
from coevolve.store import Journal, open_store  # noqa: E402
from coevolve.workspace import CONFIG_FILE  # noqa: E402

KEYS = {
    "base",
    "opening",
    "final",
    "rise_after_opening_points",
    "final_long",
    "refusal_final",
    "refusal_final_mean",
    "wall_s",
    "peak_rss_gib",
    "final_without_teacher_minus_opening",
}
REFUSALS = frozenset({"refuse_payment", "refuse_late_return"})


def write_run(runs: Path, arm: str, seed: int, *, ended: bool = True, final: float = 0.9) -> Path:
    """A run's folder as the loop leaves it, with invented rates."""
    folder = runs / run_name(arm, seed)
    folder.mkdir(parents=True)
    (folder / CONFIG_FILE).write_text(to_toml(bench.settings(arm, seed, runs)), encoding="utf-8")
    store = open_store(f"sqlite:///{folder / 'experience.db'}")
    journal = Journal(store, folder.name)
    rates = {"base": 0.0, "opening": 0.4, "final": final}
    journal.done("begin", {"base": "b", "started_s": 0.0})
    journal.done("round-0/gate", {"decision": "accept"})
    if ended:
        for moment, rate in rates.items():
            success = {"price": [rate, 10], "refuse_payment": [rate, 10], "refuse_late_return": [1.0, 10]}
            journal.done(f"test/{moment}", {"version": moment, "trajectories": [], "success": success})
        end = {"champion": "c", "rounds": 2, "why": "all rounds are done", "wall_s": 100.0, "peak_gib": 1.5}
        journal.done("ended", end)
    store.close()
    return folder


def figures_of(runs: Path, seeds: list[int]) -> dict[str, Any]:
    read = [read_run(runs, arm, seed, REFUSALS) for arm in ARMS for seed in seeds]
    return summarise([one for one in read if one is not None], seeds, "command")


def test_figures_are_shares_points_and_seconds_of_the_journal(tmp_path: Path) -> None:
    write_run(tmp_path, "teacher", 0)
    figures = figures_of(tmp_path, [0])["figures"]
    assert set(figures) >= KEYS
    assert figures["base"] == [pytest.approx(1 / 3, abs=1e-4)]
    assert figures["final"] == [pytest.approx(28 / 30, abs=1e-4)]
    assert figures["rise_after_opening_points"] == [pytest.approx(100 * (28 - 18) / 30, abs=0.1)]
    assert figures["refusal_final"] == [0.9]
    assert figures["refusal_final_mean"] == [0.95]
    assert figures["weak_after_opening_final"] == [0.9]
    assert (figures["wall_s"], figures["peak_rss_gib"]) == ([100.0], [1.5])


def test_seeds_and_arms_that_were_not_run_are_null(tmp_path: Path) -> None:
    write_run(tmp_path, "teacher", 1)
    write_run(tmp_path, "none", 0, ended=False)
    data = figures_of(tmp_path, [0, 1])
    assert data["figures"]["final"][0] is None
    assert data["figures"]["final"][1] is not None
    assert data["figures"]["final_without_teacher_minus_opening"] == [None, None]
    assert data["figures"]["final_long"] == [None, None]
    assert data["intervals"]["final"][0] is None
    low, high = data["intervals"]["final"][1]
    assert low < data["figures"]["final"][1] < high
    assert [(run["arm"], run["finished"]) for run in data["runs"]] == [("teacher", True), ("none", False)]


def test_a_resumed_run_took_the_time_of_all_its_processes_and_the_memory_of_the_largest(
    tmp_path: Path,
) -> None:
    folder = write_run(tmp_path, "teacher", 0)
    lines = [{"wall_s": 80.0, "peak_rss_gib": 2.5}, {"wall_s": 30.0, "peak_rss_gib": 1.0}]
    (folder / PROCESSES).write_text("".join(json.dumps(line) + "\n" for line in lines))
    figures = figures_of(tmp_path, [0])["figures"]
    assert (figures["wall_s"], figures["peak_rss_gib"]) == ([110.0], [2.5])


def test_a_finished_run_is_not_repeated_and_an_interrupted_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, out = tmp_path / "runs", tmp_path / "out"
    write_run(runs, "teacher", 0)
    write_run(runs, "teacher", 1, ended=False)
    started: list[Path] = []

    def pretend(words: list[str], folder: Path) -> dict[str, Any]:
        assert "--resume" in words
        started.append(folder)
        return {"error": "the engine is missing"}

    monkeypatch.setattr(bench, "measured_run", pretend)
    words = ["--seeds", "0", "1", "--arms", "teacher", "--runs", str(runs), "--out", str(out)]
    assert bench.main(words) == 1
    assert started == [runs / "teacher-seed1"]
    data = json.loads((out / "loop.json").read_text())
    assert data["figures"]["final"][1] is None
    assert data["runs"][1]["error"] == "the engine is missing"
    assert data["seeds"] == [0, 1]


def test_without_a_finished_run_no_figures_file_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--collect-only", "--json", "--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "out")]
    assert bench.main(words) == 0
    assert json.loads(capsys.readouterr().out)["figures"]["final"] == [None, None, None]
    assert not (tmp_path / "out").exists()


def test_a_run_with_other_settings_is_not_taken_for_this_one(tmp_path: Path) -> None:
    folder = write_run(tmp_path, "teacher", 0)
    kept = folder / CONFIG_FILE
    kept.write_text(kept.read_text().replace("max_rounds = ", "max_rounds = 1"))
    plan = bench.Plan(seeds=(0,), arms=("teacher",), runs=tmp_path, out=tmp_path / "out", quick=False)
    with pytest.raises(ConfigError, match="other settings"):
        bench._read(plan, "teacher", 0)


def test_a_run_is_a_process_whose_peak_and_wall_are_noted(tmp_path: Path) -> None:
    words = [sys.executable, "-c", 'print(\'{"champion": "c"}\')']
    assert bench.measured_run(words, tmp_path) == {"champion": "c"}
    (line,) = (tmp_path / PROCESSES).read_text().splitlines()
    noted = json.loads(line)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # a child begins as a copy
    assert noted["wall_s"] >= 0 and 0.001 < noted["peak_rss_gib"] < own + 0.2
    assert (
        "exit status 3"
        in bench.measured_run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)["error"]
    )


def test_the_arms_differ_only_in_teacher_and_config(tmp_path: Path) -> None:
    teacher, none, long = (bench.settings(arm, 2, tmp_path) for arm in ARMS)
    assert (teacher.run.teacher, none.run.teacher) == ("scripted", "none")
    assert (teacher.run.minutes_budget, none.run.minutes_budget) == (25, 40)
    assert (long.run.minutes_budget, len(long.environment.types)) == (90, 20)
    assert long.opening.demonstrations <= 48
    assert "run.teacher=none" in bench.command_of("none", 2, tmp_path)


def test_seeds_of_earlier_calls_are_found(tmp_path: Path) -> None:
    for name in ("teacher-seed4", "long-seed0", "teacher-seedx", "other"):
        (tmp_path / name).mkdir()
    assert seeds_found(tmp_path) == {0, 4}


def test_the_quick_run_rises_from_the_pool_and_gives_every_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "ARMS", ("teacher",))
    assert bench.main(["--quick", "--json", "--seeds", "1", "--out", str(tmp_path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "loop.quick.json").read_text())
    figures = printed["figures"]
    assert printed["model"] == "scripted"
    assert set(figures) >= KEYS
    assert figures["base"][0] <= 0.1 < figures["opening"][0] < figures["final"][0]
    assert figures["final_long"] == [None]


def _file(arm: str, seeds: list[int], machine: str, *, suffix: str) -> dict[str, Any]:
    keys = ("final", "final_without_teacher", "final_long")
    figures = {key: [0.5 if key == f"final{suffix}" else None for _ in seeds] for key in keys}
    return {
        "machine": machine,
        "command": f"run {arm}",
        "date": "2026-01-01",
        "seeds": seeds,
        "figures": figures,
        "intervals": figures,
        "types": {arm: {str(seed): {} for seed in seeds}},
        "stage_s": {arm: {str(seed): {} for seed in seeds}},
        "runs": [
            {"arm": arm, "seed": seed, "machine": machine, "finished": True, "champion": "c", "work_s": 1.0}
            for seed in seeds
        ],
    }


def test_runs_that_were_not_made_again_keep_their_figures_and_where_they_were_made() -> None:
    teacher = with_earlier(_file("teacher", [0, 1], "fast", suffix=""), None)
    both = with_earlier(_file("long", [0], "slow", suffix="_long"), teacher)
    assert both["seeds"] == [0, 1]
    assert both["figures"] == {
        "final": [0.5, 0.5],
        "final_without_teacher": [None, None],
        "final_long": [0.5, None],
    }
    again = with_earlier(_file("teacher", [1, 2], "new", suffix=""), both)
    assert again["figures"]["final"] == [0.5, 0.5, 0.5]
    assert again["figures"]["final_long"] == [0.5, None, None]
    assert [(run["arm"], run["seed"], run["machine"]) for run in again["runs"]] == [
        ("teacher", 0, "fast"),
        ("teacher", 1, "new"),
        ("teacher", 2, "new"),
        ("long", 0, "slow"),
    ]
    assert {arm: list(by_seed) for arm, by_seed in again["types"].items()} == {
        "teacher": ["0", "1", "2"],
        "long": ["0"],
    }


def test_a_run_whose_machine_nobody_noted_keeps_the_one_that_is_known_of_it() -> None:
    before = with_earlier(_file("teacher", [0], "fast", suffix=""), None)
    read = _file("teacher", [0], "slow", suffix="")
    read["runs"][0]["machine"] = None
    assert with_earlier(read, before)["runs"][0]["machine"] == "fast"
    read["runs"][0]["champion"] = "another run"
    assert with_earlier(read, before)["runs"][0]["machine"] is None


def test_a_run_that_did_not_finish_takes_no_place_of_one_that_did() -> None:
    before = with_earlier(_file("teacher", [0], "fast", suffix=""), None)
    broken = _file("long", [0, 1], "slow", suffix="_long")
    broken["runs"] += [{**broken["runs"][0], "arm": "teacher", "finished": False}]
    after = with_earlier(broken, before)
    assert after["figures"]["final"] == [0.5, None]
    assert [run["machine"] for run in after["runs"] if run["arm"] == "teacher"] == ["fast"]
