"""A small language for texts with places to fill in, and the reader of files of such texts.

A template enters; the filled text leaves, with the substrings that have to be hidden. `⟦maker⟧` is a place
whose value is a secret, `⟨maker⟩` one whose value is harmless; a secret place with harmless ones inside, as
in `⟦PIN ⟨#dddd⟩⟧`, is a secret as a whole. `maker:a` keeps the value under a name, `=a` repeats it,
`maker|filter` gives it another spelling, and `#...` draws by a pattern. What surrounds a place is not read.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from urllib.parse import quote

Maker = Callable[[Random], str]
PLACE = re.compile(r"⟦(.*?)⟧|⟨(.*?)⟩", re.DOTALL)
HEAD = re.compile(r"^=== (\d+) (\w+)[ \n]", re.MULTILINE)
REPEAT = re.compile(r"(\S)\*(\d+)")
LOWER, UPPER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
SIGNS: Mapping[str, str] = {
    "d": DIGITS,
    "D": "123456789",
    "N": "23456789",
    "a": LOWER,
    "A": UPPER,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "w": LOWER + UPPER + DIGITS,
    "u": UPPER + DIGITS,
    "l": LOWER + DIGITS,
    "b": LOWER + UPPER + DIGITS + "-_",
    "B": LOWER + UPPER + DIGITS + "+/",
    "T": UPPER + "234567",
}
SPOKEN: Mapping[str, str] = {
    "en": "zero one two three four five six seven eight nine",
    "de": "null eins zwo drei vier fünf sechs sieben acht neun",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve",
    "pt": "zero um dois três quatro cinco meia sete oito nove",
    "it": "zero uno due tre quattro cinque sei sette otto nove",
    "oh": "oh one two three four five six seven eight nine",
}


def pattern(rng: Random, signs: str) -> str:
    """Draw a value: a sign of `SIGNS` stands for one of its signs, `w*40` for forty, others for itself."""
    spread = REPEAT.sub(lambda found: found[1] * int(found[2]), signs)
    return "".join(rng.choice(SIGNS[sign]) if sign in SIGNS else sign for sign in spread)


def complete(draw: Maker, check: Callable[[str], bool]) -> Maker:
    """A maker that draws until the check holds; `draw` ends with as few free signs as it can."""

    def make(rng: Random) -> str:
        for _ in range(20_000):
            value = draw(rng)
            if check(value):
                return value
        raise ValueError("no value passes the check; fix: let the draw reach every check sign")

    return make


def _spoken(language: str) -> Callable[[str], str]:
    words = SPOKEN[language].split()
    return lambda value: " ".join(words[int(sign)] for sign in value if sign.isdigit())


def _grouped(size: int, by: str = " ") -> Callable[[str], str]:
    return lambda value: by.join(value[at : at + size] for at in range(0, len(value), size))


SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "digits": lambda value: "".join(sign for sign in value if sign.isdigit()),
    "plain": lambda value: "".join(sign for sign in value if sign.isalnum()),
    "lower": str.lower,
    "upper": str.upper,
    "by2": _grouped(2),
    "by3": _grouped(3),
    "by4": _grouped(4),
    "by5": _grouped(5),
    "by6": _grouped(6),
    "dash4": _grouped(4, "-"),
    "dash3": _grouped(3, "-"),
    "dot4": _grouped(4, "."),
    "letters": _grouped(1),
    "lines64": _grouped(64, "\n"),
    "lines64n": _grouped(64, "\\n"),
    "lines76": _grouped(76, "\n"),
    "url": lambda value: quote(value, safe=""),
    "b64": lambda value: base64.b64encode(value.encode()).decode(),
    "at": lambda value: value.replace(".", " dot ").replace("@", " at "),
    "at_de": lambda value: value.replace(".", " Punkt ").replace("-", " minus ").replace("@", " ät "),
    "at_brackets": lambda value: value.replace("@", " [at] ").replace(".", " [dot] "),
    "lat": lambda value: value.split(",")[0],
    "lng": lambda value: value.split(",")[1],
    "wide": lambda value: value.translate({ord(sign): ord(sign) + 0xFEE0 for sign in DIGITS}),
    "arabic": lambda value: value.translate({ord(sign): 0x660 + int(sign) for sign in DIGITS}),
}
FILTERS = {**SPELLINGS, **{f"spoken_{language}": _spoken(language) for language in SPOKEN}}


@dataclass(frozen=True, slots=True)
class Template:
    """One text with places, the situation it is from and its kind."""

    situation: int  # number in `situations.SITUATIONS`
    kind: str
    text: str


@dataclass(slots=True)
class _Draws:
    rng: Random
    makers: Mapping[str, Maker]
    kept: dict[str, str] = field(default_factory=dict)
    drawn: list[tuple[str, str]] = field(default_factory=list)

    def value(self, place: str) -> str:
        """What stands at a place that has no places inside."""
        wanted, _, filters = place.partition("|")
        name = ""
        if wanted.startswith("#"):
            value = pattern(self.rng, wanted[1:])
        elif wanted.startswith("="):
            value = self.kept[wanted[1:]]
        else:
            wanted, _, name = wanted.partition(":")
            value = self.makers[wanted](self.rng)
            self.drawn.append((wanted, value))
        if name:
            self.kept[name] = value
        for each in filters.split("|") if filters else ():
            value = FILTERS[each](value)
        return value


@dataclass(frozen=True, slots=True)
class Filled:
    """A text without places."""

    text: str
    secrets: tuple[str, ...]
    drawn: tuple[tuple[str, str], ...]  # the makers that were asked, and what they gave


def _pieces(value: str) -> tuple[str, ...]:
    """What of a value must not survive: of a long one, its beginning and its end."""
    lines = [line for line in re.split(r"\\n|\n", value) if len(line) >= 40]
    if len(lines) > 1:
        return lines[0], lines[-1]
    words = value.split(" ")
    if len(words) >= 8:
        half = len(words) // 2
        return " ".join(words[:half]), " ".join(words[half:])
    return (value,)


def fill(template: Template, rng: Random, makers: Mapping[str, Maker]) -> Filled:
    """Fill a template's places with values drawn from `rng`.

    Returns: the text; its secrets, each once, in the order of their first places; what was drawn.
    Raises: KeyError: a place asks for a maker, a filter or a kept value that there is not.
    """
    draws = _Draws(rng, makers)
    secrets: dict[str, None] = {}

    def replace(found: re.Match[str]) -> str:
        if found[2] is not None:
            return draws.value(found[2])
        inner = found[1]
        value = PLACE.sub(replace, inner) if "⟨" in inner else draws.value(inner)
        secrets.update(dict.fromkeys(_pieces(value)))
        return value

    text = PLACE.sub(replace, template.text)
    return Filled(text, tuple(secrets), tuple(draws.drawn))


def read(source: str) -> Iterator[Template]:
    """The templates of a file of texts: each follows a `=== situation kind`."""
    parts = HEAD.split(source)[1:]
    for at in range(0, len(parts), 3):
        yield Template(int(parts[at]), parts[at + 1], parts[at + 2].rstrip("\n"))
