"""The simulated customer: understands a question by its keywords and answers with prepared words.

It never volunteers anything and never checks whether a question is polite or grammatical.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

# In order: the first topic whose pattern is found is the one the customer hears.
_TOPICS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("code", re.compile(r"\bcode\b|\bconfirm|\bphone shows|\bsms\b|\btext message", re.I)),
    ("identity", re.compile(r"\be-?mail|\bpin\b|\bidentity|\bverif|\bwho are you|\baccount\b", re.I)),
    ("card", re.compile(r"\bcards?\b", re.I)),
    ("order", re.compile(r"\border\b|\border'?s\b|\bnumber\b", re.I)),
    ("product", re.compile(r"\bproduct|\bmodel|\bdevice|\barticle|\bitem\b", re.I)),
)


@dataclass(slots=True)
class Answers:
    """What this customer can say, and what was asked so far."""

    words: Mapping[str, str]  # topic -> answer; "confused" is always there
    needed: frozenset[str]  # topics the task cannot be done without
    code_sent: bool = False  # the gateway has sent the code that "code" asks for
    asked: set[str] = field(default_factory=set)

    def copy(self) -> Answers:
        """An independent copy."""
        return Answers(self.words, self.needed, self.code_sent, set(self.asked))


def heard(question: str) -> str | None:
    """The topic a question is about, or None."""
    return next((topic for topic, pattern in _TOPICS if pattern.search(question)), None)


def answer(answers: Answers, question: str) -> tuple[str, str]:
    """The customer's words, and the event: question_needed_asked, question_repeated or question_unneeded."""
    topic = heard(question)
    if topic is None or topic not in answers.words or (topic == "code" and not answers.code_sent):
        return answers.words["confused"], "question_unneeded"
    repeated = topic in answers.asked
    answers.asked.add(topic)
    if topic not in answers.needed:
        return answers.words[topic], "question_unneeded"
    return answers.words[topic], "question_repeated" if repeated else "question_needed_asked"
