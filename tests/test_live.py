from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from coevolve.feedback import RewardRule, score
from coevolve.feedback.statements import Figure
from coevolve.feedback.trust import JudgeFloor
from coevolve.live import Listening, fared, overruled, score_live, taught
from coevolve.registry import Registry, make_version
from coevolve.store import Store
from coevolve.store.ingest.spans import Span
from coevolve.store.pools import append_pool
from coevolve.store.spans import append_spans, settle
from coevolve.store.statements import append_statements
from coevolve.types import Outcome, Signal, SignalKind, SignalSource, Split, Standing, StatementKind
from live_samples import outcome_signal, says, talk
from span_samples import NOW_S, as_json, span

LISTENING = Listening(figures={"follow_up_ticket": Figure(good=0, bad=1)})


def of(store: Store, name: str) -> tuple[Outcome | None, float]:
    reward = store.get(f"t-{name}").reward
    assert reward is not None
    assert reward.total is not None
    return reward.outcome, reward.total


def test_a_word_that_comes_days_later_changes_the_reward_and_names_the_versions_that_learned(
    store: Store,
) -> None:
    store.append([talk(("Where is it?", "On its way."), name=name) for name in ("a", "b")])
    append_statements(store.database, [says(StatementKind.STARS, 5, session="a")])
    first = score_live(store, LISTENING)
    assert [one.id for one in first.scored] == ["t-a", "t-b"]  # of b nobody spoke, but it is new
    assert of(store, "a")[0] is Outcome.SUCCESS
    registry = Registry(store.database)
    base = make_version(base="m", harness={})
    registry.add(base, Standing.CHAMPION)
    append_pool(store.database, "p1", path="x", sources=["t-a"])
    append_pool(store.database, "p2", path="y", sources=["t-b"])
    learned = make_version(base="m", harness={}, parent=base.id, pool="p1")
    registry.add(learned)
    registry.add(make_version(base="m", harness={}, parent=base.id, pool="p2"))
    assert taught(store, registry) == {}
    late = says(StatementKind.FIGURE, {"name": "follow_up_ticket", "value": 1}, session="a")
    append_statements(store.database, [late])
    second = score_live(store, LISTENING)
    assert second.changed == ("t-a",)
    assert of(store, "a")[0] is not Outcome.SUCCESS
    assert taught(store, registry) == {learned.id: ["t-a"]}
    assert score_live(store, LISTENING).scored == ()
    assert taught(store, registry) == {learned.id: ["t-a"]}  # whoever asks, and whenever


def test_a_session_nobody_spoke_of_is_scored_neutral_where_it_is_asked_for(store: Store) -> None:
    store.append([talk(("Where is it?", "On its way."), name="a")])
    found = score_live(store, LISTENING, ["a"])
    outcome, total = of(store, "a")
    assert outcome is None
    assert total == pytest.approx(0.0, abs=0.02)
    assert found.changed == ("t-a",)  # from nothing to neutral
    assert score_live(store, LISTENING, ["a"]).changed == ()


def test_a_judges_signals_stay_and_users_are_read_anew(store: Store) -> None:
    judged = replace(
        talk(("q", "a"), name="a"),
        signals=(outcome_signal(SignalSource.JUDGE, 1.0), outcome_signal(SignalSource.USER, -1.0)),
    )
    store.append([judged])
    append_statements(store.database, [says(StatementKind.THUMB, True, session="a")])
    (found,) = score_live(store, LISTENING).scored
    assert [(s.source, s.score) for s in found.signals if s.score is not None] == [
        (SignalSource.JUDGE, 1.0),
        (SignalSource.USER, 1.0),
    ]


def stars(store: Store, given: Mapping[str, int]) -> None:
    append_statements(
        store.database, [says(StatementKind.STARS, value, session=name) for name, value in given.items()]
    )


CONTENT = {f"s{k}": 5 for k in range(1, 12)}


@pytest.mark.parametrize(
    "batches",
    [
        pytest.param([CONTENT, {"s0": 1}], id="last"),
        pytest.param([{"s0": 1}, CONTENT], id="first"),
        pytest.param([{"s0": 1, **CONTENT}], id="with the others"),
    ],
)
def test_one_angry_user_among_content_ones_is_no_failure_whenever_it_is_heard(
    store: Store, batches: list[dict[str, int]]
) -> None:
    questions = ("Where is my order 4711?", "Where is my order 5512?", "where is my order 18")
    store.append([talk((questions[k % 3], "On its way."), name=f"s{k}") for k in range(12)])
    for some in batches:
        stars(store, some)
        score_live(store, LISTENING)
    found = {name: of(store, name)[0] for name in ("s0", *CONTENT)}
    assert found.pop("s0") is Outcome.PARTIAL
    assert set(found.values()) == {Outcome.SUCCESS}
    assert score_live(store, LISTENING).scored == ()


def test_many_angry_users_of_one_question_are_heard_among_content_ones_of_another(store: Store) -> None:
    asked = {"late": "Where is my order?", "price": "What does the lamp cost in blue?"}
    names = {f"{kind}{k}": text for kind, text in asked.items() for k in range(8)}
    store.append([talk((text, "On its way."), name=name) for name, text in names.items()])
    stars(store, {name: 1 if name.startswith("late") else 5 for name in names})
    score_live(store, LISTENING)
    assert {of(store, name)[0] for name in names if name.startswith("late")} == {Outcome.FAILURE}
    assert {of(store, name)[0] for name in names if name.startswith("price")} == {Outcome.SUCCESS}


def test_who_is_alone_is_heard_as_they_speak_and_who_says_nothing_stays_neutral(store: Store) -> None:
    store.append([talk(("Where is it?", "On its way."), name=name) for name in ("a", "b")])
    stars(store, {"a": 1})
    score_live(store, LISTENING)
    assert of(store, "a")[0] is Outcome.FAILURE
    outcome, total = of(store, "b")
    assert outcome is None
    assert total == pytest.approx(0.0, abs=0.02)


def test_questions_are_compared_by_the_nearness_that_is_handed_in(store: Store) -> None:
    texts = ["Where is my parcel?", "Has my package been sent?", "When will it arrive?"]
    store.append([talk((text, "Soon."), name=f"s{k}") for k, text in enumerate(texts)])
    store.append([talk((f"{'xyzw'[k] * 12}?", "Hm."), name=f"o{k}") for k in range(4)])
    stars(store, {"s0": 1, "s1": 1, "s2": 1, **{f"o{k}": 5 for k in range(4)}})

    def by_meaning(some: Sequence[str]) -> np.ndarray:
        about_N = np.array([one in texts for one in some])
        return np.where(np.eye(len(some)) + np.outer(about_N, about_N), 1.0, 0.0)

    score_live(store, LISTENING)
    assert of(store, "s0")[0] is Outcome.PARTIAL  # by letters it is like no other
    score_live(store, replace(LISTENING, nearness=by_meaning), ["s0"])
    assert of(store, "s0")[0] is Outcome.FAILURE


def test_a_question_asked_again_in_the_sessions_next_trace_lowers_the_reward_of_the_first(
    store: Store,
) -> None:
    def trace(number: int, *messages: str) -> Span:
        heard = [{"role": "user", "content": text} for text in messages]
        said = [{"role": "assistant", "content": "It arrives soon and will be brought to you."}]
        told = {**as_json(heard, said), "session.id": "s-9"}
        return span(1, trace=f"{number:032x}", at_s=number, attributes=told)

    asked = ("Where is my order 5521?", "Can I pay by card?", "Where is my order 5521")
    for k in range(3):
        append_spans(store, [trace(k, *asked[: k + 1])], NOW_S + 100 * k)
        settle(store, NOW_S + 100 * k + 50)
        score_live(store, LISTENING)
    signs = [[s.name for s in one.signals if s.source is SignalSource.BEHAVIOUR] for one in store.find()]
    assert signs == [[], ["behaviour.repeated_question"], []]
    (blamed,) = [one.reward.total for one in store.find() if one.reward and one.id == f"{1:032x}"]
    assert blamed is not None and blamed < -0.1


def test_a_word_that_says_nothing_new_is_taken_in_once(store: Store) -> None:
    store.append([talk(("q", "a"), name="a")])
    same = says(StatementKind.STARS, 5, session="a")
    append_statements(store.database, [same, replace(same, id="again")])
    assert len(score_live(store, LISTENING).scored) == 1
    append_statements(store.database, [replace(same, id="and again")])
    assert len(score_live(store, LISTENING).scored) == 1
    assert score_live(store, LISTENING).scored == ()


def test_a_word_that_cannot_be_read_costs_no_other_its_place(store: Store) -> None:
    store.append([talk(("Where is it?", "On its way."), name="a")])
    given = [
        says(StatementKind.STARS, 17, session="a"),
        says(StatementKind.THUMB, True, session="a", turn=9),
        says(StatementKind.SOLVED, True, session="a"),
    ]
    append_statements(store.database, given)
    (found,) = score_live(store, LISTENING).scored
    said = [(s.name, s.score) for s in found.signals if s.source is SignalSource.USER]
    assert said == [("statement.unreadable", None), ("user.thumb", None), ("user.solved", 1.0)]
    assert found.reward is not None
    assert found.reward.outcome is Outcome.SUCCESS


def test_a_judge_that_people_overrule_is_not_counted_unless_its_weight_is_given(store: Store) -> None:
    names = [f"s{k}" for k in range(12)]
    wrong = outcome_signal(SignalSource.JUDGE, 1.0)
    store.append([replace(talk(("q", "a"), name=name), signals=(wrong,)) for name in names])
    bad = {"score": -1, "why": "it answers nothing"}
    append_statements(store.database, [says(StatementKind.LABEL, bad, session=name) for name in names[:-1]])
    trusted = replace(LISTENING, floor=JudgeFloor(trusted=frozenset({"judge.x"})))
    assert score_live(store, trusted).muted == ("judge.x",)  # by labels that came just now
    assert score_live(store, LISTENING, ["s11"]).muted == ("judge.x",)
    outcome, total = of(store, "s11")
    assert (outcome, round(total, 2)) == (None, 0.0)
    kept = replace(LISTENING, rule=RewardRule(weights={"judge.x": 1.0}))
    score_live(store, kept, ["s11"])
    assert of(store, "s11")[1] > 0.3


def test_a_session_that_was_judged_and_not_scored_is_scored_once(store: Store) -> None:
    store.append([replace(talk(("q", "a"), name="a"), signals=(outcome_signal(SignalSource.JUDGE, 1.0),))])
    (found,) = score_live(store, LISTENING).scored
    assert found.reward is not None and score_live(store, LISTENING).scored == ()


def test_a_judge_that_nobody_measured_is_kept_and_moves_no_reward(store: Store) -> None:
    said = outcome_signal(SignalSource.JUDGE, 1.0)
    store.append([replace(talk(("q", "a"), name="a"), signals=(said,))])
    heard = score_live(store, LISTENING, ["a"])
    assert heard.muted == ("judge.x",)
    assert said in heard.scored[0].signals
    assert of(store, "a")[1] == pytest.approx(0.0, abs=0.02)
    score_live(store, replace(LISTENING, floor=JudgeFloor(trusted=frozenset({"judge.x"}))), ["a"])
    assert of(store, "a")[1] > 0.3


def test_a_judge_counts_from_the_labels_on_that_measure_it(store: Store) -> None:
    good = {f"s{k}": k % 2 == 0 for k in range(12)}
    store.append(
        [
            replace(
                talk(("q", "a"), name=name),
                signals=(outcome_signal(SignalSource.JUDGE, 1.0 if fine else -1.0),),
            )
            for name, fine in good.items()
        ]
    )
    labels = [
        says(StatementKind.LABEL, {"score": 1 if fine else -1, "why": "I read it"}, session=name)
        for name, fine in good.items()
        if name != "s0"
    ]
    append_statements(store.database, labels)
    score_live(store, LISTENING)
    assert score_live(store, LISTENING, ["s0"]).muted == ()
    assert of(store, "s0")[1] > 0.3


def test_a_run_heeds_labels_against_its_rules_and_no_judge_that_was_not_measured(store: Store) -> None:
    task = replace(talk(("q", "a")).task, split=Split.TRAIN)
    praise = Signal("polite", 1.0, "it says please", SignalKind.OUTCOME, SignalSource.RULE)
    spoken = (praise, outcome_signal(SignalSource.JUDGE, 1.0))
    names = [f"s{k}" for k in range(8)]
    store.append([replace(talk(("q", "a"), name=name, task=task), signals=spoken) for name in names])
    bad = {"score": -1, "why": "it is not", "signal": "polite"}
    append_statements(store.database, [says(StatementKind.LABEL, bad, session=name) for name in names])
    by_name = {one.name: one for one in fared(store, JudgeFloor())}  # before any scoring knows of them
    assert (by_name["polite"].labelled, by_name["polite"].muted, by_name["judge.x"].muted) == (8, True, True)
    assert overruled(store, LISTENING) == ("polite",)


def test_what_a_world_checked_keeps_its_reward_beside_what_people_say(store: Store) -> None:
    check = Signal("end", -1.0, "w", SignalKind.OUTCOME, SignalSource.CHECK)
    task = replace(talk(("q", "a")).task, split=Split.TRAIN)
    played = score(talk(("q", "a"), name="a", task=task, checks=(check,)), lambda _: (), LISTENING.rule)
    store.append([played])
    append_statements(store.database, [says(StatementKind.LABEL, {"score": 1, "why": "fine"}, session="a")])
    (found,) = score_live(store, LISTENING).scored
    assert found.reward == played.reward
    assert [s.name for s in found.signals if s.source is SignalSource.REVIEWER] == ["reviewer.label"]
    assert score_live(store, LISTENING).scored == ()
