"""What people add to a store from the command line, and what they are shown of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_world import invoke
from coevolve.cli import stores
from coevolve.errors import MissingExtraError
from coevolve.live import Listening, score_live
from coevolve.registry import Registry, make_version
from coevolve.store import open_store
from coevolve.store.key import redaction_key
from coevolve.store.pools import append_pool
from coevolve.store.redaction import Redactor
from coevolve.store.statements import append_statements
from coevolve.types import SignalSource, Standing, StatementKind
from live_samples import says, talk
from review_samples import answer, write_experience


@pytest.fixture
def where(tmp_path: Path) -> Path:
    return write_experience(tmp_path)


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
