"""The gate over a whole comparison: what it draws, what it refuses, how often it errs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from coevolve.errors import GateError
from coevolve.gate import GateRule, fingerprints, gate, leaked
from coevolve.types import Decision, Split, Task, Verdict

REFUSALS = {"buy": False, "compare": False, "return": False, "stranger": True}


def task(name: str, task_type: str, split: Split = Split.HELD_OUT) -> Task:
    return Task(
        id=name,
        type=task_type,
        split=split,
        seed=0,
        difficulty=1,
        opening=f"Where is my parcel {name}?",
        refusal=REFUSALS[task_type],
    )


def task_set(types: Sequence[str], count: int, draw: int) -> list[Task]:
    return [
        task(f"{types[index % len(types)]}-{draw}-{index}", types[index % len(types)])
        for index in range(count)
    ]


class World:
    """Two versions with a chance of success per type; remembers what was asked of it."""

    def __init__(self, rates: Mapping[str, Mapping[str, float]], seed: int) -> None:
        self.rates = rates
        self.rng = np.random.default_rng(seed)
        self.asked: list[tuple[str, int]] = []
        self.draws: list[tuple[tuple[str, ...], int, int]] = []

    async def evaluate(self, version: str, tasks: Sequence[Task]) -> Mapping[str, tuple[bool | None, int]]:
        self.asked.append((version, len(tasks)))
        return {one.id: (bool(self.rng.random() < self.rates[version][one.type]), 3) for one in tasks}

    def fresh(self, types: Sequence[str], count: int, draw: int) -> list[Task]:
        self.draws.append((tuple(types), count, draw))
        return task_set(types, count, draw)


RULE = GateRule(alpha=0.05, draw_tasks=40, max_tasks=160, type_draw_tasks=20)


async def judge(world: World, rule: GateRule = RULE, count: int = 80) -> Verdict:
    first = task_set(list(REFUSALS), count, 0)
    return await gate(world.evaluate, "old", "new", first, world.fresh, rule, 1)


def flat(**rates: float) -> dict[str, float]:
    return {name: rates.get(name, rates["rest"]) for name in REFUSALS}


async def test_clear_gain_is_promoted_at_the_first_look() -> None:
    world = World({"old": flat(rest=0.0), "new": flat(rest=1.0)}, 0)
    verdict = await judge(world)
    assert verdict.decision is Decision.ACCEPT
    assert world.asked == [("old", 80), ("new", 80)]
    assert world.draws == []


async def test_undecided_gain_draws_more_of_every_type_up_to_the_cap() -> None:
    world = World({"old": flat(rest=0.5), "new": flat(rest=0.62)}, 4)
    verdict = await judge(world)
    assert world.draws[0] == (tuple(sorted(REFUSALS)), 40, 1)
    assert verdict.overall.tasks <= RULE.max_tasks


async def test_loss_on_a_refusal_type_draws_that_type_alone_and_becomes_a_veto() -> None:
    world = World({"old": flat(rest=0.2, stranger=1.0), "new": flat(rest=0.9, stranger=0.85)}, 2)
    verdict = await judge(world)
    assert verdict.decision is Decision.REJECT
    assert "stranger" in verdict.why
    assert all(draw[0] == ("stranger",) for draw in world.draws)


async def test_gain_with_a_worse_refusal_type_is_rejected_in_nearly_every_world() -> None:
    rejected = 0
    for seed in range(60):
        rates = {"old": flat(rest=0.5, stranger=0.95), "new": flat(rest=0.8, stranger=0.75)}
        verdict = await judge(World(rates, seed), count=120)
        rejected += verdict.decision is not Decision.ACCEPT
    assert rejected >= 55


async def test_drawing_more_keeps_false_promotions_within_one_in_twenty() -> None:
    accepted = drawn = 0
    for seed in range(400):
        world = World({"old": flat(rest=0.6), "new": flat(rest=0.6)}, seed)
        accepted += (await judge(world)).decision is Decision.ACCEPT
        drawn += bool(world.draws)
    assert drawn > 50
    assert accepted <= 400 * 0.05 + 2 * (400 * 0.05 * 0.95) ** 0.5  # two standard errors; 4.4% of 3,000


async def test_same_world_gives_the_same_verdict() -> None:
    rates = {"old": flat(rest=0.5), "new": flat(rest=0.65)}
    assert await judge(World(rates, 9)) == await judge(World(rates, 9))


async def test_task_that_evaluation_leaves_out_is_unknown() -> None:
    async def evaluate(version: str, tasks: Sequence[Task]) -> Mapping[str, tuple[bool | None, int]]:
        return {one.id: (version == "new", 2) for one in tasks[1:]}

    world = World({}, 0)
    verdict = await gate(evaluate, "old", "new", task_set(["buy"], 60, 0), world.fresh, RULE, 0)
    assert verdict.overall.unknown == 1
    assert verdict.decision is Decision.ACCEPT


async def test_end_of_the_task_supply_leaves_what_was_found() -> None:
    def none_left(types: Sequence[str], count: int, draw: int) -> list[Task]:
        return []

    world = World({"old": flat(rest=0.2, stranger=1.0), "new": flat(rest=0.9, stranger=0.9)}, 5)
    first = task_set(list(REFUSALS), 80, 0)
    verdict = await gate(world.evaluate, "old", "new", first, none_left, RULE, 1)
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.tasks_lacking == RULE.type_draw_tasks


@pytest.mark.parametrize("split", [Split.TRAIN, Split.VALIDATION, Split.TEST, Split.LIVE])
async def test_task_of_another_split_is_refused_before_anything_runs(split: Split) -> None:
    world = World({}, 0)
    with pytest.raises(GateError, match=r"held_out alone[\s\S]*fix:"):
        await gate(world.evaluate, "old", "new", [task("a", "buy", split)], world.fresh, RULE, 0)
    assert world.asked == []


async def test_a_world_without_further_tasks_leaves_it_undecided() -> None:
    def again(types: Sequence[str], count: int, draw: int) -> list[Task]:
        return task_set(list(REFUSALS), 80, 0)[:4]

    world = World({"old": flat(rest=0.5), "new": flat(rest=0.62)}, 4)
    verdict = await gate(world.evaluate, "old", "new", task_set(list(REFUSALS), 80, 0), again, RULE, 0)
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.overall.tasks == 80


async def test_a_task_that_is_handed_in_twice_is_refused() -> None:
    world = World({}, 4)
    with pytest.raises(GateError, match="drawn twice"):
        await gate(world.evaluate, "old", "new", [task("a", "buy")] * 2, world.fresh, RULE, 0)
    assert world.asked == []


async def test_drawn_task_of_another_split_is_refused() -> None:
    def training(types: Sequence[str], count: int, draw: int) -> list[Task]:
        return [task("x", types[0], Split.TRAIN)]

    world = World({"old": flat(rest=0.5), "new": flat(rest=0.62)}, 4)
    with pytest.raises(GateError, match="split train"):
        await gate(world.evaluate, "old", "new", task_set(list(REFUSALS), 80, 0), training, RULE, 0)


async def test_draw_of_types_not_asked_for_is_refused() -> None:
    def other(types: Sequence[str], count: int, draw: int) -> list[Task]:
        return task_set(["buy"], count, draw)

    world = World({"old": flat(rest=0.2, stranger=1.0), "new": flat(rest=0.9, stranger=0.9)}, 5)
    with pytest.raises(GateError, match="draw gave buy"):
        await gate(world.evaluate, "old", "new", task_set(list(REFUSALS), 80, 0), other, RULE, 0)


async def test_nothing_to_compare_is_an_error() -> None:
    world = World({}, 0)
    with pytest.raises(GateError, match="no tasks"):
        await gate(world.evaluate, "old", "new", [], world.fresh, RULE, 0)
    with pytest.raises(GateError, match="same version"):
        await gate(world.evaluate, "old", "old", [task("a", "buy")], world.fresh, RULE, 0)


def test_fingerprints_find_a_held_out_text_again_and_show_none() -> None:
    tasks = [task("a", "buy"), task("b", "buy"), task("c", "stranger")]
    prints = fingerprints(tasks)
    assert prints.counts == {"buy": 2, "stranger": 1}
    assert leaked(["Hello", "  where IS my parcel\n b? "], prints) == (1,)
    assert not any("parcel" in one for one in prints.hashes)
