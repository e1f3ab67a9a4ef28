"""Who is who in a run: the base, the champion, who learns in a round, and how a candidate enters.

A workspace and a round's number enter, versions leave. The registry knows standings and the journal what
each round brought; nothing here plays, learns or judges.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from coevolve.agents.harness import harness_to_json
from coevolve.codec import from_json
from coevolve.errors import ConfigError
from coevolve.gate import sign_test
from coevolve.machine import machine
from coevolve.need import need
from coevolve.registry import make_version, put_folder
from coevolve.types import Candidate, Decision, PoolVersion, Standing, Verdict, Version
from coevolve.workspace import MODULE, Workspace

_BEHIND = 0.2  # one-sided p of more losses than wins from which a candidate counts as behind


def begin(ws: Workspace) -> Version:
    """Crown the base model where nobody is champion yet, and start the run's clock."""
    ws.claim()
    begun = ws.journal.get("begin")
    if begun is not None and begun.get("world", ws.world) != ws.world:
        raise ConfigError(
            f"the environment {ws.config.environment.name} was changed since this run began",
            fix="start under another run.name, so that no two versions are judged by different rules",
        )
    if begun is None:
        if names := ", ".join(one.name for one in ws.config.feedback.rubrics):
            raise ConfigError(
                f"feedback.rubrics ({names}) judge a store's sessions, and a run goes by its world's checks",
                fix="run without them, and judge its store with another TOML that has them and a [model]: "
                f"`coevolve experience judge RUBRICS.toml --split train --store {ws.folder}`",
            )
        if ws.config.model.trainer == "trl":
            need("trl", "trl")  # now, and not after the first collection
        base = make_version(base=ws.engine.base, harness=harness_to_json(ws.harness))
        if ws.registry.champion() is None:
            ws.registry.add(base, Standing.CHAMPION)
        ws.journal.done(
            "begin", {"base": base.id, "world": ws.world, "started_s": time.time(), "machine": machine()}
        )
    return ws.registry.get(finished(ws, "begin")["base"])


def champion_of(ws: Workspace) -> Version:
    """Who acts now: the champion, which is the base at first."""
    champion = ws.registry.champion()
    return champion if champion is not None else begin(ws)


def trainee_of(ws: Workspace, number: int) -> Version:
    """Who learns in a round: the last candidate, unless the gate saw it behind; then the champion.

    A candidate that was vetoed for one type, or that the gate could not tell from the champion, has
    learned all the same: the next lesson builds on it where throwing it away would repeat a whole round.
    Only the champion acts for users.
    """
    champion = champion_of(ws)
    step = ws.journal.get(key(number - 1, "gate"))
    if step is None or ws.config.learn.start == "champion":
        return champion
    verdict = from_json(Verdict, step)
    if verdict.overall.tasks < ws.config.gate.min_tasks:
        return champion  # nothing is known of the candidate
    held_back = verdict.decision is not Decision.ACCEPT and champion.id == verdict.champion
    behind = sign_test(verdict.overall.losses, verdict.overall.wins) <= _BEHIND
    return champion if behind or not held_back else ws.registry.get(verdict.candidate)


def parent_of(ws: Workspace, number: int) -> Version:
    """Whose adapter a round's candidate goes on from: who collected; in the opening, the champion."""
    return ws.registry.get(finished(ws, key(number, "collect"))["version"]) if number else champion_of(ws)


def enter(ws: Workspace, candidate: Candidate, parent: Version, pool: PoolVersion) -> Version:
    """Put a candidate's adapter among the blobs and its version into the registry."""
    digest = put_folder(ws.blobs, Path(candidate.adapter_dir))
    version = make_version(
        base=ws.engine.base,
        harness=parent.harness,
        adapters={MODULE: digest},
        parent=parent.id,
        pool=pool.id,
        learner=candidate.learner,
        notes=candidate.notes,
    )
    ws.registry.add(version)
    return version


def key(number: int, stage: str) -> str:
    """The journal's name of a stage of a round."""
    return f"round-{number}/{stage}"


def finished(ws: Workspace, step: str) -> Any:
    """The value of a finished step. Raises ConfigError where it is not finished."""
    value = ws.journal.get(step)
    if value is None:
        raise ConfigError(f"step {step} is not finished", fix="run the stages of that round in order")
    return value
