"""The whole loop over the toy world: a scripted engine whose skill grows with every candidate."""

from __future__ import annotations

import asyncio
import gc
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cli_world import clueless, fake_learn, write_config
from coevolve import config, loop, pool, rounds
from coevolve.agents.solo import run_episode
from coevolve.environments.protocol import Episode
from coevolve.errors import ConfigError, StoreError
from coevolve.models.protocol import ChatFormat, LanguageModel
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.rollout import collect
from coevolve.types import Decision, Operation, Split, Standing, Task
from coevolve.workspace import Workspace, open_workspace
from toy_world import ToyWorld, solver

GROWING = (10, 20, 30, 30, 30)  # counts to this after the opening, round 1, ...
STAGES = ("collect", "score", "evolve", "learn", "gate")


@dataclass
class GrowingEngine:
    """What has an adapter solves targets up to the skill of the round in which it was learned."""

    skills: Sequence[int] = GROWING
    base: str = "scripted-base"
    chat: ChatFormat = field(default_factory=ByteChat)
    opened: list[int] = field(default_factory=list)  # -1 is the base

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        if adapter is None:
            self.opened.append(-1)
            return ScriptedModel(clueless)
        number = json.loads((adapter / "adapter_config.json").read_text())["round"]
        self.opened.append(number)
        skill = self.skills[number]

        def policy(transcript: str) -> str:
            target = int(transcript.split("Count to ")[1].split(",")[0])
            return solver(transcript) if target <= skill else clueless(transcript)

        return ScriptedModel(policy)


@dataclass
class WatchedWorld(ToyWorld):
    """Remembers how many episodes began in each split."""

    started: Counter[Split] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__init__()

    def start(self, task: Task) -> Episode:
        self.started[task.split] += 1
        return super().start(task)


class Crash(Exception):
    pass


@pytest.fixture(autouse=True)
def _no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loop._RUN, "learn", fake_learn)
    monkeypatch.setattr(gc, "collect", lambda: 0)  # a scripted model holds no memory worth the time


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[Any]:
    """Opens workspaces on one run's folder; one that is open by then ends, as its process would."""
    path = write_config(tmp_path)
    opened: list[Workspace] = []

    def make(engine: GrowingEngine | None = None, **settings: object) -> Workspace:
        while opened:
            opened.pop().close()
        dotted = {name.replace("__", "."): value for name, value in settings.items()}
        run = config.override(config.load(path), {"run.max_rounds": 4, "test.tasks": 6, **dotted})
        ws = open_workspace(run, engine=engine or GrowingEngine())
        ws.env = WatchedWorld()
        opened.append(ws)
        return ws

    yield make
    for ws in opened:
        ws.close()


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


def crash(patch: pytest.MonkeyPatch, number: int, stage: str, *, after: bool) -> None:
    """Let one stage of one round die, before or after its work, but before the journal has it."""
    inner = loop._RUN[stage]

    async def dying(ws: Workspace, at: int) -> Any:
        if at != number:
            return await inner(ws, at)
        if after:
            await inner(ws, at)
        raise Crash

    patch.setitem(loop._RUN, stage, dying)


def counted(patch: pytest.MonkeyPatch, calls: Counter[str]) -> None:
    for name in STAGES:

        async def counting(ws: Workspace, at: int, name: str = name, inner: Any = loop._RUN[name]) -> Any:
            calls[f"{at}/{name}"] += 1
            return await inner(ws, at)

        patch.setitem(loop._RUN, name, counting)


def decisions(ws: Workspace, rounds: int) -> list[str]:
    verdicts = [ws.journal.get(f"round-{number}/gate") for number in range(rounds)]
    return [verdict["decision"] for verdict in verdicts if verdict is not None]


async def test_rounds_advance_until_the_target_stops_them(spaces: Any) -> None:
    ws = spaces()
    after_rounds: list[int] = []
    ended = await loop.run(ws, lambda: after_rounds.append(len(ws.journal.steps())))
    assert ended.rounds == 2 and "reached 100%" in ended.why
    assert decisions(ws, 5) == [Decision.ACCEPT] * 3
    champion = ws.registry.champion()
    assert champion is not None and champion.id == ended.champion
    assert len(ws.registry.lineage(champion.id)) == 4  # three candidates over the base
    assert len(after_rounds) == 4 and after_rounds == sorted(set(after_rounds))
    kept = ws.journal.get("ended")
    assert kept is not None and kept["why"] == ended.why and kept["wall_s"] > 0


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


async def test_three_rounds_without_improvement_pause_the_loop_and_say_why(spaces: Any) -> None:
    ws = spaces(GrowingEngine(skills=(10, 10, 10, 10, 10)), run__patience=3)
    ended = await loop.run(ws)
    assert ended.rounds == 3
    assert ended.why.startswith("paused: 3 rounds without improvement (run.patience)")
    last = ws.journal.get("round-3/gate")
    assert last["why"] in ended.why
    assert Decision.ACCEPT not in decisions(ws, 5)[1:]
    assert ended.champion == ws.journal.get("round-0/learn")["version"]


async def test_an_improvement_sets_the_breaker_back(spaces: Any) -> None:
    ws = spaces(GrowingEngine(skills=(10, 10, 20, 20, 20)), run__patience=2)
    ended = await loop.run(ws)
    assert decisions(ws, 5)[2] == Decision.ACCEPT and ended.rounds == 4
    assert "paused: 2 rounds" in ended.why


@pytest.mark.parametrize("skill", [10, 5, 0])
async def test_champion_stays_unless_the_candidate_is_accepted(spaces: Any, skill: int) -> None:
    ws = spaces(GrowingEngine(skills=(10, skill)), run__max_rounds=1)
    ended = await loop.run(ws)
    first, second = (ws.journal.get(f"round-{number}/learn")["version"] for number in range(2))
    assert decisions(ws, 2)[0] == Decision.ACCEPT and decisions(ws, 2)[1] != Decision.ACCEPT
    champion = ws.registry.champion()
    assert champion is not None and champion.id == first == ended.champion
    assert ws.registry.standing(second) is not Standing.CHAMPION
    assert ws.journal.get("test/final")["version"] == first
    assert ws.registry.get(second).parent == first


async def test_a_worthless_opening_leaves_the_base_as_champion(spaces: Any) -> None:
    ws = spaces(GrowingEngine(skills=(0, 0)), run__max_rounds=1)
    ended = await loop.run(ws)
    assert ended.champion == ws.journal.get("begin")["base"]
    assert ws.journal.get("test/final")["success"] == ws.journal.get("test/base")["success"]


async def test_all_rounds_and_minutes_end_the_loop_with_their_reason(spaces: Any) -> None:
    ended = await loop.run(spaces(GrowingEngine(skills=(10, 20)), run__max_rounds=1))
    assert (ended.rounds, ended.why) == (1, "all rounds are done")
    short = spaces(run__name="short", run__minutes_budget=4.0, test__reserve_s=240.0)
    ended = await loop.run(short)
    assert ended.rounds == 0 and "run.minutes_budget" in ended.why
    assert short.journal.get("test/final") is not None


async def test_pools_hold_train_tasks_alone(spaces: Any) -> None:
    ws = spaces()
    await loop.run(ws)
    assert all(ws.env.started[split] for split in (Split.TRAIN, Split.HELD_OUT, Split.TEST))
    kept = [pool.load(ws.pools, one.id) for one in ws.store.pools()]
    splits = {entry.trajectory.task.split for one in kept for entry in one.entries}
    assert splits == {Split.TRAIN}
    for entry in (entry for one in kept for entry in one.entries):
        for source in entry.sources:
            assert ws.store.get(source).task.split is Split.TRAIN


async def test_validation_demonstrations_are_neither_kept_nor_pooled(spaces: Any) -> None:
    ws = spaces(run__max_rounds=0)
    await loop.run(ws)
    assert len(rounds._validation_examples(ws)) > 0
    stored = {t.task.split for t in ws.store.find()}
    assert stored == {Split.TRAIN, Split.HELD_OUT, Split.TEST}


async def test_test_split_is_opened_once_and_only_at_the_end(spaces: Any) -> None:
    ws = spaces(run__max_rounds=1, run__target=1.0)
    for number in range(2):
        for stage in STAGES:
            await loop.advance(ws, number, stage)
    assert ws.env.started[Split.TEST] == 0
    await loop.run(ws)
    assert ws.env.started[Split.TEST] == 3 * 6  # the base, the version after the opening, the champion
    again = spaces(run__max_rounds=1, run__target=1.0)
    await loop.run(again)
    await loop.measure(again)
    assert not again.env.started


async def test_test_split_stays_closed_when_told_so(spaces: Any) -> None:
    ws = spaces(run__max_rounds=0, test__open=False)
    await loop.run(ws)
    assert ws.env.started[Split.TEST] == 0 and ws.journal.get("test/final") is None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A run of one round that nothing disturbed."""
    run = config.override(
        config.load(write_config(tmp_path_factory.mktemp("whole"))), {"run.max_rounds": 1, "test.tasks": 6}
    )
    ws = open_workspace(run, engine=GrowingEngine())
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(loop._RUN, "learn", fake_learn)
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
    kept = first._append
    appended: list[int] = []

    def dying(self: Workspace, fresh: list[Any], round: int) -> None:
        kept(fresh, round)
        if round == 1:
            appended.append(1)
            raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "_append", dying)
        with pytest.raises(Crash):
            await loop.run(first)
    first.close()
    second = spaces(**settings)
    champion = second.registry.champion().id
    known = {t.id for t in second.store.find(version=champion) if t.task.split is Split.TRAIN}
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


async def test_a_round_whose_every_episode_broke_ends_the_run_with_the_first_cause(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = spaces(run__max_rounds=1)
    for stage in STAGES:
        await loop.advance(ws, 0, stage)

    def broken(task: Task) -> Episode:
        raise OSError("the till is on fire")

    monkeypatch.setattr(ws.env, "start", broken)
    with pytest.raises(ConfigError, match="the till is on fire"):
        await loop.advance(ws, 1, "collect")
    assert ws.journal.get("round-1/collect") is None  # not finished: nothing was learned from it


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


async def test_a_run_killed_in_its_final_measurement_adds_no_round_when_it_goes_on(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the champion would change after the test split was opened."""
    monkeypatch.setattr(loop, "elapsed_s", lambda ws: 60.0 * 20)
    settings = {"run__minutes_budget": 20.0 + 1e-9, "test__reserve_s": 0.0, "run__max_rounds": 2}

    async def dying(ws: Workspace) -> None:
        await measure(ws)
        raise Crash

    measure = loop.measure
    with monkeypatch.context() as patch:
        patch.setattr(loop, "measure", dying)
        with pytest.raises(Crash):
            await loop.run(spaces(**settings))
    monkeypatch.setattr(loop, "elapsed_s", lambda ws: 0.0)  # finished rounds seem to take no time
    resumed = spaces(**settings)
    ended = await loop.run(resumed)
    assert ended.champion == resumed.journal.get("test/final")["version"]
