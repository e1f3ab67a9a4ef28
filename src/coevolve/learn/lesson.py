"""What a learner is given. Apart from the learner, so that whoever makes a lesson loads no torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coevolve.examples import Example, Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What there is to learn, from where, and into which folder."""

    examples: Sequence[Example]
    pairs: Sequence[Pair] = ()
    validation: Sequence[Example] = ()  # stops early by the share of turns that are right token by token
    adapter: Path | None = None  # where to continue; None = a fresh adapter
    out: Path
    epochs: int = 1
    patience: int = 0
    seed: int = 0
