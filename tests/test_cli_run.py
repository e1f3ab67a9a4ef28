"""`coevolve run` over the toy world: what it prints, what it refuses, and how it goes on where cut."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli_world import ScriptedEngine, clueless, invoke, scripted, write_config
from coevolve import engines, loop
from coevolve.config import load
from coevolve.errors import LearnError
from coevolve.models.protocol import LanguageModel
from coevolve.models.scripted import ScriptedModel
from coevolve.workspace import Workspace, open_workspace
from toy_world import solver

TESTS = Path(__file__).parent
STAGES = ("collect", "score", "evolve", "learn", "gate")
Stage = Callable[[Workspace, int], Awaitable[Any]]


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    with scripted():
        yield write_config(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A config and what its whole run printed."""
    path = write_config(tmp_path_factory.mktemp("finished"))
    with scripted():
        return path, invoke("run", path)


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each stage runs from now on."""
    calls: Counter[str] = Counter()

    def counting(name: str, stage: Stage) -> Stage:
        async def counted_stage(ws: Workspace, number: int) -> Any:
            calls[f"{number}/{name}"] += 1
            return await stage(ws, number)

        return counted_stage

    for name in STAGES:
        monkeypatch.setitem(loop._RUN, name, counting(name, loop._RUN[name]))
    return calls


def test_run_ends_with_champion_test_success_and_the_reports_place(finished: tuple[Path, Any]) -> None:
    config, done = finished
    assert done.exit_code == 0, done.stderr
    report = config.parent / "runs" / "toy" / "report"
    for expected in ("champion", "test: base", "0.0%", "test: final", "100.0%", "of 12"):
        assert expected in done.stdout
    assert "report.html" in done.stdout and "curve.png" in done.stdout
    assert (report / "report.html").is_file() and (report / "curve.png").is_file()


def test_run_says_each_stage_and_verdict_with_the_time_on_standard_error(finished: tuple[Path, Any]) -> None:
    lines = finished[1].stderr.splitlines()
    assert [line for line in lines if line.startswith("[  0:")] == lines
    for stage in STAGES:
        assert any(line.endswith(f"round 0: {stage}") for line in lines)
    assert any("round 0: accept." in line for line in lines)


def test_finished_run_is_refused_and_runs_nothing_again(
    finished: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    config, _ = finished
    calls = counted(monkeypatch)
    again = invoke("run", config)
    assert again.exit_code == 2 and "finished run" in again.stderr and "--name" in again.stderr
    resumed = invoke("run", config, "--resume", "--json")
    assert resumed.exit_code == 0 and json.loads(resumed.stdout)["rounds"] == 0
    assert not calls


class LateEngine(ScriptedEngine):
    """Nothing is learned before round 2, and then everything."""

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        skilled = adapter is not None and '"round": 2' in (adapter / "adapter_config.json").read_text()
        return ScriptedModel(solver if skilled else clueless)


def test_an_ended_run_says_how_to_go_on_and_then_whose_the_test_figures_are(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "LocalEngine", LateEngine)
    ended = json.loads(invoke("run", config, "--json").stdout)
    assert ended["rounds"] == 1 and ended["test"]["final"]["rate"] == 0.0 and ended["test_note"] is None
    assert ended["more"] == f"coevolve run {config} --resume --more 3"
    refused = invoke("run", config, "--more", 1)
    assert refused.exit_code == 2 and "--resume --more" in refused.stderr
    read = invoke("run", config, "--resume", "--more", 1)
    assert read.exit_code == 0, read.stderr
    again = json.loads(invoke("run", config, "--resume", "--json").stdout)
    assert again["rounds"] == 2 and again["champion"] != ended["champion"]
    assert again["test"] == ended["test"]
    page = Path(again["report"]).read_text(encoding="utf-8")
    for told in (again["test_note"], page, " ".join(read.stdout.split())):
        assert ended["champion"] in told and again["champion"] in told and "opened once" in told


def test_a_run_that_was_stopped_while_it_went_on_is_finished_as_a_whole(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "LocalEngine", LateEngine)
    assert invoke("run", config).exit_code == 0
    with closing(open_workspace(load(config))) as ws:
        loop.go_on(ws, 1)
    refused = invoke("collect", config)
    assert refused.exit_code == 2 and "goes on with more rounds" in " ".join(refused.stderr.split())
    assert f"coevolve run {config} --resume" in refused.stderr and "--more" not in refused.stderr


def test_resuming_where_no_run_is_says_that_it_begins_anew(config: Path) -> None:
    begun = invoke("run", config, "--resume")
    assert begun.exit_code == 0 and "nothing to resume in" in " ".join(begun.stderr.split())
    assert "nothing to resume" not in invoke("run", config, "--resume").stderr


def test_rounds_are_given_to_no_run_that_has_not_begun(config: Path) -> None:
    refused = invoke("run", config, "--resume", "--more", 2)
    assert refused.exit_code == 2 and "has not begun" in refused.stderr and "start it" in refused.stderr
    assert not (config.parent / "runs/toy/config.toml").exists()


def test_run_as_json_prints_one_object_and_nothing_else(config: Path) -> None:
    done = invoke("run", config, "--json")
    answer = json.loads(done.stdout)
    assert done.stdout.count("\n") == 1
    assert answer["test"]["base"] == pytest.approx(
        {"rate": 0.0, "low": 0.0, "high": 0.2425, "n": 12}, abs=1e-3
    )
    assert answer["test"]["final"]["rate"] == answer["test"]["opening"]["rate"] == 1.0
    assert Path(answer["report"]).is_file() and Path(answer["curve"]).is_file()


def test_unfinished_run_is_refused_without_resume(config: Path) -> None:
    assert invoke("collect", config).exit_code == 0
    refused = invoke("run", config)
    assert refused.exit_code == 2
    assert "holds an unfinished run" in refused.stderr
    assert f"coevolve run {config} --resume" in refused.stderr


def test_broken_run_leaves_a_report_and_resumes_without_repeating_a_stage(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def breaks(ws: Workspace, number: int) -> Any:
        raise LearnError("the loss is not finite", fix="lower learn.learning_rate")

    with monkeypatch.context() as patch:
        patch.setitem(loop._RUN, "learn", breaks)
        calls = counted(patch)
        broken = invoke("run", config)
    assert broken.exit_code == 2
    assert "error: the loss is not finite\nfix: lower learn.learning_rate" in broken.stderr
    assert "Traceback" not in broken.stderr
    assert (config.parent / "runs/toy/report/report.html").is_file()
    assert calls == {"0/collect": 1, "0/score": 1, "0/evolve": 1, "0/learn": 1}

    calls = counted(monkeypatch)
    resumed = invoke("run", config, "--resume", "--json")
    assert resumed.exit_code == 0
    assert calls == {"0/learn": 1, "0/gate": 1}
    assert json.loads(resumed.stdout)["test"]["final"]["rate"] == 1.0


def test_name_and_seed_make_another_run(finished: tuple[Path, Any]) -> None:
    config, _ = finished
    with scripted():
        other = json.loads(invoke("run", config, "--json", "--name", "second", "--seed", 4).stdout)
    assert Path(other["report"]) == config.parent / "runs/second/report/report.html"
    assert "seed = 4" in (config.parent / "runs/second/config.toml").read_text()
    assert "seed = 0" in (config.parent / "runs/toy/config.toml").read_text()


def test_changed_settings_are_refused_in_the_folder_of_a_run(config: Path) -> None:
    assert invoke("collect", config).exit_code == 0
    refused = invoke("run", config, "--resume", "--set", "gate.alpha=0.2")
    assert refused.exit_code == 2
    assert "other settings" in refused.stderr and "run.name" in refused.stderr


@pytest.mark.parametrize(
    ("words", "what", "fix"),
    [
        (["--set", "gate.alpha"], "--set 'gate.alpha' has no value", "section.field=value"),
        (["--set", "gate.alfa=0.1"], "gate.alfa is not a known field", "did you mean 'alpha'?"),
        (["--set", "gate.alpha=high"], "gate.alpha = 'high'", "its default is"),
        (["--set", 'environment.types=["cuont"]'], "unknown task type 'cuont'", "did you mean 'count'?"),
    ],
)
def test_wrong_flag_says_the_field_and_the_fix(config: Path, words: list[str], what: str, fix: str) -> None:
    refused = invoke("run", config, *words)
    assert refused.exit_code == 2
    assert what in refused.stderr and fix in refused.stderr


def test_set_takes_texts_without_quotes_and_values_as_toml(config: Path) -> None:
    sets = ["--set", "run.name=2024", "--set", "learn.method=sft+dpo", "--set", "gate.tasks=25"]
    assert invoke("collect", config, *sets).exit_code == 0
    kept = (config.parent / "runs/2024/config.toml").read_text()
    assert 'method = "sft+dpo"' in kept and "tasks = 25" in kept


def test_broken_toml_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("[run]\nname = shop\n")
    refused = invoke("run", path)
    assert refused.exit_code == 2
    assert str(path) in refused.stderr and "line 2" in refused.stderr and "fix: " in refused.stderr
    answer = json.loads(invoke("run", path, "--json").stdout)
    assert set(answer) == {"error", "fix"}


# What follows is done to a process of its own. Its learning hangs in a thread, as a real one would.
HANGING = """
import sys, threading
sys.path[:0] = [{tests!r}]
import cli_world
from coevolve import engines
from coevolve.cli import main

class Engine(cli_world.ScriptedEngine):
    def learn(self, *lesson):
        print("learning", file=sys.stderr, flush=True)
        threading.Event().wait(60)

engines.LocalEngine = Engine
sys.argv[1:] = {words!r}
main()
"""


def until_learning(config: Path) -> subprocess.Popen[str]:
    script = HANGING.format(tests=str(TESTS), words=["run", str(config)])
    process = subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert any("learning" in line for line in process.stderr)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_writes_its_report_and_says_how_to_go_on(
    config: Path, number: signal.Signals
) -> None:
    process = until_learning(config)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=30)
    report = config.parent / "runs/toy/report/report.html"
    assert process.returncode == 130, said
    assert str(report) in said and f"coevolve run {config} --resume" in said
    assert "Traceback" not in said
    assert "interrupted" in report.read_text(encoding="utf-8").lower()


def test_killed_run_goes_on_and_repeats_no_finished_stage(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = until_learning(config)
    process.kill()
    process.communicate(timeout=30)
    assert (config.parent / "runs/toy/report/report.html").is_file()  # though no round was finished
    calls = counted(monkeypatch)
    resumed = invoke("run", config, "--resume", "--json")
    assert resumed.exit_code == 0, resumed.stderr
    assert calls == {"0/learn": 1, "0/gate": 1}
    assert json.loads(resumed.stdout)["test"]["final"]["rate"] == 1.0
