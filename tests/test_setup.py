"""`make` and scripts/setup: what they install, when they install nothing, and what they say of the machine.

Real make and the real script, in a copy of what they read; only Python is a stand-in, which notes its calls.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
READ = ("Makefile", "requirements.lock", "requirements-nodeps.lock", "pyproject.toml", "scripts")
PYTHON = """#!/bin/sh
echo "$*" >> "{log}"
case "$*" in
    *"version_info <"*) exit {too_old} ;;
    *"version_info[:2]"*) echo {version} ;;
    "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
    "-m pip config list") echo "$PIP_CONFIG" ;;
    "-m pip install"*) exit ${{PIP_STATUS:-0}} ;;
esac
"""
MIRROR = {"PIP_CONFIG": ":env:.extra-index-url='https://mirror.example/cpu'"}


@dataclass(frozen=True, slots=True)
class Machine:
    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "calls"

    def has_python(self, version: str) -> None:
        """Put a Python of this version on the path, under both names that are looked for."""
        text = PYTHON.format(log=self.log, version=version, too_old=int(version < "3.11"))
        for name in ("python3.11", "python3"):
            file = self.folder / "bin" / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
            file.chmod(0o755)

    def make(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.folder / 'bin'}{os.pathsep}{os.defpath}"
        return subprocess.run(
            ["make", *words],
            cwd=self.folder / "project",
            env={"PATH": path} | MIRROR | variables,
            capture_output=True,
            text=True,
            timeout=5,  # also how soon a call that installs nothing must have started
            check=False,
        )

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    for name in READ:
        source, target = ROOT / name, tmp_path / "project" / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    made = Machine(tmp_path)
    made.has_python("3.11")
    return made


def test_the_first_call_installs_both_locks_and_the_package_and_the_second_nothing(machine: Machine) -> None:
    first = machine.make("setup")
    assert first.returncode == 0, first.stderr
    assert "note:" not in first.stderr
    installs = [call for call in machine.calls() if call.startswith("-m pip install")]
    assert [call.rsplit(" ", 1)[1] for call in installs] == [
        "requirements.lock",
        "requirements-nodeps.lock",
        ".",
    ]
    machine.log.unlink()
    assert machine.make("setup").returncode == 0
    assert machine.calls() == []
    assert machine.make("-n", "demo").stdout == ".venv/bin/coevolve run examples/shop.toml --resume\n"


def test_a_changed_pin_installs_again(machine: Machine) -> None:
    machine.make("setup")
    with (machine.folder / "project/requirements.lock").open("a") as lock:
        lock.write("one-more==1.0\n")
    assert "scripts/setup" in machine.make("-n", "demo").stdout
    assert machine.make("setup").returncode == 0
    assert len(list((machine.folder / "project/.venv").glob(".installed-*"))) == 1


def test_an_installation_that_broke_is_taken_up_again(machine: Machine) -> None:
    assert machine.make("setup", PIP_STATUS="1").returncode != 0
    assert "scripts/setup" in machine.make("-n", "demo").stdout
    assert machine.make("setup").returncode == 0
    assert "scripts/setup" not in machine.make("-n", "demo").stdout


def test_a_python_for_which_the_lock_was_not_made_is_said_before_anything_is_installed(
    machine: Machine,
) -> None:
    machine.has_python("3.12")
    done = machine.make("setup")
    assert done.returncode == 0
    assert "made for Python 3.11 and tried with no other; this is 3.12" in done.stderr
    assert done.stderr.index("fix: if a package is refused") < done.stderr.index("Installing")


def test_a_python_that_is_too_old_is_refused_with_the_fix(machine: Machine) -> None:
    machine.has_python("3.10")
    done = machine.make("setup")
    assert done.returncode != 0
    assert "no Python 3.11 or newer" in done.stderr and "fix: install python3.11" in done.stderr
    assert not (machine.folder / "project/.venv").exists()


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="elsewhere torch is built for the CPU alone")
@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("", True),
        ("global.index-url='https://mirror.example/simple'", True),
        ("global.extra-index-url='https://mirror.example/cpu'", False),
        (":env:.find-links='wheels'", False),
    ],
)
def test_where_pip_would_take_torch_with_cuda_that_is_said_with_the_way_out(
    machine: Machine, config: str, said: bool
) -> None:
    done = machine.make("setup", PIP_CONFIG=config)
    assert done.returncode == 0
    assert ("torch for Linux brings CUDA" in done.stderr) is said
    assert ("PIP_EXTRA_INDEX_URL" in done.stderr) is said
