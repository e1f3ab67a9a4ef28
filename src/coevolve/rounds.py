"""The five stages of one round, each a durable step: what it needs is in the journal and the store.

A workspace and a round's number enter; what the journal keeps of the stage leaves. Each stage is safe to
repeat from its beginning. Round 0 is the opening: its experience is demonstrations.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from math import ceil
from pathlib import Path
from typing import Any

from coevolve import pool as pools
from coevolve import timekeeping
from coevolve.agents.harness import Exploration, derive_seed
from coevolve.codec import to_json
from coevolve.contenders import champion_of, enter, finished, key, parent_of, trainee_of
from coevolve.errors import ConfigError
from coevolve.examples import build_examples, build_pairs, choose_examples, replay_places
from coevolve.feedback.watch import Alarm, watch
from coevolve.gate import GateRule, gate
from coevolve.learn.checkpoints import clear
from coevolve.learn.lesson import Lesson
from coevolve.playing import play
from coevolve.progress import progress
from coevolve.rollout.collect import Manner, replay_failed
from coevolve.rollout.retries import retries_of
from coevolve.sections import LearnSection
from coevolve.store.pools import append_pool
from coevolve.teaching import completion, demonstrations, is_taught, validation_examples
from coevolve.types import (
    Operation,
    PoolVersion,
    Split,
    Task,
    Trajectory,
    Verdict,
    Version,
)
from coevolve.workspace import Workspace, give_back_memory, succeeded


async def collect_round(ws: Workspace, number: int) -> dict[str, Any]:
    """Demonstrations in the opening; else the trainee's own attempts at train tasks."""
    if number == 0:
        found = demonstrations(ws, Split.TRAIN, ws.config.opening.demonstrations)
        ws.store.append(found, run=ws.journal.run_id, round=0)
        return {"trajectories": [t.id for t in found], "version": "teacher"}
    trainee = trainee_of(ws, number)
    section = ws.config.collect
    tasks = _train_tasks(ws, number)
    failures = unsolved(_trajectories(ws, number - 1))
    tasks = replay_failed(tasks, failures, section.replay_failed_share)
    manner = Manner(
        temperature=section.temperature,
        explore=Exploration(section.epsilon_tool, derive_seed(ws.seed, "explore", number)),
        attempts=section.attempts,
        seed=derive_seed(ws.seed, "collect", number),
    )
    played = await play(ws, trainee, tasks, f"round {number}: collect", round=number, manner=manner)
    broken = [t.failure for t in played if t.failure is not None]
    if played and len(broken) == len(played):
        raise ConfigError(
            f"every episode of round {number} broke; the first: {broken[0].party.value}, {broken[0].why}",
            fix="mend that, then start again under another run.name",
        )
    first = len(played)
    for again in range(1, 1 + (0 if is_taught(ws) else section.retries)):
        seed = derive_seed(ws.seed, "collect", number, "again", again)
        left = unsolved(played)[: max(0, section.episodes - len(played))]
        names = {task.id for task in left}
        retries = retries_of([t for t in played if t.task.id in names and succeeded(t) is False])
        other = replace(manner, attempts=1, seed=seed, retries=retries)
        label = f"round {number}: try again"
        played += await play(ws, trainee, left, label, round=number, manner=other)
    return {
        "trajectories": [t.id for t in played],
        "first": first,
        "version": trainee.id,
        "tokens": _generated(played),
    }


async def score_round(ws: Workspace, number: int) -> dict[str, Any]:
    """Judge every trajectory of the round; counts by outcome, and by type the success before any retry."""
    scored = [ws.score(t) for t in _trajectories(ws, number)]
    ws.store.append_scores(ws.journal.run_id, scored)
    outcomes = Counter("unknown" if (s := succeeded(t)) is None else ("fail", "success")[s] for t in scored)
    collected = finished(ws, key(number, "collect"))
    value: dict[str, Any] = {
        "outcomes": dict(outcomes),
        "success": rates(scored[: collected.get("first", len(scored))]),
    }
    if alarms := _hacked(ws, number):
        value["alarms"] = [asdict(alarm) for alarm in alarms]
        for alarm in alarms:
            ws.say(f"round {number}: the reward may be hacked ({alarm.trace}): {alarm.why}")
    return value


def _hacked(ws: Workspace, number: int) -> list[Alarm]:
    """Signs that this round's version earns rewards without verified outcomes, which no round before told."""
    acted: list[Trajectory] = []
    told: set[tuple[str, str]] = set()
    for at in range(1, number + 1):  # the opening's episodes are the teacher's
        acted += _trajectories(ws, at)  # with the scoring that was just kept
        earlier = ws.journal.get(key(at, "score")) if at < number else None
        told |= {(one["trace"], one["version"]) for one in (earlier or {}).get("alarms", ())}
    order = list(dict.fromkeys(one.version for one in acted))
    acting = finished(ws, key(number, "collect"))["version"]
    return [
        alarm
        for alarm in watch(order, acted)
        if alarm.version == acting and (alarm.trace, alarm.version) not in told
    ]


async def evolve_round(ws: Workspace, number: int) -> dict[str, Any]:
    """Admit the round's experience to the pool; the teacher completes what failed."""
    before = _pool_before(ws, number)
    rule = pools.PoolRule(**asdict(ws.config.pool), opening=max(1, ws.config.opening.demonstrations))
    scored = _trajectories(ws, number)
    seed = derive_seed(ws.seed, "evolve", number)
    failures = min(rule.completions, sum(succeeded(t) is False for t in scored))
    with progress(failures, f"round {number}: evolve", "completions") as bar:

        def completing(failed: Trajectory) -> Trajectory | None:
            bar.advance()
            return completion(ws, failed)

        taught = number > 0 and is_taught(ws)
        pool = pools.evolve(before, scored, rule, completing if taught else None, seed, number)
    completed = (e for e in pool.entries if e.operation is Operation.TEACHER_COMPLETION)
    made = [entry.trajectory for entry in completed if entry.round == number]
    path = pools.save(pool, ws.pools)
    ws.store.append(made, run=ws.journal.run_id, round=number)
    sources = sorted({source for entry in pool.entries for source in entry.sources})
    append_pool(ws.store.database, pool.id, path=path.name, parent=pool.parent, sources=sources)
    return {"pool": pool.id, "stats": pools.stats(pool)}


async def learn_round(ws: Workspace, number: int) -> dict[str, Any]:
    """Turn the pool into a candidate version, starting from the adapter of who collected."""
    ws.release_model()
    pool = pools.load(ws.pools, finished(ws, key(number, "evolve"))["pool"])
    opening = number == 0
    parent = parent_of(ws, number)
    examples = build_examples(pool)
    fresh = _fresh(ws, pool, number)
    section = ws.config.learn
    corrections = _corrections(pool)
    places = replay_places(pool) | dict.fromkeys(corrections, 0.0)
    chosen = list(examples)
    if not opening:
        # Most of what the agent solved by itself it would solve again: few of these are worth their time.
        most = section.max_examples if is_taught(ws) else ceil(section.max_examples / 2)
        chosen = choose_examples(examples, fresh, places, most, ws.seed + number)
    lesson = Lesson(
        examples=chosen,
        pairs=build_pairs(pool) if section.method == "sft+dpo" and not opening else (),
        validation=validation_examples(ws) if opening else (),
        adapter=ws.adapter(parent),
        out=_work(ws, number),
        epochs=ws.config.opening.epochs if opening else section.epochs,
        patience=ws.config.opening.patience if opening else 0,
        seed=derive_seed(ws.seed, "learn", number),
    )
    pairs = min(len(lesson.pairs), section.dpo.max_pairs) * section.dpo.epochs
    total = (len(chosen) + len(lesson.validation)) * lesson.epochs + pairs
    with progress(total, f"round {number}: learn", "examples") as bar:
        candidate = await asyncio.to_thread(ws.engine.learn, lesson, _settings(ws, opening), bar.advance)
    give_back_memory()
    return {"version": enter(ws, candidate, parent, pool).id, "notes": dict(candidate.notes)}


async def gate_round(ws: Workspace, number: int) -> Any:
    """Champion against candidate on held-out tasks; an accepted candidate becomes champion."""
    candidate = ws.registry.get(finished(ws, key(number, "learn"))["version"])
    clear(_work(ws, number))  # the candidate is kept; only an unfinished fit needs its checkpoint
    champion = champion_of(ws)  # by hand, another one may have been promoted since the candidate learned
    if champion.id == candidate.id:
        if given := ws.registry.verdicts(candidate.id):
            return to_json(given[-1])  # killed between the move and the journal
        raise ConfigError(
            f"{candidate.id} was promoted before the gate weighed it",
            fix="run `coevolve rollback` on this config, then go on",
        )
    verdict = await weigh(ws, champion, candidate, round=number, hurried=True)
    ws.registry.record(candidate.id, verdict)
    return to_json(verdict)


async def weigh(
    ws: Workspace, champion: Version, candidate: Version, *, round: int, hurried: bool = False
) -> Verdict:
    """The gate's verdict on two versions; nothing is promoted here.

    Args: hurried: draw no more tasks than the run's time is left for, which may leave it undecided.
    """
    section = asdict(ws.config.gate)
    first = section.pop("tasks")
    manner = Manner(seed=derive_seed(ws.seed, "gate"))

    async def evaluate(version_id: str, tasks: Sequence[Task]) -> Mapping[str, tuple[bool | None, int]]:
        version = ws.registry.get(version_id)
        label = f"round {round}: gate {'champion' if version_id == champion.id else 'candidate'}"
        played = await play(ws, version, tasks, label, round=round, manner=manner)
        return {t.task.id: (succeeded(t), len(t.turns)) for t in played}

    sealed = ws.draw_seed("held_out")

    def fresh(types: Sequence[str], count: int, draw: int) -> list[Task]:
        if hurried and timekeeping.left_s(ws) - ws.journal.running_s < 2 * count * timekeeping.episode_s(ws):
            return []
        return ws.tasks(Split.HELD_OUT, count, sealed + draw, types)

    tasks = ws.tasks(Split.HELD_OUT, first, sealed)
    return await gate(evaluate, champion.id, candidate.id, tasks, fresh, GateRule(**section), ws.seed)


def _settings(ws: Workspace, opening: bool) -> LearnSection:
    """How a round learns; the opening's plain imitation has a rate and packs of its own."""
    given, section = ws.config.opening, ws.config.learn
    if not opening:
        return section
    return replace(
        section,
        method="sft",
        error_weight=0.0,
        learning_rate=given.learning_rate,
        batch_tokens=given.batch_tokens,
    )


def _work(ws: Workspace, number: int) -> Path:
    """Where a round's candidate is made."""
    return ws.folder / "work" / f"round-{number}"


def _trajectories(ws: Workspace, number: int) -> list[Trajectory]:
    step = ws.journal.get(key(number, "collect"))
    if step is None:
        return []
    known = ws.store.known(step["trajectories"])
    return [known.get(one) or ws.store.get(one) for one in step["trajectories"]]


def _fresh(ws: Workspace, pool: PoolVersion, number: int) -> set[str]:
    """Ids of the entries that teach most now: corrections of what failed in this round, else what is new."""
    failed = {t.task.id for t in _trajectories(ws, number) if succeeded(t) is False}
    # One that failed before keeps its first correction: the teacher says the same again.
    corrected = _corrections(pool)
    fresh = {one.id for one in pool.entries if one.id in corrected and one.trajectory.task.id in failed}
    return fresh or {entry.id for entry in pool.entries if entry.round == number}


def _corrections(pool: PoolVersion) -> set[str]:
    """Ids of the teacher's completions, and of own successes at tasks that failed as well."""
    failed = {e.trajectory.task.id for e in pool.entries if e.operation is Operation.OWN_FAILURE}
    return {
        entry.id
        for entry in pool.entries
        if entry.operation is Operation.TEACHER_COMPLETION
        or (entry.operation is Operation.OWN_SUCCESS and entry.trajectory.task.id in failed)
    }


def _train_tasks(ws: Workspace, number: int) -> list[Task]:
    """The round's tasks: a share evenly over types, the rest where the agent failed most in the last.

    Where failed tasks are tried again, so many fewer that about half of each try may fail.
    """
    section = ws.config.collect
    retries = 0 if is_taught(ws) else section.retries
    count = max(1, 2 * section.episodes // (section.attempts * (2 + retries)))
    scored = ws.journal.get(key(number - 1, "score")) if number > 1 else None
    failing = dict.fromkeys(ws.types, 1.0)
    if scored is not None:
        failing |= {name: 1.0 - rate for name, (rate, n) in scored["success"].items() if n}
    even = section.even_share
    if not any(failing.values()):
        failing = dict.fromkeys(ws.types, 1.0)  # all is mastered: evenly
    total = sum(failing.values())
    shares = {name: even / len(ws.types) + (1 - even) * failing[name] / total for name in ws.types}
    tasks: list[Task] = []
    for name in ws.types:
        wanted = max(1, round(count * shares[name]))
        tasks += ws.tasks(Split.TRAIN, wanted, ws.draw_seed("train", number), [name])
    return tasks


def _pool_before(ws: Workspace, number: int) -> PoolVersion | None:
    step = ws.journal.get(key(number - 1, "evolve")) if number else None
    return None if step is None else pools.load(ws.pools, step["pool"])


def unsolved(scored: Sequence[Trajectory]) -> list[Task]:
    """Tasks that failed and were solved by none of these."""
    solved = {t.task.id for t in scored if succeeded(t)}
    failed = {t.task.id: t.task for t in scored if succeeded(t) is False}
    return [task for name, task in failed.items() if name not in solved]


def rates(scored: Sequence[Trajectory]) -> dict[str, tuple[float, int]]:
    """Success rate and judged episodes by task type."""
    judged = [(t.task.type, ok) for t in scored if (ok := succeeded(t)) is not None]
    counts = Counter(name for name, _ in judged)
    wins = Counter(name for name, ok in judged if ok)
    return {name: (wins[name] / n, n) for name, n in sorted(counts.items())}


def _generated(played: Sequence[Trajectory]) -> int:
    return sum(len(turn.output_ids) for t in played for turn in t.turns)
