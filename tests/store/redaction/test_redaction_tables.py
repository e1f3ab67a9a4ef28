"""Columns whose head names a secret, in what tools return."""

from __future__ import annotations

import json
import re

import pytest

from coevolve.store.redaction import Redactor
from coevolve.store.redaction.tables import columns

REDACTOR = Redactor(b"k" * 32)


def shown(text: str) -> str:
    return re.sub(r"<([A-Z]+)_[0-9a-f]{8}>", r"<\1>", REDACTOR.text(text))


def test_a_column_is_hidden_by_its_head_and_the_others_stay() -> None:
    text = "name,password,role\nann,copper_dolphin,editor\nbo,hunter2,viewer\n\nname is free"
    assert shown(text) == "name,password,role\nann,<PASSWORD>,editor\nbo,<PASSWORD>,viewer\n\nname is free"


@pytest.mark.parametrize("separator", [",", ";", "|", "\t", " | "])
def test_any_usual_separator(separator: str) -> None:
    rows = [("id", "plain_pw", "seen"), ("7", "kiwi8812", "monday")]
    assert "kiwi8812" not in shown("\n".join(separator.join(row) for row in rows))


def test_a_table_inside_json_has_no_real_lines() -> None:
    inner = "user,password,role\nann,wqyB3DLiQELK,editor\nbo,Fjord2231,viewer"
    for text in (
        json.dumps({"role": "user", "content": inner}),
        json.dumps({"body": json.dumps({"content": inner})}),
    ):
        clean = shown(text)
        assert "wqyB3DLiQELK" not in clean and "Fjord2231" not in clean and "editor" in clean
        assert json.loads(clean)


def test_the_lines_that_a_database_draws_are_passed_over() -> None:
    text = " id | api_key          | on\n----+------------------+----\n 3  | 659a072d1437027b | t\n(1 row)"
    assert "659a072d" not in shown(text) and "(1 row)" in shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "def find(password, phone):\n    return phone, password",
        "Bring your passport, phone, and keys.\nThe desk opens at nine, ten on Sundays.",
        "columns: id, phone, note\nnothing else here",
        "name,password\nann,<PASSWORD>\nbo,********",
        "size,pin\nsmall,no\nlarge,no",
    ],
)
def test_lists_and_programs_are_no_tables(text: str) -> None:
    assert REDACTOR.text(text) == text


def test_cells_come_in_order_and_none_inside_another() -> None:
    text = "dob;phone;name\n1984-03-02;0171 234567;x\n1990-01-01;0171 999999;y"
    found = columns(text)
    assert [text[start:end] for start, end, _ in found] == [
        "1984-03-02",
        "0171 234567",
        "1990-01-01",
        "0171 999999",
    ]
    assert [kind for _, _, kind in found] == ["BIRTH", "PHONE"] * 2
