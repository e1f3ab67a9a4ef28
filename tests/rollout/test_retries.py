from __future__ import annotations

from dataclasses import replace

from coevolve.agents.harness import Harness
from coevolve.models.scripted import ScriptedModel
from coevolve.rollout.collect import Actor, Manner, collect
from coevolve.rollout.retries import retries_of
from coevolve.types import Trajectory
from toy_world import ToyWorld, solver, toy_task

WRONG = 'Too much.\n{"tool": "add", "amount": 50}'


async def _played(seed: int, manner: Manner | None = None) -> list[Trajectory]:
    tasks = [toy_task(str(k), target=k + 1) for k in range(3)]
    model = ScriptedModel(lambda said: solver(said) if "Count to 1," in said else WRONG)
    return await collect(Actor("v1", model, Harness()), ToyWorld(), tasks, manner or Manner(seed=seed))


async def test_a_retry_knows_what_all_attempts_at_its_task_said_first() -> None:
    first, second = await _played(1), await _played(2)
    other = replace(second[1], turns=(replace(second[1].turns[0], raw="Hm."), *second[1].turns[1:]))
    retries = retries_of([first[1], first[2], other])
    assert set(retries) == {"1", "2"}
    assert (retries["1"].parent, retries["1"].tried) == (first[1].id, frozenset({WRONG, "Hm."}))
    assert retries["2"].tried == {WRONG}


async def test_an_attempt_without_a_turn_tells_nothing_of_what_was_tried() -> None:
    first = await _played(1)
    assert retries_of([replace(first[1], turns=())]) == {}


async def test_a_retry_names_the_attempt_it_follows_and_has_an_id_of_its_own() -> None:
    first = await _played(1)
    again = await _played(1, Manner(seed=1, retries=retries_of(first[1:])))
    assert [one.parent for one in again] == [None, first[1].id, first[2].id]
    assert again[0].id == first[0].id  # nothing is different about this one
    assert {one.id for one in again[1:]}.isdisjoint(one.id for one in first)
