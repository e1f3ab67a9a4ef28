from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from coevolve.feedback.behaviour import (
    behaviour_signals,
    letters_alike,
    norms_of,
    user_messages,
)
from coevolve.types import Action, StopReason, Trajectory
from live_samples import talk

USUAL = [
    talk((f"Where is order {k}?", f"It arrives on day {k} and will be brought to you."), name=f"n{k}")
    for k in range(40)
]


def names(trajectory: Trajectory, *, norms: bool = True) -> list[tuple[str, int | None]]:
    found = behaviour_signals(trajectory, norms_of(USUAL) if norms else {}, letters_alike)
    return [(one.name.removeprefix("behaviour."), one.turn) for one in found]


def test_an_ordinary_session_gives_no_sign() -> None:
    assert [names(one) for one in USUAL[:5]] == [[]] * 5


def test_a_repeated_question_blames_the_answer_before_it() -> None:
    asked = talk(
        ("Where is my order 5521?", "It arrives on day 4 and will be brought to you."),
        ("Fine. And can I pay by card?", "You can pay by card and by bank transfer too."),
        ("Where is my order 5521", "It arrives on day 4 and will be brought to you."),
    )
    assert names(asked) == [("repeated_question", 1)]


def test_the_same_question_in_other_words_needs_meaning_and_other_questions_do_not_count() -> None:
    asked = talk(
        ("How long may I send it back?", "It arrives on day 4 and will be brought to you."),
        ("What is the return period?", "It arrives on day 4 and will be brought to you."),
    )
    assert names(asked) == []  # no letters in common

    def by_meaning(texts: object) -> np.ndarray:
        return np.array([[1.0, 0.8], [0.8, 1.0]])

    found = behaviour_signals(asked, {}, by_meaning)
    assert [(one.name, one.turn) for one in found] == [("behaviour.rephrased_question", 0)]


def test_interruption_escalation_and_low_hits_are_signs_on_their_turn() -> None:
    searched = [
        replace(
            one, turns=(replace(one.turns[0], events=(f"retrieval_score:{0.8 + k / 1000}",)), *one.turns[1:])
        )
        for k, one in enumerate(USUAL)
    ]
    base = talk(("Hi, where is it?", "It arrives on day 4 and will be brought to you."))
    turn = replace(base.turns[0], events=("interrupted", "retrieval_score:0.2"))
    handed = replace(
        turn, index=1, observation="A human!", action=Action("escalate", {"reason": "angry"}), events=()
    )
    found = behaviour_signals(replace(base, turns=(turn, handed)), norms_of(searched), letters_alike)
    assert [(one.name, one.turn) for one in found] == [
        ("behaviour.interruption", 0),
        ("behaviour.low_retrieval", 0),
        ("behaviour.escalation", 1),
    ]


def test_unusual_lengths_and_many_turns_are_held_against_the_same_type() -> None:
    short = talk(("Where is it?", "No."))
    assert names(short) == [("unusual_length", 0)]
    assert names(short, norms=False) == []
    assert names(replace(short, task=replace(short.task, type="another type"))) == []
    answers = [f"Well, number {k} is not it, so tell me some more please." for k in range(6)]
    long = talk(*[(f"{k} {'abcdefgh'[k] * 9}?", answer) for k, answer in enumerate(answers)])
    assert ("many_turns", None) in names(long)


def test_leaving_is_a_bad_sign_and_thanks_a_good_one() -> None:
    base = talk(
        ("Where is order 9?", "It arrives on day 9 and will be brought to you."),
        ("Thanks a lot, that is all!", "You are welcome, and have a very good day then."),
    )
    found = behaviour_signals(base, norms_of(USUAL), letters_alike)
    assert [(one.name, one.score) for one in found] == [("behaviour.thanks", 0.5)]
    left = behaviour_signals(replace(USUAL[0], stop=StopReason.LEFT), norms_of(USUAL), letters_alike)
    assert [(one.name, one.score) for one in left] == [("behaviour.abandonment", -0.6)]


@pytest.mark.parametrize(
    ("last", "sign"),
    [
        ("That did not help at all.", ["behaviour.abandonment"]),
        ("Fine, but now it does not even start any more.", ["behaviour.abandonment"]),
        ("Okay, bye.", []),
        ("Thanks, that is all.", ["behaviour.thanks"]),
    ],
)
def test_who_leaves_with_a_farewell_gave_nothing_up(last: str, sign: list[str]) -> None:
    base = USUAL[0]
    turns = (*base.turns[:-1], replace(base.turns[-1], result=last))
    found = behaviour_signals(replace(base, turns=turns, stop=StopReason.LEFT), {}, letters_alike)
    assert [one.name for one in found] == sign


def test_messages_are_the_users_and_no_tools_results() -> None:
    base = talk(("One?", "Two."), ("Three?", "Four."))
    called = replace(base.turns[0], action=Action("search", {"query": "x"}), result="3 found")
    after = replace(base.turns[1], observation="3 found")
    assert user_messages(replace(base, turns=(called, after))) == [(0, "One?")]
    last = replace(base.turns[1], result="Thanks.")
    assert user_messages(replace(base, turns=(base.turns[0], last))) == [
        (0, "One?"),
        (1, "Three?"),
        (2, "Thanks."),
    ]


def test_letters_are_alike_to_themselves_and_symmetric() -> None:
    alike = letters_alike(["Where is it?", "where IS it", "", "Quite another thing"])
    assert np.allclose(alike, alike.T)
    assert np.allclose(np.diag(alike), 1)
    assert alike[0, 1] == 1
    assert alike[0, 3] < 0.2
