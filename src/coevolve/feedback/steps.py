"""A teacher model on the steps of an episode: its text by numbered steps enters, a word on each leaves.

One question finds the first step that was wrong, and with it what would have been right: the steps before
it were right, of those after it nothing is said. As with any judge, a word counts once people's labels on
steps have measured it (`coevolve.feedback.trust`). Not protected against: a teacher that knows the job less
well than the agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coevolve.feedback.judge import Opinion, Rubric, judge_call, judge_choice
from coevolve.models.protocol import LanguageModel
from coevolve.types import Signal, SignalKind, SignalSource

ALL_RIGHT = "none"  # the label of an episode without a wrong step
_HOW = f"Give the number of that step as the verdict, or {ALL_RIGHT} where every step was right."


async def judge_steps(
    model: LanguageModel, rubric: Rubric, text: str, turns: Sequence[int], seed: int
) -> Opinion:
    """Which of these turns was the first wrong one; `ALL_RIGHT` is a label too.

    Args:
        text: the episode, each of the agent's steps with the number of its turn.
        turns: their indices, in order.
    """
    asked = replace(rubric, question=f"{rubric.question} {_HOW}")
    return await judge_choice(model, asked, (ALL_RIGHT, *map(str, turns), "unsure"), text, seed)


def step_signals(
    opinion: Opinion, rubric: Rubric, turns: Sequence[int], texts: int = 0
) -> tuple[Signal, ...]:
    """A word on each step that the opinion speaks of; one without a score where there is no opinion.

    Args: texts: free texts of users that the judge read.
    """
    wrong = None if opinion.label in (None, ALL_RIGHT) else int(str(opinion.label))
    spoken: list[tuple[int | None, float | None]] = [(None, None)]
    if opinion.label is not None:
        spoken = [(turn, 1.0) for turn in turns if wrong is None or turn < wrong]
        spoken += [] if wrong is None else [(wrong, -1.0)]
    call = judge_call(opinion, rubric, texts)
    return tuple(
        Signal(
            f"judge.{rubric.name}",
            score,
            opinion.why,
            SignalKind.PROCESS,
            SignalSource.JUDGE,
            turn,
            rubric.weight,
            opinion.agreement,
            call,
        )
        for turn, score in spoken
    )
