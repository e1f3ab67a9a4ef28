"""Shaping must not change which policy is best: held on small random MDPs against value iteration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coevolve.errors import FeedbackError
from coevolve.feedback.shaping import milestone_potentials, shape
from live_samples import talk

DISCOUNT = 0.9


def best_actions(reward_SAS: np.ndarray, chance_SAS: np.ndarray) -> np.ndarray:
    """Greedy actions after value iteration; the last state ends the episode."""
    values_S = np.zeros(len(reward_SAS))
    for _ in range(500):
        q_SA = (chance_SAS * (reward_SAS + DISCOUNT * values_S)).sum(2)
        values_S = q_SA.max(1)
        values_S[-1] = 0.0
    return np.asarray((chance_SAS * (reward_SAS + DISCOUNT * values_S)).sum(2)[:-1].argmax(1))


@pytest.mark.parametrize("seed", range(20))
def test_the_best_policy_stays_the_best_under_any_potential(seed: int) -> None:
    rng = np.random.default_rng(seed)
    states, actions = 6, 3
    chance_SAS = rng.dirichlet(np.ones(states), (states, actions))
    reward_SAS = rng.normal(size=(states, actions, states))
    potential_S = rng.normal(scale=5, size=states)
    shaped_SAS = np.empty_like(reward_SAS)
    for s, a, after in np.ndindex(reward_SAS.shape):
        potentials = np.array([potential_S[s], potential_S[after]])
        ends = after == states - 1
        shaped_SAS[s, a, after] = shape(
            reward_SAS[s, a, after : after + 1], potentials, DISCOUNT, terminal=ends
        )[0]
    best = best_actions(reward_SAS, chance_SAS)
    assert (best_actions(shaped_SAS, chance_SAS) == best).all()
    # A hint that is no difference of potentials does change what is best somewhere: the test can fail.
    bribed = reward_SAS + potential_S[None, None, :] * (np.arange(actions)[None, :, None] == 1)
    assert seed > 0 or (best_actions(bribed, chance_SAS) != best).any()


def test_what_is_added_telescopes_to_the_first_potential() -> None:
    rng = np.random.default_rng(3)
    rewards_T, potentials_U = rng.normal(size=7), rng.normal(size=8)
    weights_T = DISCOUNT ** np.arange(7)
    added = weights_T @ (shape(rewards_T, potentials_U, DISCOUNT) - rewards_T)
    assert added == pytest.approx(-potentials_U[0])
    assert shape(np.zeros(0), np.ones(1), 1.0).shape == (0,)


def test_milestones_become_potentials_once_each() -> None:
    base = talk(("a", "b"), ("c", "d"), ("e", "f"))
    events = (("found",), ("found", "noise"), ("paid",))
    turns = tuple(replace(turn, events=seen) for turn, seen in zip(base.turns, events, strict=True))
    potentials = milestone_potentials(replace(base, turns=turns), ("found", "paid"))
    assert potentials.tolist() == [0, 0.5, 0.5, 1]


@pytest.mark.parametrize(("count", "discount"), [(3, 0.9), (4, 0.0), (4, 1.1)])
def test_shapes_and_discounts_that_do_not_fit_are_refused(count: int, discount: float) -> None:
    with pytest.raises(FeedbackError, match="potentials of shape"):
        shape(np.zeros(3), np.zeros(count), discount)
