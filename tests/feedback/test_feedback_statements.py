from __future__ import annotations

from typing import Any

import pytest

from coevolve.errors import FeedbackError
from coevolve.feedback.statements import Figure, refusal, statement_signals
from coevolve.types import SignalKind, SignalSource, StatementKind
from live_samples import says, talk

TALK = talk(("Where is my order?", "It arrives on Monday at your door, between nine and noon."))
FIGURES = {"follow_up_ticket": Figure(good=0, bad=1), "revenue": Figure(good=100, bad=0, weight=2.0)}


def score_of(kind: StatementKind, value: Any) -> float | None:
    return statement_signals(TALK, [says(kind, value)], FIGURES)[0].score


@pytest.mark.parametrize(
    ("kind", "value", "score"),
    [
        (StatementKind.STARS, 5, 1.0),
        (StatementKind.STARS, 3, 0.0),
        (StatementKind.STARS, 1, -1.0),
        (StatementKind.THUMB, True, 1.0),
        (StatementKind.THUMB, False, -1.0),
        (StatementKind.SOLVED, False, -1.0),
        (StatementKind.TEXT, "never again!", None),
        (StatementKind.FIGURE, {"name": "follow_up_ticket", "value": True}, -1.0),
        (StatementKind.FIGURE, {"name": "revenue", "value": 75}, 0.5),
        (StatementKind.FIGURE, {"name": "revenue", "value": 4000}, 1.0),
        (StatementKind.FIGURE, {"name": "unheard_of", "value": 3}, None),
        (StatementKind.CHECK, {"name": "tests", "passed": True}, 1.0),
        (StatementKind.CHECK, {"name": "tests", "passed": False, "why": "2 of 7 failed"}, -1.0),
        (StatementKind.CHECK, {"name": "tests", "passed": None, "why": "the runner died"}, None),
        (StatementKind.LABEL, {"score": -0.5, "why": "half of it is wrong"}, -0.5),
        (StatementKind.LABEL, {"score": None, "why": "cannot tell"}, None),
    ],
)
def test_each_kind_of_statement_has_its_score(kind: StatementKind, value: Any, score: float | None) -> None:
    assert score_of(kind, value) == score


def test_the_less_of_an_answer_was_kept_the_worse_it_was() -> None:
    kept = score_of(StatementKind.EDIT, "It arrives on Monday at your door, between nine and noon.")
    mended = score_of(StatementKind.EDIT, "It arrives on Tuesday at your door, between nine and noon.")
    replaced = score_of(StatementKind.EDIT, "We lost it. Sorry.")
    assert kept == 1.0
    assert mended is not None
    assert replaced is not None
    assert -1 <= replaced < 0 < mended < 1


def test_signals_say_who_spoke_of_which_turn_and_what_they_weigh() -> None:
    given = [
        says(StatementKind.STARS, 2, turn=0),
        says(StatementKind.FIGURE, {"name": "revenue", "value": 1}),
        says(StatementKind.TEXT, "well\n  well"),
        says(StatementKind.LABEL, {"score": 1, "why": ""}),
    ]
    stars, figure, text, label = statement_signals(TALK, given, FIGURES)
    assert (stars.source, stars.turn, stars.kind) == (SignalSource.USER, 0, SignalKind.OUTCOME)
    assert (figure.source, figure.name, figure.weight) == (SignalSource.BUSINESS, "business.revenue", 2.0)
    assert (text.kind, text.why) == (SignalKind.EXPLANATORY, "the user wrote: well well")
    assert label.source is SignalSource.REVIEWER


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (StatementKind.STARS, 6),
        (StatementKind.STARS, True),
        (StatementKind.STARS, float("nan")),
        (StatementKind.THUMB, "up"),
        (StatementKind.SOLVED, None),
        (StatementKind.TEXT, 3),
        (StatementKind.EDIT, {}),
        (StatementKind.FIGURE, {"name": "revenue"}),
        (StatementKind.FIGURE, {"name": "revenue", "value": "much"}),
        (StatementKind.CHECK, {"name": "tests"}),
        (StatementKind.CHECK, {"name": " ", "passed": True}),
        (StatementKind.CHECK, {"name": "tests", "passed": "yes"}),
        (StatementKind.CHECK, {"name": "tests", "passed": True, "why": 3}),
        (StatementKind.LABEL, {"score": 2, "why": ""}),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_statement(kind: StatementKind, value: Any) -> None:
    with pytest.raises(FeedbackError, match="statement s1/"):
        score_of(kind, value)


def test_an_edit_of_a_turn_that_said_nothing_is_unknown() -> None:
    silent = says(StatementKind.EDIT, "better", turn=7)
    assert statement_signals(TALK, [silent], FIGURES)[0].score is None


def test_a_figure_that_is_best_and_worst_at_once_is_refused() -> None:
    with pytest.raises(FeedbackError, match="says nothing"):
        Figure(good=1, bad=1)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (StatementKind.FIGURE, {"name": "x", "value": [1]}),
        (StatementKind.FIGURE, {"name": "x", "value": 10**400}),
        (StatementKind.FIGURE, {"name": "x", "value": True, "more": float("nan")}),
        (StatementKind.LABEL, {"score": 1, "why": "x", "signal": 3}),
        (StatementKind.STARS, 6),
    ],
)
def test_what_no_reward_could_read_is_told_before_it_is_kept(kind: StatementKind, value: Any) -> None:
    assert refusal(says(kind, value)) is not None


def test_what_can_be_read_is_not_refused_whatever_turn_it_names() -> None:
    assert refusal(says(StatementKind.THUMB, True, turn=99)) is None
    assert refusal(says(StatementKind.FIGURE, {"name": "unheard_of", "value": 3})) is None


def test_a_check_says_what_was_verified_and_one_on_a_turn_judges_the_turn() -> None:
    sent = {"name": "tests", "passed": False, "why": "2 of 7 failed"}
    whole, turn = statement_signals(
        TALK, [says(StatementKind.CHECK, sent), says(StatementKind.CHECK, sent, turn=0)], {}
    )
    assert (whole.name, whole.why) == ("check.tests", "tests failed: 2 of 7 failed")
    assert (whole.source, whole.kind, whole.turn) == (SignalSource.CHECK, SignalKind.OUTCOME, None)
    assert (turn.kind, turn.turn) == (SignalKind.PROCESS, 0)


def test_a_label_on_a_turn_judges_the_turn_and_one_on_a_signal_nothing() -> None:
    turn = statement_signals(TALK, [says(StatementKind.LABEL, {"score": -1, "why": ""}, turn=0)], {})[0]
    named = statement_signals(TALK, [says(StatementKind.LABEL, {"score": -1, "why": "", "signal": "x"})], {})[
        0
    ]
    assert (turn.name, turn.kind, turn.turn) == ("reviewer.label", SignalKind.PROCESS, 0)
    assert (named.name, named.kind) == ("reviewer.on.x", SignalKind.EXPLANATORY)
