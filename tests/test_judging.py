"""A judge over a store: kept opinions, rewards that know of them, and what people made of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli_world import invoke
from coevolve.config import RunConfig, load, override, to_toml
from coevolve.engines import LocalEngine
from coevolve.errors import ConfigError
from coevolve.feedback.judge import Rubric
from coevolve.judging import conversation, judge_stored, rubrics, unjudged
from coevolve.live import Listening, score_live
from coevolve.models.protocol import LanguageModel
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.store import Store, open_store
from coevolve.store.query import Query
from coevolve.store.statements import append_statements
from coevolve.types import Action, SignalSource, StatementKind
from live_samples import says, talk

DATED = Rubric(name="dated", question="Does the last answer give a date?", votes=1)
TOML = """
[model]
engine = "endpoint"
base_url = "http://localhost:1/v1"
[opening]
demonstrations = 0
[agent]
constrained = false
[[feedback.rubrics]]
name = "dated"
question = "Does the last answer give a date?"
votes = 1
[[feedback.rubrics.examples]]
text = "User: When? Agent: On Monday."
label = "good"
[[feedback.rubrics]]
name = "kind"
question = "Is it kind?"
"""


def verdict(transcript: str) -> str:
    """Good where the conversation names a day."""
    asked = transcript.rsplit("Text:", 1)[-1]
    return json.dumps({"reason": "I looked.", "verdict": "good" if "Monday" in asked else "bad"})


def test_what_a_judge_reads_is_the_whole_conversation_with_calls_and_errors() -> None:
    one = talk(("Where is it?", "On its way."), ("When does it come?", "On Monday."))
    first, *rest = one.turns
    called = type(first)(
        index=9, observation="", raw="x", action=Action("get_order", {"id": "7"}), error="unknown order"
    )
    read = conversation(type(one)(**{**_fields(one), "turns": (first, *rest, called)}))
    assert read.splitlines() == [
        "User: Where is it?",
        "Agent: reply(message='On its way.')",
        "Seen: When does it come?",
        "Agent: reply(message='On Monday.')",
        "Agent: get_order(id='7')",
        "Error: unknown order",
    ]


def _fields(one: Any) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


async def test_opinions_are_kept_once_and_rewards_know_of_them(store: Store) -> None:
    store.append([talk(("When?", "On Monday."), name="a"), talk(("When?", "Soon."), name="b")])
    found = unjudged(store, DATED, Query())
    given = await judge_stored(store, ScriptedModel(verdict), DATED, found)
    assert [one.label for one in given] == ["good", "bad"]
    assert unjudged(store, DATED, Query()) == []
    score_live(store, Listening(), ["a", "b"])
    totals = [reward.total for name in ("a", "b") if (reward := store.get(f"t-{name}").reward) is not None]
    assert totals[0] is not None and totals[1] is not None
    assert totals[0] > 0.2 and totals[1] < -0.2
    (signal,) = [s for s in store.get("t-a").signals if s.source is SignalSource.JUDGE]
    assert (signal.name, signal.score, signal.sureness) == ("judge.dated", 1.0, 1.0)
    assert "tokens" in signal.why and "I looked." in signal.why


def test_rubrics_stand_in_the_toml_and_survive_being_saved(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    config = load(path)
    dated, kind = rubrics(config.feedback)
    assert (dated.name, dated.votes, dated.examples[0].label, kind.votes) == ("dated", 1, "good", 3)
    path.write_text(to_toml(config))
    assert load(path) == config


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[[feedback.rubrics]]\nname = "x"', "feedback.rubrics.0.question is missing"),
        ('[[feedback.rubrics]]\nname = "x"\nquestion = "y"\n' * 2, "have the same name"),
        (
            '[[feedback.rubrics]]\nname = "x"\nquestion = "y"\nvotse = 1',
            "feedback.rubrics.votse is not a known",
        ),
        ('[[feedback.rubrics]]\nname = "x"\nquestion = "y"\nagreed = 0.4', "feedback.rubrics.0.agreed = 0.4"),
    ],
)
def test_a_rubric_that_asks_nothing_is_refused(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=what):
        load(path)


class _Judge:
    base = "judge"
    chat = ByteChat()

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        return ScriptedModel(verdict)


def test_sessions_are_judged_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge())
    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    config.write_text(TOML)
    store = open_store(f"sqlite:///{where}")
    store.append([talk(("When?", "On Monday."), name="a"), talk(("When?", "Soon."), name="b")])
    store.close()
    done = invoke("experience", "judge", config, "--store", where, "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)["rubrics"]
    assert [(one["rubric"], one["good"], one["bad"]) for one in told] == [("dated", 1, 1), ("kind", 1, 1)]
    again = json.loads(invoke("experience", "judge", config, "--store", where, "--json").stdout)["rubrics"]
    assert [(one["good"], one["bad"]) for one in again] == [(0, 0), (0, 0)]
    sealed = invoke("experience", "judge", config, "--split", "test", "--store", where)
    assert sealed.exit_code == 2 and "test tasks measure" in sealed.stderr
    config.write_text("")
    refused = invoke("experience", "judge", config, "--store", where)
    assert refused.exit_code == 2 and "has no rubric" in refused.stderr


@pytest.mark.model
async def test_the_local_engine_answers_in_the_form_of_a_verdict(store: Store) -> None:
    engine = LocalEngine(override(RunConfig(), {"model.precision": "bf16"}))
    model = await engine.open(None, engine.chat.open("You judge.", "Good?"))
    rubric = Rubric(name="dated", question=DATED.question, votes=3, deadline_s=120.0)
    try:
        store.append([talk(("When?", "On Monday."), name="a")])
        (opinion,) = await judge_stored(store, model, rubric, unjudged(store, rubric, Query()))
    finally:
        model.close()
    assert any(vote is not None for vote in opinion.votes)
    assert opinion.tokens > 100 and opinion.judge == model.name


def test_a_judge_that_was_stopped_before_the_reward_leaves_it_to_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge())
    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    config.write_text(TOML)
    store = open_store(f"sqlite:///{where}")
    store.append([talk(("When?", "On Monday."), name="a")])
    for rubric in rubrics(load(config).feedback):
        left = unjudged(store, rubric, Query())
        asyncio.run(judge_stored(store, ScriptedModel(verdict), rubric, left))
    assert store.get("t-a").reward is None
    store.close()
    done = invoke("experience", "judge", config, "--store", where, "--json")
    assert done.exit_code == 0, done.stderr
    store = open_store(f"sqlite:///{where}")
    assert store.get("t-a").reward is not None
    store.close()


async def test_what_was_said_while_the_judge_thought_is_kept(store: Store) -> None:
    store.append([talk(("When?", "On Monday."), name="a")])

    def thinks(transcript: str) -> str:
        append_statements(store.database, [says(StatementKind.STARS, 5, session="a")])
        score_live(store, Listening())
        return verdict(transcript)

    await judge_stored(store, ScriptedModel(thinks), DATED, unjudged(store, DATED, Query()))
    assert {s.source for s in store.get("t-a").signals} >= {SignalSource.JUDGE, SignalSource.USER}
