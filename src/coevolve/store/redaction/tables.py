"""Columns of tables: where the head of a column says what is in it, the rows need say nothing.

Rows are read as they come in tool results: separated by commas, semicolons, bars or tabs, as lines or as the
lines of a text inside JSON, with whatever stands around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from coevolve.store.redaction.checks import dummy
from coevolve.store.redaction.rule import RedactionRule, one_of

_HEADS: tuple[tuple[str, str], ...] = (  # kind, and what the head of a column is called
    (
        "PASSWORD",
        one_of(
            r"""
            pass pass~?word passwd pwd pw passwort kennwort mot~de~passe contraseña contrasena senha
            wachtwoord hasło haslo secret secret~key token api~key apikey access~token access~key
            private~key otp pin credential
            """
        ),
    ),
    (
        "ID",
        one_of(
            r"""
            ssn sin nino dni nif nie cpf curp bsn burgerservicenummer pesel personnummer cpr aadhaar pan
            nric passport passport~(?:no|number) national~id tax~id tax~number steuer~id social~security
            medicare nhs~number
            """
        ),
    ),
    (
        "BIRTH",
        one_of(
            r"""
            dob birth~?date birthday date~of~birth geburtsdatum geburtstag fecha~nacimiento data~nascita
            """
        ),
    ),
    (
        "ACCOUNT",
        one_of(
            r"""
            account~(?:no|number) acct acct~(?:no|number) routing sort~code konto(?:nummer)? kontonr clabe
            bsb
            """
        ),
    ),
    ("PHONE", one_of(r"phone phone~number mobile tel telephone telefon handy cell cellphone celular")),
    ("CVV", one_of(r"cvv cvc cvv2")),
)
_NAMES = "|".join(names for _, names in _HEADS)
_HEAD = re.compile(
    r"(?i)[\s\"'`\\]*(?:[a-z]{1,12}[_.])?(?:"
    + "|".join(f"(?P<{kind}>{names})" for kind, names in _HEADS)
    + r")(?:_?(?:hash|plain|\d))?[\s\"'`\\}\]]*"
)
_TITLE = re.compile(r"[\s\"'`\\]*[^\W\d][\w.-]{0,30}(?: [\w.-]{1,20}){0,2}[\s\"'`\\}\])]*")
# What stands around a table is before its first title.
_FIRST_TITLE = re.compile(r".*[\"'>:n \\](?P<title>[^\W\d][\w.-]{0,30})[\"'`\\ ]*", re.DOTALL)
_BREAK = re.compile(r"\r?\n|(?<!\\)\\+n")
_RULE = re.compile(r"[-+|:= ]*")
_SEPARATORS = (",", ";", "|", "\t", "\\t")
_VALUE = {  # of a kind: what a cell under its head looks like
    "PASSWORD": re.compile(r"(?=\S*[^\d\s])[^\s\"'\\]{3,400}"),
    "CVV": re.compile(r"\d{3,4}"),
    "BIRTH": re.compile(r"[\d./ -]{6,12}"),
    "PHONE": re.compile(r"(?=(?:\D*\d){7})[\d+(][\d ()./-]{6,29}"),
}
_NUMBER = re.compile(r"(?=(?:\D*\d){6})(?!\d+\.\d+$)[\w+(][\w ()./-]{5,29}")


def columns(text: str) -> list[tuple[int, int, str]]:
    """Start, end and kind of each cell under a head that names a secret, in order."""
    breaks = [(0, 0), *(one.span() for one in _BREAK.finditer(text)), (len(text), len(text))]
    lines = [(left[1], _line(text, left, right)) for left, right in pairwise(breaks)]
    found, at = list[tuple[int, int, str]](), 0
    while at < len(lines) - 1:
        head, rows = lines[at][1], 0
        for separator in _SEPARATORS:
            if separator in head and not rows and (kinds := _kinds(_split(head, separator))):
                rows = _rows(lines, at + 1, separator, len(kinds))
                for start, line in lines[at + 1 : at + 1 + rows]:
                    if _RULE.fullmatch(line):
                        continue
                    found += reversed([*_cells(start, line, separator, kinds)])
        at += 1 + rows  # a row is no head of another table: each line is looked at once
    return found


def _line(text: str, left: tuple[int, int], right: tuple[int, int]) -> str:
    """What stands between two breaks; where the first is one of a text inside JSON, up to that text's end."""
    line = text[left[1] : right[0]]
    escapes = text.count("\\", left[0], left[1])  # each level of JSON doubles them
    ended = re.search(r"(?<!\\)" + r"\\" * (escapes - 1) + '"', line) if escapes else None
    return line[: ended.start()] if ended else line


def _kinds(heads: list[str]) -> list[str]:
    """Kind of each column, from the last to the first, "" for none: what stands around comes before them."""
    kinds = list[str]()
    for head in reversed(heads):
        titled = _TITLE.fullmatch(head)
        first = None if titled else _FIRST_TITLE.fullmatch(head)
        if not titled and not first:
            break
        named = _HEAD.fullmatch(first["title"] if first else head)
        kinds.append((named.lastgroup or "") if named else "")
        if first:
            break
    return kinds if len(kinds) > 1 and any(kinds) else []


def _rows(lines: list[tuple[int, str]], at: int, separator: str, columns: int) -> int:
    """How many lines follow directly that have as many cells."""
    end = at
    while end < len(lines) and (
        len(_split(lines[end][1], separator)) == columns or _RULE.fullmatch(lines[end][1])
    ):
        end += 1
    return end - at


def _split(line: str, separator: str) -> list[str]:
    """The cells of a line; a bar around the whole of it is none between two."""
    cells = line.split(separator)
    if separator == "|" and len(cells) > 2:
        cells = cells[not cells[0].strip() : len(cells) - (not cells[-1].strip(" \"'\\}])"))]
    return cells


def _cells(start: int, line: str, separator: str, kinds: list[str]) -> Iterator[tuple[int, int, str]]:
    """The cells of one row that are hidden, from the last one to the first."""
    cells = _split(line, separator)
    at = start + line.rfind(cells[-1]) + len(cells[-1]) if cells[-1] else start + len(line)
    for cell, kind in zip(reversed(cells), kinds, strict=True):
        at -= len(cell)
        value = cell.strip(" \t\"'`\\}])")
        if kind and _VALUE.get(kind, _NUMBER).fullmatch(value) and not dummy(value):
            begin = at + cell.index(value)
            yield begin, begin + len(value), kind
        at -= len(separator)


_WORD = rf"(?:[a-z]{{1,12}}[_.])?(?:{_NAMES})(?:_?(?:hash|plain|[0-9]))?[ \"'`]*"
TABLES = RedactionRule(
    kind="TABLE",
    text="",
    find=columns,
    words=(rf"(?i)(?:{_NAMES})[\"'` ]*(?:[,;|\t\n]|\\+[nt])",),
    telling=(
        rf"(?i)(?:[,;|\t]|\\+t)[ \"'`]*{_WORD}(?:[\r\n\\;|\t,])",
        rf"(?i)[\n\"'n>]{_WORD}(?:[,;|\t]|\\+t)",
    ),
)
