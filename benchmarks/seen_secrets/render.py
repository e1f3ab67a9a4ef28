# ruff: noqa: E501, RUF001, RUF002
"""Templates become labelled texts: a template and a random source enter, a text and its secrets leave.

A template holds `«maker»` where a secret stands and `‹maker›` where a harmless value stands. The same name
twice in one template is the same value twice; `«maker#2»` draws a second one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

from benchmarks.planted_secrets import Planted
from benchmarks.seen_secrets.credentials import CREDENTIALS
from benchmarks.seen_secrets.harmless_values import HARMLESS_VALUES
from benchmarks.seen_secrets.money import MONEY
from benchmarks.seen_secrets.national_europe import EUROPE
from benchmarks.seen_secrets.national_world import WORLD
from benchmarks.seen_secrets.persons import PERSONS
from benchmarks.seen_secrets.shapes import PREFIXED, UNPREFIXED, shape

HOLE = re.compile(r"«([a-z0-9_.]+)(#\d)?(~n)?»|‹([a-z0-9_]+)(#\d)?›")
TRIES = 200
SHORT = 12  # the last line of a key may be so short that it tells nothing


def _shaped(pattern: str) -> Callable[[Random], str]:
    return lambda rng: shape(rng, pattern)


def _tokens() -> dict[str, Callable[[Random], str]]:
    rows = [row for table in (PREFIXED, UNPREFIXED) for group in table.values() for row in group]
    return {f"key.{place}": _shaped(row[0]) for place, row in enumerate(rows)}


MAKERS: Mapping[str, Callable[[Random], str]] = {
    **CREDENTIALS, **MONEY, **EUROPE, **WORLD, **PERSONS, **HARMLESS_VALUES, **_tokens(),
}  # fmt: skip


def blocks(raw: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, template) of a raw block: `%% kind` opens a kind, a lone `%%` separates its templates."""
    for group in re.split(r"^%% (?=\w)", raw, flags=re.MULTILINE)[1:]:
        kind, _, body = group.partition("\n")
        for template in re.split(r"^%%\n", body, flags=re.MULTILINE):
            yield kind.strip(), template.strip("\n")


def parts(maker: str, value: str) -> tuple[str, ...]:
    """Split a value of several lines or words, so that no part of it may survive either."""
    if maker.startswith("pem_"):
        return tuple(line for line in value.split("\n") if len(line) > SHORT and not line.startswith("-----"))
    if maker.startswith("seed"):
        words = value.split(" ")
        return tuple(" ".join(words[start : start + 4]) for start in range(0, len(words), 4))
    return (value,)


def fill(template: str, rng: Random) -> tuple[str, dict[str, int]]:
    """Return the text, and of each secret in it how often it was put there."""
    values: dict[str, str] = {}
    secrets: dict[str, int] = {}

    def put(hole: re.Match[str]) -> str:
        maker = hole[1] or hole[4]
        name = maker + (hole[2] or hole[5] or "")
        if name not in values:
            values[name] = MAKERS[maker](rng)
        value = values[name]
        if hole[1]:
            for part in parts(maker, value):
                secrets[part] = secrets.get(part, 0) + 1
        return value.replace("\n", "\\n") if hole[3] else value

    return HOLE.sub(put, template), secrets


def planted_text(template: str, rng: Random) -> tuple[str, tuple[str, ...]]:
    """Fill a template so that no secret stands by accident in the rest of its text.

    Raises: ValueError: no such text in 200 tries.
    """
    for _ in range(TRIES):
        text, secrets = fill(template, rng)
        if secrets and all(text.count(secret) == count for secret, count in secrets.items()):
            return text, tuple(secrets)
    raise ValueError(f"no clean text in {TRIES} tries: {template[:80]}")


def _message(text: str, rng: Random) -> str:
    body = {"role": rng.choice(("user", "user", "tool", "assistant")), "content": text}
    return json.dumps(body, ensure_ascii=False)


def _tool_result(text: str, rng: Random) -> str:
    inner = json.dumps({"ok": True, "output": text, "took_ms": rng.randint(3, 900)}, ensure_ascii=False)
    call = shape(rng, "call_{a24}")
    return json.dumps({"tool_call_id": call, "role": "tool", "content": inner}, ensure_ascii=False)


def _arguments(text: str, rng: Random) -> str:
    name = rng.choice(("write_file", "send_reply", "append_note", "run_query"))
    call = {"name": name, "arguments": json.dumps({"path": "out/note.txt", "text": text}, ensure_ascii=False)}
    return json.dumps(
        {"type": "function", "function": call}, ensure_ascii=False, indent=rng.choice((None, 2))
    )


def _span(text: str, rng: Random) -> str:
    attributes = [{"key": "gen_ai.prompt", "value": {"stringValue": text}}]
    return json.dumps(
        {"traceId": shape(rng, "{h32}"), "spanId": shape(rng, "{h16}"), "attributes": attributes}
    )


def _quoted(text: str, rng: Random) -> str:
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    return (
        f"{rng.choice(('On Tuesday the customer wrote:', 'Forwarded message:', 'Quoting ticket:'))}\n{lines}"
    )


def _thought(text: str, rng: Random) -> str:
    lead = rng.choice(
        (
            "The tool returned the following, so the next step is clear.",
            "Let me re-read the input:",
            "Observation:",
        )
    )
    return f"<thinking>\n{lead}\n{text}\n</thinking>"


def _ticket(text: str, rng: Random) -> str:
    number, minutes = shape(rng, "{U3}-{n1}{d3}"), rng.randint(2, 59)
    return f"[{number}] opened {minutes} min ago, priority {rng.choice(('low', 'normal', 'high'))}\n\n{text}\n\n--\nSent from my phone"


def _form(text: str, rng: Random) -> str:
    return f"## Form: {rng.choice(('return', 'booking', 'claim', 'onboarding'))}\nstep: {rng.randint(2, 6)} of 7\n{text}\naccepted_terms: yes"


def _nested(text: str, rng: Random) -> str:
    inner = json.dumps({"event": "message", "data": {"body": text}}, ensure_ascii=False)
    middle = json.dumps({"topic": "inbound", "payload": inner}, ensure_ascii=False)
    return json.dumps({"offset": rng.randint(1000, 9999), "value": middle}, ensure_ascii=False)


def _yaml(text: str, rng: Random) -> str:
    body = "\n".join(f"      {line}" for line in text.split("\n"))
    return f"- turn: {rng.randint(2, 9)}\n  role: {rng.choice(('user', 'tool'))}\n  content: |\n{body}\n  score: null"


def _logged(text: str, rng: Random) -> str:
    stamp = f"2026-{rng.randint(1, 12):02d}-{rng.randint(10, 28)} {rng.randint(10, 23)}:{rng.randint(10, 59)}:07,{rng.randint(100, 999)}"
    return f"{stamp} DEBUG agent.loop: turn done, last input was {text!r}"


Wrap = Callable[[str, Random], str]
ANY_WRAPS: tuple[Wrap, ...] = (_message, _tool_result, _arguments, _span, _thought, _nested, _yaml, _logged)
SPOKEN_WRAPS: tuple[Wrap, ...] = (_quoted, _ticket, _form, _message, _nested)  # for what a person types
TECHNICAL = frozenset("{}=<>$|\\;[]`")
WRAPPED_SHARE = 0.33


def wrap(text: str, secrets: tuple[str, ...], rng: Random) -> str:
    """Return the text as it is, or one time in three inside a container that keeps its secrets whole."""
    if rng.random() >= WRAPPED_SHARE:
        return text
    wraps = ANY_WRAPS if TECHNICAL & set(text) or rng.random() < 0.4 else SPOKEN_WRAPS
    out = rng.choice(wraps)(text, rng)
    return out if all(out.count(secret) == text.count(secret) for secret in secrets) else text


def draw(template: str, kind: str, rng: Random) -> Planted:
    """Make one labelled text of a template with secrets."""
    text, secrets = planted_text(template, rng)
    return Planted(wrap(text, secrets, rng), secrets, kind)


def draw_harmless(template: str, kind: str, rng: Random) -> Planted:
    """Make one labelled text of a template in which nothing is hidden."""
    text, _ = fill(template, rng)
    return Planted(wrap(text, (), rng), (), kind)
