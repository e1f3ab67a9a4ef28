"""What people add to a store from the command line, and what they are shown of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli_world import invoke
from coevolve.feedback import RewardRule, score
from coevolve.store import open_store
from coevolve.store.key import redaction_key
from coevolve.store.statements import append_statements
from coevolve.types import Signal, SignalKind, SignalSource, Split, StatementKind, Trajectory
from live_samples import says, talk

ANSWERS = ("It is on its way.", "The card was refused.", "I have recorded your problem.")


def answer(*words: object) -> Any:
    done = invoke(*words, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def failed(name: str, text: str, split: Split = Split.TRAIN) -> Trajectory:
    check = Signal("paid", -1.0, "the order was not paid", SignalKind.OUTCOME, SignalSource.CHECK)
    task = replace(talk((text, "Done."), name=name).task, split=split)
    one = talk((text, "Done."), name=name, task=task, checks=(check,))
    return score(one, lambda _: (), RewardRule())


@pytest.fixture
def where(tmp_path: Path) -> Path:
    """A file with live sessions, one of them rated, and failures of a world."""
    path = tmp_path / "experience.db"
    store = open_store(f"sqlite:///{path}")
    redaction_key(f"sqlite:///{path}")
    store.append([talk(("Where is my parcel?", ANSWERS[k % 3]), name=f"s{k}") for k in range(6)])
    append_statements(store.database, [says(StatementKind.STARS, 1, session="s1")])
    store.append([failed(f"f{k}", "Pay order 17 with my card, please.") for k in range(12)])
    store.append([failed(f"h{k}", "Pay the held-out order.", Split.HELD_OUT) for k in range(12)])
    store.close()
    return path


def test_words_become_rewards_and_a_label_changes_them(where: Path) -> None:
    first = answer("experience", "score", "--store", where)
    assert (first["scored"], sorted(first["changed"])) == (6, [f"t-s{k}" for k in range(6)])
    assert answer("experience", "score", "--store", where)["scored"] == 0
    why = "it was delivered, write to ann@example.org"
    answer("experience", "label", "t-s1", "good", "--why", why, "--by", "rev-1", "--store", where)
    again = answer("experience", "score", "--store", where.parent)
    assert again["changed"] == ["t-s1"]
    store = open_store(f"sqlite:///{where}")
    (label,) = [s for s in store.get("t-s1").signals if s.source is SignalSource.REVIEWER]
    store.close()
    assert label.why.startswith("rev-1: it was delivered")
    assert "ann@example.org" not in label.why
    trusted = answer("experience", "trust", "--store", where)["signals"]
    assert all(one["labelled"] >= 1 for one in trusted)


def test_what_a_toml_says_of_words_is_used(where: Path, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[feedback.live]\nleast_confidence = 0.99\n")
    answer("experience", "score", "--store", where, "--config", config)
    store = open_store(f"sqlite:///{where}")
    reward = store.get("t-s1").reward
    store.close()
    assert reward is not None and reward.outcome is not None  # a user spoke: fully heard
    config.write_text("[feedback.live]\nprior_confidence = 1.0\nleast_confidence = 1.0\n")
    answer("experience", "label", "t-s0", "unsure", "--store", where)
    answer("experience", "score", "--store", where, "--config", config)
    store = open_store(f"sqlite:///{where}")
    silent = store.get("t-s0").reward
    store.close()
    assert silent is not None and silent.outcome is not None


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("label", "t-s0", "good", "--turn", "7"), "has no turn 7"),
        (("label", "t-s0", "good", "--signal", "nothing"), "has no signal 'nothing'"),
        (("label", "unknown", "good"), "no trajectory begins with"),
        (("label", "t-s0", "good", "--class", "policy"), "--class is of a failure"),
    ],
)
def test_a_label_on_nothing_is_refused(where: Path, words: tuple[str, ...], what: str) -> None:
    done = invoke("experience", *words, "--store", where)
    assert done.exit_code == 2
    assert what in done.stderr and "fix:" in done.stderr


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for words in (("errors",), ("similar", "x"), ("experience", "review"), ("experience", "trust")):
        done = invoke(*words, "--store", tmp_path / "none.db")
        assert done.exit_code == 2
        assert "there is no experience in" in done.stderr
    assert not (tmp_path / "none.db").exists()


def test_failures_are_listed_and_found_by_meaning_but_never_those_of_tasks_that_measure(where: Path) -> None:
    listed = answer("errors", "--store", where)
    assert listed["failures"] == 12
    assert [one["size"] for one in listed["clusters"]] == [12]
    found = answer("similar", "a payment by card", "--failed", "--count", "50", "--store", where)["similar"]
    assert {one["trajectory"] for one in found} == {f"t-f{k}" for k in range(12)}
    asked = answer("experience", "review", "--count", "50", "--store", where)["review"]
    assert {one["trajectory"] for one in asked} == {
        f"t-{k}{n}" for k, m in (("f", 12), ("s", 6)) for n in range(m)
    }
    assert asked[0]["ask"] == "new_cluster"
    done = invoke("errors", "--store", where)
    assert "12 failures" in done.stdout and "that read alike" in done.stdout


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


def test_a_label_is_of_one_trajectory_though_its_session_has_others(tmp_path: Path) -> None:
    path = tmp_path / "experience.db"
    store = open_store(f"sqlite:///{path}")
    team = [talk(("q", "a"), name="s1"), talk(("q", "b"), name="s1", id="t-other")]
    store.append(team)
    store.close()
    redaction_key(f"sqlite:///{path}")
    answer("experience", "label", "t-s1", "bad", "--class", "policy", "--store", path)
    answer("experience", "score", "--store", path)
    assert list(answer("errors", "--store", path)["kinds"]) == ["policy"]
    store = open_store(f"sqlite:///{path}")
    labelled = {one.id for one in store.find() if any(s.source is SignalSource.REVIEWER for s in one.signals)}
    store.close()
    assert labelled == {"t-s1"}


def test_a_url_that_is_none_is_refused_without_saying_its_password() -> None:
    done = invoke("errors", "--store", "postgresql://u:secret@h:54x2/db")
    assert done.exit_code == 2
    assert "no database URL" in done.stderr and "secret" not in done.stderr
