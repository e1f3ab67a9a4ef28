from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from coevolve.errors import FeedbackError, ModelError
from coevolve.feedback.calibration import agreement
from coevolve.feedback.judge import (
    Opinion,
    Rubric,
    RubricExample,
    judge_pair,
    judge_signal,
    judge_text,
)
from coevolve.models.protocol import Completion, Sampling
from coevolve.models.scripted import ScriptedModel

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
    assert found.label is None


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


async def test_an_untrusted_judge_explains_but_does_not_count() -> None:
    found = await opinion("bad", "bad", "bad")
    counted = judge_signal(found, RUBRIC, trusted=True)
    silent = judge_signal(found, RUBRIC, trusted=False)
    assert (counted.score, silent.score) == (-1.0, None)
    assert "agrees too little" in silent.why


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
