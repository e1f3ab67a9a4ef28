from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.errors import FeedbackError
from coevolve.feedback import LiveRule, RewardRule, score
from coevolve.feedback.outcome import Expectation, live_outcome
from coevolve.types import Failure, Outcome, Party, Reward, Signal, SignalSource, StopReason, check_signal
from live_samples import outcome_signal, talk

RULE = LiveRule()
USER, SIGNS = SignalSource.USER, SignalSource.BEHAVIOUR
TALK = talk(("Where is it?", "On its way."))


def rewarded(*signals: Signal, expected: Expectation | None = None) -> Reward:
    heard = replace(TALK, signals=signals)
    reward = score(heard, lambda _: (), RewardRule(), expected or Expectation()).reward
    assert reward is not None
    return reward


def test_explicit_and_implicit_weigh_seven_to_three_on_zero_to_one() -> None:
    judged = live_outcome([outcome_signal(USER, 1.0), outcome_signal(SIGNS, -0.4)], RULE, Expectation())
    assert judged.mean == pytest.approx(2 * (0.7 * 1.0 + 0.3 * 0.3) - 1)
    assert judged.outcome is Outcome.SUCCESS


def test_a_silent_user_is_neutral_of_low_confidence_and_passes_no_threshold() -> None:
    silent = rewarded()
    assert silent.outcome is None
    assert silent.total == pytest.approx(0.0, abs=0.02)
    assert silent.confidence < RULE.least_confidence
    for sign in (-1.0, 1.0):
        heard = rewarded(outcome_signal(SIGNS, sign))
        assert heard.outcome is None
        assert heard.total is not None
        assert heard.total * sign > 0  # it leans, and decides nothing


@pytest.mark.parametrize(("stars", "outcome"), [(1.0, "success"), (0.0, "partial"), (-1.0, "failure")])
def test_a_user_who_speaks_decides(stars: float, outcome: str) -> None:
    assert rewarded(outcome_signal(USER, stars)).outcome == outcome


def test_one_angry_voice_among_content_ones_is_no_failure() -> None:
    angry = rewarded(outcome_signal(USER, -1.0), expected=Expectation(0.9, 2.0))
    assert angry.outcome is not Outcome.FAILURE
    assert rewarded(outcome_signal(USER, -1.0)).outcome is Outcome.FAILURE
    among_angry = rewarded(outcome_signal(USER, -1.0), expected=Expectation(0.1, 2.0))
    assert among_angry.outcome is Outcome.FAILURE


def test_a_reviewer_outweighs_the_user_and_figures_count_where_they_arrive() -> None:
    star = outcome_signal(USER, 1.0)
    assert rewarded(star, outcome_signal(SignalSource.REVIEWER, -1.0)).outcome is not Outcome.SUCCESS
    late = outcome_signal(SignalSource.BUSINESS, -1.0)
    before, after = rewarded(star).total, rewarded(star, late).total
    assert before is not None
    assert after is not None
    assert after < before - 0.5


def test_what_was_verified_weighs_as_much_as_user_and_behaviour_together() -> None:
    passed, failed = (outcome_signal(SignalSource.CHECK, score) for score in (1.0, -1.0))
    assert rewarded(passed).outcome is Outcome.SUCCESS
    assert rewarded(failed).outcome is Outcome.FAILURE
    assert rewarded(failed, outcome_signal(USER, 1.0)).outcome is Outcome.PARTIAL
    assert rewarded(outcome_signal(SignalSource.CHECK, None)) == rewarded()


def test_a_check_of_the_session_itself_is_heard_beside_its_user() -> None:
    own = replace(TALK, checks=(check_signal("tests", False),))
    thumb = outcome_signal(USER, 1.0)
    alone = score(own, lambda _: (), RewardRule()).reward
    both = score(replace(own, signals=(thumb,)), lambda _: (), RewardRule()).reward
    assert alone is not None and both is not None
    assert (alone.outcome, both.outcome) == (Outcome.FAILURE, Outcome.PARTIAL)


def test_a_check_that_is_not_counted_fails_no_session_that_broke_either() -> None:
    broken = replace(
        TALK,
        checks=(check_signal("tests", True),),
        signals=(check_signal("lint", False),),
        failure=Failure(Party.AGENT, "it raised ValueError"),
        stop=StopReason.FAILED,
    )
    counted = score(broken, lambda _: (), RewardRule()).reward
    muted = score(broken, lambda _: (), RewardRule(weights={"check.lint": 0.0})).reward
    assert counted is not None and muted is not None
    assert "failed: check.lint" in counted.why
    assert muted.outcome is Outcome.PARTIAL and "every check passed" in muted.why


def test_an_unknown_signal_changes_nothing() -> None:
    known = [outcome_signal(USER, 0.5), outcome_signal(SIGNS, -0.2)]
    unknown = [outcome_signal(source, None) for source in SignalSource]
    assert live_outcome(known, RULE, Expectation()) == live_outcome([*known, *unknown], RULE, Expectation())


@given(
    st.lists(st.floats(-1, 1), max_size=4),
    st.lists(st.floats(-1, 1), max_size=4),
    st.floats(0, 1),
    st.floats(0, 9),
)
def test_a_live_value_is_bounded_and_better_words_are_never_worse(
    said: list[float], signs: list[float], mean: float, strength: float
) -> None:
    expected = Expectation(mean, strength)
    signals = [*(outcome_signal(USER, x) for x in said), *(outcome_signal(SIGNS, x) for x in signs)]
    judged = live_outcome(signals, RULE, expected)
    assert judged.mean is not None
    assert -1 <= judged.mean <= 1
    assert 0 <= judged.confidence <= 1
    better = [outcome_signal(one.source, min(1.0, (one.score or 0.0) + 0.3)) for one in signals]
    other = live_outcome(better, RULE, expected)
    assert other.mean is not None
    assert other.mean >= judged.mean - 1e-9


def test_the_reason_shows_the_sum() -> None:
    why = rewarded(outcome_signal(USER, 1.0), outcome_signal(SIGNS, -0.4)).why
    assert why.startswith("success: 0.79 = user 1.00 x 0.7 (1 heard) + behaviour 0.30 x 0.3 (1 signs)")


@pytest.mark.parametrize(
    "wrong",
    [{"user": -1.0}, {"prior_confidence": 2.0}, {"user": 0.0, "behaviour": 0.0}, {"failure_at": 0.9}],
)
def test_an_impossible_rule_is_refused_with_its_field(wrong: dict[str, float]) -> None:
    with pytest.raises(FeedbackError, match=r"LiveRule"):
        LiveRule(**wrong)
