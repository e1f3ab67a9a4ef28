from __future__ import annotations

import json

import pytest

from coevolve.agents.grounding import ground, words
from coevolve.agents.harness import Attempt, Harness
from coevolve.agents.solo import run_episode
from coevolve.environments.shop import Shop
from coevolve.environments.tools import Said, tool_spec
from coevolve.feedback import generic_signals
from coevolve.models.scripted import ScriptedModel
from coevolve.types import Action, Split, Task


def send(to: Said, subject: str, copy: Said | None = None, times: int = 1) -> None:
    """Send something."""


SEND = tool_spec(send)
SAID = words("Hi. Mail it to hadiza.bell@example.com (PIN number 1456), that is Velora Echo, not Lumo Nova!")


def held(to: str, **others: object) -> tuple[Action, tuple[str, ...]] | str:
    return ground(Action("send", {"to": to, "subject": "made up", **others}), SEND, SAID)


@pytest.mark.parametrize("value", ["hadiza.bell@example.com", "1456", "velora echo", "Lumo Nova", " 1456."])
def test_what_was_said_stays_as_it_was_written(value: str) -> None:
    action = Action("send", {"to": value, "subject": "made up"})
    assert ground(action, SEND, SAID) == (action, ())


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("aiza.bell@example.com", "hadiza.bell@example.com"),
        ("hadiza.bell@example.co", "hadiza.bell@example.com"),
        ("1465", "1456"),
        ("Velomo Echo", "Velora Echo"),
    ],
)
def test_a_garbled_copy_becomes_what_was_said_and_is_noted(value: str, meant: str) -> None:
    action = Action("send", {"to": meant, "subject": "made up"})
    assert held(value) == (action, (f"to {value!r} was never said, {meant!r} was",))


@pytest.mark.parametrize("value", ["7802", "14560", "someone@else.org", "Quantum Toaster", "", "?!"])
def test_what_nobody_said_is_refused_with_its_name(value: str) -> None:
    assert held(value) == f"to {value!r} was never said; ask for it"


def test_a_copy_that_could_be_of_two_values_is_refused() -> None:
    said = words("Is it 86720 or 86724?")
    assert ground(Action("send", {"to": "86729", "subject": ""}), SEND, said) == (
        "to '86729' was never said; ask for it"
    )


def test_unmarked_texts_numbers_and_absent_arguments_are_left_alone() -> None:
    assert held("1456", times=3) == (Action("send", {"to": "1456", "subject": "made up", "times": 3}), ())
    assert held("1456", copy="nobody") == "copy 'nobody' was never said; ask for it"


def test_words_of_a_tools_result_are_read_without_its_marks() -> None:
    result = json.dumps({"order": "86729", "lines": [{"name": "Velora Echo", "price": "$12.50"}]})
    assert words(result) == ["order", "86729", "lines", "name", "Velora", "Echo", "price", "$12.50"]


def shop_task() -> Task:
    return Shop().tasks(Split.TRAIN, ["order_status"], 1, 3)[0]


def says(*texts: str) -> ScriptedModel:
    left = list(texts)
    return ScriptedModel(lambda transcript: left.pop(0))


READ = 'Read it.\n{"tool":"get_user_order","order_id":" %s"}'
REPLY = 'Done.\n{"tool":"reply","message":" Sorry."}'


async def test_an_episode_refuses_a_made_up_value_without_asking_the_world() -> None:
    model = says(READ % "999999999", READ % "999999999", REPLY)
    played = await run_episode(
        model, Shop(), shop_task(), harness=Harness(), attempt=Attempt(version="v", seed=1)
    )
    first, second, _ = played.turns
    assert first.error == "order_id '999999999' was never said; ask for it"
    assert second.error == first.error  # that it was refused did not make it said
    assert (first.events, first.action) == ((), Action("get_user_order", {"order_id": "999999999"}))
    assert [(s.name, s.score) for s in generic_signals(played) if s.turn == 0] == [("unsaid_value", -0.5)]


async def test_without_grounding_the_world_answers_itself() -> None:
    model = says(READ % "999999999", REPLY)
    harness = Harness(grounded=False)
    played = await run_episode(
        model, Shop(), shop_task(), harness=harness, attempt=Attempt(version="v", seed=1)
    )
    assert played.turns[0].error is not None
    assert "never said" not in played.turns[0].error


async def test_an_episode_acts_on_the_value_that_was_said_and_records_the_mending() -> None:
    task = next(
        t for t in Shop().tasks(Split.TRAIN, ["order_status"], 20, 3) if any(map(str.isdigit, t.opening))
    )
    teacher, episode = Shop().teacher(), Shop().start(task)
    assert teacher is not None
    _, action = teacher.act(episode, task)
    name, value = next(iter(action.args.items()))
    garbled = json.dumps({"tool": action.tool, **action.args, name: f" {value[1:]}"})
    model = says(f"Go on.\n{garbled}", REPLY)
    played = await run_episode(model, Shop(), task, harness=Harness(), attempt=Attempt(version="v", seed=1))
    assert played.turns[0].action == action
    assert played.turns[0].events[0].startswith("repaired: ")


def test_the_shops_expert_only_uses_what_was_said() -> None:
    world = Shop()
    teacher, tools = world.teacher(), {tool.name: tool for tool in world.tools()}
    assert teacher is not None
    for task in world.tasks(Split.TRAIN, tuple(world.task_types()), 400, 11):
        episode, said, done = world.start(task), words(task.opening), False
        while not done:
            _, action = teacher.act(episode, task)
            assert ground(action, tools[action.tool], said) == (action, ())
            step = episode.step(action)
            said, done = said + words(step.observation), step.done
