from __future__ import annotations

from dataclasses import replace

import pytest

from coevolve.agents.action_text import parse
from coevolve.agents.harness import Attempt, Harness
from coevolve.agents.solo import run_episode
from coevolve.agents.teacher import complete, demonstrate, find_parting
from coevolve.errors import WorldError
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.types import Party, StopReason, Trajectory
from toy_world import ToyWorld, toy_task

HARNESS = Harness(max_tokens=200)
CHAT = ByteChat()


async def _failed() -> Trajectory:
    """Adds 1, talks nonsense, then tells the wrong number."""

    def policy(transcript: str) -> str:
        if "Not a valid action" in transcript:
            return 'Done.\n{"tool": "reply", "message": "It is 9"}'
        return "Hm." if '"count": 1' in transcript else 'Add.\n{"tool": "add", "amount": 1}'

    attempt = Attempt(version="v1", seed=3)
    return await run_episode(ScriptedModel(policy), ToyWorld(), toy_task(), harness=HARNESS, attempt=attempt)


def test_a_demonstration_solves_the_task_in_the_agents_own_form() -> None:
    trajectory = demonstrate(ToyWorld(), toy_task(), CHAT, HARNESS)
    assert (trajectory.version, trajectory.stop) == ("teacher", StopReason.DONE)
    assert [check.score for check in trajectory.checks] == [1.0]
    for turn in trajectory.turns:
        assert (turn.by, turn.logprobs) == ("teacher", ())
        assert turn.output_ids == CHAT.encode_output(turn.raw)
        parsed = parse(turn.raw, ToyWorld().tools())
        assert (parsed.action, parsed.thought) == (turn.action, turn.thought)


async def test_a_demonstrations_prompts_are_those_the_agent_would_see() -> None:
    shown = demonstrate(ToyWorld(), toy_task(), CHAT, HARNESS)
    said = iter([turn.raw for turn in shown.turns])
    model = ScriptedModel(lambda _: next(said))
    attempt = Attempt(version="v1", seed=3)
    done = await run_episode(model, ToyWorld(), toy_task(), harness=HARNESS, attempt=attempt)
    assert [(t.context_ids, t.output_ids) for t in done.turns] == [
        (t.context_ids, t.output_ids) for t in shown.turns
    ]


async def test_a_completion_keeps_the_agents_turns_and_lets_the_teacher_finish() -> None:
    source = await _failed()
    assert source.checks[0].score == -1.0
    mended = complete(ToyWorld(), source, CHAT, HARNESS, from_turn=2)
    assert mended is not None
    assert mended.turns[:2] == source.turns[:2]
    assert [turn.by for turn in mended.turns] == ["agent", "agent", "teacher", "teacher"]
    assert mended.turns[2].context_ids == source.turns[2].context_ids
    assert (mended.parent, mended.checks[0].score) == (source.id, 1.0)
    assert mended.id != source.id


async def test_a_completion_from_the_first_turn_is_the_teachers_alone() -> None:
    source = await _failed()
    mended = complete(ToyWorld(), source, CHAT, HARNESS, from_turn=0)
    assert mended is not None
    assert {turn.by for turn in mended.turns} == {"teacher"}


async def test_a_world_that_answers_otherwise_than_recorded_gives_no_completion() -> None:
    source = await _failed()
    altered = replace(source, turns=(replace(source.turns[0], result="otherwise"), *source.turns[1:]))
    assert complete(ToyWorld(), altered, CHAT, HARNESS, from_turn=1) is None
    assert complete(ToyWorld(), altered, CHAT, HARNESS, from_turn=0) is not None


async def test_an_episode_that_is_over_cannot_be_completed() -> None:
    source = await _failed()
    assert complete(ToyWorld(), source, CHAT, HARNESS, from_turn=len(source.turns)) is None


async def _thinking(thoughts: list[str]) -> Trajectory:
    """Does what the teacher does, with these thoughts, and tells the wrong number at last."""
    shown = demonstrate(ToyWorld(), toy_task(), CHAT, HARNESS)
    lines = [turn.raw.split("\n", 1)[1] for turn in shown.turns[:-1]]
    said = iter([f"{thought}\n{line}" for thought, line in zip(thoughts, lines, strict=True)])
    model = ScriptedModel(lambda _: next(said, 'Done.\n{"tool": "reply", "message": "It is 9"}'))
    attempt = Attempt(version="v1", seed=3)
    return await run_episode(model, ToyWorld(), toy_task(), harness=HARNESS, attempt=attempt)


async def test_teacher_and_agent_part_where_a_thought_differs_though_its_action_was_right() -> None:
    shown = demonstrate(ToyWorld(), toy_task(), CHAT, HARNESS)
    thoughts = [turn.thought for turn in shown.turns[:-1]]
    wrong = len(thoughts)  # the reply
    assert find_parting(ToyWorld(), await _thinking(thoughts), wrong) == wrong
    astray = await _thinking(["Something else.", *thoughts[1:]])
    assert astray.turns[0].action == shown.turns[0].action
    assert find_parting(ToyWorld(), astray, wrong) == 0
    silent = replace(astray, turns=tuple(replace(turn, thought="") for turn in astray.turns))
    assert find_parting(ToyWorld(), silent, wrong) == wrong  # who does not think aloud is judged by deeds


async def test_teacher_and_agent_part_at_the_first_other_action_and_at_nonsense() -> None:
    source = await _failed()
    last = len(source.turns) - 1
    assert find_parting(ToyWorld(), source, last) == 0  # the teacher would have added 3 at once
    nonsense = replace(demonstrate(ToyWorld(), toy_task(), CHAT, HARNESS).turns[0], index=1, action=None)
    shown = demonstrate(ToyWorld(), toy_task(), CHAT, HARNESS)
    astray = replace(shown, turns=(shown.turns[0], nonsense, *shown.turns[1:]))
    assert find_parting(ToyWorld(), astray, 2) == 1


def test_a_world_that_crashes_leaves_the_blame_where_it_was() -> None:
    shown = demonstrate(ToyWorld(), toy_task(), CHAT, HARNESS)
    crashing = replace(shown, task=toy_task(trouble="crash"))
    assert find_parting(ToyWorld(), crashing, 1) == 1
    with pytest.raises(WorldError, match='teacher = "none"'):
        find_parting(ToyWorld(teacher=False), shown, 1)


def test_a_crash_during_a_demonstration_is_the_environments_failure() -> None:
    trajectory = demonstrate(ToyWorld(), toy_task(trouble="crash"), CHAT, HARNESS)
    assert trajectory.failure is not None
    assert trajectory.failure.party is Party.ENVIRONMENT
    assert "ZeroDivisionError" in trajectory.failure.why


def test_a_world_without_a_teacher_says_what_to_set() -> None:
    with pytest.raises(WorldError, match='teacher = "none"'):
        demonstrate(ToyWorld(teacher=False), toy_task(), CHAT, HARNESS)
