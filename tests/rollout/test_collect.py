from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from coevolve.agents.harness import Exploration, Harness
from coevolve.errors import RolloutError, StoreError
from coevolve.models.protocol import Completion, Sampling
from coevolve.models.scripted import ScriptedModel
from coevolve.rollout.collect import Actor, Manner, collect, replay_failed
from coevolve.types import MEASURING, Party, Split, StopReason, Task, Trajectory
from toy_world import RELEASE, ToyWorld, solver, toy_task

HARNESS = Harness(max_tokens=200)


def acting(model: ScriptedModel, harness: Harness = HARNESS) -> Actor:
    return Actor("v1", model, harness)


@pytest.fixture(autouse=True)
def _let_hanging_steps_end() -> Iterator[None]:
    RELEASE.clear()
    yield
    RELEASE.set()


class _Counting(ScriptedModel):
    """Yields to its neighbours in a scrambled order, and counts who is under way."""

    def __init__(self) -> None:
        super().__init__(solver)
        self.busy = self.peak = self.asked = 0

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        self.busy += 1
        self.peak = max(self.peak, self.busy)
        self.asked += 1
        for _ in range(self.asked * 7 % 5 + 1):
            await asyncio.sleep(0)
        self.busy -= 1
        return await super().complete(prompt_ids, sampling)


async def test_trajectories_come_in_the_order_of_the_tasks_with_attempts_side_by_side() -> None:
    tasks = [toy_task(str(k), target=k + 1) for k in range(6)]
    done = await collect(acting(_Counting()), ToyWorld(), tasks, Manner(attempts=2))
    assert [one.task.id for one in done] == [str(k) for k in range(6) for _ in range(2)]
    assert len({one.id for one in done}) == 12
    assert len({one.seed for one in done}) == 12
    assert all(one.checks[0].score == 1.0 for one in done)


async def test_seeds_depend_on_neither_concurrency_nor_neighbours() -> None:
    tasks = [toy_task(str(k)) for k in range(5)]
    wide = await collect(acting(_Counting()), ToyWorld(), tasks, Manner(seed=4))
    narrow = await collect(acting(_Counting()), ToyWorld(), tasks[::-1][:3], Manner(seed=4, concurrency=1))
    other = await collect(acting(_Counting()), ToyWorld(), tasks, Manner(seed=5))
    plain = [replace(one, wall_s=0.0) for one in wide]
    assert [replace(one, wall_s=0.0) for one in narrow] == plain[::-1][:3]
    assert {one.id for one in other}.isdisjoint({one.id for one in wide})


async def test_no_more_episodes_than_allowed_are_under_way_at_once() -> None:
    model = _Counting()
    tasks = [toy_task(str(k)) for k in range(9)]
    await collect(acting(model), ToyWorld(), tasks, Manner(concurrency=3))
    assert model.peak == 3


async def test_a_hanging_and_a_crashing_episode_fail_alone() -> None:
    tasks = [toy_task("a"), toy_task("b", trouble="hang"), toy_task("c", trouble="crash"), toy_task("d")]
    harness = Harness(max_tokens=200, isolate_steps=True, step_timeout_s=0.05)
    done = await collect(acting(ScriptedModel(solver), harness), ToyWorld(), tasks, Manner())
    parties = [one.failure and one.failure.party for one in done]
    assert parties == [None, Party.ENVIRONMENT, Party.ENVIRONMENT, None]
    assert [one.stop for one in done[1:3]] == [StopReason.FAILED, StopReason.FAILED]


async def test_an_episode_over_its_deadline_fails_alone() -> None:
    class Sticky(ScriptedModel):
        async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
            if b"Count to 9" in bytes(one for one in prompt_ids if one < 256):
                await asyncio.Event().wait()
            return await super().complete(prompt_ids, sampling)

    tasks = [toy_task("a"), toy_task("b", target=9), toy_task("c")]
    done = await collect(acting(Sticky(solver)), ToyWorld(), tasks, Manner(deadline_s=0.1, concurrency=2))
    assert [one.failure and one.failure.party for one in done] == [None, Party.MODEL, None]


async def test_each_trajectory_is_handed_over_as_it_ends() -> None:
    seen: list[Trajectory] = []
    tasks = [toy_task(str(k)) for k in range(4)]
    done = await collect(acting(_Counting()), ToyWorld(), tasks, Manner(), on_done=seen.append)
    assert sorted(one.id for one in seen) == sorted(one.id for one in done)


async def test_a_store_that_cannot_write_ends_the_run_with_its_own_error() -> None:
    def full(trajectory: Trajectory) -> None:
        raise StoreError("disk is full", fix="free some space")

    with pytest.raises(StoreError, match="disk is full"):
        await collect(acting(ScriptedModel(solver)), ToyWorld(), [toy_task()], Manner(), on_done=full)


async def test_cancelling_a_collection_cancels_its_episodes() -> None:
    class Silent(ScriptedModel):
        async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
            await asyncio.Event().wait()
            raise AssertionError

    work = collect(acting(Silent(solver)), ToyWorld(), [toy_task()], Manner())
    running = asyncio.create_task(work)
    for _ in range(5):
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_exploration_reaches_the_episodes() -> None:
    manner = Manner(explore=Exploration(1.0))
    done = await collect(acting(ScriptedModel(solver)), ToyWorld(), [toy_task()], manner)
    assert all(turn.explored for turn in done[0].turns)


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"concurrency": 0}, {"deadline_s": 0.0}])
def test_a_collection_that_could_never_run_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(RolloutError, match="above zero"):
        Manner(**wrong)  # type: ignore[arg-type]


def _typed(identity: str, kind: str) -> Task:
    return replace(toy_task(identity), type=kind)


def test_replay_swaps_in_failed_tasks_and_keeps_the_balance_over_types() -> None:
    tasks = [_typed(f"{kind}{k}", kind) for k in range(5) for kind in ("a", "b")]
    failures = [_typed("fa", "a"), _typed("fb", "b"), _typed("a0", "a"), _typed("fa", "a")]
    mixed = replay_failed(tasks, failures, 0.4)
    assert len(mixed) == len(tasks)
    assert [one.id for one in mixed if one.id.startswith("f")] == ["fa", "fb"]
    assert sorted(one.type for one in mixed) == sorted(one.type for one in tasks)
    assert len({one.id for one in mixed}) == len(mixed)


def test_replay_takes_no_more_than_its_share() -> None:
    tasks = [_typed(f"t{k}", "a") for k in range(10)]
    failures = [_typed(f"f{k}", "a") for k in range(10)]
    assert sum(one.id.startswith("f") for one in replay_failed(tasks, failures, 0.3)) == 3
    assert replay_failed(tasks, failures, 0.0) == tasks
    assert sorted(one.id for one in replay_failed(tasks, failures, 1.0)) == sorted(f.id for f in failures)


@pytest.mark.parametrize("split", sorted(MEASURING))
def test_a_failure_from_a_split_that_measures_is_never_replayed(split: Split) -> None:
    with pytest.raises(RolloutError, match="only measures"):
        replay_failed([toy_task("a")], [toy_task("b", split=split)], 0.5)
