"""Rounds of the whole loop over the toy world: what ends them, what goes on, and when the test is opened."""

from __future__ import annotations

from typing import Any

import pytest

from coevolve import loop
from coevolve.codec import to_json
from coevolve.environments.protocol import Episode
from coevolve.errors import ConfigError
from coevolve.gate import GateRule, PairedResult, decide
from coevolve.types import Decision, Split, Task
from coevolve.workspace import Workspace
from loop_world import STAGES, Crash, GrowingEngine, crash, decisions

pytestmark = pytest.mark.usefixtures("no_garbage_collection")


async def test_rounds_advance_until_the_target_stops_them(spaces: Any) -> None:
    ws = spaces()
    reported: list[int] = []  # steps that were finished then: as it begins, after each round, at the end
    ended = await loop.run(ws, lambda: reported.append(len(ws.journal.steps())))
    assert ended.rounds == 2 and "reached 100%" in ended.why
    assert decisions(ws, 5) == [Decision.ACCEPT] * 3
    champion = ws.registry.champion()
    assert champion is not None and champion.id == ended.champion
    assert len(ws.registry.lineage(champion.id)) == 4  # three candidates over the base
    assert len(reported) == 5 and reported[0] == 1 and reported == sorted(set(reported))
    kept = ws.journal.get("ended")
    assert kept is not None and kept["why"] == ended.why and kept["wall_s"] > 0


async def test_three_rounds_without_improvement_pause_the_loop_and_say_why(spaces: Any) -> None:
    ws = spaces(GrowingEngine(skills=(10, 10, 10, 10, 10)), run__patience=3)
    ended = await loop.run(ws)
    assert ended.rounds == 3
    assert ended.why.startswith("paused: 3 rounds without improvement (run.patience)")
    last = ws.journal.get("round-3/gate")
    assert last["why"] in ended.why
    assert Decision.ACCEPT not in decisions(ws, 5)[1:]
    assert ended.champion == ws.journal.get("round-0/learn")["version"]


async def test_a_paused_run_goes_on_from_its_champion_with_fresh_patience(spaces: Any) -> None:
    skills = (10, 10, 10, 20, 20, 20, 20)
    ws = spaces(GrowingEngine(skills=skills), run__patience=2)
    paused = await loop.run(ws)
    assert paused.rounds == 2 and "paused: 2 rounds" in paused.why
    tested = ws.journal.get("test/final")
    played = ws.env.started[Split.TEST]
    loop.go_on(ws, 4)
    ended = await loop.run(ws)
    assert decisions(ws, 7)[3:] == [Decision.ACCEPT, *decisions(ws, 7)[4:]]
    assert (ended.rounds, "paused: 2 rounds" in ended.why) == (
        5,
        True,
    )  # of four more, one won and two did not
    assert ended.champion == ws.journal.get("round-3/learn")["version"] != paused.champion
    assert ws.registry.get(ended.champion).parent == ws.journal.get("round-2/learn")["version"]
    assert ws.journal.get("test/final") == tested and ws.env.started[Split.TEST] == played


async def test_rounds_that_were_asked_for_are_not_cut_short_by_minutes_that_are_spent(spaces: Any) -> None:
    ws = spaces(run__minutes_budget=4.0, test__reserve_s=240.0)
    assert "run.minutes_budget" in (await loop.run(ws)).why
    loop.go_on(ws, 1)
    ended = await loop.run(ws)
    assert (ended.rounds, ended.why) == (1, "all rounds are done")


async def test_a_run_that_was_killed_while_it_went_on_keeps_to_its_rounds(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"run__max_rounds": 0, "run__target": 1.0}
    ws = spaces(GrowingEngine(skills=(10, 10, 10)), **settings)
    await loop.run(ws)
    loop.go_on(ws, 2)
    with monkeypatch.context() as patch, pytest.raises(Crash):
        crash(patch, 2, "learn", after=True)
        await loop.run(ws)
    with pytest.raises(ConfigError, match="has not ended") as refused:
        loop.go_on(ws, 2)
    assert "without --more" in refused.value.fix
    ws = spaces(GrowingEngine(skills=(10, 10, 10)), **settings)
    assert (await loop.run(ws)).rounds == 2
    loop.go_on(ws, 1)  # and again
    ws.make_engine = lambda: GrowingEngine(skills=(10, 10, 10, 30))
    ws._engine = None
    assert (await loop.run(ws)).rounds == 3


async def test_an_improvement_sets_the_breaker_back(spaces: Any) -> None:
    ws = spaces(GrowingEngine(skills=(10, 10, 20, 20, 20)), run__patience=2)
    ended = await loop.run(ws)
    assert decisions(ws, 5)[2] == Decision.ACCEPT and ended.rounds == 4
    assert "paused: 2 rounds" in ended.why


async def test_all_rounds_and_minutes_end_the_loop_with_their_reason(spaces: Any) -> None:
    ended = await loop.run(spaces(GrowingEngine(skills=(10, 20)), run__max_rounds=1))
    assert (ended.rounds, ended.why) == (1, "all rounds are done")
    short = spaces(run__name="short", run__minutes_budget=4.0, test__reserve_s=240.0)
    ended = await loop.run(short)
    assert ended.rounds == 0 and "run.minutes_budget" in ended.why
    assert short.journal.get("test/final") is not None


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


async def test_two_judged_tasks_do_not_reach_the_target(spaces: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = spaces(run__max_rounds=1, run__target=0.5)
    pairs = [
        PairedResult(
            task_id=f"t{k}",
            task_type="count",
            refusal=False,
            champion=True if k < 2 else None,
            candidate=True if k < 2 else None,
            champion_turns=1,
            candidate_turns=1,
        )
        for k in range(30)
    ]

    async def unjudged(ws: Workspace, number: int) -> Any:
        return to_json(decide(pairs, GateRule(), 0, "a", "b"))

    monkeypatch.setitem(loop._RUN, "gate", unjudged)
    ended = await loop.run(ws)
    assert ended.why == "all rounds are done"


async def test_a_champion_by_hand_after_the_last_round_is_not_what_was_measured(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = spaces(run__max_rounds=1)

    async def killed(ws: Workspace) -> None:
        raise Crash

    with monkeypatch.context() as patch, pytest.raises(Crash):
        patch.setattr(loop, "measure", killed)
        await loop.run(ws)
    pinned = ws.journal.get("stopped")["champion"]
    ws.registry.rollback()
    ended = await loop.run(ws)
    assert ended.champion == pinned == ws.journal.get("test/final")["version"]
