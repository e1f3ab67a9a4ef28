"""One kind of what must not be written, as a pattern with the check that tells look-alikes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

Match = re.Match[str]
Check = Callable[[Match], bool]
Find = Callable[[str], list[tuple[int, int, str]]]  # start, end and kind of what is replaced, in order


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionRule:
    """A rule names that without which it cannot match, so that most texts are passed over in one look.

    Three sieves: `needles` or `words`, of all rules in one pass; `telling`, on what is left of the texts; and
    the pattern, in Python's expressions, which can look around. Each lets pass whatever the next one matches.
    """

    kind: str  # of the placeholder: "EMAIL"
    text: str  # of the pattern
    needles: tuple[str, ...] = ()  # without one of them in the text, in any case where it is written in lower
    #                                case here and as it stands otherwise, the pattern is not tried
    words: tuple[str, ...] = ()  # in the place of needles, in Hyperscan's language: the shorter, the better
    telling: tuple[str, ...] = ()  # in Hyperscan's language; empty = needles and words tell enough
    reach: int = 0  # letters before a needle at which a match may begin; 0 = unknown, anywhere
    group: int | str = 0  # of the pattern: what is replaced
    check: Check = lambda match: True
    find: Find | None = None  # in the place of the pattern
    in_groups: bool = False  # other numbers may stand beside it in the same form: see `tried`
    least: int = 0  # characters from its first digit to its last, of a rule of digits

    @property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed: most rules never are, and all together take most of a second."""
        return _compiled(self.text)


_compiled = cache(re.compile)

LINE = r"(?<=\\[nrt])"  # in a text inside JSON, a line or a field has just ended
START = rf"(?:(?<![A-Za-z0-9])|{LINE})"  # no word goes on before
FREE = rf"(?:(?<![A-Za-z0-9_.-])|{LINE})"  # no word and no number goes on before; one of another script may
END = r"(?![A-Za-z0-9_-]|\.\d)"  # nor behind


def rule(kind: str, text: str, *needles: str, **more: Any) -> RedactionRule:
    """A rule; `more` are the other fields of `RedactionRule`."""
    return RedactionRule(kind=kind, text=text, needles=needles, **more)


def one_of(words: str) -> str:
    """An alternative of patterns written with white space between them.

    In one of them `_` stands for a space, and `~` for a space, a hyphen, an underscore or nothing.
    """
    return "|".join(word.replace("_", r"[ \t]").replace("~", "[ _-]?") for word in words.split())


def words(names: str) -> str:
    """For the first look: one of the alternatives at the beginning of a word, in any case.

    What can go on in any way is looked for as far as it is fixed. Words of other than Latin letters may stand
    anywhere: Hyperscan does not know where they begin.
    """
    whole, open_ended, other = list[str](), list[str](), list[str]()
    for one in _split(names):
        fixed = one if re.search(r"\(.*\\w", one) else one.split("\\w")[0]
        latin = one[0].isascii() and one[0] != "("
        ends = fixed == one and one[one.rfind("[") :].isascii()  # the look knows where words of ASCII end
        (other if not latin else whole if ends else open_ended).append(fixed)
    ended = [rf"(?:{'|'.join(whole)})(?:\b|_)"] if whole else []
    begun = [rf"(?:\b|_|\\[nrt])(?:{'|'.join([*open_ended, *ended])})"] if open_ended or ended else []
    return f"(?i)(?:{'|'.join([*begun, *other])})"


def literals(names: str) -> tuple[str, ...]:
    """What each of the alternatives begins with, in lower case: where a pattern of them may match."""
    return tuple(sorted({form for one in _split(names) for form in _forms(one)}))


def _forms(text: str) -> list[str]:
    """The beginning of a pattern as far as it is made of letters and of choices between letters."""
    forms, rest = [""], text
    while part := re.match(r"\[([^\]^ ]+)\](?![*+?{])|\\?(\w|(?<=\\)[.#]|[ '/-])(?![*+?{])", rest):
        forms = [form + char for form in forms for char in part[1] or part[2]]
        if len(forms) > _MANY:
            break
        rest = rest[part.end() :]
    return [form.lower() for form in forms]


_MANY = 8  # forms of one alternative; what follows is left to the pattern


def _split(names: str) -> list[str]:
    """The alternatives of a pattern that has no `|` but between them and inside groups."""
    parts, depth = [""], 0
    for char in names:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


_GROUP = re.compile(r"[^\W_]+")
_GAP = re.compile(r"[ -]")


def tried(rule: RedactionRule, text: str, start: int, end: int) -> Iterator[Match]:
    """Matches between two places that the rule's check takes, none inside another.

    One that it refuses may hold a number and the next one's beginning: it is tried without its last groups,
    and then from its second one on.
    """
    while (match := rule.pattern.search(text, start, end)) is not None:
        gaps = [one.start() for one in _GAP.finditer(text, match.start(), match.end())]
        shorter = (rule.pattern.fullmatch(text, match.start(), gap) for gap in reversed(gaps))
        found = next((one for one in (match, *shorter) if one is not None and rule.check(one)), None)
        if found is not None:
            yield found
            start = found.end()
        else:
            first = _GROUP.search(text, match.start())
            start = first.end() if first else match.end()
