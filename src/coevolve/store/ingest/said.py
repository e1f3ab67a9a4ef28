"""A body of `/v1/feedback` enters, redacted statements leave, and with them what was refused and why.

One statement or a list of them; each is refused by itself, with its place and field, and the others are kept.
Whether who sends them may speak of that session is not asked here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from coevolve.errors import IngestError
from coevolve.store.ingest.spans import clock_off
from coevolve.store.redaction import Redactor
from coevolve.types import Statement, StatementKind

_NO_NUL = r"^[^\x00]*$"  # which PostgreSQL keeps in no column
_Name = Annotated[str, Field(max_length=200, pattern=_NO_NUL)]
_Id = Annotated[str, Field(min_length=1, max_length=200, pattern=_NO_NUL)]


class Said(BaseModel):
    """One statement as it is sent."""

    model_config = ConfigDict(extra="forbid")

    id: _Id
    session_id: _Id
    kind: StatementKind
    value: object
    turn: int | None = Field(default=None, ge=0)
    trajectory: _Name | None = None  # where a session has several; none = all
    by: _Name = ""
    user: _Name | None = None  # whose session it is; kept as a keyed hash
    given_s: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    early: bool = False  # its session may be unknown yet: the words wait for a trace of it


@dataclass(frozen=True, slots=True)
class Refusal:
    """One statement that was not taken."""

    place: int  # in the body, from 0
    field: str
    why: str


@dataclass(frozen=True, slots=True)
class Words:
    """What a body brought."""

    given: list[Statement]
    users: dict[str, str]  # by statement id, the keyed hash of the user whose session it is
    refused: list[Refusal]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a statement is held to, beside its form."""

    refusal: Callable[[Statement], str | None]  # what is wrong with its value, if anything is
    known: Callable[[Collection[str]], Collection[str]]  # those of these sessions that are known
    now_s: float  # when the body came


def read_statements(body: bytes, redactor: Redactor, contract: Contract) -> Words:
    """The statements of a body that keep the contract, and what is wrong with the others.

    Raises: IngestError: the body is no JSON.
    """
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise IngestError(
            f"the body is no JSON: {error}"[:200], fix="send one statement or a list of them", status=400
        ) from error
    refused: list[Refusal] = []
    read: dict[int, tuple[Said, Statement]] = {}
    for place, one in enumerate(sent if isinstance(sent, list) else [sent]):
        try:
            said = Said.model_validate(one)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            refused.append(Refusal(place, ".".join(map(str, first["loc"])) or "body", first["msg"]))
            continue
        read[place] = said, _statement(said, redactor, contract.now_s)
    known = contract.known({one.session_id for said, one in read.values() if not said.early})
    words = Words([], {}, refused)
    for place, (said, one) in read.items():
        if (wrong := _wrong(place, said, one, known, contract)) is not None:
            refused.append(wrong)
            continue
        words.given.append(one)
        if said.user and said.user.strip():
            words.users[said.id] = redactor.subject(said.user)
    refused.sort(key=lambda one: one.place)
    return words


def _statement(said: Said, redactor: Redactor, now_s: float) -> Statement:
    return Statement(
        id=said.id,
        session_id=redactor.text(said.session_id),
        kind=said.kind,
        value=redactor.value(said.value),
        turn=said.turn,
        trajectory=said.trajectory,
        by=redactor.text(said.by),
        given_s=now_s if said.given_s is None else said.given_s,
    )


def _wrong(
    place: int, said: Said, one: Statement, known: Collection[str], contract: Contract
) -> Refusal | None:
    """What breaks the contract, or None."""
    if (off := clock_off(one.given_s, contract.now_s)) is not None:
        return Refusal(place, "given_s", off)
    if not said.early and one.session_id not in known:
        fix = 'to be heard before there is one, send "early": true'
        return Refusal(place, "session_id", f"no trace or chat of this session is here; {fix}")
    why = contract.refusal(one)
    return None if why is None else Refusal(place, "value", why)
