"""The first look may propose a rule in vain; it must never leave one out that matches."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.store.redaction import Redactor
from coevolve.store.redaction.first_look import FirstLook, literal
from coevolve.store.redaction.redactor import _second_look
from coevolve.store.redaction.rule import RedactionRule, literals, one_of, words
from coevolve.store.redaction.rules import rules

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from benchmarks.planted_secrets import planted

NEEDLES = tuple({needle for rule in rules() for needle in rule.needles if not rule.words})
REDACTOR = Redactor(b"k" * 32)
TEXTS = [one.text for one in planted(0)]


def test_a_literal_in_lower_case_is_found_in_any_case_and_another_as_it_stands() -> None:
    look = FirstLook([["x"], [literal("key")], [literal("AC"), literal("пароль")]])
    assert look.worth("a Key") == [1]
    assert look.worth("ac") == []
    assert look.worth("AC") == look.worth("ПАРОЛЬ") == [2]
    assert look.worth("") == []


def test_half_a_surrogate_pair_hides_nothing() -> None:
    assert FirstLook([[literal("key")]]).worth("\ud800key\udfff") == [0]
    assert "ada@" not in REDACTOR.text("\ud800 ada@example.org")


def test_threads_share_a_look() -> None:
    look = FirstLook([[literal("key")], [literal("token")]])
    texts = [("x" * at + " key ", [0]) if at % 2 else ("y" * at + " token ", [1]) for at in range(2000)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(look.worth, [text for text, _ in texts])) == [place for _, place in texts]


@given(st.lists(st.one_of(st.sampled_from(NEEDLES), st.text(max_size=8)), max_size=12).map("".join))
def test_every_literal_that_a_text_holds_is_found(text: str) -> None:
    look = FirstLook([[literal(one)] for one in NEEDLES])
    held = {at for at, one in enumerate(NEEDLES) if one in (text.lower() if one == one.lower() else text)}
    small = re.sub(r"[^\x00-\x7f]", "", text)  # of some letters the lower case is another text
    if small == text:
        assert set(look.worth(text)) == held


@given(st.text(alphabet="0123456789 ./()-+ABDEGx٣", max_size=40))
def test_no_rule_of_digits_matches_where_the_first_look_saw_no_number(text: str) -> None:
    if len(REDACTOR._rules) not in REDACTOR._look.worth(text):
        for rule in (rule for rule in rules() if not (rule.needles or rule.words)):
            assert not any(rule.check(one) for one in rule.pattern.finditer(text))


def _left_out(rule: RedactionRule, at: int, text: str) -> list[str]:
    """What the rule's own expression finds in a text and one of its sieves does not let pass."""
    found = [one for one in rule.pattern.finditer(text) if rule.check(one)]
    looked = at in REDACTOR._look.worth(text) and not (
        rule.telling and not _second_look(rule.telling).worth(text)
    )
    lowered = text.lower()
    return [
        one.group()
        for one in found
        if not looked
        or (
            rule.reach
            and not any(
                lowered.find(needle, one.start(), one.start() + rule.reach + len(needle)) >= 0
                for needle in rule.needles
            )
        )
    ]


@pytest.mark.parametrize("part", range(4))
def test_no_sieve_holds_back_what_a_rule_would_have_found(part: int) -> None:
    held_back = [
        (rule.kind, found)
        for text in TEXTS[part::8]
        for at, rule in enumerate(REDACTOR._rules)
        if rule.find is None
        for found in _left_out(rule, at, text)
    ]
    assert held_back == []


def test_words_and_literals_are_what_the_alternatives_begin_with() -> None:
    names = one_of("pass~words? n[ée]_le clé num[ée]ro_de_s[ée]cu\\w* 口座")
    assert set(literals(names)) == {"pass", "né", "ne", "clé", "numero", "numéro", "口座"}
    look = FirstLook([[words(names)]])
    for text in (
        "my password is",
        "née? né le 3",
        "la clé :",
        "Numéro de sécurité 1",
        "x口座番号",
        "a\\nclé",
    ):
        assert look.worth(text) == [0], text
    for text in ("compass words", "clear", "numerous"):
        assert look.worth(text) == [], text
