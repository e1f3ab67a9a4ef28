"""What a verb says: one JSON object or something to read on standard output, everything else on error.

Texts may come from a model or a stranger: control characters are shown, not obeyed, and no text is read as
markup.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

import typer
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from coevolve.errors import CoevolveError

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130
PIPE_WIDTH = 140  # columns where standard output is no terminal
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})

Give = Callable[..., None]


class Interrupted(Exception):
    """The user, or the system, asked to stop."""


@contextmanager
def answering(as_json: bool) -> Iterator[Give]:
    """Within it a verb works and calls `give(data, *what to read)`; an error becomes a line and a fix.

    Whatever else is printed meanwhile, by a user's environment say, goes to standard error.
    """
    out = sys.stdout

    def give(data: Mapping[str, Any], *shown: RenderableType) -> None:
        if as_json:
            out.write(json.dumps(data, allow_nan=False) + "\n")
        else:
            console = _console(out)
            for part in shown:
                console.print(text(part) if isinstance(part, str) else part)
        out.flush()

    try:
        with redirect_stdout(sys.stderr):
            yield give
    except CoevolveError as error:
        if as_json:
            give({"error": error.what, "fix": error.fix})
        else:
            say(f"error: {error.what}")
            say(f"fix: {error.fix}")
        raise typer.Exit(EXIT_ERROR) from None
    except Interrupted:
        raise typer.Exit(EXIT_INTERRUPTED) from None


def say(line: str) -> None:
    """One line on standard error, at once."""
    print(clean(line), file=sys.stderr, flush=True)


def clean(value: object) -> str:
    """A text whose control characters can be seen and do nothing; line breaks stay."""
    return "".join(
        one
        if one == "\n" or unicodedata.category(one) not in _INVISIBLE
        else one.encode("unicode_escape").decode()
        for one in str(value)
    )


def text(value: object, style: str = "") -> Text:
    """A cleaned text, read as no markup."""
    return Text(clean(value), style=style)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Group:
    """A titled table; None is shown as a dash."""
    made = Table(header_style="bold", show_edge=False, pad_edge=False)
    for column in columns:
        made.add_column(text(column), overflow="fold")
    for row in rows:
        made.add_row(*(text("-" if cell is None else cell) for cell in row))
    return Group(text(f"\n{title}", "bold"), made)


def fields(title: str, values: Mapping[str, object]) -> Group:
    """Names and values under a title; None and an empty text are shown as a dash."""
    made = Table(show_header=False, show_edge=False, pad_edge=False)
    made.add_column(no_wrap=True)
    made.add_column(overflow="fold")
    for name, value in values.items():
        made.add_row(text(name), text("-" if value is None or value == "" else value))
    return Group(text(title, "bold"), made)


def percent(share: float | None) -> str:
    """0.125 as 12.5%."""
    return "-" if share is None else f"{100 * share:.1f}%"


def signed(value: float | None) -> str:
    """A score with its sign."""
    return "?" if value is None else f"{value:+.2f}"


def _console(out: TextIO) -> Console:
    width = None if out.isatty() else PIPE_WIDTH
    return Console(file=out, width=width, highlight=False, markup=False, emoji=False)
