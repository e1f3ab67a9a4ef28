"""Stages of a round one by one: what is collected, and under which world and base."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cli_world import clueless, write_config
from coevolve import contenders, loop, pool, rounds
from coevolve.config import load, override
from coevolve.errors import ConfigError
from coevolve.models.protocol import LanguageModel
from coevolve.models.scripted import ScriptedModel
from coevolve.types import Operation, Signal, SignalKind, SignalSource, Trajectory
from coevolve.workspace import open_workspace, succeeded
from loop_world import GrowingEngine
from toy_world import ToyWorld, solver

pytestmark = pytest.mark.usefixtures("no_garbage_collection")


async def test_a_world_without_a_teacher_learns_from_its_own_successes(spaces: Any) -> None:
    ws = spaces(run__max_rounds=1, opening__demonstrations=0)
    ws.env = ToyWorld(teacher=False)
    for stage in ("collect", "score", "evolve"):
        await loop.advance(ws, 1, stage)
    stats = ws.journal.get("round-1/evolve")["stats"]
    assert "teacher_completion" not in stats["operations"]


@dataclass
class SecondThoughts(GrowingEngine):
    """Solves every fourth target at once, other even ones at the second attempt, and odd ones never."""

    tried: Counter[int] = field(default_factory=Counter)

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        def policy(transcript: str) -> str:
            target = int(transcript.split("Count to ")[1].split(",")[0])
            self.tried[target] += 1
            able = target % 4 == 0 or (target % 2 == 0 and self.tried[target] > 1)
            return solver(transcript) if able else clueless(transcript)

        return ScriptedModel(policy)


async def test_a_failed_task_is_tried_again_where_no_teacher_helps(spaces: Any) -> None:
    ws = spaces(SecondThoughts(), run__teacher="none", opening__demonstrations=0, collect__episodes=16)
    for stage in ("collect", "score", "evolve"):
        await loop.advance(ws, 1, stage)
    collected = ws.journal.get("round-1/collect")
    played = [ws.score(ws.store.get(one)) for one in collected["trajectories"]]
    tries = Counter(t.task.id for t in played)
    solved = {t.task.id for t in played if succeeded(t)}
    assert collected["first"] == len(tries) == 8
    assert len(solved) == 4
    assert sorted(tries[one] for one in solved) == [1, 1, 2, 2]
    # Six were left after the first attempt and four after the second, of which the round's bound let two in.
    assert sorted(tries[one] for one in tries.keys() - solved) == [2, 2, 3, 3]
    # How often the type fails is told by first attempts: retries ask only for what failed.
    assert ws.journal.get("round-1/score")["success"] == {"count": [0.25, 8]}
    kept = pool.load(ws.pools, ws.journal.get("round-1/evolve")["pool"])
    fresh = [e for e in kept.entries if e.id in rounds._fresh(ws, kept, 1)]
    assert {(e.operation, tries[e.trajectory.task.id]) for e in fresh} == {(Operation.OWN_SUCCESS, 2)}


async def test_a_failed_task_is_left_to_the_teacher_where_there_is_one(spaces: Any) -> None:
    ws = spaces(SecondThoughts(), opening__demonstrations=0, collect__retries=2)
    await loop.advance(ws, 1, "collect")
    assert len(ws.journal.get("round-1/collect")["trajectories"]) == ws.config.collect.episodes


async def test_a_round_is_no_smaller_once_everything_is_mastered(spaces: Any) -> None:
    ws = spaces()
    loop.begin(ws)
    ws.journal.done("round-1/score", {"success": {"count": (1.0, 8)}})
    collected = await rounds.collect_round(ws, 2)
    assert len(collected["trajectories"]) == ws.config.collect.episodes


async def test_more_tasks_of_a_round_go_to_the_type_that_fails(tmp_path: Path) -> None:
    values = {"environment.name": "shop", "environment.types": ["price", "compare"], "collect.episodes": 20}
    config = override(load(write_config(tmp_path)), values)
    ws = open_workspace(config, engine=GrowingEngine())
    loop.begin(ws)
    ws.journal.done("round-1/score", {"success": {"price": (1.0, 8), "compare": (0.5, 8)}})
    collected = await rounds.collect_round(ws, 2)
    counts = Counter(ws.store.get(one).task.type for one in collected["trajectories"])
    ws.close()
    # Two fifths evenly, the rest where the agent failed.
    assert counts == {"price": 4, "compare": 16}


def test_a_run_whose_world_was_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    world = tmp_path / "world.py"
    world.write_text((Path(__file__).parent / "toy_world.py").read_text())
    config = override(load(write_config(tmp_path)), {"environment.name": f"{world}:ToyWorld"})
    ws = open_workspace(config, engine=GrowingEngine())
    base = loop.begin(ws)
    world.write_text(world.read_text() + "# another rule\n")
    assert loop.begin(ws) == base  # this process goes on under the rules that it loaded
    ws.close()
    resumed = open_workspace(config, engine=GrowingEngine())
    with pytest.raises(ConfigError, match="was changed since this run began"):
        loop.begin(resumed)
    resumed.close()


async def test_a_version_of_another_base_is_not_played(spaces: Any) -> None:
    ws = spaces()
    loop.begin(ws)
    ws.engine.base = "another"
    with pytest.raises(ConfigError, match="is of the base scripted-base"):
        await ws.acting(contenders.champion_of(ws))


async def test_a_version_that_is_rewarded_for_failing_raises_an_alarm_within_its_round(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid = {"feedback__outcome_weight": 0.2, "feedback__process_weight": 3.0}
    ws = spaces(GrowingEngine(skills=(40, 0, 0)), collect__episodes=40, **paid)
    said: list[str] = []
    ws.say = said.append
    for number in (0, 1):
        await loop.improve(ws, number)
    assert "alarms" not in ws.journal.get("round-1/score")
    praise = Signal("polite", 1.0, "it says please", SignalKind.PROCESS, SignalSource.RULE, 0)
    champion = ws.registry.champion()

    def flattering(trajectory: Trajectory) -> tuple[Signal, ...]:
        return (praise,) if trajectory.version != champion.id else ()

    monkeypatch.setattr(type(ws.env), "review", lambda self, trajectory: flattering(trajectory))
    hacked = ws.registry.get(ws.journal.get("round-1/learn")["version"])
    monkeypatch.setattr(rounds, "trainee_of", lambda ws, number: hacked)
    for stage in ("collect", "score"):
        await loop.advance(ws, 2, stage)
    alarms = ws.journal.get("round-2/score").get("alarms", [])
    assert "rewarded_failure" in {one["trace"] for one in alarms}
    assert any("may be hacked" in line for line in said)
