from __future__ import annotations

import random
import re
import time
from typing import Any

import pytest

from coevolve.environments.shop import Shop
from coevolve.environments.shop.episode import ShopEpisode
from coevolve.environments.simple import SimpleEnvironment
from coevolve.errors import WorldError
from coevolve.types import Action, Split, Task

MAX_TURNS = 12


def finish(shop: Shop, episode: ShopEpisode, task: Task) -> list[tuple[str, Action]]:
    """Let the expert play to the end; its moves."""
    teacher, moves = shop.teacher(), []
    for _ in range(MAX_TURNS):
        moves.append(teacher.act(episode, task))
        if episode.step(moves[-1][1]).done:
            break
    return moves


def failed(episode: ShopEpisode) -> list[str]:
    return [f"{signal.name}: {signal.why}" for signal in episode.checks() if signal.score != 1]


@pytest.mark.parametrize("split", list(Split))
def test_the_expert_solves_every_type_in_every_split(shop: Shop, split: Split) -> None:
    for task in shop.tasks(split, [], 200, 5):
        episode = shop.start(task)
        moves = finish(shop, episode, task)
        assert episode.done and not failed(episode), (task.id, moves)
        for thought, action in moves:
            assert len(thought.split()) <= 14, thought
            assert action.tool != "reply" or len(action.args["message"].split()) <= 22


def test_every_value_the_expert_uses_was_said_or_shown_before(shop: Shop) -> None:
    for task in shop.tasks(Split.VALIDATION, [], 100, 6):
        episode, said = shop.start(task), task.opening
        teacher = shop.teacher()
        while not episode.done:
            thought, action = teacher.act(episode, task)
            assert all(number in said for number in re.findall(r"\d+", thought)), (task.id, thought)
            for name in ("order_id", "email", "pin", "card", "confirmation", "code", "product", "name"):
                assert str(action.args.get(name, "")) in said, (task.id, action)
            said += episode.step(action).observation


def legal_moves(episode: ShopEpisode, task: Task, rng: random.Random) -> list[Action]:
    """What an agent may do at any time without breaking policy or changing the world."""
    job, world = task.spec["job"], episode.before
    name = rng.choice([product.name for product in world.products.values()])
    other = rng.choice([product.name for product in world.products.values()])
    moves = [
        Action("get_product", {"name": name}),
        Action("check_stock", {"product": name}),
        Action("search_products", {"query": rng.choice(["phone", "laptop", name])}),
        Action("compare_products", {"first": name, "second": other, "attribute": "price"}),
        Action("get_product", {"name": "Nothing Known"}),
        Action("verify_identity", {"email": job["email"], "pin": job["pin"]}),
        Action("verify_identity", {"email": job["email"], "pin": "0001"}),
        Action("cancel_order", {}),
        Action("fly", {"to": "the moon"}),
        *(
            Action("ask", {"question": question})
            for question in (
                "What is your order number?",
                "Your email and PIN?",
                "Which card?",
                "Nice weather?",
            )
        ),
    ]
    if episode.desk.verified:
        mine = [order.id for order in world.orders.values() if order.email == episode.desk.verified]
        wanted = job.get("order", rng.choice(mine))
        moves += [
            Action("list_orders", {}),
            Action("get_user_order", {"order_id": rng.choice([wanted, *mine, "1"])}),
            Action("check_warranty", {"order_id": wanted}),
            Action("apply_coupon", {"order_id": wanted, "code": "NOSUCH"}),
        ]
    return moves


def test_the_expert_takes_over_from_any_legal_state(shop: Shop) -> None:
    rng = random.Random(11)
    for task in shop.tasks(Split.TRAIN, [], 400, 9):
        episode = shop.start(task)
        for _ in range(rng.randrange(1, 7)):
            action = (
                shop.teacher().act(episode, task)[1]
                if rng.random() < 0.4
                else rng.choice(legal_moves(episode, task, rng))
            )
            if action.tool != "reply":
                result = episode.step(action)
                assert not any(event.startswith("violation") for event in result.events), action
        moves = finish(shop, episode, task)
        assert episode.done and not failed(episode), (task.id, episode.calls, moves)


def test_snapshot_and_restore_give_the_same_future(shop: Shop) -> None:
    rng = random.Random(3)
    for task in shop.tasks(Split.HELD_OUT, [], 60, 2):
        episode, teacher = shop.start(task), shop.teacher()
        for _ in range(rng.randrange(4)):
            if not episode.done:
                episode.step(teacher.act(episode, task)[1])
        picture = episode.snapshot()
        futures = []
        for _ in range(2):
            episode.restore(picture)
            results: list[Any] = []
            while not episode.done:
                results.append(episode.step(teacher.act(episode, task)[1]))
            futures.append((results, episode.checks(), dict(episode.changes)))
        assert futures[0] == futures[1]


def test_a_picture_of_another_task_is_refused(shop: Shop) -> None:
    one, two = (shop.start(task) for task in shop.tasks(Split.TRAIN, ["price"], 2, 0))
    with pytest.raises(WorldError, match="no picture"):
        one.restore(two.snapshot())


def test_a_step_takes_under_a_millisecond(shop: Shop) -> None:
    tasks = shop.tasks(Split.TRAIN, [], 60, 1)
    scripts = [(task, [action for _, action in finish(shop, shop.start(task), task)]) for task in tasks]
    best = float("inf")
    for _ in range(5):  # the best of five: other processes share the machine
        spent, steps = 0.0, 0
        for task, actions in scripts:
            episode = shop.start(task)
            begin = time.perf_counter()
            for action in actions:
                episode.step(action)
            spent += time.perf_counter() - begin
            steps += len(actions)
        best = min(best, spent / steps)
    assert best < 1e-3


def test_the_expert_refuses_another_worlds_episode(shop: Shop) -> None:
    task = shop.task(Split.TRAIN, "price", 0)
    other: SimpleEnvironment[dict[str, int]] = SimpleEnvironment(
        name="other", briefing="", task_kinds={"price": False}, tool_functions=(),
        make_task=lambda *_: task, new_state=lambda _: {}, check=lambda *_: [],
    )  # fmt: skip
    with pytest.raises(WorldError, match="another world"):
        shop.teacher().act(other.start(task), task)
