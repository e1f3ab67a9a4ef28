"""Rounds of the whole loop over the toy world: what they learn from, and what ends them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from coevolve import contenders, loop, pool, rounds, teaching
from coevolve.codec import to_json
from coevolve.environments.protocol import Episode
from coevolve.errors import ConfigError
from coevolve.gate import GateRule, PairedResult, decide
from coevolve.store.pools import pool_rows
from coevolve.types import Decision, Operation, Split, Standing, Task, Verdict
from coevolve.workspace import Workspace, succeeded
from loop_world import STAGES, Crash, GrowingEngine, crash, decisions
from toy_world import ToyWorld

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


async def test_a_types_own_margin_decides_at_the_gate(spaces: Any) -> None:
    async def why(name: str, own: float, others: float) -> str:
        ws = spaces(
            GrowingEngine(skills=(30, 15)),
            run__name=name,
            gate__margins={"count": own},
            gate__margin=others,
        )
        await loop.improve(ws, 0)
        return (await loop.improve(ws, 1)).why

    assert "count fell by 50%" in (said := await why("strict", 0.01, 0.6)) and "the margin is 1%" in said
    assert "Harm is shown" not in await why("lenient", 0.6, 0.01)


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


def verdict_of(ws: Workspace, candidate: str, decision: Decision, wins: int, losses: int) -> Verdict:
    champion = ws.registry.champion()
    assert champion is not None
    results = [
        PairedResult(
            task_id=f"t{k}",
            task_type="count",
            refusal=False,
            champion=k >= wins,
            candidate=k < wins or k >= wins + losses,
            champion_turns=1,
            candidate_turns=1,
        )
        for k in range(40)
    ]
    weighed = decide(results, GateRule(), 0, champion.id, candidate)
    return replace(weighed, decision=decision)


@pytest.mark.parametrize("start", ["latest", "champion"])
@pytest.mark.parametrize(
    ("decision", "wins", "losses", "goes_on"),
    [
        (Decision.REJECT, 9, 2, True),  # a veto for one type
        (Decision.UNDECIDED, 3, 2, True),
        (Decision.REJECT, 3, 4, True),  # as good as even
        (Decision.REJECT, 2, 9, False),
    ],
)
async def test_a_round_starts_from_a_candidate_that_was_not_behind(
    spaces: Any, start: str, decision: Decision, wins: int, losses: int, goes_on: bool
) -> None:
    ws = spaces(learn__start=start)
    await loop.improve(ws, 0)
    first = ws.registry.champion()
    for stage in ("collect", "score", "evolve", "learn"):
        await loop.advance(ws, 1, stage)
    candidate = ws.journal.get("round-1/learn")["version"]
    verdict = verdict_of(ws, candidate, decision, wins, losses)
    ws.registry.record(candidate, verdict)
    ws.journal.done("round-1/gate", to_json(verdict))
    collected = await loop.advance(ws, 2, "collect")
    assert collected["version"] == (candidate if goes_on and start == "latest" else first.id)
    for stage in ("score", "evolve", "learn"):
        await loop.advance(ws, 2, stage)
    learned = ws.journal.get("round-2/learn")["version"]
    assert ws.registry.get(learned).parent == collected["version"]
    assert ws.registry.champion() == first  # who learns is not who acts


async def test_an_accepted_candidate_that_was_rolled_back_does_not_learn_on(spaces: Any) -> None:
    ws = spaces()
    await loop.improve(ws, 0)
    base = ws.journal.get("begin")["base"]
    ws.registry.rollback()
    assert contenders.trainee_of(ws, 1).id == base


async def test_a_candidate_that_was_ahead_of_another_champion_does_not_learn_on(spaces: Any) -> None:
    ws = spaces()
    await loop.improve(ws, 0)
    for stage in ("collect", "score", "evolve", "learn"):
        await loop.advance(ws, 1, stage)
    candidate = ws.journal.get("round-1/learn")["version"]
    verdict = verdict_of(ws, candidate, Decision.UNDECIDED, 9, 2)
    ws.journal.done("round-1/gate", to_json(verdict))
    assert contenders.trainee_of(ws, 2).id == candidate
    ws.registry.rollback()
    assert contenders.trainee_of(ws, 2).id == ws.journal.get("begin")["base"]


async def test_a_candidate_promoted_by_hand_before_the_gate_says_what_to_do(spaces: Any) -> None:
    ws = spaces()
    await loop.improve(ws, 0)
    for stage in ("collect", "score", "evolve", "learn"):
        await loop.advance(ws, 1, stage)
    ws.registry.promote(ws.journal.get("round-1/learn")["version"])
    with pytest.raises(ConfigError, match="before the gate weighed it") as refused:
        await loop.advance(ws, 1, "gate")
    assert "rollback" in refused.value.fix
    ws.registry.rollback()
    await loop.advance(ws, 1, "gate")


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
