"""The kinds of failure, and what a person or a judge says of one: a trajectory's text enters, a class leaves.

Rules come first (`coevolve.feedback.failures`); a model is asked only where none of them knows. Its word
explains and enters no reward. Not protected against: a judge that is wrong; a person's word outranks it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from coevolve.feedback.judge import Opinion, Rubric, judge_call, judge_choice
from coevolve.models.protocol import LanguageModel
from coevolve.types import Signal, SignalKind, SignalSource

CLASS_OF = "failure."  # and the class: the name of a signal that says what kind of failure it was


class FailureClass(StrEnum):
    """Whose kind of mistake a failure was."""

    TOOL_CALL = "tool_call"  # no legal action, a wrong tool, wrong or made-up arguments
    ORDER = "order"  # right steps, in an order that must not be
    POLICY = "policy"  # did what the policy forbids
    EVASION = "evasion"  # ended without trying, or with words that promise and do nothing
    KNOWLEDGE = "missing_knowledge"  # did not look up, or told what no tool had said
    REASONING = "reasoning"  # drew the wrong conclusion from what it had
    ENVIRONMENT = "environment"  # the world, the model's engine or a tool broke
    JUDGE = "judge"  # those who judge contradict each other, or are wrong
    UNKNOWN = "unknown"


_MEANT = {
    FailureClass.TOOL_CALL: "it called a wrong tool, or gave wrong or made-up arguments",
    FailureClass.ORDER: "it took the right steps in an order that must not be",
    FailureClass.POLICY: "it did what the policy forbids",
    FailureClass.EVASION: "it ended without trying, or with words that promise and do nothing",
    FailureClass.KNOWLEDGE: "it did not look up what it needed, or told what no tool had said",
    FailureClass.REASONING: "it drew the wrong conclusion from what it had",
    FailureClass.ENVIRONMENT: "a tool or the system broke, and the agent is not to blame",
    FailureClass.JUDGE: "the agent did well, and who calls it a failure is wrong",
}
_KINDS = "; ".join(f"{kind.value}: {meaning}" for kind, meaning in _MEANT.items())
CLASSES = Rubric(
    name="failure", question=f"The agent failed. Which kind of mistake was the first one? {_KINDS}"
)


async def judge_class(model: LanguageModel, text: str, seed: int) -> Opinion:
    """Which kind of failure a text tells of. Label None: no agreement, no answer, or unsure."""
    return await judge_choice(model, CLASSES, (*(kind.value for kind in _MEANT), "unsure"), text, seed)


def class_signal(opinion: Opinion, turn: int | None, texts: int = 0) -> Signal:
    """A judge's word on the kind of a failure; that it had none is a word too, and is not asked for again.

    Args:
        turn: where it went wrong.
        texts: free texts of users that the judge read.
    """
    return Signal(
        f"{CLASS_OF}{opinion.label or FailureClass.UNKNOWN.value}",
        None,
        opinion.why,
        SignalKind.EXPLANATORY,
        SignalSource.JUDGE,
        turn,
        sureness=opinion.agreement,
        call=judge_call(opinion, CLASSES, texts),
    )


def said_class(signals: Iterable[Signal], source: SignalSource) -> tuple[FailureClass, Signal] | None:
    """The latest class that this source gave, and the signal that says so."""
    given = [one for one in signals if one.source is source and one.name.startswith(CLASS_OF)]
    return (FailureClass(given[-1].name.removeprefix(CLASS_OF)), given[-1]) if given else None
