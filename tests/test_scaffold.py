from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coevolve import scaffold
from coevolve.config import environment_file, load
from coevolve.environments.protocol import Environment
from coevolve.environments.user_file import environment_from_file
from coevolve.errors import ConfigError, WorldError
from coevolve.types import Split
from full_disk import no_file_beyond


def written_environment(folder: Path) -> Environment:
    scaffold.init(folder)
    found = environment_file(load(folder / "agent.toml").environment)
    assert found is not None
    return environment_from_file(*found)


def test_written_projects_own_test_passes(tmp_path: Path) -> None:
    written = scaffold.init(tmp_path / "my-agent")
    assert {path.name for path in written} == {
        "environment.py",
        "agent.toml",
        "test_environment.py",
        "README.md",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-W",
        "error",
    ]
    # Its own root, so that nothing of this repository's settings helps it.
    command += ["-p", "no:asyncio", "--rootdir=.", "-c", "pytest.ini"]
    (tmp_path / "my-agent" / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(command, cwd=tmp_path / "my-agent", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


def test_broken_environment_fails_the_written_test(tmp_path: Path) -> None:
    scaffold.init(tmp_path)
    world = tmp_path / "environment.py"
    world.write_text(world.read_text().replace("desk.due_day += 14", "desk.due_day += 15"))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--rootdir=.",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "test_expert_solves_every_task" in done.stdout
    assert done.returncode == 1


def test_written_toml_names_the_project_and_finds_the_environment(tmp_path: Path) -> None:
    environment = written_environment(tmp_path / "my agent!")
    assert load(tmp_path / "my agent!" / "agent.toml").run.name == "my-agent"
    assert environment.name == "library"
    assert any(environment.task_types().values())
    assert len(environment.tasks(Split.TRAIN, (), 6, seed=3)) == 6


def test_nothing_is_overwritten_and_nothing_is_half_written(tmp_path: Path) -> None:
    (tmp_path / "agent.toml").write_text("mine")
    with pytest.raises(
        ConfigError, match=r"agent\.toml exists and is not overwritten\n  fix: name a new folder"
    ):
        scaffold.init(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["agent.toml"]
    assert (tmp_path / "agent.toml").read_text() == "mine"


def test_full_disk_leaves_nothing_of_a_project_and_another_call_writes_it(tmp_path: Path) -> None:
    with no_file_beyond(1000), pytest.raises(ConfigError, match="cannot be written") as refused:
        scaffold.init(tmp_path)
    assert "free disk space" in refused.value.fix
    assert list(tmp_path.iterdir()) == []
    assert len(scaffold.init(tmp_path)) == 4


def test_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ConfigError, match="taken: cannot be written"):
        scaffold.init(tmp_path / "taken")


def test_two_projects_files_of_one_name_stay_apart(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    scaffold.init(first)
    scaffold.init(second)
    world = second / "environment.py"
    world.write_text(world.read_text().replace('name="library"', 'name="archive"'))
    names = [
        environment_from_file(folder / "environment.py", "environment").name for folder in (first, second)
    ]
    assert names == ["library", "archive"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x = 1 +", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import no_such_module", "no_such_module"),
        ("other = 1", "has no attribute 'environment'"),
        ("environment = 1", "environment is no environment, it lacks name, briefing"),
        ("def environment(): return 1", "it lacks name"),
        ("def environment(x): return 1", "missing 1 required positional argument"),
    ],
)
def test_users_broken_file_says_what_and_how_to_mend_it(tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "environment.py"
    file.write_text(text)
    before = list(sys.path)
    with pytest.raises(WorldError) as caught:
        environment_from_file(file, "environment")
    assert what in caught.value.what
    assert str(file) in caught.value.what
    assert sys.path == before


def test_function_that_makes_the_environment_and_a_neighbouring_module_work(tmp_path: Path) -> None:
    scaffold.init(tmp_path)
    (tmp_path / "maker.py").write_text("import environment as own\ndef make():\n    return own.environment\n")
    try:
        assert environment_from_file(tmp_path / "maker.py", "make").name == "library"
    finally:
        sys.modules.pop("environment", None)


def test_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="no such Python file"):
        environment_from_file(tmp_path / "gone.py", "environment")
