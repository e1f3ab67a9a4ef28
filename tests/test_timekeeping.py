from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from coevolve import loop, timekeeping
from coevolve.codec import from_json
from coevolve.types import Verdict
from loop_world import STAGES, GrowingEngine

pytestmark = pytest.mark.usefixtures("no_garbage_collection")


@pytest.mark.parametrize(("slow", "rounds"), [("", 2), ("round-0/gate", 0), ("round-1/collect", 1)])
async def test_time_is_kept_for_the_final_measurement_at_the_pace_so_far(
    spaces: Any, monkeypatch: pytest.MonkeyPatch, slow: str, rounds: int
) -> None:
    """Of the collections, and before the first of the opening's gate."""
    ws = spaces(GrowingEngine(skills=(10, 20, 30)), run__max_rounds=2, run__minutes_budget=10.0)
    steps = ws.journal.steps
    monkeypatch.setattr(
        ws.journal, "steps", lambda: [replace(s, wall_s=3600.0 * (s.name == slow)) for s in steps()]
    )
    monkeypatch.setattr(timekeeping, "elapsed_s", lambda ws: 0.0)
    monkeypatch.setattr(timekeeping, "round_s", lambda ws, number: 0.0)
    assert (await loop.run(ws)).rounds == rounds


@pytest.mark.parametrize(("minutes", "draws"), [(600.0, True), (0.0, False)])
async def test_the_gate_draws_no_more_tasks_than_the_time_is_left_for(
    spaces: Any, monkeypatch: pytest.MonkeyPatch, minutes: float, draws: bool
) -> None:
    settings = {"run__minutes_budget": minutes + 1e-9, "gate__tasks": 20, "gate__draw_tasks": 20}
    ws = spaces(GrowingEngine(skills=(4, 5)), **settings, gate__max_tasks=80, learn__start="champion")
    monkeypatch.setattr(timekeeping, "episode_s", lambda ws: 1.0)
    for number in range(2):
        for stage in STAGES:
            await loop.advance(ws, number, stage)
    verdict = from_json(Verdict, ws.journal.get("round-1/gate"))
    assert (verdict.overall.tasks > 20) is draws


async def test_a_round_needs_one_look_at_the_gate_and_not_the_tasks_drawn_beside(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"gate__tasks": 20, "gate__draw_tasks": 20, "gate__max_tasks": 80, "learn__start": "champion"}
    ws = spaces(GrowingEngine(skills=(4, 5)), **settings)
    for number in range(2):
        for stage in STAGES:
            await loop.advance(ws, number, stage)
    drawn = sum(one.tasks for one in from_json(Verdict, ws.journal.get("round-1/gate")).types)
    assert drawn > 20
    steps = ws.journal.steps
    monkeypatch.setattr(
        ws.journal,
        "steps",
        lambda: [replace(s, wall_s=float(drawn) if "gate" in s.name else 1.0) for s in steps()],
    )
    monkeypatch.setattr(timekeeping, "episode_s", lambda ws: 0.5)
    assert timekeeping.round_s(ws, 1) == pytest.approx(len(STAGES) - 1 + 20)
    assert timekeeping.round_s(ws, 7) == 0
