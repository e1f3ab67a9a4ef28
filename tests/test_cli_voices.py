"""Whether feedback can be believed, from the command line: alarms, biases, and what is little heard."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from cli_world import invoke
from coevolve.cli.opening import read_config
from coevolve.feedback import RewardRule, score
from coevolve.store import open_store
from coevolve.store.statements import append_statements
from coevolve.types import JudgeCall, Signal, SignalKind, SignalSource, StatementKind, Trajectory
from live_samples import says, talk
from review_samples import ANSWERS, answer, write_experience


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return write_experience(tmp_path)


def test_a_version_that_is_rewarded_for_failing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "experience.db"
    store = open_store(f"sqlite:///{path}")
    bad = Signal("paid", -1.0, "not paid", SignalKind.OUTCOME, SignalSource.CHECK)
    good = replace(bad, score=1.0)
    paid = RewardRule(outcome_weight=0.2, process_weight=3.0)
    praise = Signal("polite", 1.0, "it says please", SignalKind.PROCESS, SignalSource.RULE, 0)

    def honest(_: Trajectory) -> tuple[Signal, ...]:
        return ()

    def flattering(_: Trajectory) -> tuple[Signal, ...]:
        return (praise,)

    for version, failing in (("v1", 10), ("v2", 10), ("v3", 35)):
        some = []
        for k in range(40):
            check = bad if k < failing else good
            one = talk(("Pay it.", ANSWERS[k % 3]), name=f"{version}-{k}", version=version, checks=(check,))
            some.append(score(one, flattering if version == "v3" else honest, paid))
        store.append(some)
    store.close()
    told = answer("experience", "watch", "--store", path)
    assert {one["version"] for one in told["alarms"]} == {"v3"}
    assert "rewarded_failure" in {one["trace"] for one in told["alarms"]}


def test_a_judge_that_likes_its_own_kind_is_named_once_it_is_known_who_acted(tmp_path: Path) -> None:
    path = tmp_path / "experience.db"
    store = open_store(f"sqlite:///{path}")
    for version, praised in (("v1", 1), ("v2", 16)):
        for k in range(40):
            check = Signal("end", (-1.0, 1.0)[k % 2], "w", SignalKind.OUTCOME, SignalSource.CHECK)
            liked = 1.0 if k % 2 or k // 2 < praised else -1.0
            call = JudgeCall(rubric="kind@0", model="gpt-4o-mini", seconds=1.0, tokens=300, deadline_s=30.0)
            opinion = Signal("judge.kind", liked, "w", SignalKind.OUTCOME, SignalSource.JUDGE, call=call)
            made = talk(("q", f"a {k}"), name=f"{version}-{k}", version=version, checks=(check,))
            store.append([replace(made, signals=(opinion,))])
    store.close()
    assert answer("experience", "watch", "--store", path)["alarms"] == []
    models = ("--model", "v1=llama-3", "--model", "v2=gpt-4o")
    (alarm,) = answer("experience", "watch", "--store", path, *models)["alarms"]
    assert (alarm["trace"], alarm["version"], alarm["among"]) == ("own_kind", "v2", "judge gpt-4o-mini")
    done = invoke("experience", "watch", "--store", path, "--model", "v2")
    assert done.exit_code == 2
    assert "--model 'v2' names no version or no model" in done.stderr


def test_who_speaks_who_contradicts_and_of_what_little_is_heard_is_told(tmp_path: Path) -> None:
    path = tmp_path / "experience.db"
    store = open_store(f"sqlite:///{path}")
    many = [talk(("q", "a"), name=f"r{k}", kind="refund") for k in range(60)]
    many += [talk(("q", "a"), name=f"p{k}", kind="price") for k in range(60)]
    store.append(many)
    said = [says(StatementKind.STARS, 5, session=f"r{k}") for k in range(50)]
    said.append(says(StatementKind.LABEL, {"score": -1, "why": "wrong"}, session="r0"))
    append_statements(store.database, said)
    store.close()
    answer("experience", "score", "--store", path)
    told = answer("experience", "voices", "--store", path)
    assert [one["what"] for one in told["biases"]] == ["task type"]
    assert [one["trajectory"] for one in told["contradictions"]] == ["t-r0"]
    assert [(one["type"], one["heard"], one["sessions"]) for one in told["probes"]] == [("price", 0, 60)]
    assert "rated" in invoke("experience", "voices", "--store", path).stdout


def test_users_of_one_language_who_speak_more_often_than_others_are_told(tmp_path: Path) -> None:
    path = tmp_path / "experience.db"
    store = open_store(f"sqlite:///{path}")
    asked = {"e": "Where is my order, please?", "d": "Wo ist mein Paket, bitte?"}
    store.append([talk((text, "a"), name=f"{key}{k}") for key, text in asked.items() for k in range(60)])
    said = [says(StatementKind.STARS, 5, session=f"d{k}") for k in range(50)]
    append_statements(store.database, said)
    store.close()
    answer("experience", "score", "--store", path)
    (bias,) = answer("experience", "voices", "--store", path)["biases"]
    assert bias["what"] == "language"
    assert "83% of German were rated, 0% of English" in bias["why"]


def test_types_that_a_world_can_play_are_probed_by_a_command(where: Path, tmp_path: Path) -> None:
    config = tmp_path / "shop probe.toml"
    config.write_text('[environment]\nname = "shop"\ntypes = ["price", "stock"]\n')
    assert answer("experience", "voices", "--store", where)["script"] is None
    told = answer("experience", "voices", "--store", where, "--config", config)
    assert {one["type"]: one["ask"] for one in told["probes"]} == {
        "live": "person",
        "price": "script",
        "stock": "script",
    }
    verb, stage, path, *sets = shlex.split(told["script"])
    assert (verb, stage, path) == ("coevolve", "collect", str(config))
    probe = read_config(Path(path), sets[1::2])
    assert probe.environment.types == ("price", "stock")
    assert (probe.run.name, probe.opening.demonstrations) == ("probe", 0)
    shown = invoke("experience", "voices", "--store", where, "--config", config).stdout
    command = shown[shown.index("coevolve collect") :].replace("\\\n", "")  # as a shell reads it
    assert shlex.split(command) == shlex.split(told["script"])
