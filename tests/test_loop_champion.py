"""Who acts after a round of the loop, and whom the next round teaches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from coevolve import contenders, loop
from coevolve.codec import to_json
from coevolve.errors import ConfigError
from coevolve.gate import GateRule, PairedResult, decide
from coevolve.types import Decision, Standing, Verdict
from coevolve.workspace import Workspace
from loop_world import GrowingEngine, decisions

pytestmark = pytest.mark.usefixtures("no_garbage_collection")


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
