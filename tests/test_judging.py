"""A judge over a store: kept opinions, rewards that know of them, and what people made of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from cli_world import invoke
from coevolve.config import RunConfig, load, override, to_toml
from coevolve.engines import LocalEngine
from coevolve.errors import ConfigError
from coevolve.feedback.judge import Rubric
from coevolve.feedback.trust import JudgeFloor
from coevolve.judging import (
    Case,
    cases,
    classify_stored,
    conversation,
    judge_stored,
    rubrics,
    unclassified,
    unjudged,
)
from coevolve.live import Listening, judge_floor, listening, score_live
from coevolve.models.protocol import LanguageModel
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.store import Store, open_store
from coevolve.store.query import Query
from coevolve.store.statements import append_statements
from coevolve.types import Action, SignalSource, Split, StatementKind
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
    whole = replace(one, turns=(first, *rest, called))
    assert conversation(Case(whole, ("It never came.",))).splitlines() == [
        "User: Where is it?",
        "Agent: reply(message='On its way.')",
        "Seen: When does it come?",
        "Agent: reply(message='On Monday.')",
        "Agent: get_order(id='7')",
        "Error: unknown order",
        "The user said afterwards: It never came.",
    ]


def left(store: Store, rubric: Rubric = DATED, model: str = "scripted") -> list[Case]:
    return unjudged(cases(store, store.find(Query())), rubric, model)


async def test_opinions_are_kept_once_and_rewards_know_of_them(store: Store) -> None:
    store.append([talk(("When?", "On Monday."), name="a"), talk(("When?", "Soon."), name="b")])
    given = await judge_stored(store, ScriptedModel(verdict), DATED, left(store))
    assert [one.label for one in given] == ["good", "bad"]
    assert left(store) == []
    score_live(store, Listening(floor=JudgeFloor(trusted=frozenset({"judge.dated"}))), ["a", "b"])
    totals = [reward.total for name in ("a", "b") if (reward := store.get(f"t-{name}").reward) is not None]
    assert totals[0] is not None and totals[1] is not None
    assert totals[0] > 0.2 and totals[1] < -0.2
    (signal,) = [s for s in store.get("t-a").signals if s.source is SignalSource.JUDGE]
    assert (signal.name, signal.score, signal.sureness) == ("judge.dated", 1.0, 1.0)
    assert signal.call is not None and signal.call.tokens > 0 and "I looked." in signal.why


async def test_what_the_user_wrote_since_is_read_and_judged_anew(store: Store) -> None:
    store.append([talk(("When?", "Soon."), name="a"), talk(("When?", "Soon."), name="b")])
    seen: list[str] = []

    def look(transcript: str) -> str:
        seen.append(transcript)
        return verdict(transcript)

    await judge_stored(store, ScriptedModel(look), DATED, left(store))
    wrote = says(StatementKind.TEXT, "It came on Monday, as you said.", session="a")
    other = replace(wrote, id="other", trajectory="t-elsewhere", value="Of another chat.")
    append_statements(store.database, [wrote, other])
    score_live(store, Listening())
    (again,) = left(store)
    assert (again.trajectory.id, again.afterwards) == ("t-a", ("It came on Monday, as you said.",))
    await judge_stored(store, ScriptedModel(look), DATED, [again])
    assert "The user said afterwards: It came on Monday" in seen[-1] and "another chat" not in seen[-1]
    (signal,) = [s for s in store.get("t-a").signals if s.source is SignalSource.JUDGE]
    assert signal.score == 1.0  # in the place of the opinion that did not know
    assert left(store) == []


async def test_an_edited_rubric_and_another_model_judge_anew(store: Store) -> None:
    store.append([talk(("When?", "Soon."), name="a")])
    await judge_stored(store, ScriptedModel(verdict), DATED, left(store))
    assert len(left(store, model="other")) == 1
    edited = replace(DATED, question="Does it name a day?")
    assert len(left(store, edited)) == 1
    await judge_stored(store, ScriptedModel(verdict), edited, left(store, edited))
    (signal,) = [s for s in store.get("t-a").signals if s.source is SignalSource.JUDGE]
    assert signal.call is not None and signal.call.rubric == edited.id


def test_rubrics_stand_in_the_toml_and_survive_being_saved(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    config = load(path)
    dated, kind = rubrics(config.feedback)
    assert (dated.name, dated.votes, dated.examples[0].label, kind.votes) == ("dated", 1, "good", 3)
    path.write_text(to_toml(config))
    assert load(path) == config


def test_what_is_asked_of_judges_stands_in_the_toml(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert judge_floor(RunConfig().feedback) == JudgeFloor()
    path.write_text(
        "[feedback.live]\njudge_floor = 0.6\njudge_least = 20\n"
        '[[feedback.rubrics]]\nname = "kind"\nquestion = "Is it kind?"\ntrusted = true\n'
    )
    stated = listening(load(path).feedback).floor
    assert stated == JudgeFloor(kappa=0.6, labels=20, trusted=frozenset({"judge.kind"}))


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


@dataclass
class _Judge:
    """An engine whose base model answers by a function."""

    answer: Callable[[str], str] = verdict
    opened: int = 0
    base = "scripted"
    chat = ByteChat()

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        self.opened += 1
        return ScriptedModel(self.answer)


def test_sessions_are_judged_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = _Judge()
    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: engine)
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
    assert engine.opened == 1  # nothing was left to judge
    assert {one["counted"] for one in told} == {"no: scripted, not measured yet: 0 of 10 labels"}
    assert all(one["tokens"] > 0 and one["deadline_s"] == 30 and one["late_votes"] == 0 for one in told)
    trusted = json.loads(invoke("experience", "trust", "--store", where, "--json").stdout)
    assert {(one["name"], one["labelled"], one["muted"]) for one in trusted["signals"]} == {
        ("judge.dated", 0, True),
        ("judge.kind", 0, True),
    }
    costs = {one["rubric"].partition("@")[0]: one for one in trusted["judges"]}
    assert {name: (one["verdicts"], one["tokens"]) for name, one in costs.items()} == {
        one["rubric"]: (2, one["tokens"]) for one in told
    }
    assert "what judges cost" in invoke("experience", "trust", "--store", where).stdout
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
        (opinion,) = await judge_stored(store, model, rubric, left(store, rubric, model.name))
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
        asyncio.run(judge_stored(store, ScriptedModel(verdict), rubric, left(store, rubric)))
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

    await judge_stored(store, ScriptedModel(thinks), DATED, left(store))
    assert {s.source for s in store.get("t-a").signals} >= {SignalSource.JUDGE, SignalSource.USER}


def test_a_trusted_rubric_counts_before_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge())
    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    totals = []
    for text in (TOML, TOML.replace('name = "dated"', 'name = "dated"\ntrusted = true')):
        config.write_text(text)
        store = open_store(f"sqlite:///{where}")
        store.append([talk(("When?", "On Monday."), name="a")])
        store.close()
        done = invoke("experience", "judge", config, "--store", where, "--json")
        assert done.exit_code == 0, done.stderr
        store = open_store(f"sqlite:///{where}")
        reward = store.get("t-a").reward
        store.close()
        assert reward is not None
        totals.append(reward.total)
    assert totals[0] == pytest.approx(0.0, abs=0.02)
    assert totals[1] is not None and totals[1] > 0.2
    told = json.loads(invoke("experience", "trust", "--store", where, "--config", config, "--json").stdout)
    assert {(one["name"], one["muted"]) for one in told["signals"]} == {
        ("judge.dated", False),
        ("judge.kind", True),
    }


def test_two_trajectories_are_compared_in_both_orders_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prefers(transcript: str) -> str:
        """A judge that knows a day when it sees one, and is else for whatever stands first."""
        asked = transcript.rsplit("A:\n", 1)[-1]
        first, _, second = asked.partition("B:\n")
        told = "B" if "Monday" in second and "Monday" not in first and "a day" in asked else "A"
        return json.dumps({"reason": "I looked.", "verdict": told})

    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge(prefers))
    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    config.write_text(TOML.replace("Does the last answer give a date?", "Does it name a day?"))
    store = open_store(f"sqlite:///{where}")
    store.append([talk(("When?", "Soon."), name="a"), talk(("When?", "On Monday."), name="b")])
    task = replace(talk(("When?", "Soon."), name="h").task, split=Split.HELD_OUT)
    store.append([talk(("When?", "Soon."), name="h", task=task)])
    store.close()
    done = invoke("experience", "judge", config, "--pair", "t-a", "t-b", "--store", where, "--json")
    assert done.exit_code == 0, done.stderr
    dated, kind = json.loads(done.stdout)["pairs"]
    assert (dated["better"], dated["agreement"], dated["a_first"], dated["b_first"]) == (
        "t-b",
        1.0,
        ["B"],
        ["B"],
    )
    assert (kind["better"], kind["agreement"]) == (None, 0.5)  # it loves a place
    assert dated["tokens"] > 0 and dated["deadline_s"] == 30
    store = open_store(f"sqlite:///{where}")
    kept = {one.name: one for one in store.get("t-b").signals}
    store.close()
    assert kept["judge.dated.against.t-a"].score == 1.0
    assert kept["judge.kind.against.t-a"].score is None
    shown = invoke("experience", "judge", config, "--pair", "t-a", "t-b", "--store", where)
    assert "votes, B first" in shown.stdout
    for words, what in ((("t-a", "t-h"), "held_out tasks measure"), (("t-a", "t-a"), "are one trajectory")):
        refused = invoke("experience", "judge", config, "--pair", *words, "--store", where)
        assert refused.exit_code == 2 and what in refused.stderr


def test_a_judge_says_what_kind_of_failure_it_was_where_no_rule_knows_and_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def names(transcript: str) -> str:
        asked.append(transcript)
        return json.dumps({"reason": "It misread the date.", "verdict": "reasoning"})

    engine = _Judge(names)
    monkeypatch.setattr("coevolve.cli.failures.engine_of", lambda config: engine)
    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    config.write_text(TOML)
    store = open_store(f"sqlite:///{where}")
    store.append(
        [talk(("When?", "Soon."), name="a"), talk(("When?", "I have recorded your problem."), name="b")]
    )
    said = [says(StatementKind.STARS, 1, session=name) for name in ("a", "b")]
    append_statements(store.database, [*said, says(StatementKind.TEXT, "It was Tuesday.", session="a")])
    score_live(store, Listening())
    store.close()
    before = _answer("errors", "--store", where)
    assert ({kind: one["v1"] for kind, one in before["kinds"].items()}, before["judge"]) == (
        {"unknown": 1, "evasion": 1},
        None,
    )
    told = _answer("errors", "--judge", config, "--store", where)
    assert {kind: one["v1"] for kind, one in told["kinds"].items()} == {"reasoning": 1, "evasion": 1}
    assert (told["judge"]["asked"], told["judge"]["unknown"]) == (1, 0) and told["judge"]["tokens"] > 0
    assert all("It was Tuesday." in one and "It failed:" in one for one in asked) and len(asked) == 3
    again = _answer("errors", "--judge", config, "--store", where)
    assert again["kinds"] == told["kinds"] and again["judge"]["asked"] == 0 and engine.opened == 1
    store = open_store(f"sqlite:///{where}")
    named = {"score": -1, "why": "it may not say", "class": "policy"}
    append_statements(store.database, [says(StatementKind.LABEL, named, session="a")])
    store.close()
    _answer("experience", "score", "--store", where)
    assert "policy" in _answer("errors", "--store", where)["kinds"]


async def test_a_judge_that_knows_no_kind_is_not_asked_again_but_another_one_is(store: Store) -> None:
    store.append([talk(("When?", "Soon."), name="a")])
    append_statements(store.database, [says(StatementKind.STARS, 1, session="a")])
    score_live(store, Listening())
    unsure = ScriptedModel(lambda _: json.dumps({"reason": "Who knows.", "verdict": "unsure"}))
    found = unclassified(store, Query(failed=True), unsure.name)
    assert [one.label for one in await classify_stored(store, unsure, found)] == [None]
    score_live(store, Listening(), ["a"])
    assert unclassified(store, Query(failed=True), unsure.name) == []
    assert len(unclassified(store, Query(failed=True), "other")) == 1


def _answer(*words: object) -> Any:
    done = invoke(*words, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)
