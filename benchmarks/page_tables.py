"""Markdown's tables: cells enter as texts, the lines of a table leave."""

from __future__ import annotations

from collections.abc import Sequence


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with its head; each row has as many cells as there are columns."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def one_line(value: object) -> str:
    """What a cell can hold: one line, without the character that ends a cell."""
    return " ".join(str(value).split()).replace("|", "\\|")
