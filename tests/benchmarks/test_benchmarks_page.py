"""docs/benchmarks.md is what the committed figures make, and says no more than they do."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
sys.path.append(str(ROOT))

from benchmarks.page import PAGE, RESULTS, main, page, read_results  # noqa: E402

FILE: dict[str, Any] = {
    "machine": {"cores": 2, "processor": "A | B"},
    "command": "python x.py",
    "date": "2030-01-02",
    "seeds": [0, 1, 2],
    "figures": {"final": [0.5, None, 0.9], "wall_s": [60.0, None, 600.0], "note_points": [-1.5, None, 2.0]},
    "intervals": {"final": [[0.4, 0.6], None, [0.8, 0.95]]},
    "types": {"teacher": {"0": {"pay": {"refusal": True, "base": [0.0, 10], "final": [0.5, 10]}}}},
}


def test_the_page_is_what_the_committed_figures_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(read_results(RESULTS))
    assert main(["--check"]) == 0


def test_a_row_shows_the_spread_and_each_seed_with_its_interval() -> None:
    (row,) = (line for line in page({"x": FILE}).splitlines() if "(`final`)" in line)
    assert row.split("|")[2:-1] == [
        " 50.0% ",
        " 70.0% ",
        " 90.0% ",
        " 50.0% [40.0%, 60.0%] ",
        " - ",
        " 90.0% [80.0%, 95.0%] ",
    ]


def test_units_are_those_of_the_key() -> None:
    made = page({"x": FILE})
    assert "| 60.0 s | 5.5 min | 10.0 min |" in made
    assert "| -1.5 points | +0.2 points | +2.0 points |" in made
    assert "pay (must refuse) | 0.0% of 10 | - | 50.0% of 10 | 50.0%" in made
    assert "processor A \\| B" in made


def test_a_file_of_another_benchmark_with_plain_values_is_shown_too() -> None:
    made = page(
        {"y": {**FILE, "machine": "a laptop", "figures": {"rows_per_s": 12.5}, "intervals": {}, "types": {}}}
    )
    assert "- machine: a laptop" in made
