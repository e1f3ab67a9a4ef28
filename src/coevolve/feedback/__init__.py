"""Feedback: a raw trajectory comes in, the same trajectory leaves with signals and a reward.

It does not protect against an environment whose checks are wrong: the outcome is theirs.
"""

from coevolve.feedback.explain import Row, explain
from coevolve.feedback.reward import NEEDED_QUESTION, RewardRule, judge_outcome, reward, score
from coevolve.feedback.rules import generic_signals

__all__ = [
    "NEEDED_QUESTION",
    "RewardRule",
    "Row",
    "explain",
    "generic_signals",
    "judge_outcome",
    "reward",
    "score",
]
