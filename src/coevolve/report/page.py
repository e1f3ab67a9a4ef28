"""Writes a run's report: one self-contained HTML page and the curve as a PNG.

Enters: ReportData. Leaves: two files, each written beside its place and renamed into it, so that a reader
never sees half a page. Every text is escaped by the template engine; the page loads nothing and runs no
script (its content policy forbids both).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from coevolve.errors import ReportError
from coevolve.report.data import ExampleTurn, Rate, ReportData
from coevolve.report.geometry import Frame, curve
from coevolve.report.picture import curve_png

PAGE, PICTURE = "report.html", "curve.png"


@dataclass(frozen=True, slots=True)
class Bar:
    """One labelled stack of parts."""

    label: str
    total: float
    parts: tuple[tuple[str, float, float, float, int], ...]  # name, value, start %, width %, colour


@dataclass(frozen=True, slots=True)
class Bars:
    """Stacks on one scale, with the names of their parts in order of colour."""

    names: tuple[str, ...]
    bars: tuple[Bar, ...]


def render(data: ReportData, folder: Path) -> Path:
    """Write `report.html` and `curve.png` into `folder`, making it where needed.

    Returns: the page's path.
    Raises: ReportError: the folder cannot be written; a former report is left as it was.
    """
    text, picture = page(data), curve_png(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(folder / PICTURE, picture)
        _replace(folder / PAGE, text.encode("utf-8", errors="replace"))
    except OSError as error:
        raise ReportError(
            f"the report cannot be written to {folder}: {error}",
            fix="free space on the disk or name another folder, then run `coevolve report`",
        ) from error
    return folder / PAGE


def page(data: ReportData) -> str:
    """The report as one HTML text."""
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "percent": percent,
        "duration": duration,
        "spread": spread,
        "words": words,
        "conversation": conversation,
    }
    source = files("coevolve.report").joinpath("templates", "report.html.j2").read_text(encoding="utf-8")
    return environment.from_string(source).render(
        data=data,
        curve=curve(data.rounds, Frame()),
        pool=stacks([(row.label, row.operations) for row in data.pools]),
        pool_types=_table([(row.label, row.types) for row in data.pools]),
        pool_rejected=_table([(row.label, row.rejected) for row in data.pools]),
        stages=stacks([("whole run", data.stage_s)] if data.stage_s else []),
        round_stages=_table([(point.label, point.stage_s) for point in data.rounds]),
        config=tuple(flatten(data.config)),
        machine=tuple(flatten(data.machine)),
    )


def percent(share: float, digits: int = 0) -> str:
    """A share as per cent: 0.763 -> 76%."""
    return f"{share * 100:.{digits}f}%"


def spread(rate: Rate) -> str:
    """A rate's 95% interval in per cent: 68-83."""
    return f"{rate.low * 100:.0f}\N{EN DASH}{rate.high * 100:.0f}"


def duration(seconds: float) -> str:
    """Seconds for a reader: 48 s, 3 min 20 s, 1 h 05 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def words(name: str) -> str:
    """An identifier for a reader: own_success -> own success."""
    return name.replace("_", " ")


def conversation(turns: Sequence[ExampleTurn]) -> list[tuple[str, str]]:
    """A conversation's parts in order, as (kind, text); what was already shown as a result is not repeated.

    Kinds: "observation", "thought", "action", "result", "error".
    """
    parts: list[tuple[str, str]] = []
    before = ""
    for turn in turns:
        if turn.observation.strip() and turn.observation.strip() != before:
            parts.append(("observation", turn.observation))
        for kind, text in (("thought", turn.thought), ("action", turn.action)):
            if text.strip():
                parts.append((kind, text))
        if turn.result.strip():
            parts.append(("result", turn.result))
        if turn.error.strip() and turn.error.strip() not in turn.result:
            parts.append(("error", turn.error))
        before = turn.result.strip()
    return parts


def stacks(rows: Sequence[tuple[str, Mapping[str, float]]]) -> Bars:
    """Lay out stacked bars on one scale; a part keeps its colour over all bars."""
    names = tuple(dict.fromkeys(name for _, parts in rows for name in parts))
    longest = max([sum(max(0.0, value) for value in parts.values()) for _, parts in rows], default=0.0) or 1.0
    bars: list[Bar] = []
    for label, parts in rows:
        laid: list[tuple[str, float, float, float, int]] = []
        start = 0.0
        for index, name in enumerate(names):
            value = max(0.0, parts.get(name, 0.0))
            if value > 0:
                width = 100 * value / longest
                laid.append((name, value, start, width, index % 8))
                start += width
        bars.append(Bar(label, sum(part[1] for part in laid), tuple(laid)))
    return Bars(names, tuple(bars))


def flatten(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings as dotted names and texts."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{name}.")
        elif isinstance(value, str):
            yield f"{prefix}{name}", value
        else:
            yield f"{prefix}{name}", json.dumps(value, ensure_ascii=False, default=str)


def _table(
    rows: Sequence[tuple[str, Mapping[str, float]]],
) -> tuple[tuple[str, ...], list[list[float | str]]]:
    """(rounds as column names, a row of name and values per part); empty where there is nothing to show."""
    names = sorted({name for _, parts in rows for name in parts})
    if not names:
        return (), []
    return tuple(label for label, _ in rows), [
        [name, *(parts.get(name, 0) for _, parts in rows)] for name in names
    ]


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
