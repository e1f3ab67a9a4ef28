"""The README's commands and options exist, and its examples are what the program takes."""

from __future__ import annotations

import importlib
import re
import tomllib
from dataclasses import fields as dataclass_fields
from pathlib import Path

import pytest

from cli_world import invoke
from coevolve.config import load
from coevolve.workspace import environment

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_verb_that_the_readme_names_exists() -> None:
    rows = re.findall(r"^\| (`coevolve .*?) \|", README, re.M)
    verbs = {word for row in rows for word in re.findall(r"`(?:coevolve )?([a-z]+)", row)}
    assert verbs >= {"run", "score", "rollback", "show", "shop"}
    for verb in verbs:
        assert invoke(verb, "--help").exit_code == 0, verb


def test_every_option_that_the_readme_names_exists() -> None:
    for option in ("--resume", "--more", "--seed", "--name", "--minutes", "--set"):
        assert option in README
        assert option in invoke("run", "--help").stdout
    assert "--explain" in invoke("gate", "--help").stdout


def test_configs_of_the_readme_load_and_name_real_task_types(tmp_path: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", README, re.S)
    assert blocks
    for block in blocks:
        path = tmp_path / "readme.toml"
        path.write_text(block)
        config = load(path)
        for section, fields in tomllib.loads(block).items():
            assert set(fields) <= {one.name for one in dataclass_fields(getattr(config, section))}
        assert set(config.environment.types) <= set(environment(config).task_types())


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_code_of_the_readme_imports_what_there_is(code: str) -> None:
    imports = re.findall(r"^from (coevolve[\w.]*) import (\w+)$", code, re.M)
    assert imports
    for module, name in imports:
        assert hasattr(importlib.import_module(module), name)


def test_files_that_the_readme_links_are_there() -> None:
    made_later = {"docs/benchmarks.md"}  # written by `make bench`
    links = {link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link}
    assert {link for link in links - made_later if not (ROOT / link).exists()} == set()
