"""Shaping must not change which policy is best: held on small random MDPs against value iteration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.config import load
from coevolve.errors import ConfigError, FeedbackError
from coevolve.feedback import RewardRule, score
from coevolve.feedback.shaping import shape
from coevolve.live import reward_rule
from coevolve.sections import FeedbackSection
from coevolve.types import Reward, Signal, SignalKind, SignalSource, Trajectory
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


EVENTS = ("found", "paid", "violation:rushed")


def seeing(*seen: tuple[str, ...], passed: bool) -> Trajectory:
    lines = [(f"q{k}", f"a{k}") for k in range(len(seen))]
    check = Signal("end", 1.0 if passed else -1.0, "w", SignalKind.OUTCOME, SignalSource.CHECK)
    base = talk(*lines, checks=(check,))
    turns = tuple(replace(turn, events=some) for turn, some in zip(base.turns, seen, strict=True))
    return replace(base, turns=turns)


def rewarded(trajectory: Trajectory, shaping: dict[str, float]) -> Reward:
    reward = score(trajectory, lambda _: (), RewardRule(shaping=shaping)).reward
    assert reward is not None
    return reward


@given(
    shaping=st.dictionaries(st.sampled_from(EVENTS), st.floats(-1, 1)),
    seen=st.lists(st.lists(st.sampled_from(EVENTS), max_size=3).map(tuple), min_size=1, max_size=6),
    passed=st.booleans(),
)
def test_shaping_moves_credit_between_turns_and_leaves_every_episodes_sum_and_total(
    shaping: dict[str, float], seen: list[tuple[str, ...]], passed: bool
) -> None:
    trajectory = seeing(*seen, passed=passed)
    plain, shaped = rewarded(trajectory, {}), rewarded(trajectory, shaping)
    assert sum(shaped.turns) == pytest.approx(sum(plain.turns))
    assert shaped.total == plain.total


def test_the_turn_that_reaches_a_potential_is_credited_once_and_the_end_gives_it_back() -> None:
    trajectory = seeing(("found",), ("found", "noise"), ("paid",), passed=True)
    plain, shaped = rewarded(trajectory, {}), rewarded(trajectory, {"found": 0.2, "paid": 0.4})
    assert np.subtract(shaped.turns, plain.turns) == pytest.approx([0.2, 0.0, -0.2])


def test_potentials_stand_in_the_toml_and_are_refused_beyond_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[feedback.shaping]\n"violation:rushed" = -0.5\nfound = 0.2\n')
    assert reward_rule(load(file).feedback).shaping == {"violation:rushed": -0.5, "found": 0.2}
    assert reward_rule(FeedbackSection()).shaping == {}
    file.write_text("[feedback]\nshaping = { found = 1.5 }\n")
    with pytest.raises(ConfigError, match=r"feedback\.shaping\.found = 1\.5"):
        load(file)
    with pytest.raises(FeedbackError, match=r"shaping\['found'\] is 2"):
        RewardRule(shaping={"found": 2.0})


@pytest.mark.parametrize(("count", "discount"), [(3, 0.9), (4, 0.0), (4, 1.1)])
def test_shapes_and_discounts_that_do_not_fit_are_refused(count: int, discount: float) -> None:
    with pytest.raises(FeedbackError, match="potentials of shape"):
        shape(np.zeros(3), np.zeros(count), discount)
