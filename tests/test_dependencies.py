"""What is declared is what is imported: an installation without the lock file must work as well."""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

from coevolve.config import RunConfig
from coevolve.engines import LocalEngine
from coevolve.errors import MissingExtraError

ROOT = Path(__file__).parent.parent
MODULES = {
    "pillow": "PIL",
    "openvino-genai": "openvino_genai",
    "scikit-learn": "sklearn",
}  # where the names differ
MODULES |= {"opentelemetry-proto": "opentelemetry", "protobuf": "google", "python-stdnum": "stdnum"}
BROUGHT = {"tokenizers", "openvino", "huggingface_hub"}  # by one of the extra's own packages


def declared() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    listed = [*project["dependencies"], *extras["local"], *extras["openai"], *extras["trl"]]
    names = [re.split(r"[<>=\[]", one)[0] for one in listed]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def imported() -> set[str]:
    found: set[str] = set()
    for file in (ROOT / "src" / "coevolve").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {name.name.split(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"coevolve"}


def test_every_import_of_the_package_is_declared_and_every_declaration_used() -> None:
    assert imported() - declared() - BROUGHT == set()
    assert declared() - imported() == {"openai", "sklearn", "detect_secrets", "stdnum"}  # loaded by name


def test_a_local_model_without_its_extra_names_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    importlib.invalidate_caches()
    with pytest.raises(MissingExtraError) as missing:
        LocalEngine(RunConfig())
    assert "'.[local]'" in missing.value.fix
