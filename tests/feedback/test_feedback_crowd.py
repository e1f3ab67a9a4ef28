from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from coevolve.feedback.behaviour import letters_alike
from coevolve.feedback.crowd import biases, clusters_of, contradictions, expectations, probes
from coevolve.types import SignalSource, Trajectory
from live_samples import outcome_signal, talk


def test_one_angry_star_in_a_content_cluster_is_expected_to_be_content() -> None:
    values = {f"a{k}": 0.9 for k in range(10)} | {f"b{k}": 0.2 for k in range(10)} | {"angry": 0.0}
    clusters = {name: 0 if name[0] == "a" else 1 for name in values}
    found = expectations(values, clusters)
    assert found["angry"].mean > 0.8  # its own word is left out
    assert found["b0"].mean < 0.3
    assert {one.strength for one in found.values()} == {2.0}


def test_a_lone_session_is_expected_to_be_like_all_and_a_silent_one_like_its_cluster() -> None:
    values = {f"a{k}": 1.0 for k in range(8)} | {f"b{k}": 0.0 for k in range(8)}
    clusters = {**{name: int(name[0] == "b") for name in values}, "silent": 1, "alone": -1}
    found = expectations(values, clusters)
    assert found["silent"].mean < 0.1
    assert found["alone"].mean == pytest.approx(0.5)
    only = expectations({"only": 0.0}, {})["only"]
    assert (only.mean, only.strength) == (0.5, 0.0)  # nobody else is there to be shrunk towards
    assert expectations({"one": 0.0, "other": 1.0}, {})["one"].strength == 1.0


def test_questions_that_read_alike_are_a_cluster_and_an_odd_one_is_like_no_other() -> None:
    questions = {
        "a": "Where is my order 17?",
        "b": "where is my order 4711",
        "c": "Do you sell lamps?",
        "d": "Where is my order 17?",
        "e": "",
        "f": "",
    }
    found = clusters_of(questions, letters_alike)
    assert found["a"] == found["b"] == found["d"] >= 0
    assert [found[name] for name in "cef"] == [-1, -1, -1]
    assert clusters_of(dict(reversed(questions.items())), letters_alike) == found
    assert clusters_of({"a": "Hi", "b": "Hi"}, letters_alike) == {"a": 1, "b": 1}
    assert clusters_of({}, letters_alike) == {}


def test_neighbours_of_neighbours_are_no_cluster() -> None:
    def in_a_row(texts: Sequence[str]) -> np.ndarray:
        places_N = np.arange(len(texts))
        return np.asarray(np.clip(1 - 0.2 * np.abs(places_N[:, None] - places_N), 0, 1))

    found = clusters_of({f"{k:02d}": f"{k:02d}" for k in range(12)}, in_a_row)
    assert len(set(found.values())) > 2
    assert found["00"] != found["11"]


def test_clusters_that_do_not_differ_are_taken_as_one() -> None:
    rng = np.random.default_rng(0)
    values = {f"s{k}": float(rng.random() < 0.7) for k in range(400)}
    clusters = {name: k % 40 for k, name in enumerate(values)}
    means = [one.mean for one in expectations(values, clusters).values()]
    raw = [np.mean([values[f"s{k}"] for k in range(c, 400, 40)]) for c in range(40)]
    assert max(means) - min(means) < 0.4 * (max(raw) - min(raw))


def test_expectations_beat_single_voices_as_estimates_of_the_truth() -> None:
    rng = np.random.default_rng(1)
    truth_C = rng.beta(3, 2, 60)
    values, clusters = {}, {}
    for cluster, truth in enumerate(truth_C):
        for k in range(int(rng.integers(1, 8))):
            name = f"{cluster}/{k}"
            values[name], clusters[name] = float(rng.random() < truth), cluster
    found = expectations(values, clusters)
    shrunk = {
        name: (one.strength * one.mean + values[name]) / (one.strength + 1) for name, one in found.items()
    }
    own = np.mean([(values[name] - truth_C[clusters[name]]) ** 2 for name in values])
    better = np.mean([(shrunk[name] - truth_C[clusters[name]]) ** 2 for name in values])
    assert better < 0.5 * own


def sessions(rate: dict[str, float], count: int, seed: int, words: int = 3) -> list[Trajectory]:
    """Sessions of each type, rated at that type's rate; long questions are rated by chance alike."""
    rng = np.random.default_rng(seed)
    found = []
    for kind, share in rate.items():
        for k in range(count):
            rated = rng.random() < share
            opening = " ".join(["word"] * (words + int(rng.integers(0, 5))))
            one = talk((opening, "answer"), name=f"{kind}{k}", kind=kind)
            signals = (outcome_signal(SignalSource.USER, 0.5),) if rated else ()
            found.append(replace(one, signals=signals))
    return found


def test_who_speaks_is_compared_with_who_does_not() -> None:
    warned = biases(sessions({"return": 0.6, "price": 0.1}, 200, 0))
    assert [one.what for one in warned] == ["task type"]
    assert warned[0].effect > 0.4
    assert "return" in warned[0].why


def test_equal_rates_are_no_bias_in_nineteen_of_twenty_worlds() -> None:
    assert sum(bool(biases(sessions({"a": 0.3, "b": 0.3, "c": 0.3}, 60, seed))) for seed in range(40)) <= 2


def test_languages_are_compared_where_they_are_known_and_nothing_where_all_or_none_spoke() -> None:
    both = sessions({"a": 0.5}, 300, 2)
    tongue = {one.id: "fi" if one.signals else "en" for one in both}
    assert "language" in [one.what for one in biases(both, tongue)]
    assert biases(sessions({"a": 1.0}, 50, 3)) == []
    assert biases(sessions({"a": 0.0}, 50, 3)) == []


def test_sources_that_say_the_opposite_are_listed_widest_first() -> None:
    user, judge = SignalSource.USER, SignalSource.JUDGE
    pairs = {"calm": (0.4, -0.4), "wide": (1.0, -1.0), "same": (0.9, 0.2), "half": (0.7, -0.5)}
    given = [
        replace(talk(("a", "b"), name=name), signals=(outcome_signal(user, a), outcome_signal(judge, b)))
        for name, (a, b) in pairs.items()
    ]
    assert [one.trajectory for one in contradictions(given)] == ["t-wide", "t-half"]
    assert (contradictions(given)[0].one, contradictions(given)[0].means) == (judge, (-1.0, 1.0))


def test_types_nobody_judged_are_asked_for_by_script_where_a_world_can_play_them() -> None:
    given = sessions({"often": 1.0, "seldom": 0.0}, 12, 4)
    found = probes(given, frozenset({"seldom", "never"}))
    assert [(one.type, one.heard, one.sessions, one.ask) for one in found] == [
        ("seldom", 0, 12, "script"),
        ("never", 0, 0, "script"),
    ]
    assert [one.ask for one in probes(given, frozenset())] == ["person"]
