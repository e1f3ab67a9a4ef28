"""Secrets and personal data out, stable placeholders in, before anything is written.

Texts, JSON values and trajectories enter and leave in the same shape. One value has one placeholder in the
whole store (`<EMAIL_3fa9c2d1>`), so that an agent can still be seen to copy the right one; without the
store's key nobody can try out which value it stands for. What no rule knows stays: a name, an address.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import Any

from coevolve.store.redaction.first_look import FirstLook, encoded, literal
from coevolve.store.redaction.rule import RedactionRule, tried
from coevolve.store.redaction.rules import rules
from coevolve.types import Action, Trajectory, Turn

FIELDS = re.compile(
    r"(pass(word|wd|phrase)|pwd|secret|client_secret|api_?key|(access|private)_key|cookie|set_cookie|"
    r"(access|refresh|auth)_token|(proxy_)?authorization|ssn|card_number|cvv|cvc|iban|mnemonic|seed_phrase|"
    r"date_of_birth|birth_?date|passport_(no|number)|national_id|tax_id|(bank_)?account_number)"
)  # names whose whole value is a secret, in lower case with underscores
_PLACEHOLDER = re.compile(r"^<[A-Z0-9_.]+_[0-9a-f]{8}>$")
_NUMBERS = re.compile(r"\d[\d ./()-]{5,}\d")
_TELLING = (  # without one of these no rule of digits matches; most numbers are dates, prices and orders
    r"(?:\d[ ./()-]*){9}",  # a phone, a card, a social security number
    r"[+(](?:\d[ ./()-]*){8}",  # a phone after a sign
    r"(?:\d{1,3}\.){3}\d",  # an address
)
_BEFORE, _AFTER = 17, 2  # characters around a run of digits that a rule may look at
_DIGIT_KINDS = frozenset({"IBAN", "CARD", "SSN", "PHONE", "ID", "ACCOUNT"})
_SHORT = 64  # characters up to which a text is likely to come again: names of fields, of agents, of models
_NAMED_UP_TO = 400  # characters up to which a field's name may tell what its value is
_REMEMBERED = 4096  # short texts
_QUOTED = re.compile(
    r"""(\\*["'])(.*?)(?<!\\)\1""", re.DOTALL
)  # as JSON within JSON, and Python's repr, have it
_DECODER = json.JSONDecoder()


@cache
def _second_look(telling: tuple[str, ...]) -> FirstLook:
    return FirstLook([telling])


@cache
def _first_look(rules: tuple[tuple[str, ...], ...]) -> FirstLook:
    """Compiling takes a second, and every redactor of a process looks for the same."""
    return FirstLook(rules)


def subject_of(key: bytes, user: str) -> str:
    """A user's id under the store's key, 64 hex digits: the same in the whole store, nothing to try out.

    White space around it does not count; upper and lower case do.
    """
    return hmac.new(key, f"subject\x1f{user.strip()}".encode(), hashlib.sha256).hexdigest()


class Redactor:
    """Compiled rules and the store's key. Safe to share between threads."""

    def __init__(self, key: bytes, fields: Iterable[str] = ()) -> None:
        """`fields`: names whose whole value is replaced, beside `FIELDS`; case, "-", "_" and "." are one."""
        self.key = key
        self.fields = tuple(fields)
        self._own = frozenset(map(_plain, self.fields))
        self._own_keys = _keys(self._own)
        known = rules()
        self._rules = tuple(rule for rule in known if rule.needles or rule.words)
        self._digit_rules = tuple(
            (rule, partial(tried, rule) if rule.in_groups else rule.pattern.finditer)
            for rule in known
            if not (rule.needles or rule.words)
        )
        looks = (tuple(rule.words or map(literal, rule.needles)) for rule in self._rules)
        self._look = _first_look((*looks, tuple(_TELLING)))
        self._again = lru_cache(_REMEMBERED)(self._clean)
        self._secret = lru_cache(_REMEMBERED)(self._named)

    def subject(self, user: str) -> str:
        """What the store knows a user by: see `subject_of`."""
        return subject_of(self.key, user)

    def text(self, text: str) -> str:
        """The text with every match replaced."""
        return self._again(text) if len(text) <= _SHORT else self._clean(text)

    def _clean(self, text: str) -> str:
        if self._own_keys is not None:
            text = self._without_own(text, self._own_keys)
        data = encoded(text)
        for at in self._look.worth(data):
            if at == len(self._rules):
                return self._numbers(text)  # the last of all
            rule = self._rules[at]
            if rule.telling and not _second_look(rule.telling).worth(data):
                continue
            if (clean := self._ruled(rule, text)) != text:
                text, data = clean, encoded(clean)
        return text

    def _ruled(self, rule: RedactionRule, text: str) -> str:
        """The text with what one rule finds replaced."""
        if rule.find is not None:
            return self._with_placeholders(text, rule.find(text))
        if rule.in_groups:
            found = [(one.start(), one.end(), rule.kind) for one in tried(rule, text, 0, len(text))]
            return self._with_placeholders(text, found)
        return self._near(rule, text) if rule.reach else self._anywhere(rule, text)

    def _anywhere(self, rule: RedactionRule, text: str) -> str:
        parts, last, start = [], 0, 0
        while (match := rule.pattern.search(text, start)) is not None:
            clean = self._replaced(rule, match)
            if clean is None:  # what it took along may be another's, from its value on
                start = max(match.start(rule.group), match.start() + 1)
                continue
            parts += [text[last : match.start()], clean]
            last = start = match.end()
        return "".join([*parts, text[last:]])

    def _near(self, rule: RedactionRule, text: str) -> str:
        """As `_anywhere`, trying the pattern just before needles: a costly one looks at few letters then."""
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter is two in lower case: places there are no longer the text's
            return self._anywhere(rule, text)
        starts: set[int] = set()
        for needle in rule.needles:
            at = lowered.find(needle)
            while at >= 0:
                starts.update(range(max(0, at - rule.reach), at + 1))
                at = lowered.find(needle, at + 1)
        parts, last = [], 0
        for start in sorted(starts):
            match = rule.pattern.match(text, start) if start >= last else None
            clean = self._replaced(rule, match) if match is not None else None
            if match is not None and clean is not None:
                parts += [text[last:start], clean]
                last = match.end()
        return "".join([*parts, text[last:]])

    def _numbers(self, text: str) -> str:
        """Rules of digits are tried around runs of digits alone, so that they do not look at every letter."""
        found: list[tuple[int, int, str]] = []  # start, end and kind, in order, none inside another
        for run in _NUMBERS.finditer(text):
            last = found[-1][1] if found else 0
            start, end = max(last, run.start() - _BEFORE), min(len(text), run.end() + _AFTER)
            size = run.end() - run.start()
            for rule, look in self._digit_rules:
                if size < rule.least:
                    continue
                for match in look(text, start, end):
                    if not rule.check(match):
                        continue
                    one = (match.start(), match.end(), rule.kind)
                    if not found or found[-1][1] <= one[0]:
                        found.append(one)
                        continue
                    at = bisect(found, one)  # what an earlier rule has found stays its own
                    behind, ahead = found[at - 1] if at else (0, 0, ""), found[at : at + 1]
                    if behind[1] <= one[0] and all(one[1] <= other[0] for other in ahead):
                        found.insert(at, one)
        return self._with_placeholders(text, found)

    def _with_placeholders(self, text: str, found: Sequence[tuple[int, int, str]]) -> str:
        """`found`: start, end and kind of what is replaced, in order."""
        parts, last = list[str](), 0
        for start, end, kind in found:
            parts += [text[last:start], self._placeholder(kind, text[start:end])]
            last = end
        return "".join([*parts, text[last:]]) if parts else text

    def _without_own(self, text: str, keys: re.Pattern[str]) -> str:
        """The values of the owner's fields replaced where the text is, or holds, JSON or a `repr`."""
        parts, last = list[str](), 0
        for key in keys.finditer(text):
            if key.start() < last:  # within a value that is replaced whole
                continue
            try:
                value, end = _DECODER.raw_decode(text, key.end())
            except (ValueError, RecursionError):
                if (quoted := _QUOTED.match(text, key.end())) is None:
                    continue
                value, end = quoted[2], quoted.end()
            clean = self.value(value, key["name"])
            if clean != value:
                quote = key["quote"]
                parts += [text[last : key.end()], f"{quote}{clean}{quote}"]
                last = end
        return "".join([*parts, text[last:]]) if parts else text

    def value(self, value: Any, field: str = "") -> Any:
        """A JSON value with its texts redacted, and the whole of a field that names a secret."""
        if field and self._secret(field) and value not in (None, "", [], {}):
            if isinstance(value, str) and _PLACEHOLDER.match(value):
                return value
            return self._placeholder(
                field.upper().replace("-", "_"), value if isinstance(value, str) else repr(value)
            )
        if isinstance(value, str):
            return self._of_field(field, value) if field else self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(inner, str(key)) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner, field) for inner in value]
        return value

    def _of_field(self, field: str, value: str) -> str:
        """The value as it would be read in JSON's text, where the name before it tells what it is."""
        before, after = f'"{field}": "', '"'
        clean = self.text(f"{before}{value}{after}") if len(value) <= _NAMED_UP_TO else ""
        if clean.startswith(before) and clean.endswith(after):
            return clean[len(before) : -len(after)]
        return self.text(value)

    def trajectory(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with its texts redacted; an id or a session that is an address is one of them.

        Names of agents, versions and task types stay: who runs the agents gave them, and finds them by them.
        A turn that held something loses its token ids and log-probabilities, since they spell it out.
        """
        task = trajectory.task
        clean_task = replace(
            task, id=self.text(task.id), opening=self.text(task.opening), spec=self.value(task.spec)
        )
        turns = tuple(self._turn(turn) for turn in trajectory.turns)
        if turns and clean_task.opening != task.opening:
            turns = (replace(turns[0], context_ids=()), *turns[1:])
        checks, signals = (
            tuple(replace(one, why=self.text(one.why)) for one in some)
            for some in (trajectory.checks, trajectory.signals)
        )
        failure, reward = trajectory.failure, trajectory.reward
        return replace(
            trajectory,
            id=self.text(trajectory.id),
            parent=None if trajectory.parent is None else self.text(trajectory.parent),
            failure=None if failure is None else replace(failure, why=self.text(failure.why)),
            reward=None if reward is None else replace(reward, why=self.text(reward.why)),
            session_id=self.text(trajectory.session_id),
            task=clean_task,
            turns=turns,
            checks=checks,
            signals=signals,
        )

    def _turn(self, turn: Turn) -> Turn:
        action = turn.action
        if action is not None:
            action = Action(action.tool, self.value(action.args))
        clean = replace(
            turn,
            observation=self.text(turn.observation),
            raw=self.text(turn.raw),
            thought=self.text(turn.thought),
            action=action,
            result=self.text(turn.result),
            error=None if turn.error is None else self.text(turn.error),
            events=tuple(self.text(event) for event in turn.events),
        )
        if (clean.observation, clean.raw) == (turn.observation, turn.raw):
            return clean
        return replace(clean, context_ids=(), output_ids=(), logprobs=())

    def _replaced(self, rule: RedactionRule, match: re.Match[str]) -> str | None:
        """The match with its value replaced; None where the rule's check refuses it."""
        whole, found = match.group(), match.group(rule.group)
        if not found or _PLACEHOLDER.match(found) or not rule.check(match):
            return None
        at = match.start(rule.group) - match.start()
        return whole[:at] + self._placeholder(rule.kind, found) + whole[at + len(found) :]

    def _placeholder(self, kind: str, value: str) -> str:
        """The same for values that differ in case, spaces and separators only."""
        plain = re.sub(r"[\s().-]", "", value).lower() if kind in _DIGIT_KINDS else value.strip().lower()
        digest = hmac.new(self.key, f"{kind}\x1f{plain}".encode(), hashlib.sha256).hexdigest()
        return f"<{kind}_{digest[:8]}>"

    def _named(self, field: str) -> bool:
        plain = _plain(field)
        return plain in self._own or FIELDS.fullmatch(plain) is not None


def _plain(field: str) -> str:
    return field.lower().replace("-", "_").replace(".", "_")


def _keys(names: Iterable[str]) -> re.Pattern[str] | None:
    """What stands before the value of a field of these names in a text; None where there are no names."""
    listed = "|".join(re.escape(name).replace("_", "[_.-]") for name in sorted(names))
    quoted = rf"""(?P<quote>\\*["'])(?P<name>{listed})(?P=quote)\s*:\s*"""
    return re.compile(quoted, re.IGNORECASE) if listed else None
