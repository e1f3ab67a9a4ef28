"""A teacher model on steps: what it says of each, what it leaves open, and how people measure it."""

from __future__ import annotations

import json
from dataclasses import replace

from coevolve.feedback import RewardRule, score
from coevolve.feedback.judge import Rubric
from coevolve.feedback.statements import statement_signals
from coevolve.feedback.steps import ALL_RIGHT, judge_steps, step_signals
from coevolve.feedback.trust import JudgeFloor, against_labels, spent
from coevolve.models.scripted import ScriptedModel
from coevolve.types import Signal, SignalKind, SignalSource, StatementKind, Trajectory
from live_samples import says, talk

FIRST = Rubric(name="first_wrong", question="Which step was wrong?", about="step", votes=1)
TALK = talk(("Where is it?", "Which order?"), ("Order 7.", "I do not know."), ("Why?", "Goodbye."))
TURNS = (0, 1, 2)


def teacher(verdict: str) -> ScriptedModel:
    return ScriptedModel(lambda _: json.dumps({"reason": "look it up first", "verdict": verdict}))


async def word(verdict: str, rubric: Rubric = FIRST) -> tuple[Signal, ...]:
    opinion = await judge_steps(teacher(verdict), rubric, "Step 0. ...", TURNS, 0)
    return step_signals(opinion, rubric, TURNS)


async def test_steps_before_the_wrong_one_were_right_and_of_later_ones_nothing_is_said() -> None:
    found = await word("1")
    assert [(one.turn, one.score) for one in found] == [(0, 1.0), (1, -1.0)]
    assert {(one.kind, one.source, one.name) for one in found} == {
        (SignalKind.PROCESS, SignalSource.JUDGE, "judge.first_wrong")
    }
    assert all("look it up first" in one.why for one in found)


async def test_an_episode_without_a_wrong_step_is_praised_and_no_answer_is_unknown() -> None:
    assert [(one.turn, one.score) for one in await word(ALL_RIGHT)] == [(0, 1.0), (1, 1.0), (2, 1.0)]
    for verdict in ("unsure", "9", "soon"):
        assert [(one.turn, one.score) for one in await word(verdict)] == [(None, None)]


async def test_what_is_asked_names_every_step_and_is_another_rubric_than_of_the_session() -> None:
    asked: list[str] = []

    def answer(transcript: str) -> str:
        asked.append(transcript)
        return json.dumps({"reason": "x", "verdict": "2"})

    await judge_steps(ScriptedModel(answer), FIRST, "Step 0. ...", TURNS, 0)
    assert "none|0|1|2|unsure" in asked[0] and "none where every step was right" in asked[0]
    assert FIRST.id != replace(FIRST, about="session").id


async def test_the_first_wrong_turn_follows_the_teacher_and_bears_the_blame() -> None:
    judged = replace(TALK, signals=await word("1"))
    reward = score(judged, lambda _: (), RewardRule()).reward
    assert reward is not None and reward.first_wrong == 1
    assert reward.turns[1] < min(reward.turns[0], reward.turns[2])


async def test_people_measure_it_by_labels_on_turns_and_its_price_counts_once() -> None:
    labelled: list[Trajectory] = []
    for k in range(12):
        said = says(StatementKind.LABEL, {"score": -1 if k % 2 else 1, "why": "I read it"}, turn=k % 2)
        one = replace(TALK, id=f"t-{k}", signals=await word("1"))
        labelled.append(replace(one, signals=(*one.signals, *statement_signals(one, [said], {}))))
    (fared,) = [one for one in against_labels(labelled, JudgeFloor()) if one.name == "judge.first_wrong"]
    assert (fared.labelled, fared.overruled, fared.muted) == (12, 0, False)
    (cost,) = spent(labelled)
    assert (cost.verdicts, cost.unknown) == (12, 0)
