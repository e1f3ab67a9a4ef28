"""Potential-based shaping: a hint on every step that cannot change which policy is best.

Rewards of steps and potentials of states enter, shaped rewards leave. Source: Ng, Harada and Russell 1999,
"Policy invariance under reward transformations".
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coevolve.errors import FeedbackError
from coevolve.types import Trajectory


def shape(
    rewards_T: np.ndarray, potentials_U: np.ndarray, discount: float, *, terminal: bool = True
) -> np.ndarray:
    """Add discount * potential(after) - potential(before) to each step's reward.

    Args:
        rewards_T: shape (T,), any unit.
        potentials_U: shape (T + 1,), of the states s_0 to s_T, same unit.
        discount: of the task itself, (0, 1]; another one would change what is best.
        terminal: the episode ended in s_T. Its potential then counts as 0: a hint must not outlive the
            episode, or ending in a promising state would pay.

    Returns: shape (T,), same unit. Discounted, it sums to the sum of `rewards_T` less the first potential.
    Raises: FeedbackError: the shapes do not fit or the discount is out of range.
    """
    if potentials_U.shape != (len(rewards_T) + 1,) or not 0 < discount <= 1:
        raise FeedbackError(
            f"{len(rewards_T)} rewards, potentials of shape {potentials_U.shape}, discount {discount:g}",
            fix="give one potential more than rewards, and a discount above 0 and up to 1",
        )
    after_T = potentials_U[1:].astype(float)
    if terminal and len(after_T):
        after_T[-1] = 0.0
    return np.asarray(rewards_T + discount * after_T - potentials_U[:-1])


def event_potentials(trajectory: Trajectory, potentials: Mapping[str, float]) -> np.ndarray:
    """The potential before each turn and at the end: shape (turns + 1,), that of all events seen by then.

    An event counts once, however often it is seen: a potential belongs to a state, not to a deed.
    """
    seen: set[str] = set()
    sums = [0.0]
    for turn in trajectory.turns:
        seen.update(event for event in turn.events if event in potentials)
        sums.append(sum(potentials[event] for event in sorted(seen)))
    return np.array(sums)
