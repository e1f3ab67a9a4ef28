"""Where the marks of a chart go: shared by the page's SVG and the PNG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from coevolve.report.data import RoundPoint

_STEPS_S = (5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A chart's outer size and its margins, in pixels (or SVG units)."""

    width: float = 920.0
    height: float = 380.0
    left: float = 52.0
    right: float = 28.0
    top: float = 40.0
    bottom: float = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One measured point."""

    x: float
    y: float
    y_low: float
    y_high: float
    point: RoundPoint
    labelled: bool  # there is room for words beside it
    aside: bool  # the line leaves too steeply for words above: they go to the right


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Success over time, laid out."""

    frame: Frame
    marks: tuple[Mark, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    x_title: str


def curve(points: Sequence[RoundPoint], frame: Frame, label_gap: float = 66.0) -> Curve:
    """Lay out success (0 to 100%) over wall time.

    Args: points: in any order; one with a rate or time that is no number is left out.
        label_gap: the room a label needs, in the frame's unit.
    """
    known = sorted(
        (
            point
            for point in points
            if all(map(isfinite, (point.wall_s, point.success.rate, point.success.low, point.success.high)))
        ),
        key=lambda point: point.wall_s,
    )
    longest = max([point.wall_s for point in known], default=0.0) or 60.0
    inner_w = frame.width - frame.left - frame.right
    inner_h = frame.height - frame.top - frame.bottom

    def x_of(seconds: float) -> float:
        return frame.left + inner_w * max(0.0, seconds) / longest

    def y_of(share: float) -> float:
        return frame.top + inner_h * (1.0 - min(1.0, max(0.0, share)))

    xs = [x_of(point.wall_s) for point in known]
    ys = [y_of(point.success.rate) for point in known]
    labelled = _room(xs, label_gap)
    step = next((step for step in _STEPS_S if longest / step <= 8), _STEPS_S[-1])
    unit, name = (1, "seconds") if step < 60 else (60, "minutes") if step < 3600 else (3600, "hours")
    return Curve(
        frame=frame,
        marks=tuple(
            Mark(
                x=x,
                y=y,
                y_low=y_of(point.success.low),
                y_high=y_of(point.success.high),
                point=point,
                labelled=label,
                aside=index + 1 < len(xs) and ys[index] - ys[index + 1] > xs[index + 1] - x,
            )
            for index, (x, y, point, label) in enumerate(zip(xs, ys, known, labelled, strict=True))
        ),
        x_ticks=tuple((x_of(seconds), f"{seconds / unit:g}") for seconds in range(0, int(longest) + 1, step)),
        y_ticks=tuple((y_of(share / 100), f"{share}%") for share in (0, 25, 50, 75, 100)),
        x_title=f"Wall time since the start, {name}",
    )


def _room(xs: Sequence[float], gap: float) -> list[bool]:
    """Which points can carry a label: the last always, the others where they do not collide."""
    labelled = [False] * len(xs)
    if xs:
        labelled[-1] = True
    taken = float("-inf")
    for index, x in enumerate(xs[:-1]):
        if x - taken >= gap and xs[-1] - x >= gap:
            labelled[index] = True
            taken = x
    return labelled
