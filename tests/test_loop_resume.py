"""A run that died goes on, repeats nothing that was finished, and belongs to one process."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from cli_world import write_config
from coevolve import config, loop, timekeeping
from coevolve.agents.solo import run_episode
from coevolve.errors import ConfigError, StoreError
from coevolve.rollout import collect
from coevolve.store.query import Query
from coevolve.types import Split
from coevolve.workspace import Workspace, open_workspace
from loop_world import STAGES, Crash, GrowingEngine, counted, crash

pytestmark = pytest.mark.usefixtures("no_garbage_collection")


async def test_two_processes_never_work_on_one_run(spaces: Any) -> None:
    first = spaces()
    loop.begin(first)
    second = open_workspace(first.config, engine=GrowingEngine())
    assert second.registry.champion() is not None  # reading is free
    with pytest.raises(StoreError, match="another process works on the run"):
        loop.begin(second)
    first.close()
    loop.begin(second)
    second.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A run of one round that nothing disturbed."""
    run = config.override(
        config.load(write_config(tmp_path_factory.mktemp("whole"))), {"run.max_rounds": 1, "test.tasks": 6}
    )
    ws = open_workspace(run, engine=GrowingEngine())
    asyncio.run(loop.run(ws))
    yield ws
    ws.close()


@pytest.mark.parametrize(
    ("stage", "after"),
    [*((stage, True) for stage in STAGES), ("learn", False), ("gate", False)],
)
async def test_a_run_that_died_in_a_stage_goes_on_and_repeats_no_finished_one(
    spaces: Any, whole: Workspace, monkeypatch: pytest.MonkeyPatch, stage: str, after: bool
) -> None:
    calls: Counter[str] = Counter()
    with monkeypatch.context() as patch:
        crash(patch, 1, stage, after=after)
        counted(patch, calls)
        with pytest.raises(Crash):
            await loop.run(spaces(run__max_rounds=1))
    with monkeypatch.context() as patch:
        counted(patch, calls)
        resumed = spaces(run__max_rounds=1)
        ended = await loop.run(resumed)
    assert calls == {f"{n}/{s}": 2 if (n, s) == (1, stage) else 1 for n in range(2) for s in STAGES}
    assert ended.rounds == 1
    for step in whole.journal.steps():
        if step.name not in ("begin", "ended"):
            assert step.value == resumed.journal.get(step.name), step.name
    assert resumed.store.count() == whole.store.count()
    assert len(resumed.registry.versions()) == len(whole.registry.versions())


async def test_a_run_that_died_while_collecting_repeats_no_kept_episode(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"run__max_rounds": 1, "collect__episodes": 80}
    first = spaces(**settings)
    append = first.store.append
    appended: list[int] = []

    def dying(fresh: list[Any], *, run: str, round: int) -> None:
        append(fresh, run=run, round=round)
        if round == 1:
            appended.append(1)
            raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(first.store, "append", dying)
        with pytest.raises(Crash):
            await loop.run(first)
    first.close()
    second = spaces(**settings)
    champion = second.registry.champion().id
    known = {t.id for t in second.store.find(Query(version=champion)) if t.task.split is Split.TRAIN}
    assert appended and 32 <= len(known) < 80  # full batches of episodes are kept
    begun: list[str] = []

    async def counting(*given: Any, **more: Any) -> Any:
        begun.append(given[2].id)
        return await run_episode(*given, **more)

    monkeypatch.setattr(collect, "run_episode", counting)
    for stage in ("collect", "score"):
        await loop.advance(second, 1, stage)
    assert len(begun) == 80 - len(known)
    collected = second.journal.get("round-1/collect")["trajectories"]
    assert len(set(collected)) == 80 and known < set(collected)


async def test_a_stage_out_of_order_names_what_is_missing(spaces: Any) -> None:
    ws = spaces()
    with pytest.raises(ConfigError, match="round 0 has no collect yet") as refused:
        await loop.advance(ws, 0, "learn")
    assert "coevolve collect" in refused.value.fix
    assert loop.next_step(ws) == (0, "collect")
    await loop.advance(ws, 0, "collect")
    assert loop.next_step(ws) == (0, "score")


async def test_a_run_killed_in_its_final_measurement_adds_no_round_when_it_goes_on(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the champion would change after the test split was opened."""
    monkeypatch.setattr(timekeeping, "elapsed_s", lambda ws: 60.0 * 20)
    settings = {"run__minutes_budget": 20.0 + 1e-9, "test__reserve_s": 0.0, "run__max_rounds": 2}

    async def dying(ws: Workspace) -> None:
        await measure(ws)
        raise Crash

    measure = loop.measure
    with monkeypatch.context() as patch:
        patch.setattr(loop, "measure", dying)
        with pytest.raises(Crash):
            await loop.run(spaces(**settings))
    monkeypatch.setattr(timekeeping, "elapsed_s", lambda ws: 0.0)  # finished rounds seem to take no time
    resumed = spaces(**settings)
    ended = await loop.run(resumed)
    assert ended.champion == resumed.journal.get("test/final")["version"]
