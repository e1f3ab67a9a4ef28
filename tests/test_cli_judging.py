"""Sessions, pairs and failures that a judge weighs from the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from cli_world import invoke
from coevolve.config import load
from coevolve.errors import ModelError
from coevolve.judging import judge_stored, rubrics
from coevolve.live import Listening, score_live
from coevolve.models.protocol import LanguageModel
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.store import open_store
from coevolve.store.statements import append_statements
from coevolve.types import Split, StatementKind
from judging_samples import TOML, left, verdict
from live_samples import says, talk
from review_samples import answer

STEPS = """
[[feedback.rubrics]]
name = "steps"
question = "Which step of the agent is the first that was wrong, and what would have been right?"
about = "step"
votes = 1
trusted = true
"""


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


def test_a_teacher_says_which_step_was_wrong_and_a_pair_is_not_its_business(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def teacher(transcript: str) -> str:
        asked = transcript.rsplit("Text:", 1)[-1]
        wrong = next(
            (k for k in range(3) if f"Step {k}. Seen: When?\nAgent: reply(message='Soon.')" in asked), "none"
        )
        return json.dumps({"reason": "name the day", "verdict": str(wrong)})

    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge(teacher))
    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    config.write_text(TOML.partition("[[feedback")[0] + STEPS)
    store = open_store(f"sqlite:///{where}")
    store.append([talk(("Hello", "Hi."), ("When?", "Soon."), name="a"), talk(("When?", "Now."), name="b")])
    store.close()
    done = invoke("experience", "judge", config, "--store", where, "--json")
    assert done.exit_code == 0, done.stderr
    (told,) = json.loads(done.stdout)["rubrics"]
    assert (told["good"], told["bad"], told["unknown"]) == (1, 1, 0)
    store = open_store(f"sqlite:///{where}")
    kept = store.get("t-a")
    store.close()
    said = [(one.turn, one.score) for one in kept.signals if one.name == "judge.steps"]
    assert said == [(0, 1.0), (1, -1.0)]
    assert kept.reward is not None and kept.reward.first_wrong == 1
    refused = invoke("experience", "judge", config, "--store", where, "--pair", "t-a", "t-b")
    assert refused.exit_code == 2 and "asks only which step" in " ".join(refused.stderr.split())


def test_a_judge_that_is_not_there_is_an_error_and_leaves_no_opinion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(transcript: str) -> str:
        raise ModelError("http://localhost:1/v1 does not answer", fix="start it")

    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    config.write_text(TOML)
    store = open_store(f"sqlite:///{where}")
    store.append([talk(("When?", "On Monday."), name="a")])
    store.close()
    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge(gone))
    refused = invoke("experience", "judge", config, "--store", where)
    assert refused.exit_code == 2 and "does not answer" in refused.stderr and "[model]" in refused.stderr
    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge())
    told = answer("experience", "judge", config, "--store", where)["rubrics"]
    assert [one["good"] for one in told] == [1, 1]  # asked again


def test_a_judge_that_was_stopped_before_the_reward_leaves_it_to_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coevolve.cli.judging.engine_of", lambda config: _Judge())
    config, where = tmp_path / "mine.toml", tmp_path / "experience.db"
    config.write_text(TOML)
    store = open_store(f"sqlite:///{where}")
    store.append([talk(("When?", "On Monday."), name="a")])
    for rubric in rubrics(load(config, run=False).feedback):
        asyncio.run(judge_stored(store, ScriptedModel(verdict), rubric, left(store, rubric)))
    assert store.get("t-a").reward is None
    store.close()
    done = invoke("experience", "judge", config, "--store", where, "--json")
    assert done.exit_code == 0, done.stderr
    store = open_store(f"sqlite:///{where}")
    assert store.get("t-a").reward is not None
    store.close()


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
    before = answer("errors", "--store", where)
    assert ({kind: one["v1"] for kind, one in before["kinds"].items()}, before["judge"]) == (
        {"unknown": 1, "evasion": 1},
        None,
    )
    told = answer("errors", "--judge", config, "--store", where)
    assert {kind: one["v1"] for kind, one in told["kinds"].items()} == {"reasoning": 1, "evasion": 1}
    assert (told["judge"]["asked"], told["judge"]["unknown"]) == (1, 0) and told["judge"]["tokens"] > 0
    assert all("It was Tuesday." in one and "It failed:" in one for one in asked) and len(asked) == 3
    again = answer("errors", "--judge", config, "--store", where)
    assert again["kinds"] == told["kinds"] and again["judge"]["asked"] == 0 and engine.opened == 1
    store = open_store(f"sqlite:///{where}")
    named = {"score": -1, "why": "it may not say", "class": "policy"}
    append_statements(store.database, [says(StatementKind.LABEL, named, session="a")])
    store.close()
    answer("experience", "score", "--store", where)
    assert "policy" in answer("errors", "--store", where)["kinds"]
