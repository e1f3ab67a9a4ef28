from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from coevolve.feedback.behaviour import (
    Nearness,
    Norm,
    behaviour_signals,
    letters_alike,
    norms_of,
    user_messages,
)
from coevolve.types import Action, Signal, StopReason, Trajectory
from live_samples import talk

USUAL = [
    talk((f"Where is order {k}?", f"It arrives on day {k} and will be brought to you."), name=f"n{k}")
    for k in range(40)
]


NORMS = norms_of([one] for one in USUAL)


def signs(
    trajectory: Trajectory, norms: Mapping[str, Norm] = NORMS, nearness: Nearness = letters_alike
) -> tuple[Signal, ...]:
    return behaviour_signals([trajectory], norms, nearness)[trajectory.id]


def names(trajectory: Trajectory, *, norms: bool = True) -> list[tuple[str, int | None]]:
    found = signs(trajectory, NORMS if norms else {})
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

    found = signs(asked, {}, by_meaning)
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
    found = signs(replace(base, turns=(turn, handed)), norms_of([one] for one in searched))
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
    found = signs(base)
    assert [(one.name, one.score) for one in found] == [("behaviour.thanks", 0.5)]
    left = signs(replace(USUAL[0], stop=StopReason.LEFT))
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
    found = signs(replace(base, turns=turns, stop=StopReason.LEFT))
    assert [one.name for one in found] == sign


@pytest.mark.parametrize(
    ("last", "sign"), [("That did not help at all.", ["behaviour.abandonment"]), ("Thanks, that is all.", [])]
)
@pytest.mark.parametrize("answered", [True, False])
def test_a_farewell_counts_where_it_has_a_trajectory_of_its_own(
    last: str, sign: list[str], answered: bool
) -> None:
    farewell = replace(talk((last, "Bye."), name="end"), stop=StopReason.LEFT)
    if not answered:
        farewell = replace(farewell, turns=())
    found = behaviour_signals([USUAL[0], farewell], {}, letters_alike)
    assert [one.name for one in found[farewell.id]] == sign


def test_an_agent_that_speaks_twice_in_a_row_and_signs_without_letters_repeat_no_question() -> None:
    spoke = talk(("Where is order 9?", "One moment."), ("", "It comes on Monday."), ("", "Anything else?"))
    assert names(spoke, norms=False) == []
    assert [text for _, text in user_messages(spoke)] == ["Where is order 9?"]
    assert names(talk(("👍", "Yes?"), ("👎", "No?")), norms=False) == []
    assert names(talk(("?", "Yes?"), ("? ", "Yes?")), norms=False) == [("repeated_question", 0)]


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


OFTEN = ("Where is my order 5521?", "Can I pay by card?", "Where is my order 5521")
ANSWER = "It arrives on day 4 and will be brought to you."


def requests(messages: Sequence[str], tell: Callable[[Sequence[str]], str]) -> list[Trajectory]:
    """One trajectory a message; `tell` says what each request tells of the messages up to its own."""
    return [
        talk((tell(messages[: k + 1]), ANSWER), name=f"r{k}", session_id="s") for k in range(len(messages))
    ]


@pytest.mark.parametrize(
    "tell",
    [
        pytest.param(lambda said: said[-1], id="what is new alone"),
        pytest.param("\n".join, id="all of it"),
        pytest.param(lambda said: "\n".join(said[-2:]), id="the latest part"),
    ],
)
def test_a_question_repeated_in_a_later_request_blames_the_answer_before_it(
    tell: Callable[[Sequence[str]], str],
) -> None:
    session = requests(OFTEN, tell)
    found = behaviour_signals(session, {}, letters_alike)
    told = [[(one.name, one.turn) for one in found[t.id]] for t in session]
    assert told == [[], [("behaviour.repeated_question", 0)], []]
    assert "message 3 of the user repeats message 1" in found["t-r1"][0].why


def test_what_requests_tell_again_is_no_repetition_though_tools_answered_between() -> None:
    first = talk(("Where is it?", "x"), ("3 found", "On its way."), name="a", session_id="s")
    called = replace(first.turns[0], action=Action("search", {}), result="3 found")
    first = replace(first, turns=(called, first.turns[1]))
    second = talk(("Where is it?\n3 found\nAnd my refund?", "Soon."), name="b", session_id="s")
    again = talk(
        ("Where is it?", "On its way."),
        ("And my refund?", "Soon."),
        ("Do you ship to Oulu?", "We do."),
        name="c",
        session_id="s",
    )
    assert not any(behaviour_signals([first, second], {}, letters_alike).values())
    plain = [talk((text, ANSWER), name=text) for text in ("Where is it?", "And my refund?")]
    assert not any(behaviour_signals([*plain, again], {}, letters_alike).values())


def test_turns_are_counted_over_the_session_and_each_once() -> None:
    messages = [f"{'abcdefgh'[k] * 9}?" for k in range(6)]
    apart = requests(messages, lambda said: said[-1])
    names_of = [[s.name for s in some] for some in behaviour_signals(apart, NORMS, letters_alike).values()]
    assert names_of == [[], [], [], ["behaviour.many_turns"], *[["behaviour.many_turns"]] * 2]
    usual = [[one, replace(one, id=f"{one.id}-2")] for one in USUAL]
    assert norms_of(usual)["live"].turns_most == NORMS["live"].turns_most + 1
    grown = [talk(*[(text, ANSWER) for text in messages[: k + 1]], name=f"g{k}") for k in range(3)]
    assert not any(behaviour_signals(grown, NORMS, letters_alike).values())  # 1 + 1 + 1 turns, not 1 + 2 + 3


def test_thanks_in_a_later_request_are_for_the_answer_before() -> None:
    session = requests(["Where is it?", "Thanks, that is all."], lambda said: said[-1])
    found = behaviour_signals(session, {}, letters_alike)
    assert [[one.name for one in some] for some in found.values()] == [["behaviour.thanks"], []]


def test_a_session_without_end_is_held_against_its_latest_messages_alone() -> None:
    asked: list[int] = []

    def counted(texts: Sequence[str]) -> np.ndarray:
        asked.append(len(texts))
        return np.eye(len(texts))

    behaviour_signals(requests([f"q{k}" for k in range(900)], lambda said: said[-1]), {}, counted)
    assert max(asked) <= 400


def test_letters_are_alike_to_themselves_and_symmetric() -> None:
    alike = letters_alike(["Where is it?", "where IS it", "", "Quite another thing"])
    assert np.allclose(alike, alike.T)
    assert np.allclose(np.diag(alike), 1)
    assert alike[0, 1] == 1
    assert alike[0, 3] < 0.2
    assert letters_alike([]).shape == (0, 0)
    assert letters_alike(["", "?", "?"]).tolist() == [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
