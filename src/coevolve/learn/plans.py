"""What is learned of a lesson, how long and how fast: the same for the project's own loop and for TRL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coevolve.examples import Pair
from coevolve.learn.lesson import Lesson, fingerprint
from coevolve.sections import LearnSection


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long and how fast."""

    phase: str  # names this fit in checkpoints and logs
    lesson: str = ""  # a hash of what is learned; a checkpoint of another is not taken over
    learning_rate: float
    weight_decay: float
    epochs: int
    accumulate: int = 1  # packs per optimiser step
    patience: int = 0  # epochs without a better `validate` before stopping; 0 = never stop early
    checkpoint_steps: int = 20


def sft_plan(lesson: Lesson, settings: LearnSection) -> Plan:
    """How long and how fast the examples are learned."""
    return Plan(
        phase="sft",
        lesson=fingerprint(lesson, settings),
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        epochs=lesson.epochs,
        accumulate=settings.accumulate,
        patience=lesson.patience,
    )


def dpo_plan(lesson: Lesson, settings: LearnSection) -> Plan:
    """How long and how fast the pairs are learned, after the examples."""
    return Plan(
        phase="dpo",
        lesson=fingerprint(lesson, settings),
        learning_rate=settings.dpo.learning_rate,
        weight_decay=settings.weight_decay,
        epochs=settings.dpo.epochs,
    )


def drawn_pairs(lesson: Lesson, settings: LearnSection, rng: np.random.Generator) -> list[Pair]:
    """At most `learn.dpo.max_pairs` of the lesson's pairs, in its order."""
    order = rng.permutation(len(lesson.pairs))
    return [lesson.pairs[i] for i in sorted(order[: settings.dpo.max_pairs].tolist())]
