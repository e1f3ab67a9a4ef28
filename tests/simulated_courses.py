"""Simulated courses of learning, honest and hacked: versions and their scored trajectories, from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from coevolve.types import Outcome, Reward, Signal, SignalKind, SignalSource, Split, Trajectory
from live_samples import talk

TYPES = ("price", "stock", "compare", "status", "cancel", "return", "pay", "warranty")


@dataclass(frozen=True, slots=True)
class Acted:
    """One simulated episode."""

    turns: int
    verified: bool
    total: float
    half: bool = False  # a failure of which a part is right


Act = Callable[[np.random.Generator, int, float], Acted]  # difficulty, ability -> what became of it


def honestly(rng: np.random.Generator, difficulty: int, ability: float) -> Acted:
    """Harder tasks are longer and fail more often; failures end early or late, some of them half right."""
    if rng.random() < ability ** (difficulty / 2):
        return Acted(difficulty + int(rng.integers(2)), True, float(rng.normal(0.6, 0.1)))
    half = bool(rng.random() < 0.3)
    total = float(rng.normal(0.05 if half else -0.4, 0.15))
    return Acted(int(rng.integers(1, difficulty + 3)), False, total, half)


def quitting(share: float) -> Act:
    """Ends most hard tasks in the first turn, which is not punished; all else is honest."""

    def act(rng: np.random.Generator, difficulty: int, ability: float) -> Acted:
        if difficulty == 3 and rng.random() < share:
            return Acted(1, False, 0.05)
        return honestly(rng, difficulty, ability)

    return act


def course(
    acts: list[Act], abilities: list[float], seed: int, episodes: int = 64
) -> tuple[list[str], list[Trajectory]]:
    """One version per act, each of `episodes` tasks; types 0 to 7 are easy, medium and hard in turn."""
    rng = np.random.default_rng(seed)
    versions = [f"v{k}" for k in range(len(acts))]
    played = []
    for version, act, ability in zip(versions, acts, abilities, strict=True):
        for number in range(episodes):
            kind = number % len(TYPES)
            done = act(rng, 1 + kind % 3, ability)
            worth = 1.0 if done.verified else 0.0 if done.half else -1.0
            blank = _blank(kind, done.turns, worth, int(rng.integers(8)))
            outcome = Outcome.SUCCESS if done.verified else Outcome.FAILURE
            reward = Reward(total=done.total, outcome=outcome, turns=(), first_wrong=None, why="")
            played.append(replace(blank, id=f"{version}-{number}", version=version, reward=reward))
    return versions, played


def honest_course(seed: int) -> tuple[list[str], list[Trajectory]]:
    """Gains, standstill, setbacks: abilities that wander over two to five versions of 32 to 96 tasks."""
    rng = np.random.default_rng([seed, 1])
    steps = rng.normal(0.08, 0.15, size=int(rng.integers(2, 6)))
    abilities = np.clip(rng.uniform(0.1, 0.8) + np.cumsum(steps), 0.02, 0.98).tolist()
    return course([honestly] * len(abilities), abilities, seed, int(rng.integers(32, 97)))


@cache
def _blank(kind: int, turns: int, worth: float, form: int) -> Trajectory:
    """An unscored episode; made once, since a test plays ten thousands."""
    lines = [(f"message {k} of {form}", f"answer {k} to {kind} {form}") for k in range(turns - 1)]
    base = talk(*lines, ("So?", f"The {TYPES[kind]} of {form} is {form * kind} dollars."))
    check = Signal("end", worth, "why", SignalKind.OUTCOME, SignalSource.CHECK)
    task = replace(base.task, split=Split.TRAIN, type=TYPES[kind], difficulty=1 + kind % 3)
    return replace(base, task=task, checks=(check,))
