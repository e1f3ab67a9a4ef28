"""The sets that redaction is measured on keep their promises, and share no text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent.parent.parent))

from benchmarks.store_detectors import redaction

from benchmarks import fresh_secrets, planted_secrets, seen_secrets


@pytest.mark.parametrize("made", [seen_secrets, fresh_secrets])
def test_secrets_stand_in_their_texts_and_numbers_pass_their_checks(made: Any) -> None:
    made.check(5)


def test_no_set_has_a_text_of_another() -> None:
    seen = {one.text for made in (planted_secrets, seen_secrets) for one in made.planted(0)}
    seen |= {one.text for made in (planted_secrets, seen_secrets) for one in made.look_alikes(0)}
    fresh = [*fresh_secrets.planted(0), *fresh_secrets.look_alikes(0)]
    assert not seen & {one.text for one in fresh}


def test_a_redactor_is_measured_on_both() -> None:
    fresh, seen = redaction([0]), redaction([0], "seen")
    assert fresh["texts"] >= 500 and seen["texts"] >= 1000
    assert 0.5 < fresh["recall"][0] < 1 and 0.9 < seen["recall"][0] <= 1
    assert min(fresh["precision"] + seen["precision"]) > 0.9
