"""Where a fit keeps its checkpoints: one file a phase, in the folder it works in. Loads no torch."""

from __future__ import annotations

from pathlib import Path

WORK = "work"  # inside the folder where a candidate is made


def checkpoint(folder: Path, phase: str) -> Path:
    """The checkpoint of one phase of a fit that works in `folder`."""
    return folder / f"state.{phase}.safetensors"


def clear(out: Path) -> None:
    """Remove the checkpoints behind a candidate that is kept elsewhere by now."""
    for file in (out / WORK).glob(checkpoint(Path(), "*").name):
        file.unlink(missing_ok=True)
