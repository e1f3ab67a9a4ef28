"""The project that `coevolve init` writes, run as it stands with the real model: the agent learns its job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli_world import invoke

pytestmark = [pytest.mark.model, pytest.mark.slow]

# A smaller budget than the project's own 15 minutes; the world, the model and how it learns are untouched.
SMALL = {"run.max_rounds": 1, "gate.tasks": 48, "gate.max_tasks": 48, "test.tasks": 45}


def test_a_fresh_project_learns_with_the_real_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke("init", "my-agent").exit_code == 0
    monkeypatch.chdir(tmp_path / "my-agent")
    sets = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]
    done = invoke("run", "agent.toml", "--minutes", 8, *sets, "--json")
    assert done.exit_code == 0, done.stderr
    tested = json.loads(done.stdout)["test"]
    assert tested["final"]["low"] > tested["base"]["high"], done.stderr  # 95% intervals
    assert (tmp_path / "my-agent/runs/my-agent/report/report.html").is_file()
