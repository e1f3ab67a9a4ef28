"""Whether feedback can be believed: `coevolve experience watch` and `coevolve experience voices`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from coevolve.cli.opening import JsonFlag, read_config
from coevolve.cli.output import answering, percent, table
from coevolve.cli.stores import FromStore, experience_at
from coevolve.errors import ConfigError
from coevolve.feedback.crowd import biases, contradictions, probes
from coevolve.feedback.favour import favouritism
from coevolve.feedback.languages import language_of
from coevolve.feedback.watch import watch as watched
from coevolve.registry import Registry
from coevolve.store.query import Query
from coevolve.types import Split, Trajectory
from coevolve.workspace import environment, task_types

_RECENT = 20_000  # trajectories that are looked at


def watch(
    store: FromStore = "experience.db",
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="VERSION=NAME", help="The model behind a version that acted elsewhere."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Alarms where a version earns rewards without verified outcomes, dated to the version."""
    with answering(as_json) as give, experience_at(store) as opened:
        bases = {version.id: version.base for version, *_ in Registry(opened.database).versions()}
        bases |= _named(model or ())
        found = opened.find(Query(limit=_RECENT, measuring=False))
        order = list(dict.fromkeys(one.version for one in found))
        alarms = [*watched(order, found), *favouritism(found, bases)]
        rows = [
            (one.version, one.trace, f"{one.before:.2f} -> {one.after:.2f}", one.why, "\n".join(one.examples))
            for one in alarms
        ]
        title = f"{len(alarms)} alarms over {len(order)} versions"
        columns = ("from version", "trace", "change", "why", "such as")
        give({"alarms": [asdict(one) for one in alarms], "versions": order}, table(title, columns, rows))


def _named(models: Sequence[str]) -> dict[str, str]:
    """The models that a command line names, by version."""
    named = {}
    for one in models:
        version, equals, name = one.partition("=")
        if not (version and equals and name):
            raise ConfigError(f"--model {one!r} names no version or no model", fix="write --model v1=gpt-4o")
        named[version] = name
    return named


def _languages(found: Sequence[Trajectory]) -> dict[str, str]:
    """The language of each question by trajectory id, where it tells; nothing where all are of one."""
    told = {one.id: name for one in found if (name := language_of(one.task.opening)) is not None}
    return told if len(set(told.values())) > 1 else {}


def voices(
    store: FromStore = "experience.db",
    least: Annotated[int, typer.Option(min=1, help="Judged sessions that a task type needs.")] = 10,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="TOML", help="Its world plays and checks task types.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Who speaks and who does not, which sources contradict each other, and of what too little is heard."""
    with answering(as_json) as give, experience_at(store) as opened:
        live = opened.find(Query(split=Split.LIVE, limit=_RECENT))
        unlike, apart = biases(live, _languages(live)), contradictions(live)
        playable = _playable(config)
        missing = probes(live, playable, least)
        script = _script(config, [one.type for one in missing if one.ask == "script"])
        data = {
            "biases": [asdict(one) for one in unlike],
            "contradictions": [asdict(one) for one in apart],
            "probes": [asdict(one) for one in missing],
            "script": script,
        }
        heard = [(one.what, f"{one.effect:.2f}", f"{one.p:.1g}", one.why) for one in unlike]
        torn = [
            (one.trajectory, f"{one.one} {one.means[0]:+.2f}", f"{one.other} {one.means[1]:+.2f}")
            for one in apart[:20]
        ]
        few = [
            (one.type, one.heard, one.sessions, percent(one.heard / max(1, one.sessions)), one.ask)
            for one in missing
        ]
        give(
            data,
            table("who speaks is not who does not", ("what", "effect", "p", "why"), heard),
            table("sources that contradict each other", ("trajectory", "one says", "another"), torn),
            table("of which too little is heard", ("type", "judged", "sessions", "share", "ask a"), few),
            *(["\n" + script.replace(" --set ", " \\\n  --set ")] if script else []),
        )


def _playable(config: Path | None) -> frozenset[str]:
    """The task types that a config's world can play and check by itself."""
    if config is None:
        return frozenset()
    settings = read_config(config)
    return frozenset(task_types(settings, environment(settings, str(config)), str(config)))


def _script(config: Path | None, types: Sequence[str]) -> str | None:
    """The command that plays these types by that config, in a run of its own."""
    if not types:
        return None
    sets = (
        "run.name=probe",
        "opening.demonstrations=0",
        "feedback.rubrics=[]",  # a run has no judges
        f"environment.types={json.dumps(sorted(types))}",
    )
    return shlex.join(
        ["coevolve", "collect", str(config), *(part for one in sets for part in ("--set", one))]
    )
