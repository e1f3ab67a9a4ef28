"""What a round of the loop learns from: train tasks, the pool before, and what a teacher completed."""

from __future__ import annotations

from typing import Any

import pytest

from coevolve import loop, pool, rounds, teaching
from coevolve.errors import ConfigError
from coevolve.store.pools import pool_rows
from coevolve.types import Operation, Split
from coevolve.workspace import succeeded
from loop_world import GrowingEngine
from toy_world import ToyWorld

pytestmark = pytest.mark.usefixtures("no_garbage_collection")


async def test_each_round_learns_from_the_pool_of_the_round_before(spaces: Any) -> None:
    ws = spaces()
    await loop.run(ws)
    ids = [ws.journal.get(f"round-{number}/evolve")["pool"] for number in range(3)]
    loaded = [pool.load(ws.pools, one) for one in ids]
    assert [one.parent for one in loaded] == [None, *ids[:2]]
    assert {entry.operation for entry in loaded[0].entries} == {Operation.DEMONSTRATION}
    assert {entry.round for entry in loaded[1].entries} == {0, 1}
    for number, version in enumerate(ws.journal.get(f"round-{n}/learn")["version"] for n in range(3)):
        assert ws.registry.get(version).pool == ids[number]


async def test_pools_hold_train_tasks_alone(spaces: Any) -> None:
    ws = spaces()
    await loop.run(ws)
    assert all(ws.env.started[split] for split in (Split.TRAIN, Split.HELD_OUT, Split.TEST))
    kept = [pool.load(ws.pools, one.id) for one in pool_rows(ws.store.database)]
    splits = {entry.trajectory.task.split for one in kept for entry in one.entries}
    assert splits == {Split.TRAIN}
    for entry in (entry for one in kept for entry in one.entries):
        for source in entry.sources:
            assert ws.store.get(source).task.split is Split.TRAIN


async def test_validation_demonstrations_are_neither_kept_nor_pooled(spaces: Any) -> None:
    ws = spaces(run__max_rounds=0)
    await loop.run(ws)
    assert len(teaching.validation_examples(ws)) > 0
    stored = {t.task.split for t in ws.store.find()}
    assert stored == {Split.TRAIN, Split.HELD_OUT, Split.TEST}


async def test_completions_are_stored_once_and_stay_in_later_rounds_pools(spaces: Any) -> None:
    ws = spaces(run__max_rounds=2, run__patience=5, run__target=1.0, opening__demonstrations=0)
    await loop.run(ws)
    first, second = (
        {
            entry.trajectory.id
            for entry in pool.load(ws.pools, ws.journal.get(f"round-{number}/evolve")["pool"]).entries
            if entry.operation is Operation.TEACHER_COMPLETION
        }
        for number in (1, 2)
    )
    assert first and first <= second
    assert {ws.store.get(one).id for one in second} == second


async def test_teacher_none_completes_nothing(spaces: Any) -> None:
    ws = spaces(run__max_rounds=1, run__teacher="none")
    await loop.run(ws)
    entries = pool.load(ws.pools, ws.journal.get("round-1/evolve")["pool"]).entries
    assert Operation.TEACHER_COMPLETION not in {entry.operation for entry in entries}
    assert Operation.OWN_SUCCESS in {entry.operation for entry in entries}


async def test_without_a_teacher_in_the_world_an_opening_is_refused(spaces: Any) -> None:
    ws = spaces()
    ws.env = ToyWorld(teacher=False)
    with pytest.raises(ConfigError, match="has no teacher") as refused:
        await loop.run(ws)
    assert "opening.demonstrations = 0" in refused.value.fix


async def test_a_task_that_fails_again_keeps_its_correction_among_the_fresh(spaces: Any) -> None:
    ws = spaces(
        GrowingEngine(skills=(0, 0, 0)),
        collect__replay_failed_share=1.0,
        opening__demonstrations=0,
        pool__executed_share=1.0,
    )
    for number in (1, 2):
        await loop.improve(ws, number)
    kept = pool.load(ws.pools, ws.journal.get("round-2/evolve")["pool"])
    corrected = [e for e in kept.entries if e.operation is Operation.TEACHER_COMPLETION]
    failed = {
        trajectory.task.id
        for one in ws.journal.get("round-2/collect")["trajectories"]
        if succeeded(trajectory := ws.score(ws.store.get(one))) is False
    }
    again = {e.id for e in corrected if e.round == 1 and e.trajectory.task.id in failed}
    assert again and again <= rounds._fresh(ws, kept, 2)
    assert all(e.trajectory.task.id in failed for e in corrected if e.id in rounds._fresh(ws, kept, 2))
