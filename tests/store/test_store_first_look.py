"""The first look may propose a rule in vain; it must never leave one out that matches."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from coevolve.store.first_look import FirstLook, literal
from coevolve.store.redaction import Redactor
from coevolve.store.redaction_rules import rules

NEEDLES = tuple({needle for rule in rules() for needle in rule.needles})
DIGITS = [rule for rule in rules() if not rule.needles and not rule.telling]


def test_a_literal_in_lower_case_is_found_in_any_case_and_another_as_it_stands() -> None:
    look = FirstLook([["x"], [literal("key")], [literal("AC"), literal("пароль")]])
    assert look.worth("a Key") == [1]
    assert look.worth("ac") == []
    assert look.worth("AC") == look.worth("ПАРОЛЬ") == [2]
    assert look.worth("") == []


def test_half_a_surrogate_pair_hides_nothing() -> None:
    assert FirstLook([[literal("key")]]).worth("\ud800key\udfff") == [0]
    assert "ada@" not in Redactor(b"k" * 32).text("\ud800 ada@example.org")


@given(st.lists(st.one_of(st.sampled_from(NEEDLES), st.text(max_size=8)), max_size=12).map("".join))
def test_every_literal_that_a_text_holds_is_found(text: str) -> None:
    look = FirstLook([[literal(one)] for one in NEEDLES])
    held = {at for at, one in enumerate(NEEDLES) if one in (text.lower() if one == one.lower() else text)}
    small = re.sub(r"[^\x00-\x7f]", "", text)  # of some letters the lower case is another text
    if small == text:
        assert set(look.worth(text)) == held


@given(st.text(alphabet="0123456789 ./()-+ABDEGx٣", max_size=40))
def test_no_rule_of_digits_matches_where_the_first_look_saw_no_number(text: str) -> None:
    redactor = Redactor(b"k" * 32)
    if len(redactor._rules) not in redactor._look.worth(text):
        assert not any(rule.check(one) for rule in DIGITS for one in rule.pattern.finditer(text))


@given(st.text(alphabet="0123456789 ABDEFRxé٣", max_size=50))
def test_no_rule_without_a_literal_matches_where_the_first_look_saw_nothing_telling(text: str) -> None:
    for rule in rules():
        if rule.telling and not FirstLook([rule.telling]).worth(text):
            assert not rule.pattern.search(text)
