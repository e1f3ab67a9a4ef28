"""People's labels on a run's own store: what they overrule is not counted in the stages that begin after."""

from __future__ import annotations

from typing import Any

import pytest

from coevolve import loop
from coevolve.errors import ConfigError
from coevolve.store.statements import append_statements
from coevolve.types import Signal, Statement, StatementKind, Trajectory
from coevolve.workspace import Workspace

pytestmark = pytest.mark.usefixtures("no_garbage_collection")
PRAISE = Signal("polite", 1.0, "it says please", turn=0)


def total(ws: Workspace, name: str) -> float:
    reward = ws.score(ws.store.get(name)).reward
    assert reward is not None and reward.total is not None
    return reward.total


def overrule(ws: Workspace, found: list[Trajectory]) -> None:
    said = [
        Statement(
            id=f"label-{one.id}",
            session_id=one.session_id,
            kind=StatementKind.LABEL,
            value={"score": -1.0, "why": "it is not", "signal": "polite"},
            trajectory=one.id,
        )
        for one in found
    ]
    append_statements(ws.store.database, said)


async def test_a_rule_that_people_overrule_is_muted_from_the_next_stage_on_and_alike_when_resumed(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = spaces(opening__demonstrations=0)
    monkeypatch.setattr(type(ws.env), "review", lambda self, trajectory: (PRAISE,))
    await loop.advance(ws, 1, "collect")
    names = ws.journal.get("round-1/collect")["trajectories"]
    before = total(ws, names[-1])
    steps = [step.name for step in ws.journal.steps()]
    ws.heed_labels("round-1/score")  # the stage begins, and is killed
    overrule(ws, ws.store.find()[:6])
    ws.heed_labels("round-1/score")
    assert (ws.muted, total(ws, names[-1])) == ((), before)
    said: list[str] = []
    ws.say = said.append
    await loop.advance(ws, 1, "score")
    await loop.advance(ws, 1, "evolve")
    assert ws.muted == ("polite",)
    assert total(ws, names[-1]) < before
    assert any("people's labels overrule it: polite" in line for line in said)
    done = ["round-1/score", "round-1/evolve"]
    assert [step.name for step in ws.journal.steps()] == [*steps, *done]
    resumed = spaces(opening__demonstrations=0)
    resumed.heed_labels("round-1/evolve")
    assert resumed.muted == ("polite",)


async def test_a_weight_given_by_hand_stands_against_peoples_labels(
    spaces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = spaces(opening__demonstrations=0, feedback__weights={"polite": 1.0})
    monkeypatch.setattr(type(ws.env), "review", lambda self, trajectory: (PRAISE,))
    await loop.advance(ws, 1, "collect")
    (name, *_) = ws.journal.get("round-1/collect")["trajectories"]
    before = total(ws, name)
    overrule(ws, ws.store.find()[:6])
    await loop.advance(ws, 1, "score")
    assert (ws.muted, total(ws, name)) == ((), before)


async def test_a_run_with_rubrics_is_refused_by_their_names_before_it_begins(spaces: Any) -> None:
    ws = spaces(feedback__rubrics=[{"name": "kind", "question": "Is it kind?"}])
    with pytest.raises(ConfigError, match=r"feedback.rubrics \(kind\) judge a store's sessions") as refused:
        await loop.advance(ws, 0, "collect")
    assert "coevolve experience judge" in str(refused.value)
    assert ws.journal.get("begin") is None
