"""Versions and where they stand: versions, promote, rollback, report."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from coevolve.cli.opening import ConfigArg, JsonFlag, reading
from coevolve.cli.output import answering, percent, table
from coevolve.codec import to_json
from coevolve.summary import write_report
from coevolve.timekeeping import ended
from coevolve.types import Decision, Version
from coevolve.workspace import Workspace

Why = Annotated[str, typer.Option(help="Kept in the history of moves.")]


def versions(config: ConfigArg, as_json: JsonFlag = False) -> None:
    """Every version of a run, oldest first, with its standing and the gate's last word on it."""
    with answering(as_json) as give, reading(config) as ws:
        known = ws.registry.versions()
        rows, listed = [], []
        for version, standing, created_s in known:
            verdicts = ws.registry.verdicts(version.id)
            last = verdicts[-1] if verdicts else None
            rows.append(
                (
                    version.id,
                    standing.value,
                    version.learner or "base",
                    version.parent,
                    version.pool,
                    moment(created_s),
                    last.decision.value if last else None,
                    percent(last.overall.candidate_rate) if last else None,
                )
            )
            listed.append(
                {
                    **to_json(version),
                    "standing": standing.value,
                    "created_s": created_s,
                    "decision": last.decision.value if last else None,
                    "held_out_rate": last.overall.candidate_rate if last else None,
                }
            )
        columns = ("version", "standing", "learner", "parent", "pool", "entered", "verdict", "held-out")
        give({"versions": listed}, table(f"{ws.config.run.name}: {len(rows)} versions", columns, rows))


def promote(
    config: ConfigArg,
    id: Annotated[str, typer.Argument(metavar="ID", help="A version's id, or the beginning of it.")],
    why: Why = "promoted by hand",
    as_json: JsonFlag = False,
) -> None:
    """Make a version champion by hand; the champion before it retires."""
    with answering(as_json) as give, reading(config) as ws:
        before = ws.registry.champion()
        version = ws.registry.get(ws.registry.resolve(id))
        ws.registry.promote(version.id, expected=before.id if before else None, why=why)
        warning = _unproven(ws, version)
        give(
            {"champion": version.id, "before": before.id if before else None, "warning": warning or None},
            f"{version.id} is champion{f', in the place of {before.id}' if before else ''}",
            *([f"warning: {warning}"] if warning else []),
        )


def rollback(config: ConfigArg, why: Why = "rolled back", as_json: JsonFlag = False) -> None:
    """Retire the champion and bring back the one it replaced."""
    with answering(as_json) as give, reading(config) as ws:
        before = ws.registry.champion()
        version = ws.registry.rollback(why=why)
        gone = before.id if before else None
        give({"champion": version.id, "before": gone}, f"{version.id} is champion again; {gone} is retired")


def report(config: ConfigArg, as_json: JsonFlag = False) -> None:
    """Write the report of a run, finished or not, and say where it is."""
    with answering(as_json) as give, reading(config) as ws:
        finished = ended(ws) is not None
        folder = write_report(ws, finished=finished)
        page, curve = str(folder / "report.html"), str(folder / "curve.png")
        state = "a finished run" if finished else "an unfinished run"
        give({"report": page, "curve": curve, "finished": finished}, f"report of {state}: {page}", curve)


def moment(created_s: float) -> str:
    """A time in this machine's own zone."""
    return datetime.fromtimestamp(created_s).strftime("%Y-%m-%d %H:%M:%S")


def _unproven(ws: Workspace, version: Version) -> str:
    verdicts = ws.registry.verdicts(version.id)
    if version.learner is None or any(one.decision is Decision.ACCEPT for one in verdicts):
        return ""
    said = verdicts[-1].decision.value if verdicts else "no verdict"
    return f"the gate never accepted it ({said}); `coevolve rollback` undoes this"
