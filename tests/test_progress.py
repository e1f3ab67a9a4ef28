from __future__ import annotations

import io

import pytest
from rich.progress import Progress, Task

from coevolve.progress import _RateColumn, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def run(stream: io.StringIO, seconds_each: float, pieces: int = 4) -> str:
    clock = Clock()
    with progress(pieces, "collect", "episodes", stream=stream, clock=clock) as bar:
        for _ in range(pieces):
            clock.now_s += seconds_each
            bar.advance()
    return stream.getvalue()


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")


def test_long_work_on_a_terminal_shows_count_and_time_left() -> None:
    text = run(Terminal(), seconds_each=1.0)
    assert "collect" in text
    assert "4/4" in text
    assert "left" in text


def test_short_work_shows_nothing() -> None:
    assert run(Terminal(), seconds_each=0.4) == ""


def test_long_work_without_a_terminal_writes_nothing() -> None:
    assert run(io.StringIO(), seconds_each=10.0) == ""


def test_standard_output_stays_clean(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(1, "collect", "episodes") as bar:
        bar.advance()
    assert capsys.readouterr() == ("", "")


def test_interrupted_work_gives_the_terminal_back() -> None:
    stream, clock = Terminal(), Clock()
    with (
        pytest.raises(KeyboardInterrupt),
        progress(4, "collect", "episodes", stream=stream, clock=clock) as bar,
    ):
        clock.now_s += 3.0
        bar.advance(2)
        raise KeyboardInterrupt
    assert stream.getvalue().count("\x1b[?25l") == stream.getvalue().count("\x1b[?25h") == 1


def added(bar: Progress) -> Task:
    new = bar.add_task("x", total=100)
    return next(task for task in bar.tasks if task.id == new)


def test_rate_is_said_in_the_unit() -> None:
    clock = Clock()
    bar = Progress(get_time=clock)
    task = added(bar)
    column = _RateColumn("episodes")
    assert column.render(task).plain == ""
    for _ in range(3):
        clock.now_s += 1.0
        bar.advance(task.id, 20)
    assert column.render(task).plain == "20.0 episodes/s"
    slow = added(bar)
    for _ in range(3):
        clock.now_s += 4.0
        bar.advance(slow.id, 1)
    assert column.render(slow).plain == "4.0 s per episode"
