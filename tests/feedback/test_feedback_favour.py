"""Judges that like their own kind, on small courses of which the truth is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coevolve.feedback.favour import family, favouritism, judge_of
from coevolve.feedback.judge import Opinion, Rubric, judge_signal
from coevolve.types import Signal, SignalKind, SignalSource, Trajectory
from live_samples import talk

RUBRIC = Rubric(name="kind", question="Is it kind?")
BASES = {"v1": "smollm2-360m-abcdef012345", "v2": "http://localhost:8000/v1#qwen2.5-7b"}


def said(label: str, judge: str) -> Signal:
    opinion = Opinion(
        label=label,
        reason="it is (by 1 of 2)",
        agreement=1.0,
        votes=(label,),
        seconds=1,
        tokens=9,
        late=0,
        judge=judge,
    )
    return judge_signal(opinion, RUBRIC)


def judged(version: str, praised_failures: int, judge: str = "SmolLM2-135M") -> list[Trajectory]:
    """Forty episodes, half of them failures, of which so many are called good."""
    made = []
    for k in range(40):
        check = Signal("end", (-1.0, 1.0)[k % 2], "w", SignalKind.OUTCOME, SignalSource.CHECK)
        label = "good" if k % 2 or k // 2 < praised_failures else "bad"
        one = talk(("q", "a"), name=f"{version}-{k}", version=version, checks=(check,))
        made.append(replace(one, signals=(said(label, judge),)))
    return made


def test_a_judge_that_likes_its_own_kind_is_named_with_the_first_version_of_its_kind() -> None:
    (alarm,) = favouritism(judged("v2", 1) + judged("v1", 16), BASES)
    assert (alarm.trace, alarm.version, alarm.among) == ("own_kind", "v1", "judge SmolLM2-135M")
    assert alarm.after > alarm.before
    assert "SmolLM2-135M scores models of its kind 0.75 above others" in alarm.why
    assert all(one.startswith("t-v1") for one in alarm.examples)


@pytest.mark.parametrize(
    "found",
    [
        judged("v2", 16) + judged("v1", 16),  # it likes all alike
        judged("v2", 16) + judged("v1", 1),  # it likes others more
        judged("v2", 1) + judged("v1", 16, "mistral-small"),  # of neither kind
        judged("v1", 16),  # nothing to compare with
        [replace(one, checks=()) for one in judged("v2", 1) + judged("v1", 16)],  # nobody verified
    ],
)
def test_a_judge_that_is_fair_unknown_or_unverified_is_not_accused(found: list[Trajectory]) -> None:
    assert favouritism(found, BASES) == []


def test_each_judge_is_looked_at_by_itself() -> None:
    fair = [replace(one, signals=(*one.signals, said("good", "qwen2.5"))) for one in judged("v1", 16)]
    other = [replace(one, signals=(*one.signals, said("good", "qwen2.5"))) for one in judged("v2", 1)]
    assert [alarm.among for alarm in favouritism(other + fair, BASES)] == ["judge SmolLM2-135M"]


def test_the_judges_name_is_read_from_its_signal() -> None:
    assert judge_of(said("good", "org/Model-7B (beta)")) == "org/Model-7B (beta)"
    assert judge_of(Signal("judge.kind", 1.0, "no name", source=SignalSource.JUDGE)) is None
    assert judge_of(replace(said("good", "m"), source=SignalSource.USER)) is None


@pytest.mark.parametrize(
    ("name", "kin"),
    [
        ("HuggingFaceTB/SmolLM2-135M-Instruct", "smollm"),
        ("smollm2-135m-abcdef012345", "smollm"),
        ("http://localhost:8000/v1#gpt-4o-mini", "gpt"),
        ("gpt-4o@2024-08-06", "gpt"),
        ("1234", "1234"),
        ("", ""),
    ],
)
def test_a_family_is_the_letters_that_a_models_name_begins_with(name: str, kin: str) -> None:
    assert family(name) == kin
