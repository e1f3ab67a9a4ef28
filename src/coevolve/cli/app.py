"""The table of verbs, and the entry point."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from coevolve import __version__
from coevolve.cli.experience import import_chats, serve
from coevolve.cli.failures import errors, similar_to
from coevolve.cli.judging import judge
from coevolve.cli.leaving import export, forget, keep
from coevolve.cli.output import EXIT_INTERRUPTED
from coevolve.cli.project import doctor, init, shop
from coevolve.cli.reviewing import label, review, score, trust
from coevolve.cli.run import run
from coevolve.cli.show import show, show_experience
from coevolve.cli.stages import gate, stage_verb
from coevolve.cli.versions import promote, report, rollback, versions
from coevolve.cli.watching import voices, watch

app = typer.Typer(
    help="An LLM agent that gets better at its own job from its own experience.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # or a TOML's [section] in a help text would be taken for markup, and vanish
)
app.command()(run)
for _stage in ("collect", "score", "evolve", "learn"):
    app.command(_stage)(stage_verb(_stage))
for _verb in (gate, promote, rollback, versions, show, report, doctor, init):
    app.command()(_verb)
app.command()(errors)
app.command("similar")(similar_to)
experience = typer.Typer(
    help="Experience of agents that act elsewhere.", no_args_is_help=True, rich_markup_mode=None
)
experience.command("import")(import_chats)
experience.command("show")(show_experience)
for _told in (serve, score, judge, review, label, trust, watch, voices, export, keep, forget):
    experience.command()(_told)
app.add_typer(shop, name="shop")
app.add_typer(experience, name="experience")


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"coevolve {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Options of the command itself."""


def main() -> None:
    """Run the command line; `coevolve` and `python -m coevolve` begin here."""
    # Read when torch loads. Threads that wait by spinning for long stall training several times over
    # as soon as anything else uses a core; those that never spin lose a third on a quiet machine.
    # Memory in huge pages faults less often.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
    try:
        app()
    except SystemExit as done:
        if done.code != EXIT_INTERRUPTED:
            raise
        # A training or inference thread would be waited for; the journal makes leaving it safe.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(EXIT_INTERRUPTED)
