"""Chat logs in OpenAI's form, one JSON object a line, into trajectories.

A line is `{"messages": [...]}`, with `id`, `session_id`, `task_type`, `agent` and `version` where they are
known, and whose it is in `user` or `safety_identifier`, as in OpenAI's requests. Lines that cannot be read
are told with their number and field, and the others are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coevolve.codec import content_hash
from coevolve.errors import CoevolveError, ContentError, StoreError
from coevolve.store.experience import Store
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.conventions import message_of
from coevolve.store.ingest.spans import Span
from coevolve.store.redaction import Redactor
from coevolve.store.rows import Origin
from coevolve.types import StopReason, Trajectory

_MOST_MESSAGES = 2_000
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


_USERS = ("user", "safety_identifier")


@dataclass(frozen=True, slots=True)
class Chat:
    """One line that was read."""

    trajectory: Trajectory
    subject: str | None  # whose it is, as the caller's `subject` wrote it
    number: int  # of its line, from 1


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """One line that was not taken."""

    number: int  # from 1
    field: str
    why: str


def read_chats(
    lines: Iterable[str], subject: Callable[[str], str] | None = None
) -> Iterator[Chat | RefusedLine]:
    """A trajectory for each line with at least one answer of the assistant, in the order of the lines.

    Args: subject: a user's id as the store may know it; without it users are passed over.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(number, line, subject)


def _read_line(number: int, line: str, subject: Callable[[str], str] | None) -> Chat | RefusedLine:
    try:
        chat = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return RefusedLine(number, "", f"no JSON: {error}"[:200])
    if not isinstance(chat, Mapping) or not isinstance(chat.get("messages"), list):
        return RefusedLine(number, "messages", "a list of messages is needed")
    messages = chat["messages"]
    if len(messages) > _MOST_MESSAGES:
        return RefusedLine(number, "messages", f"{len(messages)} messages; {_MOST_MESSAGES} are taken")
    for place, message in enumerate(messages):
        role = message.get("role") if isinstance(message, Mapping) else None
        if not isinstance(role, str) or role not in _ROLES:
            return RefusedLine(number, f"messages.{place}.role", f"one of {', '.join(sorted(_ROLES))}")
    if not any(message["role"] == "assistant" for message in messages):
        return RefusedLine(number, "messages", "no answer of an assistant is in it")
    user = next((str(chat[name]) for name in _USERS if chat.get(name)), None)
    whose = subject(user) if subject is not None and user is not None else None
    named = {name: value for name, value in chat.items() if name not in _USERS}
    try:
        # Equal chats of two users are two chats; a hash over the id itself would let ids be tried out.
        identity = str(
            chat.get("id") or content_hash(_plain(named if whose is None else {**named, "user": whose}))
        )
        (found,) = assemble(_spans(chat, messages, identity))
        found = _with_last_words(found, messages)
    except (CoevolveError, RecursionError) as error:
        return RefusedLine(number, "messages", _why(error))
    return Chat(found, whose, number)


def append_chats(store: Store, chats: Sequence[Chat], redactor: Redactor) -> list[RefusedLine]:
    """Keep chats redacted, in one transaction; where one cannot be kept, the others one by one.

    Returns: the lines that cannot be kept: another chat of the same id is there, or a value is no JSON.

    Raises: StoreError: the database refuses; those before may be kept.
    """
    if _refusal(store, chats, redactor) is None:
        return []
    told = [(one.number, _refusal(store, [one], redactor)) for one in chats]
    return [RefusedLine(number, *refusal) for number, refusal in told if refusal is not None]


def _refusal(store: Store, chats: Sequence[Chat], redactor: Redactor) -> tuple[str, str] | None:
    """Keep these, or none of them: then the field and why."""
    try:
        clean = [redactor.trajectory(one.trajectory) for one in chats]
        origins = {one.id: Origin(chat.subject) for one, chat in zip(clean, chats, strict=True)}
        store.append(clean, origins=origins)
    except ContentError as error:
        return "id", _why(error)
    except StoreError:  # no line's fault: the next one would fare no better
        raise
    except (CoevolveError, RecursionError) as error:
        return "messages", _why(error)
    return None


def _why(error: CoevolveError | RecursionError) -> str:
    return (error.what if isinstance(error, CoevolveError) else "nested too deeply")[:200]


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _spans(chat: Mapping[str, Any], messages: list[Mapping[str, Any]], identity: str) -> Iterator[Span]:
    """One model call for each answer: it saw what stands before it."""
    named = {
        "session.id": str(chat.get("session_id") or identity),
        "gen_ai.operation.name": "chat",
        "gen_ai.agent.name": str(chat.get("agent") or "agent"),
        "coevolve.task_type": chat.get("task_type"),
        "coevolve.version": chat.get("version"),
    }
    for place, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        yield Span(
            trace_id=identity,
            span_id=f"{place:06d}",
            parent_id=None,
            name="chat",
            start_s=float(place * 10),  # only their order counts
            end_s=float(place * 10),
            attributes={
                **named,
                "gen_ai.input.messages": messages[:place],
                "gen_ai.output.messages": [message],
            },
            resource={},
        )


def _with_last_words(found: Trajectory, messages: Sequence[Mapping[str, Any]]) -> Trajectory:
    """The trajectory with what the user said after the last answer, as what came of it: they left so."""
    last = max(place for place, message in enumerate(messages) if message["role"] == "assistant")
    said = (message_of(one, "user").text for one in messages[last + 1 :] if one["role"] == "user")
    words = "\n".join(filter(None, said))
    if not words or found.failure is not None:
        return found
    end = found.turns[-1]
    heard = replace(end, result="\n".join(filter(None, (end.result, words))))
    return replace(found, turns=(*found.turns[:-1], heard), stop=StopReason.LEFT)


def _plain(chat: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(chat, sort_keys=True))
