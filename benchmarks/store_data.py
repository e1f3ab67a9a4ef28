"""Episodes of made-up agents, as OTLP bodies for any server and as trajectories for `Store.append`.

A seed enters; the same episodes leave, whoever takes them. A turn is one decision of an agent with what it
saw before: one span, and one row of the figures. Some turns hold a planted secret or a harmless look-alike of
one, so that redaction has work. The language is templates over a few hundred words: it compresses better, and
is more alike, than people's own.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from benchmarks.planted_secrets import look_alikes, planted
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from coevolve.types import Action, Failure, Party, Split, StopReason, Task, Trajectory, Turn

AGENTS = ("billing", "catalog", "delivery", "identity", "returns", "search", "support", "warehouse")
FAILED_SHARE = 0.1  # of episodes
SECRET_SHARE = 0.05  # of turns that hold a planted secret, and as many that hold a look-alike
TURN_S = 2.0  # between two decisions
_TEMPLATES = (
    "The {a} {n} for order {k} was {v} on {d} and the {m} team has {w} it.",
    "Please check whether {p} can {w} the {n} before {d}, since the {m} needs it.",
    "{p} says that the {a} {n} arrived with a {a2} {m} and wants {e} back.",
    "According to the {m} policy a {n} may be {v} within {s} days of the {m2}.",
    "I looked at the {n} {k}: its {m} is {a}, its price is {e} and {s} are left.",
    "Nobody in {c} has {v} the {a} {n} yet; the next {m} is planned for {d}.",
    "First {w} the {n}, then ask {p} for the {m} number and {w2} the {m2}.",
    "status {a}, {m} {s}, {n} {k}, updated {d} by {p}",
    "The customer from {c} {v} a {a} {n} and a {a2} {m}, together {e}.",
    "If the {n} cannot be {v}, offer a {a} {m} worth {e} and {w} the {m2}.",
    "No {n} matches {k}, but there are {s} with a {a} {m} in {c}.",
    "{p}: could you {w} my {a} {n}, I {v} it {s} weeks ago in {c}?",
)
_WORDS = {
    "a": "amber blue broken cheap damaged digital early empty fragile glass green grey heavy hidden late "
    "light missing narrow new open partial quiet rapid rare refunded round sealed second silent simple "
    "small solid spare steel striped sturdy used usual valid warm wide wooden yellow",
    "n": "adapter backpack basket blanket bottle bowl cabinet camera candle carpet chair charger clock coat "
    "cup curtain desk drill fan filter frame grill headset jacket kettle keyboard lamp mattress mirror "
    "monitor mug pan pillow printer radio router scarf shelf shirt speaker stool table tent toaster "
    "umbrella vase wallet",
    "v": "approved booked cancelled changed checked closed delivered exchanged forwarded marked opened "
    "ordered packed paid received refused repaired replaced reserved returned reviewed scanned shipped "
    "sold split stored",
    "m": "account address batch box branch budget carrier claim contract counter coupon credit delivery "
    "deposit discount document fee gift handover insurance invoice label ledger loyalty manifest notice "
    "offer parcel payment permit receipt record refund rental request route sample schedule shift stock "
    "supplier ticket transfer voucher warranty",
    "w": "accept adjust assign attach cancel collect compare confirm copy correct count describe estimate "
    "explain file finish follow forward handle inspect invoice list measure move notify pack place "
    "prepare print process record refuse release repeat report review send settle ship sign sort stop "
    "verify weigh",
    "p": "Ada Amira Anders Bianca Bo Carmen Chidi Daria Dmitri Elif Emre Farah Felix Greta Hana Hugo Ines "
    "Ivo Jonas Kaya Lena Luca Mara Milan Nadia Noor Olga Omar Pia Priya Rafael Rosa Samir Sofia Tariq "
    "Uma Viktor Wanda Yuki Zoe",
    "c": "Aarhus Bilbao Bremen Cork Dresden Faro Gdansk Ghent Graz Kaunas Leeds Lille Linz Lyon Malmo Nantes "
    "Porto Pula Riga Tartu Turin Turku Ulm Varna Vigo",
}
_LISTS = {name: words.split() for name, words in _WORDS.items()}
_TOOLS = ("find_order", "get_stock", "open_ticket", "quote_refund", "read_policy", "send_note")


@dataclass(frozen=True, slots=True)
class Load:
    """How much to make."""

    episodes: int
    turns: int = 20
    turn_bytes: int = 2048
    seed: int = 0

    @property
    def rows(self) -> int:
        """Turns altogether: what every rate counts."""
        return self.episodes * self.turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One turn as the agent's own program would know it."""

    heard: str
    said: str
    tool: str
    args: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One conversation."""

    trace_id: str  # 32 hex digits
    session_id: str
    agent: str
    failed: bool
    turns: tuple[Told, ...]

    def span_ids(self) -> list[str]:
        """Of the turns, in order: 16 hex digits."""
        return [f"{self.trace_id[:12]}{at + 1:04x}" for at in range(len(self.turns))]


@dataclass(frozen=True, slots=True)
class Body:
    """One request, and the spans of the turns in it."""

    data: bytes
    rows: tuple[str, ...]  # span ids


def episodes(load: Load) -> Iterator[Episode]:
    """All episodes of a load, in the same order every time."""
    for at in range(load.episodes):
        yield episode(load, at)


def episode(load: Load, at: int) -> Episode:
    """The episode at one place; it does not depend on how many there are."""
    rng = random.Random(f"store:{load.seed}:{at}")
    trace_id = uuid.UUID(int=rng.getrandbits(128), version=4).hex
    turns = tuple(_told(rng, load.turn_bytes) for _ in range(load.turns))
    return Episode(
        trace_id=trace_id,
        session_id=f"session-{load.seed}-{at}",
        agent=AGENTS[at % len(AGENTS)],
        failed=rng.random() < FAILED_SHARE,
        turns=turns,
    )


def _told(rng: random.Random, size: int) -> Told:
    """A turn whose texts are `size` bytes together: half of it heard, the rest said and called."""
    heard, said = prose(rng, size // 2), prose(rng, size // 2 - 120)
    drawn = rng.random()
    if drawn < 2 * SECRET_SHARE:
        texts = _secrets() if drawn < SECRET_SHARE else _harmless()
        text = rng.choice(texts)
        heard = f"{heard[: max(0, len(heard) - len(text) - 1)]}\n{text}"
    args = {"query": prose(rng, 60), "order": str(rng.randrange(10_000, 99_999))}
    return Told(heard=heard, said=said, tool=rng.choice(_TOOLS), args=args)


def prose(rng: random.Random, size: int) -> str:
    """Sentences of about `size` characters; every one has words and numbers of its own."""
    parts: list[str] = []
    left = size
    while left > 0:
        sentence = rng.choice(_TEMPLATES).format_map(_Drawn(rng))
        parts.append(sentence)
        left -= len(sentence) + 1
    return " ".join(parts)[:size]


class _Drawn(dict[str, str]):
    """Draws a word for each name of a template as it is asked for."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def __missing__(self, name: str) -> str:
        draw = self._rng
        if name == "k":
            return f"{draw.choice('ABKRX')}-{draw.randrange(1000, 99_999)}"
        if name == "d":
            return f"2026-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}"
        if name == "e":
            return f"{draw.randrange(3, 900)}.{draw.randrange(100):02} EUR"
        if name == "s":
            return str(draw.randrange(1, 60))
        return draw.choice(_LISTS[name.rstrip("2")])


@cache
def _secrets() -> list[str]:
    return [one.text for one in planted(0)]


@cache
def _harmless() -> list[str]:
    return [one.text for one in look_alikes(0)]


def bodies(found: Sequence[Episode], per_request: int, start_s: float) -> Iterator[Body]:
    """OTLP requests of `per_request` episodes each, their spans by OpenTelemetry's conventions for GenAI.

    Args: start_s: when the first episode began, seconds since 1970; servers may refuse old spans.
    """
    for at in range(0, len(found), per_request):
        request = ExportTraceServiceRequest()
        some = found[at : at + per_request]
        for place, one in enumerate(some, at):
            _add(request, one, start_s + place * 0.01)
        yield Body(request.SerializeToString(), tuple(row for one in some for row in one.span_ids()))


def _add(request: ExportTraceServiceRequest, one: Episode, start_s: float) -> None:
    group = request.resource_spans.add()
    _attributes(group.resource.attributes, {"service.name": one.agent, "service.version": "v1"})
    scope = group.scope_spans.add()
    scope.scope.name = "benchmark"
    trace, root = bytes.fromhex(one.trace_id), bytes.fromhex(f"{one.trace_id[:12]}0000")
    common = {"session.id": one.session_id, "gen_ai.agent.name": one.agent}
    end_s = start_s + TURN_S * len(one.turns)
    above = {"openinference.span.kind": "AGENT", "gen_ai.operation.name": "invoke_agent"}
    texts = {"input.value": one.turns[0].heard[:200], "output.value": one.turns[-1].said[:200]}
    about = common | above | texts
    _span(scope.spans.add(), (trace, root), f"invoke_agent {one.agent}", (start_s, end_s), about)
    for at, (told, span_id) in enumerate(zip(one.turns, one.span_ids(), strict=True)):
        began = start_s + at * TURN_S
        span = scope.spans.add()
        _span(span, (trace, bytes.fromhex(span_id)), "chat", (began, began + 1), common | _chat(told, at))
        span.parent_span_id = root
    if one.failed:
        for span in (scope.spans[0], scope.spans[-1]):
            span.status.code = 2
            span.status.message = "the model stopped answering"


def _span(
    span: Any, ids: tuple[bytes, bytes], name: str, when: tuple[float, float], given: dict[str, Any]
) -> None:
    span.trace_id, span.span_id = ids
    span.name, span.kind = name, 1
    span.start_time_unix_nano, span.end_time_unix_nano = (int(one * 1e9) for one in when)
    span.status.code = 1
    _attributes(span.attributes, given)


def _chat(told: Told, at: int) -> dict[str, Any]:
    part = {"type": "tool_call", "id": f"call-{at}", "name": told.tool, "arguments": told.args}
    answer = {"role": "assistant", "parts": [{"type": "text", "content": told.said}, part]}
    heard = {"role": "user", "parts": [{"type": "text", "content": told.heard}]}
    return {
        "openinference.span.kind": "LLM",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "model-1",
        "gen_ai.input.messages": json.dumps([heard]),
        "gen_ai.output.messages": json.dumps([answer]),
        "gen_ai.usage.input_tokens": len(told.heard) // 4,
        "gen_ai.usage.output_tokens": len(told.said) // 4,
    }


def _attributes(target: Any, given: dict[str, Any]) -> None:
    for key, value in given.items():
        pair = target.add()
        pair.key = key
        if isinstance(value, int):
            pair.value.int_value = value
        else:
            pair.value.string_value = value


def trajectory(one: Episode) -> Trajectory:
    """The same episode as `Store.append` takes it."""
    turns = tuple(
        Turn(
            index=at,
            observation=told.heard,
            raw=f"{told.said}\n{json.dumps({'tool': told.tool, **told.args})}",
            thought="",
            action=Action(told.tool, told.args),
        )
        for at, told in enumerate(one.turns)
    )
    task = Task(
        id=one.session_id,
        type=one.agent,
        split=Split.LIVE,
        seed=0,
        difficulty=1,
        opening=one.turns[0].heard if one.turns else "",
    )
    return Trajectory(
        id=one.trace_id,
        session_id=one.session_id,
        task=task,
        version="v1",
        seed=0,
        turns=turns,
        stop=StopReason.FAILED if one.failed else StopReason.DONE,
        failure=Failure(Party.MODEL, "the model stopped answering") if one.failed else None,
        agent=one.agent,
    )
