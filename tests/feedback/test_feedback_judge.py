from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from coevolve.codec import from_json, to_json
from coevolve.errors import FeedbackError, ModelError
from coevolve.feedback.calibration import agreement
from coevolve.feedback.judge import (
    Opinion,
    Rubric,
    RubricExample,
    judge_pair,
    judge_signal,
    judge_text,
    pair_signals,
)
from coevolve.models.protocol import Completion, Sampling
from coevolve.models.scripted import ScriptedModel
from coevolve.types import Signal, SignalKind

RUBRIC = Rubric(name="helpful", question="Is the answer helpful?", deadline_s=5)


def verdict(label: str, reason: str = "because") -> str:
    return json.dumps({"reason": reason, "verdict": label})


def voting(*labels: str) -> ScriptedModel:
    left = list(labels)
    return ScriptedModel(lambda transcript: verdict(left.pop(0)))


async def opinion(*labels: str, rubric: Rubric = RUBRIC) -> Opinion:
    return await judge_text(voting(*labels), rubric, "Hello.", 0)


async def test_votes_that_agree_are_a_verdict_with_its_reason_and_cost() -> None:
    found = await opinion("good", "bad", "good")
    assert (found.label, found.score, found.votes) == ("good", 1.0, ("good", "bad", "good"))
    assert found.agreement == pytest.approx(2 / 3)
    assert found.reason == "because"
    assert found.tokens > 0
    assert found.seconds >= 0


@pytest.mark.parametrize(
    "votes",
    [("good", "bad", "unsure"), ("unsure",) * 3, ("good", "I like it", "none"), ("{", "", '{"verdict": 3}')],
)
async def test_a_tie_no_answer_and_nonsense_are_unknown(votes: tuple[str, ...]) -> None:
    left = [vote if vote not in ("good", "bad", "unsure") else verdict(vote) for vote in votes]
    found = await judge_text(ScriptedModel(lambda transcript: left.pop(0)), RUBRIC, "Hello.", 0)
    assert (found.label, found.score) == (None, None)
    assert found.reason


class _Slow(ScriptedModel):
    """Never answers some of its requests, or breaks."""

    def __init__(self, hang: Callable[[int], bool], error: Exception | None = None) -> None:
        super().__init__(lambda transcript: verdict("good"))
        self.hang, self.error = hang, error

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        if self.hang(sampling.seed):
            if self.error is not None:
                raise self.error
            await asyncio.Event().wait()
        return await super().complete(prompt_ids, sampling)


async def test_a_judge_that_never_answers_is_unknown_at_the_deadline() -> None:
    rubric = Rubric(name="r", question="?", deadline_s=0.05)
    found = await judge_text(_Slow(lambda seed: True), rubric, "Hello.", 0)
    assert (found.label, found.votes) == (None, (None, None, None))
    one_left = await judge_text(_Slow(lambda seed: seed > 0), rubric, "Hello.", 0)
    assert one_left.label is None
    two_left = await judge_text(_Slow(lambda seed: seed > 1), rubric, "Hello.", 0)
    assert two_left.label == "good"


@pytest.mark.parametrize("error", [ModelError("gone", fix="wait"), RuntimeError("a bug")])
async def test_a_broken_judge_is_unknown_and_raises_nothing(error: Exception) -> None:
    found = await judge_text(_Slow(lambda seed: True, error), RUBRIC, "Hello.", 0)
    assert (found.label, found.asked) == (None, False)


async def test_a_judge_that_loves_the_first_place_is_no_judge_of_pairs() -> None:
    partial = await judge_pair(voting(*["A"] * 6), RUBRIC, "one", "two", 0)
    assert (partial.label, partial.agreement) == (None, 0.5)

    def prefers_one(transcript: str) -> str:
        return verdict("A" if transcript.index("apple") < transcript.index("pear") else "B")

    fair = await judge_pair(ScriptedModel(prefers_one), RUBRIC, "apple", "pear", 0)
    assert (fair.label, fair.agreement) == ("A", 1.0)
    other = await judge_pair(ScriptedModel(prefers_one), RUBRIC, "pear", "apple", 0)
    assert other.label == "B"


async def test_the_prompt_holds_rubric_examples_and_text_and_cuts_the_middle() -> None:
    seen: list[str] = []

    def look(transcript: str) -> str:
        seen.append(transcript)
        return verdict("bad", "it says nothing")

    rubric = Rubric(
        name="r", question="Is it polite?", votes=1, examples=(RubricExample("Go away.", "bad", "rude"),)
    )
    await judge_text(ScriptedModel(look), rubric, "start " + "x" * 20_000 + " end", 0)
    assert all(
        part in seen[0] for part in ("Go away.", '"rude"', "Is it polite?", "start ", " end", "left out")
    )
    assert len(seen[0]) < 14_000


async def test_a_signal_holds_what_was_asked_and_what_it_cost() -> None:
    slow = replace(RUBRIC, deadline_s=0.05)
    found = await judge_text(_Slow(lambda seed: seed > 1), slow, "Hello.", 0)
    signal = judge_signal(found, slow, texts=2)
    call = signal.call
    assert (signal.name, signal.score, signal.why) == (
        "judge.helpful",
        1.0,
        "scripted (67% of 3 votes): because",
    )
    assert call is not None
    assert (call.rubric, call.model, call.deadline_s, call.late, call.texts) == (
        slow.id,
        "scripted",
        0.05,
        1,
        2,
    )
    assert call.seconds >= 0.05 and call.tokens == found.tokens > 0
    assert from_json(Signal, to_json(signal)) == signal
    old = {name: value for name, value in to_json(signal).items() if name != "call"}
    assert from_json(Signal, old) == replace(signal, call=None)  # as a store of before holds it


@pytest.mark.parametrize(
    "edited", [{"question": "Is it kind?"}, {"examples": (RubricExample("Go away.", "bad", "rude"),)}]
)
def test_an_edited_rubric_is_another_one_and_its_votes_and_weight_are_not_what_it_asks(
    edited: dict[str, Any],
) -> None:
    assert replace(RUBRIC, **edited).id != RUBRIC.id
    assert replace(RUBRIC, votes=5, weight=2.0, deadline_s=9.0).id == RUBRIC.id
    assert RUBRIC.id.startswith("helpful@")


async def test_a_pair_is_kept_with_both_and_enters_no_reward() -> None:
    found = await judge_pair(voting(*["A"] * 3, *["B"] * 3), RUBRIC, "one", "two", 0)
    said = pair_signals(found, RUBRIC, "x", "y")
    assert {one: (s.name, s.score, s.kind) for one, s in said.items()} == {
        "x": ("judge.helpful.against.y", 1.0, SignalKind.EXPLANATORY),
        "y": ("judge.helpful.against.x", -1.0, SignalKind.EXPLANATORY),
    }
    torn = await judge_pair(voting(*["A"] * 6), RUBRIC, "one", "two", 0)
    assert {s.score for s in pair_signals(torn, RUBRIC, "x", "y").values()} == {None}


async def test_examples_of_good_texts_are_none_of_the_better_of_two() -> None:
    seen: list[str] = []

    def look(transcript: str) -> str:
        seen.append(transcript)
        return verdict("tie")

    rubric = replace(RUBRIC, votes=1, examples=(RubricExample("Go away.", "bad", "rude"),))
    assert (await judge_pair(ScriptedModel(look), rubric, "one", "two", 0)).label == "tie"
    assert "Go away." not in seen[0] and "better by this: Is the answer helpful?" in seen[0]


@pytest.mark.parametrize("wrong", [{"votes": 0}, {"agreed": 0.5}, {"deadline_s": 0.0}])
def test_a_rubric_that_cannot_decide_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(FeedbackError, match="rubric r"):
        Rubric(name="r", question="?", **wrong)  # type: ignore[arg-type]


def test_kappa_is_cohens_and_chance_is_none() -> None:
    # Cohen's own kind of table: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no gives 0.4
    judged = ["y"] * 20 + ["y"] * 5 + ["n"] * 10 + ["n"] * 15
    people = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    found = agreement(judged, people, [1.0] * 50, seed=0)
    assert found.kappa == pytest.approx(0.4)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.4 < found.high
    rng = np.random.default_rng(0)
    guess = agreement(list(rng.choice(["y", "n"], 400)), list(rng.choice(["y", "n"], 400)), [1.0] * 400, 0)
    assert guess.kappa == pytest.approx(0.0, abs=0.12)
    assert not guess.trusted(0.4, 30)


def test_agreeing_on_one_label_alone_is_no_skill_and_unknown_is_left_out() -> None:
    found = agreement(["y", "y", None], ["y", "y", "n"], [1.0, 1.0, 0.3], seed=0)
    assert (found.kappa, found.count, found.unknown) == (None, 2, 1)
    assert not found.trusted(0.0, 1)


def test_trust_needs_enough_labels_and_the_lower_end() -> None:
    few = agreement(["y", "n"] * 3, ["y", "n"] * 3, [1.0] * 6, seed=0)
    many = agreement(["y", "n"] * 30, ["y", "n"] * 30, [1.0] * 60, seed=0)
    assert few.kappa == many.kappa == 1.0
    assert not few.trusted(0.6, 30)
    assert many.trusted(0.6, 30)


def test_the_curve_shows_how_often_a_sureness_is_right() -> None:
    judged = ["y"] * 10 + ["n"] * 10
    people = ["y"] * 9 + ["n"] * 1 + ["n"] * 5 + ["y"] * 5
    found = agreement(judged, people, [1.0] * 10 + [0.67] * 10, seed=0)
    assert found.curve == ((0.67, 0.5, 10), (1.0, 0.9, 10))
