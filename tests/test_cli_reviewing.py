"""What people add to a store from the command line, and what they are shown of it."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli_world import invoke
from coevolve.cli import stores
from coevolve.cli.opening import read_config
from coevolve.errors import MissingExtraError
from coevolve.feedback import RewardRule, score
from coevolve.live import Listening, score_live
from coevolve.registry import Registry, make_version
from coevolve.store import open_store
from coevolve.store.key import redaction_key
from coevolve.store.pools import append_pool
from coevolve.store.redaction import Redactor
from coevolve.store.statements import append_statements
from coevolve.types import (
    JudgeCall,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    Standing,
    StatementKind,
    Trajectory,
)
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


def test_versions_that_learned_from_rewards_that_changed_are_named_whoever_scored_them(where: Path) -> None:
    answer("experience", "score", "--store", where)
    store = open_store(f"sqlite:///{where}")
    registry = Registry(store.database)
    base = make_version(base="m", harness={})
    learned = make_version(base="m", harness={}, parent=base.id, pool="p1")
    heir = make_version(base="m", harness={}, parent=learned.id, pool="p2")
    for version, standing in ((base, Standing.CHAMPION), (learned, Standing.CANDIDATE), (heir, None)):
        registry.add(version, standing or Standing.CANDIDATE)
    append_pool(store.database, "p1", path="x", sources=["t-s1", "t-s2"])
    append_statements(
        store.database, [says(StatementKind.FIGURE, {"name": "sold", "value": 1}, session="s2")]
    )
    append_statements(store.database, [says(StatementKind.SOLVED, True, session="s1")])
    assert answer("experience", "score", "--store", where)["taught"] == {learned.id: ["t-s1"]}
    append_pool(store.database, "p2", path="y", parent="p1", sources=["t-s1"])  # its entry is the parent's
    append_statements(store.database, [says(StatementKind.LABEL, {"score": 1, "why": "x"}, session="s2")])
    score_live(store, Listening())  # as the open door does, which tells nobody
    store.close()
    told = answer("experience", "score", "--store", where)
    assert (told["scored"], told["changed"]) == (0, [])
    assert told["taught"] == {learned.id: ["t-s1", "t-s2"], heir.id: ["t-s1"]}
    assert learned.id[:8] in invoke("experience", "score", "--store", where).stdout


def rephrased(where: Path) -> list[str]:
    """Names of the implicit signals on a session whose user asked twice in other words."""
    store = open_store(f"sqlite:///{where}")
    store.append(
        [talk(("Can I pay by credit card?", "Hm."), ("Is payment with a credit card possible?", "Hm."))]
    )
    store.close()
    answer("experience", "score", "--store", where)
    store = open_store(f"sqlite:///{where}")
    found = [one.name for one in store.get("t-s1").signals if one.source is SignalSource.BEHAVIOUR]
    store.close()
    return found


def test_a_question_in_other_words_is_known_by_meaning(tmp_path: Path) -> None:
    assert rephrased(tmp_path / "x.db") == ["behaviour.rephrased_question"]


def test_without_the_sentence_encoder_letters_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingExtraError("torch is not installed", fix="pip install 'coevolve[local]'")

    monkeypatch.setattr(stores, "open_embedder", missing)
    assert rephrased(tmp_path / "x.db") == []


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


def test_what_review_names_is_shown_with_its_signals_and_what_they_were_worth(where: Path) -> None:
    answer("experience", "score", "--store", where)
    asked = answer("experience", "review", "--count", "50", "--store", where)["review"]
    assert "t-s1" in {one["trajectory"] for one in asked}
    told = answer("experience", "show", "t-s1", "--store", where)
    assert (told["kind"], told["trajectory"]["session_id"]) == ("trajectory", "s1")
    signals = {row["signal"]: row["why"] for row in told["rows"]}
    assert signals["user.stars"] == "the user gave 1 of 5 stars"
    assert told["rows"][-1]["signal"].startswith("= ") and "user" in told["rows"][-1]["why"]
    read = invoke("experience", "show", "t-s1", "--store", where).stdout
    assert "Where is my parcel?" in read and "the user gave 1 of 5 stars" in read


def test_a_session_is_shown_with_all_its_trajectories_in_order(tmp_path: Path) -> None:
    path = tmp_path / "experience.db"
    kept = Redactor(redaction_key(f"sqlite:///{path}")).text("ann@example.org")
    store = open_store(f"sqlite:///{path}")
    store.append([talk(("first", "a"), name="s1", id="t-2"), talk(("second", "b"), name="s1", id="t-1")])
    store.append([talk(("third", "c"), name=kept, id="t-3")])
    store.close()
    told = answer("experience", "show", "s1", "--store", path)
    assert (told["kind"], told["session"]) == ("session", "s1")
    assert [one["trajectory"]["id"] for one in told["trajectories"]] == ["t-2", "t-1"]
    read = invoke("experience", "show", "s1", "--store", path).stdout
    assert read.index("first") < read.index("second")
    assert answer("experience", "show", "ann@example.org", "--store", path)["session"] == kept


@pytest.mark.parametrize(
    ("id", "what"),
    [
        ("none", "no trajectory begins with 'none', and no session has that id"),
        ("t-f", "begins several ids"),
        ("t-h3", "is of a task that measures"),
        ("", "no trajectory begins with ''"),
    ],
)
def test_what_cannot_be_shown_says_why(where: Path, id: str, what: str) -> None:
    done = invoke("experience", "show", id, "--store", where)
    assert done.exit_code == 2
    assert what in done.stderr and "fix:" in done.stderr


def test_a_url_that_is_none_is_refused_without_saying_its_password() -> None:
    done = invoke("errors", "--store", "postgresql://u:secret@h:54x2/db")
    assert done.exit_code == 2
    assert "no database URL" in done.stderr and "secret" not in done.stderr
