"""Feedback: a raw trajectory comes in, the same trajectory leaves with signals and a reward.

It does not protect against an environment whose checks are wrong: the outcome is theirs.
"""

from coevolve.feedback.explain import Row, explain
from coevolve.feedback.outcome import LiveRule, judge_outcome
from coevolve.feedback.reward import NEEDED_QUESTION, RewardRule, reward, score
from coevolve.feedback.rules import generic_signals

__all__ = [
    "NEEDED_QUESTION",
    "LiveRule",
    "RewardRule",
    "Row",
    "explain",
    "generic_signals",
    "judge_outcome",
    "reward",
    "score",
]
