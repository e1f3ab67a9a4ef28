from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from coevolve.environments.protocol import Environment
from coevolve.environments.simple import History, Requirement, SimpleEnvironment
from coevolve.errors import WorldError
from coevolve.types import Action, Split, StopReason, Task, Trajectory, Turn


@dataclass
class Shelf:
    prices: dict[str, int]
    sold: list[str] = field(default_factory=list)


def get_price(shelf: Shelf, /, name: str) -> dict[str, Any]:
    """Read a price."""
    if name not in shelf.prices:
        return {"error": f"no product {name}"}
    return {"price": shelf.prices[name], "events": ["price_read"]}


def sell(shelf: Shelf, /, name: str) -> dict[str, Any]:
    """Sell one."""
    shelf.sold.append(name)
    return {"sold": name, "events": ["violation:unasked"]}


def make_task(split: Split, type_name: str, seed: int) -> Task:
    return Task(
        id=f"{split}-{seed}", type=type_name, split=split, seed=seed, difficulty=1,
        opening="How much is the lamp?", spec={"price": 10 + seed % 7},
    )  # fmt: skip


def check(task: Task, shelf: Shelf, told: str | None) -> list[Requirement]:
    price = str(task.spec["price"])
    return [
        Requirement("fact.price", price in (told or ""), f"the reply should say {price}"),
        Requirement("nothing_sold", not shelf.sold, f"sold: {shelf.sold}"),
    ]


def expert(task: Task, shelf: Shelf, history: History) -> tuple[str, Action]:
    if not history:
        return "Look it up.", Action("get_price", {"name": "lamp"})
    return "Tell it.", Action("reply", {"message": f"It costs {shelf.prices['lamp']}."})


def environment(**changes: Any) -> SimpleEnvironment[Shelf]:
    parts: dict[str, Any] = {
        "name": "shelf",
        "briefing": "You sell lamps.",
        "task_kinds": {"price": False},
        "tool_functions": (get_price, sell),
        "make_task": make_task,
        "new_state": lambda task: Shelf({"lamp": task.spec["price"]}),
        "check": check,
        "expert": expert,
    }
    return SimpleEnvironment(**(parts | changes))


def test_it_is_an_environment_whose_expert_succeeds() -> None:
    world: Environment = environment()
    (task,) = world.tasks(Split.TRAIN, ["price"], 1, 4)
    episode, teacher = world.start(task), world.teacher()
    assert teacher is not None
    results = [episode.step(teacher.act(episode, task)[1]) for _ in range(2)]
    assert results[0].observation == f'{{"price":{task.spec["price"]}}}'
    assert results[0].events == ("price_read",)
    assert results[1].done
    assert [signal.score for signal in episode.checks()] == [1, 1]


def test_restore_undoes_what_came_after_the_snapshot() -> None:
    world = environment()
    episode = world.start(world.tasks(Split.TRAIN, [], 1, 0)[0])
    picture = episode.snapshot()
    episode.step(Action("sell", {"name": "lamp"}))
    assert [signal.score for signal in episode.checks()] == [-1, -1]
    episode.restore(picture)
    assert [signal.score for signal in episode.checks()] == [-1, 1]
    episode.step(Action("sell", {"name": "lamp"}))
    episode.restore(picture)
    assert episode.state.sold == []


def test_refused_calls_are_results_not_exceptions() -> None:
    world = environment()
    episode = world.start(world.tasks(Split.TRAIN, [], 1, 0)[0])
    assert episode.step(Action("fly", {})).error == "no tool named fly"
    assert episode.step(Action("get_price", {})).error == "missing parameter name in get_price"
    assert episode.step(Action("get_price", {"name": "sofa"})).error == "no product sofa"
    assert episode.step(Action("ask", {"question": "Which?"})).speaker == "user"
    assert episode.step(Action("reply", {"message": "Bye."})).done
    assert episode.step(Action("get_price", {"name": "lamp"})).error == "the conversation is over"


def test_bad_parts_are_refused_with_a_fix() -> None:
    def ask(shelf: Shelf, /, question: str) -> dict[str, Any]:
        """Clash."""
        return {}

    with pytest.raises(WorldError, match="two tools are named ask"):
        environment(tool_functions=(ask,))
    with pytest.raises(WorldError, match="no task type 'prize'"):
        environment().tasks(Split.TRAIN, ["prize"], 1, 0)
    with pytest.raises(WorldError, match="against task_kinds"):
        environment(make_task=lambda split, t, seed: replace(make_task(split, t, seed), refusal=True)).tasks(
            Split.TRAIN, [], 1, 0
        )
    with pytest.raises(WorldError, match="make_task was asked for"):
        environment(make_task=lambda split, t, seed: make_task(Split.TEST, t, seed)).tasks(
            Split.TRAIN, [], 1, 0
        )
    with pytest.raises(WorldError, match="no picture"):
        environment().start(make_task(Split.TRAIN, "price", 1)).restore("a photograph")


def test_review_names_bad_and_repeated_calls_and_violations() -> None:
    actions = [
        Action("get_price", {"name": "lamp"}),
        Action("get_price", {"name": "lamp"}),
        Action("get_price", {}),
        Action("sell", {"name": "lamp"}),
    ]
    events: list[tuple[str, ...]] = [("price_read",), (), (), ("violation:unasked",)]
    turns = tuple(
        Turn(index=index, observation="", raw="", action=action, events=seen)
        for index, (action, seen) in enumerate(zip(actions, events, strict=True))
    )
    trajectory = Trajectory(
        id="t", session_id="s", task=make_task(Split.TRAIN, "price", 1), version="v", seed=0, turns=turns,
        stop=StopReason.TURN_BUDGET,
    )  # fmt: skip
    found = [(signal.turn, signal.name) for signal in environment().review(trajectory)]
    assert found == [
        (0, "milestone.price_read"),
        (1, "repeated_call"),
        (2, "bad_call"),
        (3, "violation.unasked"),
    ]


def test_without_an_expert_there_is_no_teacher() -> None:
    assert environment(expert=None).teacher() is None
