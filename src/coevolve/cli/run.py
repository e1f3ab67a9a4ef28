"""`coevolve run`: the whole loop, its lines as it goes, and how it ended."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from coevolve import loop
from coevolve.cli.driving import drive
from coevolve.cli.opening import ConfigArg, JsonFlag, SetOption, acting, read_config
from coevolve.cli.output import Interrupted, answering, fields, percent, say
from coevolve.errors import CoevolveError, ConfigError
from coevolve.report import Rate
from coevolve.summary import MOMENTS, REPORT_FOLDER, outdated_test, overall_rate, write_report
from coevolve.timekeeping import ended
from coevolve.workspace import Workspace


def run(
    config: ConfigArg,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
    more: Annotated[
        int | None, typer.Option(min=1, help="With --resume: so many more rounds for a run that has ended.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Replaces run.seed.")] = None,
    name: Annotated[str | None, typer.Option(help="Replaces run.name, the run's folder.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Replaces run.minutes_budget.")] = None,
    set_: SetOption = None,
    as_json: JsonFlag = False,
) -> None:
    """The whole loop: opening, rounds, final measurement, report."""
    with answering(as_json) as give:
        flags = {"run.seed": seed, "run.name": name, "run.minutes_budget": minutes}
        again = _command(config, seed, name, minutes, set_ or [])
        with acting(read_config(config, set_ or (), flags), config) as ws:
            refuse_repeat(ws, resume=resume, again=again)
            if resume and more is None and ws.journal.get("begin") is None:
                say(f"nothing to resume in {ws.folder.resolve()}: beginning anew")
            if more is not None:
                loop.go_on(ws, more)
            try:
                _work(ws)
            except Interrupted:
                page = _report_so_far(ws)
                say("stopped." if page is None else f"stopped. Report so far: {page}")
                say(f"continue with: {again} --resume")
                give({"interrupted": True, "report": page, "resume": f"{again} --resume"})
                raise
            shown = outcome(ws) | {"more": f"{again} --resume --more {ws.config.run.patience}"}
            give(shown, fields(f"{ws.config.run.name}: {shown['why']}", _readable(shown)))


def _work(ws: Workspace) -> None:
    """Run the loop; a report is there from its beginning on, renewed every round and where the run breaks."""
    if ended(ws) is not None:
        return
    try:
        drive(loop.run(ws, on_round=lambda: _write(ws)))
    except CoevolveError:
        if (page := _report_so_far(ws)) is not None:
            say(f"the run broke; report so far: {page}")
        raise


def _report_so_far(ws: Workspace) -> str | None:
    """The page of a run that stops; None where it had not begun, or where even the page cannot be written.

    That is said and not raised: a full disk, which often stopped the run as well, must not hide why.
    """
    try:
        return None if ws.journal.get("begin") is None else _write(ws)
    except CoevolveError as error:
        say(f"no report: {error.what}")
        return None


def _write(ws: Workspace) -> str:
    return str(write_report(ws, finished=ended(ws) is not None) / "report.html")


def refuse_repeat(ws: Workspace, *, resume: bool, again: str) -> None:
    """Raise ConfigError where this folder holds a run and nobody asked to go on with it."""
    if resume or ws.journal.get("begin") is None:
        return
    if ended(ws) is not None:
        raise ConfigError(
            f"{ws.folder} holds a finished run",
            fix=f"see it with `coevolve report {ws.folder}`, go on with `{again} --resume --more 3`, "
            "or start another with --name",
        )
    raise ConfigError(
        f"{ws.folder} holds an unfinished run", fix=f"continue it with `{again} --resume`, or give a --name"
    )


def outcome(ws: Workspace) -> dict[str, Any]:
    """How a finished run ended, as JSON: champion, success on test with intervals, the report's place."""
    folder = ws.folder / REPORT_FOLDER
    if not (folder / "report.html").is_file():
        write_report(ws, finished=True)
    tested = {name: ws.journal.get(f"test/{name}") for name in MOMENTS}
    return {
        **(ended(ws) or {}),
        "test": {
            name: _rate(rate)
            for name, value in tested.items()
            if value is not None and (rate := overall_rate(value)) is not None
        },
        "test_note": outdated_test(ws),
        "report": str(folder / "report.html"),
        "curve": str(folder / "curve.png"),
    }


def _rate(rate: Rate) -> dict[str, float]:
    return {"rate": rate.rate, "low": rate.low, "high": rate.high, "n": rate.n}


def _readable(shown: dict[str, Any]) -> dict[str, object]:
    rates = {
        f"test: {name}": f"{percent(r['rate'])}  [{percent(r['low'])}, {percent(r['high'])}]  of {r['n']}"
        for name, r in shown["test"].items()
    }
    return {
        "champion": shown["champion"],
        "rounds": shown["rounds"],
        **(rates or {"test": "not measured (test.open = false)"}),
        **({"note": shown["test_note"]} if shown["test_note"] else {}),
        "minutes of work": f"{shown['wall_s'] / 60:.1f}",
        "peak memory": f"{shown['peak_gib']:.1f} GiB",
        "report": shown["report"],
        "curve": shown["curve"],
        "more rounds": shown["more"],
    }


def _command(config: Path, seed: int | None, name: str | None, minutes: float | None, sets: list[str]) -> str:
    """The line that names the same run again."""
    flags = {"--seed": seed, "--name": name, "--minutes": minutes}
    words = ["coevolve", "run", str(config)]
    for flag, value in flags.items():
        words += [] if value is None else [flag, str(value).removesuffix(".0")]
    for one in sets:
        words += ["--set", one]
    return shlex.join(words)
