"""A teacher model on the steps of an episode: its text by numbered steps enters, a word on each leaves.

One question finds the first step that was wrong, and with it what would have been right: the steps before
it were right, of those after it nothing is said. As with any judge, a word counts once people's labels on
steps have measured it (`coevolve.feedback.trust`). Not protected against: a teacher that knows the job less
well than the agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from coevolve.feedback.judge import MOST_SHOWN, Opinion, Rubric, cut, judge_call, judge_choice
from coevolve.models.protocol import LanguageModel
from coevolve.types import Signal, SignalKind, SignalSource

ALL_RIGHT = "none"  # the label of an episode without a wrong step
_HOW = f"Give the number of that step as the verdict, or {ALL_RIGHT} where every step was right."
_ROUND = MOST_SHOWN // 8  # characters of what stands before the steps, of what stands after, and of one step


@dataclass(frozen=True, slots=True)
class Told:
    """An episode as a teacher reads it."""

    before: str  # what was asked
    steps: Mapping[int, str]  # by the index of the turn, in order
    after: str = ""  # what the user said in the end

    def shown(self) -> Told:
        """So much of it as one question holds: of a long one the first and the last steps, each whole."""
        pieces = {turn: cut(f"Step {turn}. {text}", _ROUND) for turn, text in self.steps.items()}
        left = MOST_SHOWN - 2 * _ROUND - 200  # for the words that say what was cut
        order = list(pieces)
        kept: set[int] = set()
        for turn in (one for pair in zip(reversed(order), order, strict=True) for one in pair):
            if turn in kept:
                continue
            left -= len(pieces[turn]) + 1
            if left < 0:
                break
            kept.add(turn)
        some = {turn: text for turn, text in pieces.items() if turn in kept}
        return Told(cut(self.before, _ROUND), some, cut(self.after, _ROUND))

    @property
    def text(self) -> str:
        """What a teacher is shown."""
        return "\n".join(filter(None, (self.before, *self.steps.values(), self.after)))


async def judge_steps(model: LanguageModel, rubric: Rubric, told: Told, seed: int) -> Opinion:
    """Which of the steps that are told was the first wrong one; `ALL_RIGHT` is a label too.

    Args: told: as `Told.shown` gives it, so that nothing is judged that was not seen.
    """
    asked = replace(rubric, question=f"{rubric.question} {_HOW}")
    labels = (ALL_RIGHT, *map(str, told.steps), "unsure")
    return await judge_choice(model, asked, labels, told.text, seed)


def step_signals(
    opinion: Opinion, rubric: Rubric, turns: Iterable[int], texts: int = 0
) -> tuple[Signal, ...]:
    """A word on each step that the opinion speaks of; one without a score where there is no opinion.

    Args:
        turns: those that were shown, in order.
        texts: free texts of users that the judge read.
    """
    call = judge_call(opinion, rubric, texts)

    def word(turn: int | None, score: float | None, why: str) -> Signal:
        return Signal(
            f"judge.{rubric.name}",
            score,
            why,
            SignalKind.PROCESS,
            SignalSource.JUDGE,
            turn,
            rubric.weight,
            opinion.agreement,
            call,
        )

    if opinion.label is None:
        return (word(None, None, opinion.why),)
    words: list[Signal] = []
    for turn in turns:
        if opinion.label == str(turn):
            return (*words, word(turn, -1.0, opinion.why))
        first = opinion.why if opinion.label == ALL_RIGHT else f"the first wrong step is {opinion.label}"
        words.append(word(turn, 1.0, first))
    return tuple(words)
