"""The reward's invariants: bounded, monotone in the checks, unknown never 0."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coevolve.errors import FeedbackError
from coevolve.feedback import NEEDED_QUESTION, RewardRule, explain, score
from coevolve.types import (
    Action,
    Failure,
    Outcome,
    Party,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    StopReason,
    Task,
    Trajectory,
    Turn,
)

RULE = RewardRule()


def nothing(_: Trajectory) -> tuple[Signal, ...]:
    return ()


def checks(*scores: float | None) -> tuple[Signal, ...]:
    kind, source = SignalKind.OUTCOME, SignalSource.CHECK
    return tuple(Signal(f"check_{k}", value, f"why {k}", kind, source) for k, value in enumerate(scores))


def episode(*scores: float | None, turns: int = 3, difficulty: int = 1, **other: Any) -> Trajectory:
    task = Task(id="t", type="a", split=Split.TRAIN, seed=0, difficulty=difficulty, opening="hello")
    actions = [Action("search", {"text": f"thing {k}"}) for k in range(turns - 1)]
    actions += [Action("reply", {"text": "done"})] if turns else []
    done = tuple(
        Turn(index=k, observation="", raw="x", action=action, result=f"r{k}")
        for k, action in enumerate(actions)
    )
    blank = Trajectory(
        id="e", session_id="e", task=task, version="v", seed=0, turns=done, stop=StopReason.DONE
    )
    return replace(blank, checks=checks(*scores), **other)


def judged(trajectory: Trajectory, *signals: Signal, rule: RewardRule = RULE) -> Any:
    reward = score(trajectory, lambda _: signals, rule).reward
    assert reward is not None
    return reward


known = st.sampled_from([1.0, -1.0])
process = st.builds(
    Signal,
    name=st.sampled_from(["good", "bad", "milestone.x", "milestone.y"]),
    score=st.none() | st.floats(-1, 1),
    why=st.just("because"),
    turn=st.none() | st.integers(0, 2),
    weight=st.floats(0, 5),
)
rules = st.builds(
    RewardRule,
    outcome_weight=st.floats(0.1, 5),
    process_weight=st.floats(0, 5),
    milestone_reward=st.floats(0, 2),
    question_reward=st.floats(0, 2),
    hard_task_bonus=st.floats(0, 3),
    turn_cost=st.floats(0, 1),
    discount=st.floats(0, 1),
)


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ((1.0, 1.0), Outcome.SUCCESS),
        ((1.0, -1.0), Outcome.PARTIAL),
        ((-1.0, -1.0), Outcome.FAILURE),
        ((1.0, None), None),
        ((None, None), None),
        ((), None),
        ((-1.0, None), Outcome.FAILURE),
        ((1.0, -1.0, None), Outcome.PARTIAL),
    ],
)
def test_the_outcome_is_what_the_checks_say(
    scores: tuple[float | None, ...], outcome: Outcome | None
) -> None:
    reward = judged(episode(*scores))
    assert reward.outcome is outcome
    assert (reward.total is None) == (outcome is None)


@given(st.lists(known, min_size=1, max_size=4), st.lists(process, max_size=6), rules, st.integers(1, 3))
def test_total_and_credits_stay_in_their_bounds(
    scores: list[float], signals: list[Signal], rule: RewardRule, difficulty: int
) -> None:
    reward = judged(episode(*scores, difficulty=difficulty), *signals, rule=rule)
    assert -1 <= reward.total <= 1
    assert len(reward.turns) == 3
    assert all(-1 <= credit <= 1 for credit in reward.turns)


@given(
    st.lists(known, min_size=1, max_size=5),
    st.integers(0, 4),
    st.lists(process, max_size=6),
    rules,
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_one_more_failed_check_never_raises_the_total(
    scores: list[float], which: int, signals: list[Signal], rule: RewardRule, difficulty: int, turns: int
) -> None:
    assume(which < len(scores))
    signals = [replace(s, turn=None) for s in signals]
    worse = [*scores[:which], -1.0, *scores[which + 1 :]]
    before = judged(episode(*scores, turns=turns, difficulty=difficulty), *signals, rule=rule)
    after = judged(episode(*worse, turns=turns, difficulty=difficulty), *signals, rule=rule)
    added = judged(episode(*scores, -1.0, turns=turns, difficulty=difficulty), *signals, rule=rule)
    assert after.total <= before.total + 1e-12
    assert added.total <= before.total + 1e-12


@given(st.lists(known, min_size=1, max_size=4), st.lists(process, max_size=6), rules)
def test_an_unjudged_signal_is_left_out_not_counted_as_zero(
    scores: list[float], signals: list[Signal], rule: RewardRule
) -> None:
    unknown = Signal("could_not_tell", None, "the judge was out", turn=1, weight=3.0)
    without = judged(episode(*scores), *signals, rule=rule)
    assert judged(episode(*scores), *signals, unknown, rule=rule) == without


@given(st.lists(known, max_size=3), st.lists(process, max_size=6))
def test_an_unknown_outcome_never_becomes_a_number(scores: list[float], signals: list[Signal]) -> None:
    assume(-1.0 not in scores)
    reward = judged(episode(*scores, None), *signals)
    assert (reward.total, reward.outcome, reward.turns) == (None, None, ())


@pytest.mark.parametrize("party", [Party.ENVIRONMENT, Party.MODEL, Party.JUDGE])
@pytest.mark.parametrize("scores", [(), (1.0,), (-1.0, -1.0)])
def test_what_others_broke_is_unknown_and_never_the_agents_zero(
    party: Party, scores: tuple[float, ...]
) -> None:
    reward = judged(episode(*scores, failure=Failure(party, "gone"), stop=StopReason.FAILED))
    assert (reward.total, reward.outcome, reward.first_wrong) == (None, None, None)
    assert party.value in reward.why and "gone" in reward.why


def test_what_the_agent_broke_is_a_failure() -> None:
    broken = episode(failure=Failure(Party.AGENT, "crashed"), stop=StopReason.FAILED)
    assert judged(broken).outcome is Outcome.FAILURE


def test_an_unjudged_mean_among_failed_checks_is_not_diluted() -> None:
    assert judged(episode(-1.0, None, None)).total == judged(episode(-1.0)).total


def test_the_first_wrong_turn_is_the_first_with_a_grave_signal() -> None:
    slight = Signal("slight", -0.1, "slight", turn=0)
    grave = Signal("grave", -0.5, "grave: order_id missing", turn=1)
    reward = judged(episode(-1.0), slight, grave, Signal("later", -1.0, "later", turn=2))
    assert reward.first_wrong == 1
    assert "order_id missing" in reward.why


def test_a_failure_nobody_explains_is_laid_at_the_last_turn() -> None:
    assert judged(episode(-1.0)).first_wrong == 2
    assert judged(episode(1.0)).first_wrong is None


def test_turns_before_the_first_wrong_one_bear_no_blame() -> None:
    rule = replace(RULE, turn_cost=0.0)
    reward = judged(episode(-1.0), Signal("grave", -0.8, "grave", turn=1), rule=rule)
    assert reward.turns[0] == 0
    assert reward.turns[1] < 0 and reward.turns[2] < 0


def test_a_discount_of_one_spreads_evenly_and_of_zero_pays_the_last_turn_alone() -> None:
    even = judged(episode(1.0), rule=replace(RULE, discount=1.0, turn_cost=0.0)).turns
    last = judged(episode(1.0), rule=replace(RULE, discount=0.0, turn_cost=0.0)).turns
    assert even[0] == pytest.approx(even[2]) and even[0] > 0
    assert last[:2] == (0, 0) and last[2] == pytest.approx(sum(even))


def test_a_milestone_earns_its_turn_more_and_cannot_be_farmed() -> None:
    milestone = Signal("milestone.paid", 1.0, "paid", turn=1)
    once = judged(episode(1.0), milestone)
    twice = judged(episode(1.0), milestone, replace(milestone, turn=2))
    assert once.total > judged(episode(1.0)).total
    assert twice.total == once.total
    assert once.turns[1] > judged(episode(1.0)).turns[1]


def test_praise_named_like_an_event_of_its_turn_is_a_milestone() -> None:
    plain = episode(1.0)
    marked = replace(plain, turns=(replace(plain.turns[0], events=("paid",)), *plain.turns[1:]))
    rule = replace(RULE, process_weight=0.0)
    praise = Signal("paid", 1.0, "paid", turn=0)
    assert judged(marked, praise, rule=rule).total > judged(plain, praise, rule=rule).total


def test_the_needed_question_and_a_hard_task_solved_pay_extra() -> None:
    asked = Signal(f"milestone.{NEEDED_QUESTION}", 1.0, "asked for the order", turn=0)
    other = replace(asked, name="milestone.other")
    assert judged(episode(1.0), asked).total > judged(episode(1.0), other).total
    assert judged(episode(1.0, difficulty=3)).total > judged(episode(1.0, difficulty=2)).total
    assert judged(episode(-1.0, difficulty=3)).total == judged(episode(-1.0, difficulty=2)).total


def test_of_two_successes_the_shorter_is_worth_more() -> None:
    assert judged(episode(1.0, turns=2)).total > judged(episode(1.0, turns=6)).total


def test_scoring_twice_equals_scoring_once_and_changes_nothing_in_place() -> None:
    raw = episode(1.0, -1.0)
    picture = repr(raw)
    once = score(raw, nothing, RULE)
    assert score(once, nothing, RULE) == once
    assert repr(raw) == picture and raw.reward is None


def test_signals_of_judges_and_users_survive_another_scoring() -> None:
    opinion = Signal("tone", 0.5, "polite", source=SignalSource.USER, turn=0)
    scored = score(replace(episode(1.0), signals=(opinion,)), nothing, RULE)
    assert opinion in scored.signals
    assert scored.reward is not None and scored.reward.total is not None
    assert scored.reward.total > judged(episode(1.0)).total


def test_what_was_verified_of_a_worlds_episode_later_stays_beside_its_own_checks() -> None:
    lint = Signal("check.lint", -1.0, "two errors", SignalKind.OUTCOME, SignalSource.CHECK)
    scored = score(replace(episode(1.0), signals=(lint,)), nothing, RULE)
    assert lint in scored.signals and len(scored.signals) == len(set(scored.signals))
    assert scored.reward == score(episode(1.0), nothing, RULE).reward
    assert score(scored, nothing, RULE) == scored


def test_the_worlds_word_replaces_a_generic_rule_of_the_same_name() -> None:
    gone = replace(episode(-1.0, turns=1))
    own = Signal("ended_without_trying", -0.9, "the world says so", turn=0)
    names = [s.why for s in score(gone, lambda _: (own,), RULE).signals if s.name == own.name]
    assert names == ["the world says so"]


def test_a_review_that_breaks_is_recorded_as_unknown() -> None:
    def broken(_: Trajectory) -> tuple[Signal, ...]:
        raise KeyError("order")

    scored = score(episode(1.0), broken, RULE)
    assert [s.score for s in scored.signals if s.name == "review"] == [None]
    assert scored.reward is not None and scored.reward.outcome is Outcome.SUCCESS


@pytest.mark.parametrize(
    "bad",
    [
        Signal("x", 2.0, "too large"),
        Signal("x", float("nan"), "no number"),
        Signal("x", 0.5, "negative weight", weight=-1.0),
        Signal("x", 0.5, "no such turn", turn=9),
    ],
)
def test_a_signal_outside_its_contract_is_refused_by_name(bad: Signal) -> None:
    with pytest.raises(FeedbackError, match="'x'"):
        score(episode(1.0), lambda _: (bad,), RULE)


@pytest.mark.parametrize(
    ("name", "value"),
    [("turn_cost", -1.0), ("hard_task_bonus", float("nan")), ("discount", 1.5), ("outcome_weight", 0.0)],
)
def test_an_impossible_rule_is_refused(name: str, value: float) -> None:
    with pytest.raises(FeedbackError, match=name):
        replace(RULE, **{name: value})  # type: ignore[arg-type]


def test_an_episode_without_turns_can_be_scored() -> None:
    reward = judged(episode(-1.0, turns=0))
    assert reward.turns == () and reward.first_wrong is None


def test_explain_has_a_row_per_signal_and_one_for_a_silent_turn_and_ends_with_the_verdict() -> None:
    scored = score(episode(1.0, -1.0), lambda _: (Signal("grave", -0.8, "no order id", turn=1),), RULE)
    rows = explain(scored)
    assert [row.turn for row in rows if row.turn is not None] == [0, 1, 2]
    assert next(row for row in rows if row.signal == "grave").why == "no order id"
    assert {"check_0", "check_1"} <= {row.signal for row in rows}
    assert rows[-1].signal == "= partial" and scored.reward is not None
    assert rows[-1].score == scored.reward.total


def test_explain_of_an_unscored_trajectory_lists_its_turns_with_unknown_credit() -> None:
    assert [row.credit for row in explain(episode(1.0))] == [None, None, None]


def test_a_signal_that_weighs_nothing_blames_no_turn() -> None:
    grave = Signal("grave", -1.0, "grave", turn=1, weight=0.0)
    assert judged(episode(1.0), grave).first_wrong is None


def test_a_weight_of_zero_takes_a_signal_out_of_sums_and_of_the_first_wrong_turn() -> None:
    fault = Signal("rude", -0.8, "w", turn=0)
    praise = Signal("kind", 0.5, "w", turn=1)
    counted = judged(episode(1.0), fault, praise)
    without = judged(episode(1.0), praise)
    muted = judged(episode(1.0), fault, praise, rule=RewardRule(weights={"rude": 0.0}))
    assert counted.first_wrong == 0
    assert muted == without
    half = judged(episode(1.0), fault, praise, rule=RewardRule(weights={"rude": 0.5}))
    assert counted.total < half.total < muted.total
    with pytest.raises(FeedbackError, match=r"feedback\.weights"):
        RewardRule(weights={"rude": -1.0})
