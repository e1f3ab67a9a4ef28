"""Whose a span is: the user's id is taken off it, and what the store may know of it is put in its place.

A span as it came enters; it leaves without the attributes that name the user by an id, and with the keyed
hash of that id under `SUBJECT`. What names the user elsewhere, in a text or as `user.name`, is left to the
redaction's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from coevolve.store.ingest.spans import Span

SUBJECT = "coevolve.subject"
SESSIONS = ("session.id", "gen_ai.conversation.id", "langsmith.trace.session_id", "thread_id")
# OpenTelemetry's end user and user, OpenInference's `user.id`, and those of Langfuse, OpenLLMetry, LangSmith
# and Langtrace. The first that is there counts, and all of them are taken off.
USERS = (
    "enduser.id",
    "user.id",
    "langfuse.user.id",
    "traceloop.association.properties.user_id",
    "langsmith.metadata.user_id",
    "user_id",
    "enduser.pseudo.id",
    "user.hash",
)
_TAKEN = frozenset({*USERS, SUBJECT})
_LONGEST = 200  # characters of a name, as the database's columns have them


def owned(span: Span, subject: Callable[[str], str]) -> Span:
    """The span without its user's id; a `SUBJECT` that the sender wrote is not believed."""
    if all(_TAKEN.isdisjoint(one) for one in (span.attributes, span.resource, *(e[1] for e in span.events))):
        return span
    user = next(
        (str(held[name]) for held in (span.attributes, span.resource) for name in USERS if held.get(name)), ""
    )
    attributes = _without(span.attributes)
    if user.strip():
        attributes[SUBJECT] = subject(user)
    events = tuple((name, _without(fields)) for name, fields in span.events)
    return replace(span, attributes=attributes, resource=_without(span.resource), events=events)


def owner(span: Span) -> tuple[str, str]:
    """The session and the subject that a kept span names; "" where it names none."""
    session = next((str(span.attributes[name]) for name in SESSIONS if span.attributes.get(name)), "")
    return name_of(session), str(span.attributes.get(SUBJECT) or "")


def name_of(value: object) -> str:
    """A name as the columns of PostgreSQL hold it: cut, and without the character NUL."""
    return str(value).replace("\0", "")[:_LONGEST]


def _without(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in _TAKEN}
