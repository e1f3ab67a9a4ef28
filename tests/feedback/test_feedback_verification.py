from __future__ import annotations

from dataclasses import dataclass

import pytest

from coevolve.feedback.verification import fits, parses


@dataclass
class Refund:
    order: str
    cents: int


def test_a_text_of_the_shape_passes_and_another_is_told_by_its_field() -> None:
    assert fits('{"order": "77", "cents": 1200}', Refund) == (True, "")
    passed, why = fits('{"order": "77", "cents": "1200"}', Refund)
    assert not passed
    assert why.startswith("cents: ")
    assert fits('{"order": "77"}', Refund)[1].startswith("cents: ")


@pytest.mark.parametrize("text", ["", "{", "It is on its way.", "[" * 10_000])
def test_a_text_that_is_no_json_fits_nothing(text: str) -> None:
    passed, why = fits(text, list[int])
    assert not passed
    assert why


def test_code_is_read_and_never_run() -> None:
    assert parses("raise SystemExit(3)") == (True, "")
    assert parses("a = 1\nb = (2\n")[1].startswith("line 2: ")


@pytest.mark.parametrize("code", ["x = \0", "(" * 10_000])
def test_what_no_compiler_reads_does_not_pass(code: str) -> None:
    passed, why = parses(code)
    assert not passed
    assert why


def test_a_warning_of_the_compiler_is_no_failure() -> None:
    assert parses("a = '\\d'\nif a is 3: pass\n") == (True, "")
