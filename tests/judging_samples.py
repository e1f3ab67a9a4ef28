"""Rubrics, a judge that knows a day when it reads one, and what is left for it to judge."""

from __future__ import annotations

import json

from coevolve.feedback.judge import Rubric
from coevolve.judging import Case, cases, unjudged
from coevolve.store import Store
from coevolve.store.query import Query

DATED = Rubric(name="dated", question="Does the last answer give a date?", votes=1)
TOML = """
[model]
engine = "endpoint"
base_url = "http://localhost:1/v1"
[[feedback.rubrics]]
name = "dated"
question = "Does the last answer give a date?"
votes = 1
[[feedback.rubrics.examples]]
text = "User: When? Agent: On Monday."
label = "good"
[[feedback.rubrics]]
name = "kind"
question = "Is it kind?"
"""


def verdict(transcript: str) -> str:
    """Good where the conversation names a day."""
    asked = transcript.rsplit("Text:", 1)[-1]
    return json.dumps({"reason": "I looked.", "verdict": "good" if "Monday" in asked else "bad"})


def left(store: Store, rubric: Rubric = DATED, model: str = "scripted") -> list[Case]:
    return unjudged(cases(store, store.find(Query())), rubric, model)
