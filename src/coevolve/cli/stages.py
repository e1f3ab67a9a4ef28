"""One stage at a time: collect, score, evolve, learn, gate; and weighing any two versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group

from coevolve import loop, timekeeping
from coevolve.cli.driving import drive
from coevolve.cli.opening import ConfigArg, JsonFlag, SetOption, acting, read_config
from coevolve.cli.output import Give, Interrupted, answering, fields, percent, say, table
from coevolve.codec import from_json, to_json
from coevolve.errors import ConfigError
from coevolve.summary import label, write_report
from coevolve.types import TypeFigures, Verdict
from coevolve.workspace import Workspace

SUMMARIES = {
    "collect": "The next round's experience: demonstrations in the opening, else its own episodes.",
    "score": "Judge every trajectory of the round, with reasons.",
    "evolve": "Admit the round's experience to the pool, as a new version of it.",
    "learn": "Turn the pool into a candidate version.",
    "gate": "Champion against candidate on held-out tasks; an accepted candidate becomes champion.",
}


def stage_verb(stage: str) -> Callable[..., None]:
    """The command that runs this stage where it is the run's next unfinished step."""

    def verb(config: ConfigArg, set_: SetOption = None, as_json: JsonFlag = False) -> None:
        with _stage(config, set_ or (), as_json) as (ws, give):
            _advance(ws, stage, config, give)

    verb.__doc__ = SUMMARIES[stage]
    return verb


def gate(
    config: ConfigArg,
    champion: Annotated[str, typer.Argument(metavar="[A]", help="Weigh B against this version.")] = "",
    candidate: Annotated[str, typer.Argument(metavar="[B]", help="Nothing is promoted.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Show every task type.")] = False,
    set_: SetOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Champion against candidate on held-out tasks; with two version ids, weigh those and promote nothing."""
    with _stage(config, set_ or (), as_json) as (ws, give):
        if not champion:
            done = _run_next(ws, "gate", config)
            verdict = from_json(Verdict, done.pop("value"))
            done |= {
                "verdict": to_json(verdict),
                "report": str(write_report(ws, finished=False) / "report.html"),
            }
            give(done, *verdict_tables(verdict, types=explain))
            return
        if not candidate:
            raise ConfigError(
                "one version alone cannot be weighed", fix=f"`coevolve gate {config} champion {champion}`"
            )
        first, second = (ws.registry.get(ws.registry.resolve(one)) for one in (champion, candidate))
        ws.claim()
        verdict = drive(loop.weigh(ws, first, second, round=-1))
        give({"verdict": to_json(verdict)}, *verdict_tables(verdict, types=explain))


@contextmanager
def _stage(config: Path, sets: Sequence[str], as_json: bool) -> Iterator[tuple[Workspace, Give]]:
    """A workspace in which a model may act, and where to answer."""
    with answering(as_json) as give, acting(read_config(config, sets), config) as ws:
        try:
            yield ws, give
        except Interrupted:
            say("stopped; the same command goes on from here")
            raise


def verdict_tables(verdict: Verdict, *, types: bool) -> list[Group]:
    """A verdict to read; with `types`, one row per task type."""
    shown = verdict.overall
    difference = f"{_points(shown.difference)} points  [{_points(shown.low)}, {_points(shown.high)}]"
    made = [
        fields(
            f"{verdict.candidate} against champion {verdict.champion}: {verdict.decision.value}",
            {
                "why": verdict.why,
                "success": f"{percent(shown.champion_rate)} -> {percent(shown.candidate_rate)}",
                "difference": f"{difference}  of {shown.tasks} tasks",
                "turns": ", ".join(f"{name} {mean:.2f}" for name, mean in _sides(verdict)),
            },
        )
    ]
    if types:
        columns = (
            "type",
            "champion",
            "candidate",
            "difference",
            "interval",
            "won",
            "lost",
            "tasks",
            "unknown",
        )
        made.append(table("by task type", columns, [_type_row(one) for one in verdict.types]))
    return made


def _sides(verdict: Verdict) -> Iterator[tuple[str, float]]:
    return ((name, verdict.steps[name]) for name in ("champion", "candidate") if name in verdict.steps)


def _type_row(one: TypeFigures) -> tuple[object, ...]:
    return (
        f"{one.type} (refusal)" if one.refusal else one.type,
        percent(one.champion_rate),
        percent(one.candidate_rate),
        _points(one.difference),
        f"[{_points(one.low)}, {_points(one.high)}]",
        one.wins,
        one.losses,
        one.tasks,
        one.unknown,
    )


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _advance(ws: Workspace, stage: str, config: Path, give: Give) -> None:
    done = _run_next(ws, stage, config)
    number, value = done["round"], done["value"]
    give(done, fields(f"{label(number)}: {stage}", {**_digest(value), "next": done["next"]}))


def _run_next(ws: Workspace, stage: str, config: Path) -> dict[str, Any]:
    """Run the next unfinished step, if it is this stage.

    Raises: ConfigError: it is another one, or the run has ended.
    """
    if timekeeping.ended(ws) is not None:
        raise ConfigError(
            f"the run in {ws.folder} has ended",
            fix=f"go on with `coevolve run {config} --resume --more 3`, or give another run.name",
        )
    if ws.journal.get("stopped") is not None:
        does = (
            "goes on with more rounds" if timekeeping.extensions(ws) else "has stopped, and is measured now"
        )
        raise ConfigError(
            f"the run in {ws.folder} {does}",
            fix=f"finish it with `coevolve run {config} --resume`",
        )
    number, due = loop.next_step(ws)
    if due != stage:
        raise ConfigError(
            f"the next step of this run is {due}, of {label(number)}", fix=f"run `coevolve {due} {config}`"
        )
    value = drive(loop.advance(ws, number, stage))
    after, following = loop.next_step(ws)
    return {"round": number, "stage": stage, "value": value, "next": f"{following}, {label(after)}"}


def _digest(value: dict[str, Any]) -> dict[str, object]:
    """A step's value to read: long lists become counts, tables one line."""
    shown: dict[str, object] = {}
    for name, part in value.items():
        if isinstance(part, list):
            shown[name] = len(part)
        elif isinstance(part, dict):
            shown[name] = "\n".join(f"{key}: {_short(inner)}" for key, inner in part.items())
        else:
            shown[name] = part
    return shown


def _short(value: object) -> str:
    if isinstance(value, tuple | list) and len(value) == 2 and isinstance(value[0], float):
        return f"{percent(value[0])} of {value[1]}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(inner)}" for key, inner in value.items())
    return f"{value:.3g}" if isinstance(value, float) else str(value)
