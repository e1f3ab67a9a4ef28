"""What a run's report is made of, at every moment of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli_world import ScriptedEngine, scripted, write_config
from coevolve import loop
from coevolve.codec import to_json
from coevolve.config import load
from coevolve.gate import wilson
from coevolve.machine import machine
from coevolve.report import Rate, page
from coevolve.store.query import Query
from coevolve.summary import _telling, overall_rate, report_data, write_report
from coevolve.types import (
    Decision,
    Outcome,
    Reward,
    Split,
    StopReason,
    Trajectory,
    Turn,
    TypeFigures,
    Verdict,
)
from coevolve.workspace import Workspace, open_workspace
from toy_world import toy_task


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    with scripted():
        workspace = open_workspace(load(write_config(tmp_path)), engine=ScriptedEngine())
        yield workspace
        workspace.close()


def figures(
    name: str, champion: float, candidate: float, *, refusal: bool = False, n: int = 40
) -> TypeFigures:
    return TypeFigures(
        type=name,
        refusal=refusal,
        tasks=n,
        champion_rate=champion,
        candidate_rate=candidate,
        difference=candidate - champion,
        low=candidate - champion - 0.1,
        high=candidate - champion + 0.1,
        wins=4,
        losses=4,
    )


def verdict(decision: Decision, champion: float, candidate: float) -> Verdict:
    return Verdict(
        champion="a",
        candidate="b",
        decision=decision,
        why=f"it is {decision.value}",
        overall=figures("overall", champion, candidate),
        types=(figures("count", champion, candidate), figures("refuse", 0.5, 0.5, refusal=True, n=8)),
        steps={},
    )


def rate(share: float, n: int) -> Rate:
    return Rate(share, *wilson(round(share * n), n), n)


def played(identity: str, *, kind: str, won: bool, turns: int = 1, refusal: bool = False) -> Trajectory:
    outcome = Outcome.SUCCESS if won else Outcome.FAILURE
    return Trajectory(
        id=f"{identity}-{won}",
        session_id="s",
        task=replace(toy_task(identity, split=Split.TEST), type=kind, refusal=refusal),
        version="v",
        seed=0,
        turns=tuple(Turn(index=k, observation="", raw="") for k in range(turns)),
        stop=StopReason.DONE,
        reward=Reward(total=0.0, outcome=outcome, turns=(0.0,) * turns, first_wrong=None, why=""),
    )


def test_report_of_a_run_that_has_not_begun_is_written(ws: Workspace) -> None:
    folder = write_report(ws, finished=False)
    assert folder == ws.folder / "report"
    assert (folder / "report.html").is_file() and (folder / "curve.png").is_file()


def test_right_after_the_beginning_nothing_is_known_and_nothing_is_zero(ws: Workspace) -> None:
    loop.begin(ws)
    data = report_data(ws, finished=False)
    assert (data.rounds, data.types, data.verdicts, data.pools, data.examples) == ((), (), (), (), ())
    assert (data.base, data.opening, data.final, data.wall_s, data.peak_memory_gib) == (None,) * 5
    assert data.run_id == "toy" and data.date
    write_report(ws, finished=False)


def test_report_grows_with_every_stage(ws: Workspace) -> None:
    for done, stage in enumerate(loop.STAGES, start=1):
        asyncio.run(loop.advance(ws, 0, stage))
        data = report_data(ws, finished=False)
        assert set(data.stage_s) == set(loop.STAGES[:done])
        assert data.wall_s == pytest.approx(sum(data.stage_s.values()))
        assert len(data.pools) == (done >= 3) and len(data.rounds) == (2 if done == 5 else 0)
        assert "<html" in page(data)


def test_before_the_final_measurement_figures_are_the_gates(ws: Workspace) -> None:
    asyncio.run(loop.improve(ws, 0))
    data = report_data(ws, finished=False)
    assert data.measured_on == "held-out"
    assert (data.base, data.opening, data.final) == (rate(0, 30), rate(1, 30), rate(1, 30))
    assert data.examples == ()  # nobody reads a held-out task


def test_finished_run_shows_test_figures_and_why_it_ended(ws: Workspace) -> None:
    asyncio.run(loop.run(ws))
    data = report_data(ws, finished=True)
    assert data.measured_on == "test"
    (shown,) = data.examples
    assert (shown.before_outcome, shown.after_outcome) == ("failure", "success")
    assert shown.before[0].observation == shown.after[0].observation
    assert (data.base, data.opening, data.final) == (rate(0, 12), rate(1, 12), rate(1, 12))
    assert [(row.type, row.base, row.final) for row in data.types] == [("count", rate(0, 12), rate(1, 12))]
    assert [(point.label, point.success) for point in data.rounds] == [
        ("base", rate(0, 30)),
        ("opening", rate(1, 30)),
    ]
    assert data.rounds[1].tokens == 100
    assert data.rounds[1].wall_s == pytest.approx(sum(data.rounds[1].stage_s.values()))
    assert data.stage_s["test"] > 0 and data.peak_memory_gib
    assert any("the champion reached 100% at the gate" in note for note in data.notes)
    assert data.examples[0].task_id in {one.task.id for one in ws.store.find(Query(split=Split.TEST))}


def test_curve_follows_the_champion_and_not_a_rejected_candidate(ws: Workspace) -> None:
    loop.begin(ws)
    ws.journal.done("round-0/gate", to_json(verdict(Decision.ACCEPT, 0.0, 0.5)))
    ws.journal.done("round-1/gate", to_json(verdict(Decision.REJECT, 0.5, 0.4)))
    ws.journal.done("round-2/gate", to_json(verdict(Decision.UNDECIDED, 0.5, 0.55)))
    data = report_data(ws, finished=False)
    assert [point.success.rate for point in data.rounds] == [0.0, 0.5, 0.5, 0.5]
    walls = [point.wall_s for point in data.rounds]
    assert walls == sorted(walls)
    assert data.final == rate(0.5, 40)
    assert [row.decision for row in data.verdicts] == ["accept", "reject", "undecided"]
    assert any("round 2 is undecided" in note for note in data.notes)


def test_types_carry_their_refusal_and_only_what_was_measured(ws: Workspace) -> None:
    loop.begin(ws)
    ws.journal.done(
        "test/final", {"version": "b", "trajectories": ["gone"], "success": {"count": [0.75, 20]}}
    )
    data = report_data(ws, finished=False)
    assert [(row.type, row.base, row.opening, row.final) for row in data.types] == [
        ("count", None, None, rate(0.75, 20))
    ]
    assert data.final == rate(0.75, 20) and data.base is None


def test_overall_rate_weighs_types_by_their_tasks() -> None:
    assert overall_rate({"success": {"a": [1.0, 30], "b": [0.0, 10]}}) == rate(0.75, 40)
    assert overall_rate({"success": {}}) is None


def test_examples_are_of_different_types_and_show_a_refusal_and_a_long_one() -> None:
    kinds = {
        "short": (1, False),
        "long": (4, False),
        "refuse": (2, True),
        "other": (1, False),
        "last": (1, False),
    }
    pairs = [
        (
            played(f"{kind}-{k}", kind=kind, won=False, refusal=refusal),
            played(f"{kind}-{k}", kind=kind, won=True, turns=turns, refusal=refusal),
        )
        for kind, (turns, refusal) in kinds.items()
        for k in range(3)
    ]
    chosen = [after.task.type for _, after in _telling(pairs)]
    assert chosen[:2] == ["refuse", "long"]
    assert len(chosen) == len(set(chosen)) == 4


def test_examples_fall_back_to_what_there_is() -> None:
    lost = (played("a", kind="x", won=False), played("a", kind="x", won=False))
    assert _telling([lost]) == [lost]
    assert _telling([]) == []


def test_machine_is_named_with_what_figures_depend_on() -> None:
    found = machine()
    assert {"cores", "memory_gib", "processor", "python", "coevolve"} <= set(found)
