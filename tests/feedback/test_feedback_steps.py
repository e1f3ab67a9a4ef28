"""A teacher model on steps: what it says of each, what it leaves open, and how people measure it."""

from __future__ import annotations

import json
from dataclasses import replace

from coevolve.feedback import RewardRule, score
from coevolve.feedback.judge import MOST_SHOWN, Rubric
from coevolve.feedback.statements import statement_signals
from coevolve.feedback.steps import ALL_RIGHT, Told, judge_steps, step_signals
from coevolve.feedback.trust import JudgeFloor, against_labels, spent
from coevolve.models.scripted import ScriptedModel
from coevolve.types import Reward, Signal, SignalKind, SignalSource, StatementKind, Trajectory
from live_samples import says, talk

FIRST = Rubric(name="first_wrong", question="Which step was wrong?", about="step", votes=1)
TALK = talk(("Where is it?", "Which order?"), ("Order 7.", "I do not know."), ("Why?", "Goodbye."))
TOLD = Told("User: Where is it?", {0: "Agent: Which order?", 1: "Agent: I do not know.", 2: "Agent: Bye."})


def teacher(verdict: object) -> ScriptedModel:
    return ScriptedModel(lambda _: json.dumps({"reason": "look it up first", "verdict": verdict}))


async def word(verdict: object, told: Told = TOLD) -> tuple[Signal, ...]:
    opinion = await judge_steps(teacher(verdict), FIRST, told, 0)
    return step_signals(opinion, FIRST, told.steps)


async def test_steps_before_the_wrong_one_were_right_and_of_later_ones_nothing_is_said() -> None:
    found = await word("1")
    number = await word(1)  # as some models write it
    assert [(one.turn, one.score) for one in found] == [(0, 1.0), (1, -1.0)]
    assert [(one.turn, one.score) for one in number] == [(0, 1.0), (1, -1.0)]
    assert {(one.kind, one.source, one.name) for one in found} == {
        (SignalKind.PROCESS, SignalSource.JUDGE, "judge.first_wrong")
    }
    assert ["look it up first" in one.why for one in found] == [False, True]


async def test_an_episode_without_a_wrong_step_is_praised_and_no_answer_is_unknown() -> None:
    assert [(one.turn, one.score) for one in await word(ALL_RIGHT)] == [(0, 1.0), (1, 1.0), (2, 1.0)]
    for verdict in ("unsure", "9", "soon", None, True):
        assert [(one.turn, one.score) for one in await word(verdict)] == [(None, None)]


async def test_what_is_asked_names_every_step_and_is_another_rubric_than_of_the_session() -> None:
    asked: list[str] = []

    def answer(transcript: str) -> str:
        asked.append(transcript)
        return json.dumps({"reason": "x", "verdict": "2"})

    await judge_steps(ScriptedModel(answer), FIRST, TOLD.shown(), 0)
    assert "none|0|1|2|unsure" in asked[0] and "none where every step was right" in asked[0]
    assert "Step 1. Agent: I do not know." in asked[0]
    assert FIRST.id != replace(FIRST, about="session").id


async def test_of_a_long_episode_only_the_steps_that_were_shown_are_judged() -> None:
    long = Told("User: " + "x" * 9_000, {k: f"Agent: {'y' * 700} {k}" for k in range(40)}, "z" * 9_000)
    shown = long.shown()
    assert len(shown.text) <= MOST_SHOWN and {0, 1, 38, 39} <= shown.steps.keys() < long.steps.keys()
    found = await word(ALL_RIGHT, shown)
    assert [one.turn for one in found] == list(shown.steps) == sorted(shown.steps)
    wordy = Told("", dict.fromkeys(range(3_000), "y" * 5_000)).shown()
    assert wordy.steps and len(wordy.text) <= MOST_SHOWN


def rewarded(*signals: Signal) -> Reward:
    reward = score(replace(TALK, signals=signals), lambda _: (), RewardRule()).reward
    assert reward is not None
    return reward


async def test_the_first_wrong_turn_follows_the_teacher_and_bears_the_blame() -> None:
    reward = rewarded(*await word("1"))
    assert reward.first_wrong == 1
    assert reward.turns[1] < min(reward.turns[0], reward.turns[2])
    wrong, open_, right = [
        rewarded(*await word(verdict)).total or 0.0 for verdict in ("2", "unsure", ALL_RIGHT)
    ]
    assert wrong < open_ - 0.2 and right > open_ + 0.2


async def test_people_measure_it_by_labels_on_turns_and_its_price_counts_once() -> None:
    labelled: list[Trajectory] = []
    for k in range(6):  # two labels on each episode, one of them by the judge's name
        one = replace(TALK, id=f"t-{k}", signals=await word("1"))
        right = says(StatementKind.LABEL, {"score": 1, "why": "I read it"}, turn=0)
        bad = {"score": -1, "why": "I read it", "signal": "judge.first_wrong"}
        said = statement_signals(one, [right, says(StatementKind.LABEL, bad, turn=1)], {})
        labelled.append(replace(one, signals=(*one.signals, *said)))
    (fared,) = [one for one in against_labels(labelled, JudgeFloor()) if one.name == "judge.first_wrong"]
    assert (fared.labelled, fared.overruled, fared.muted) == (12, 0, False)
    (cost,) = spent(labelled)
    assert (cost.verdicts, cost.unknown) == (6, 0)
