from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coevolve.errors import MissingExtraError
from coevolve.need import need

HEAVY = ("torch", "transformers", "peft", "openvino", "openvino_genai")
NOT_CORE = ("models", "learn", "migrations", "__main__.py")  # alembic runs a migration, nobody imports it


def loaded_by(statement: str) -> set[str]:
    probe = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_the_package_loads_no_torch() -> None:
    assert not loaded_by("import coevolve") & set(HEAVY)


def test_importing_the_core_loads_no_torch() -> None:
    root = Path(__file__).parent.parent / "src"
    names = [
        ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for file in sorted((root / "coevolve").rglob("*.py"))
        if file.relative_to(root / "coevolve").parts[0] not in NOT_CORE
    ]
    assert "coevolve.config" in names
    assert not loaded_by("import " + ", ".join(names)) & set(HEAVY)


def test_needed_module_is_returned() -> None:
    assert need("json", "local").loads("1") == 1


def test_missing_module_says_the_pip_line() -> None:
    with pytest.raises(MissingExtraError, match=r"fix: pip install '\.\[local\]'"):
        need("no_such_module_anywhere", "local")


def test_module_whose_own_import_is_missing_names_that_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text("import no_such_dependency\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingExtraError, match="half_installed needs no_such_dependency"):
        need("half_installed", "local")
