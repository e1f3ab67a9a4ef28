"""What a learner is given. Apart from the learner, so that whoever makes a lesson loads no torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from coevolve.examples import Example, Pair
from coevolve.sections import LearnSection


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


def fingerprint(lesson: Lesson, settings: LearnSection) -> str:
    """What is learned, from where and how: a checkpoint of anything else is of no use."""
    digest = hashlib.sha256(
        repr((asdict(settings), lesson.seed, str(lesson.adapter), lesson.epochs, lesson.patience)).encode()
    )
    for example in lesson.examples:
        digest.update(repr((example.ids, example.mask)).encode())
    for pair in lesson.pairs:
        digest.update(repr((pair.prompt_ids, pair.chosen_ids, pair.rejected_ids)).encode())
    return digest.hexdigest()[:32]
