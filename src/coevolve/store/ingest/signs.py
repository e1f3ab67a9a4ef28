"""What a span says of how it went, beside what was said in it: cut short, ill found, verified.

OpenInference numbers a retriever's documents, OpenTelemetry lists them. An answer that was cut short is told
by its finish reason, by the exception that ended its call, or by LiveKit's and Pipecat's turns. Of what was
verified no convention tells more than a judge's opinion, so that is an event of our own: `coevolve.check`
with `name`, `passed` (left out where it could not tell) and `why`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from coevolve.store.ingest.attributes import loaded
from coevolve.store.ingest.spans import Span
from coevolve.types import Signal, check_signal

CHECK = "coevolve.check"
_CUT = ("coevolve.interrupted", "lk.interrupted", "turn.was_interrupted")
_FINISH = ("gen_ai.response.finish_reasons", "llm.finish_reason", "gen_ai.completion.0.finish_reason")
_CUT_SHORT = frozenset({"cancelled", "canceled", "aborted", "abort", "interrupted"})
_SAID_CUT = re.compile(rf'"finish_reason"\s*:\s*"({"|".join(sorted(_CUT_SHORT))})"')
_CANCELLED = frozenset({"CancelledError", "AbortError", "GeneratorExit", "ClientDisconnect"})
_SCORE = re.compile(r"retrieval\.documents\.\d+\.document\.score")
_LARGEST_SCORE = 1e9  # beyond it a number is no score


def interrupted(span: Span) -> bool:
    """Whether somebody cut short what was being said: who listened spoke, or is gone."""
    given = span.attributes
    if any(given.get(name) is True for name in _CUT) or _exception(span) in _CANCELLED:
        return True
    reasons = [loaded(given[name]) for name in _FINISH if name in given]
    said = given.get("gen_ai.output.messages")
    if isinstance(said, str):  # not read as JSON a second time for one word of it
        return _cut_short(reasons) or _SAID_CUT.search(said) is not None
    messages = said if isinstance(said, list) else []
    return _cut_short([*reasons, *(one.get("finish_reason") for one in messages if isinstance(one, Mapping))])


def _cut_short(reasons: Iterable[Any]) -> bool:
    words = (word for one in reasons for word in (one if isinstance(one, list) else [one]))
    return any(str(word).casefold() in _CUT_SHORT for word in words)


def best_score(given: Mapping[str, Any]) -> float | None:
    """How well the best of a retriever's documents fits what was looked for, as the retriever says."""
    told = [value for name, value in given.items() if _SCORE.fullmatch(name)]
    documents = loaded(given.get("gen_ai.retrieval.documents"))
    if isinstance(documents, list):
        told += [one.get("score") for one in documents if isinstance(one, Mapping)]
    scores = (value for value in told if isinstance(value, int | float) and not isinstance(value, bool))
    return max((float(value) for value in scores if abs(value) < _LARGEST_SCORE), default=None)


def checks(span: Span) -> Iterator[Signal]:
    """What was verified within a span."""
    for event, fields in span.events:
        name, passed = fields.get("name"), fields.get("passed")
        if event == CHECK and name and isinstance(passed, bool | None):
            yield check_signal(str(name), passed, str(fields.get("why") or ""))


def _exception(span: Span) -> str:
    """The class of what ended it, without its module."""
    kinds = [str(fields.get("exception.type") or "") for name, fields in span.events if name == "exception"]
    return (kinds[-1] if kinds else str(span.attributes.get("error.type") or "")).rpartition(".")[2]
