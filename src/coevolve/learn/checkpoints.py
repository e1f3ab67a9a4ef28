"""Where a fit keeps its checkpoints: a file or a folder a phase, where it works. Loads no torch."""

from __future__ import annotations

import shutil
from pathlib import Path

WORK = "work"  # inside the folder where a candidate is made


def checkpoint(folder: Path, phase: str) -> Path:
    """The checkpoint of one phase of a fit that works in `folder`."""
    return folder / f"state.{phase}.safetensors"


def phase_folder(out: Path, phase: str, lesson: str) -> Path:
    """Where TRL keeps what belongs to one phase of one lesson, known by its fingerprint."""
    return out / WORK / f"trl.{phase}.{lesson}"


def clear(out: Path) -> None:
    """Remove the checkpoints behind a candidate that is kept elsewhere by now."""
    for file in (out / WORK).glob(checkpoint(Path(), "*").name):
        file.unlink(missing_ok=True)
    for folder in (out / WORK).glob(phase_folder(Path(), "*", "*").name):
        shutil.rmtree(folder, ignore_errors=True)
