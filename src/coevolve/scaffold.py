"""Writes a small project that a user can edit: one environment, one TOML, one test, one page to read.

A folder's path enters, the written files leave. Nothing that exists is ever overwritten; if one of the
files is there already, none is written.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from coevolve.errors import ConfigError

# What is written, and the template beside this module; ".txt" keeps tools from taking it for our own code.
FILES = {
    "environment.py": "environment.py.txt",
    "agent.toml": "agent.toml.txt",
    "test_environment.py": "test_environment.py.txt",
    "README.md": "README.md.txt",
}


def init(folder: str | Path) -> list[Path]:
    """Write the project into `folder`, which is made where it is missing.

    Returns: the written files.
    Raises: ConfigError: one of the files exists, or the folder cannot be written; then none is left.
    """
    folder = Path(folder)
    # It becomes a run's name in TOML and a folder, so nothing but plain characters.
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", folder.resolve().name).strip("-") or "agent"
    targets = {
        folder / target: _template(source).replace("PROJECT", name) for target, source in FILES.items()
    }
    for path in targets:
        if path.exists():
            raise ConfigError(
                f"{path} exists and is not overwritten", fix="name a new folder, or move the file away"
            )
    begun: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in targets.items():
            with path.open("x", encoding="utf-8") as file:
                begun.append(path)
                file.write(text)
    except OSError as error:
        for path in begun:  # half a project would keep the next call from writing a whole one
            path.unlink(missing_ok=True)
        raise ConfigError(
            f"{folder}: cannot be written ({error.strerror})",
            fix="free disk space, or name a folder that can be written",
        ) from error
    return list(targets)


def _template(name: str) -> str:
    return (files("coevolve") / "scaffold_files" / name).read_text(encoding="utf-8")
