"""The whole loop, and the durable steps it is made of. The file that knows all stages.

A workspace enters; a champion that won its place on held-out tasks leaves. Every step is
written to the journal when it is finished and is safe to repeat from its beginning when it is not, so a
run that was killed goes on with `resume`. Round 0 is the opening: its experience is demonstrations.
"""

from __future__ import annotations

import resource
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from coevolve import timekeeping
from coevolve.agents.harness import derive_seed
from coevolve.codec import from_json
from coevolve.contenders import begin, champion_of, finished, key
from coevolve.errors import ConfigError
from coevolve.playing import play
from coevolve.rollout.collect import Manner
from coevolve.rounds import (
    collect_round,
    evolve_round,
    gate_round,
    learn_round,
    rates,
    score_round,
    weigh,
)
from coevolve.types import Decision, Split, Verdict
from coevolve.workspace import Workspace, succeeded

__all__ = [
    "STAGES",
    "Ended",
    "advance",
    "begin",
    "go_on",
    "improve",
    "measure",
    "next_step",
    "peak_gib",
    "run",
    "weigh",
]

STAGES = ("collect", "score", "evolve", "learn", "gate")
Stage = Callable[[Workspace, int], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended."""

    champion: str
    rounds: int
    why: str


async def improve(ws: Workspace, number: int) -> Verdict:
    """One round, on one screen: experience, judgement, pool, candidate, verdict."""
    for stage in STAGES:
        await advance(ws, number, stage)
    verdict = from_json(Verdict, finished(ws, key(number, "gate")))
    ws.say(f"round {number}: {verdict.decision.value}. {verdict.why}")
    return verdict


async def run(ws: Workspace, on_round: Callable[[], object] = lambda: None) -> Ended:
    """The whole loop: opening, rounds, and the final measurement on the test split.

    Args: on_round: called as the run begins and after every round, e.g. to write the report, so that
        there is one even where the run is killed in its opening.
    """
    begin(ws)
    on_round()
    section = ws.config.run
    # Written before the test split is opened: a run that is killed while it measures adds no round after.
    if ws.journal.get("stopped") is None:
        first = 0 if ws.config.opening.demonstrations else 1
        stopped = await _rounds(ws, range(first, section.max_rounds + 1), on_round)
        ws.journal.done("stopped", {"champion": champion_of(ws).id, **stopped})
    if ws.config.test.open:
        await measure(ws)
    if ws.journal.get("ended") is None:
        _end(ws, "ended", finished(ws, "stopped"))
    if (number := timekeeping.extensions(ws)) and timekeeping.ended(ws) is None:
        more = finished(ws, f"more-{number}")
        stopped = await _rounds(ws, range(more["first"], more["first"] + more["rounds"]), on_round)
        _end(ws, f"ended-{number}", {"champion": champion_of(ws).id, **stopped})
    on_round()
    ended = timekeeping.ended(ws) or finished(ws, "ended")
    return Ended(ended["champion"], ended["rounds"], ended["why"])


def go_on(ws: Workspace, rounds: int) -> None:
    """Let a run that has ended have more rounds, with fresh patience; `run` then works on them.

    The test split stays as it was measured: whoever goes on has seen its figures.

    Raises: ConfigError: the run has not ended.
    """
    ended = timekeeping.ended(ws)
    if ended is None:
        begun = ws.journal.get("begin") is not None
        raise ConfigError(
            f"the run in {ws.folder} has not {'ended, so it has rounds left' if begun else 'begun'}",
            fix="--resume it without --more" if begun else "start it without --resume and --more",
        )
    begin(ws)
    ws.journal.done(
        f"more-{timekeeping.extensions(ws) + 1}", {"first": ended["rounds"] + 1, "rounds": rounds}
    )


def _end(ws: Workspace, step: str, stopped: Mapping[str, Any]) -> None:
    ws.journal.done(step, {**stopped, "wall_s": timekeeping.elapsed_s(ws), "peak_gib": peak_gib()})


async def _rounds(ws: Workspace, numbers: range, on_round: Callable[[], object]) -> dict[str, Any]:
    """Rounds until one of the reasons to stop: how many, and why."""
    section, since_best, number = ws.config.run, 0, numbers.start - 1
    for number in numbers:
        verdict = await improve(ws, number)
        on_round()
        since_best = 0 if verdict.decision is Decision.ACCEPT else since_best + 1
        rate = verdict.overall.candidate_rate if since_best == 0 else verdict.overall.champion_rate
        if rate >= section.target and verdict.overall.tasks >= ws.config.gate.min_tasks:
            return {"rounds": number, "why": f"the champion reached {rate:.0%} at the gate"}
        if since_best >= section.patience:
            why = (
                f"paused: {since_best} rounds without improvement (run.patience); last verdict: {verdict.why}"
            )
            return {"rounds": number, "why": why}
        if ws.journal.get(key(number + 1, "collect")) is not None:
            continue  # resumed: this was decided when it was due
        if timekeeping.left_s(ws) < timekeeping.round_s(ws, number):
            why = f"no time for another round within {section.minutes_budget:g} minutes (run.minutes_budget)"
            return {"rounds": number, "why": why}
    return {"rounds": max(0, number), "why": "all rounds are done"}


async def advance(ws: Workspace, number: int, stage: str) -> Any:
    """Run one stage of one round, unless the journal has it; the stages before it must be there.

    Raises: ConfigError: an earlier stage of this round is missing.
    """
    begin(ws)
    if (value := ws.journal.get(key(number, stage))) is not None:
        return value
    for earlier in STAGES[: STAGES.index(stage)]:
        if ws.journal.get(key(number, earlier)) is None:
            raise ConfigError(
                f"round {number} has no {earlier} yet", fix=f"run `coevolve {earlier}` on this config first"
            )
    ws.heed_labels(key(number, stage))
    ws.journal.start()
    ws.say(f"round {number}: {stage}")
    value = await _RUN[stage](ws, number)
    ws.journal.done(key(number, stage), value)
    return value


def next_step(ws: Workspace) -> tuple[int, str]:
    """The first unfinished stage: (round, stage)."""
    number = 0 if ws.config.opening.demonstrations else 1
    while True:
        for stage in STAGES:
            if ws.journal.get(key(number, stage)) is None:
                return number, stage
        number += 1


async def measure(ws: Workspace) -> None:
    """Open the test split once: the base, the version after the opening, and the champion."""
    tasks = ws.tasks(Split.TEST, ws.config.test.tasks, ws.draw_seed("test"))
    champion, base = ws.registry.get(finished(ws, "stopped")["champion"]), begin(ws)
    manner = Manner(seed=derive_seed(ws.seed, "test"))
    opening = ws.journal.get(key(0, "learn"))
    named = {"final": champion, "base": base}
    if opening is not None:
        named["opening"] = ws.registry.get(opening["version"])
    for name, version in named.items():
        if ws.journal.get(f"test/{name}") is None:
            ws.heed_labels("test")
            ws.journal.start()
            ws.say(f"test: {name}")
            played = await play(ws, version, tasks, f"test: {name}", round=-1, manner=manner)
            value = {
                "version": version.id,
                "trajectories": [t.id for t in played],
                "success": rates(played),
                "unknown": sum(succeeded(t) is None for t in played),
            }
            ws.journal.done(f"test/{name}", value)


def peak_gib() -> float:
    """The largest resident memory of this process so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


_RUN: Mapping[str, Stage] = {
    "collect": collect_round,
    "score": score_round,
    "evolve": evolve_round,
    "learn": learn_round,
    "gate": gate_round,
}
