"""A bar with a rate and the time left, for whatever turns out to take long.

It shows itself only after `SHOW_AFTER_S` and only where standard error is a terminal; in a log, a pipe or
a test nothing is written. Standard output is never touched, so `--json` stays clean.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.progress import TimeRemainingColumn as TimeLeftColumn
from rich.text import Text

SHOW_AFTER_S = 2.0


class Advance(Protocol):
    """What a stage reports to; a test's counter is one too."""

    def advance(self, n: int = 1) -> None:
        """Say that `n` more are done."""
        ...


@contextmanager
def progress(
    total: int,
    label: str,
    unit: str,
    *,
    stream: TextIO | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Advance]:
    """Follow `total` pieces of work.

    Args:
        total: how many; more may come, and then the bar is full.
        label: what is being done, for example "collect, round 2".
        unit: of a piece, in the plural, for example "episodes".
        stream: where the bar is drawn; None = standard error.
        clock: seconds, monotonic; for tests.
    """
    stream = stream or sys.stderr
    if not stream.isatty():
        yield _Quiet()
        return
    with _Bar(total, label, unit, stream=stream, clock=clock) as bar:
        yield bar


class _Quiet:
    """Nobody is watching."""

    def advance(self, n: int = 1) -> None:
        """Do nothing."""


class _Bar:
    """Holds the terminal's last line from `SHOW_AFTER_S` on."""

    def __init__(
        self, total: int, label: str, unit: str, *, stream: TextIO, clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        self._due_s = clock() + SHOW_AFTER_S
        self._shown = False
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _RateColumn(unit),
            TimeLeftColumn(compact=True),
            TextColumn("left"),
            console=Console(file=stream),
            transient=True,
        )
        self._task = self._bar.add_task(label, total=total)

    def advance(self, n: int = 1) -> None:
        """Count, and show the bar once it is due."""
        self._bar.advance(self._task, n)
        if not self._shown and self._clock() >= self._due_s:
            self._bar.start()
            self._shown = True

    def __enter__(self) -> _Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._bar.stop()


class _RateColumn(ProgressColumn):
    """Pieces per second, or seconds per piece where that reads better."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """Return the rate so far; nothing before the first piece."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        if speed >= 1:
            return Text(f"{speed:.1f} {self._unit}/s")
        return Text(f"{1 / speed:.1f} s per {self._unit.removesuffix('s')}")
