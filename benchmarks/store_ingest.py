"""Ingest: one load enters each product in turn, and rates until durable, and what was lost, leave.

Every product gets the same bodies through the same client. Which number of senders and which size of request
suits it best is tried first, on a small part; then it takes the load, or what it manages within its time. A
row is a turn, and it counts once it is in the product's database, whenever the answer came.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.store_data import Episode, bodies
from benchmarks.store_send import Sent, send
from benchmarks.store_servers import Product, Running, kept, kept_count, served

_STILL_S = 15.0  # without a new row in the database after which no more are waited for
_LOOK_S = 0.1  # between two looks at the database, once everything is sent
_AGO_S = 3600.0  # when the episodes began


@dataclass(frozen=True, slots=True)
class Setting:
    """How the client sends."""

    senders: int
    per_request: int  # episodes


SETTINGS = (Setting(1, 1), Setting(4, 1), Setting(4, 5), Setting(8, 5), Setting(16, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long each product gets."""

    settings: Sequence[Setting] = SETTINGS
    trial_episodes: int = 200
    trial_s: float = 8.0
    budget_s: float = 120.0  # of sending the load
    settles: bool = True  # ours: wait until all traces are trajectories


def ingest(product: Product, load: Sequence[Episode], folder: Path, plan: Plan) -> dict[str, Any]:
    """Try the settings, then take the load with the best of them.

    Args: folder: where the product's files stay, for the queries; not there yet.
    """
    trials: dict[str, float] = {}
    best, best_rate = plan.settings[0], -1.0
    some = load[: plan.trial_episodes]
    if len(plan.settings) > 1:
        with served(product, folder.with_name(f"{folder.name}-trials")) as running:
            _send(running, load[-20:], best, plan.trial_s)  # its first requests find it cold
            for at, setting in enumerate(plan.settings):
                rate = _send(running, _again(some, at), setting, plan.trial_s)["rows_s"]
                trials[f"{setting.senders} senders, {setting.per_request} a request"] = rate
                if rate > best_rate:
                    best, best_rate = setting, rate
    with served(product, folder) as running:
        _send(running, _again(some[:20], 99), best, plan.trial_s)
        found = _send(running, load, best, plan.budget_s)
        if product.name == "ours" and plan.settles:
            found |= _settled(running, found)
    del found["began_s"]
    return found | {"senders": best.senders, "per_request": best.per_request, "trials_rows_s": trials}


def _again(some: Sequence[Episode], at: int) -> list[Episode]:
    """The same episodes under ids of their own, so that each trial's rows are new."""
    mark = f"{at + 1:02x}"
    return [
        Episode(
            trace_id=mark + one.trace_id[2:],
            session_id=f"{one.session_id}-{mark}",
            agent=one.agent,
            failed=one.failed,
            turns=one.turns,
        )
        for one in some
    ]


def _send(running: Running, load: Sequence[Episode], setting: Setting, budget_s: float) -> dict[str, Any]:
    """Send, and wait until what came is durable."""
    before = kept_count(running.product, running.folder)
    made = list(bodies(load, setting.per_request, time.time() - _AGO_S))
    sent = send(running.port, running.product.headers, made, senders=setting.senders, budget_s=budget_s)
    durable_s = _durable(running, sent, before)
    mine = {row for body in made for row in body.rows}
    there = kept(running.product, running.folder) & mine
    answers_s = sorted(sent.answers_s)
    return {
        "rows": len(there),
        "offered": sum(len(one.turns) for one in load),
        "acknowledged": len(sent.acknowledged),
        "lost": len(set(sent.acknowledged) - there),
        "rows_s": round(len(there) / durable_s, 1),
        "answered_rows_s": round(len(sent.acknowledged) / (sent.ended_s - sent.began_s), 1),
        "seconds": round(durable_s, 2),
        "answer_p50_ms": _ms(answers_s, 0.5),
        "answer_p99_ms": _ms(answers_s, 0.99),
        "pushed_back": sent.pushed_back,
        "refused": len(sent.refused),
        "first_refusal": sent.refused[0] if sent.refused else None,
        "began_s": sent.began_s,
    }


def _durable(running: Running, sent: Sent, before: int) -> float:
    """Seconds from the first request until the last row that ever comes is in the database."""
    turns = len(sent.acknowledged)
    count, changed_s = before, sent.ended_s
    while True:
        now_s = time.monotonic()
        found = kept_count(running.product, running.folder)
        if found != count:
            count, changed_s = found, now_s
        if count - before >= turns and len(kept_of(running, sent)) >= turns:
            return max(changed_s, sent.ended_s) - sent.began_s
        if now_s - changed_s > _STILL_S:
            return changed_s - sent.began_s
        time.sleep(_LOOK_S)


def kept_of(running: Running, sent: Sent) -> set[str]:
    """Acknowledged rows that are in the database."""
    return kept(running.product, running.folder).intersection(sent.acknowledged)


def _settled(running: Running, found: dict[str, Any], patience_s: float = 900.0) -> dict[str, Any]:
    """Ours keeps spans first and makes trajectories of a trace once it is quiet: wait for the last."""
    path = running.folder / running.product.database
    waiting = "SELECT count(*) FROM traces WHERE assembled_s IS NULL OR assembled_s < last_s"
    deadline = time.monotonic() + patience_s
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as connection:
        while connection.execute(waiting).fetchone()[0] and time.monotonic() < deadline:
            time.sleep(0.25)
        left = connection.execute(waiting).fetchone()[0]
    seconds = time.monotonic() - found["began_s"]
    return {
        "trajectories_s": round(seconds, 1),
        "trajectories_rows_s": round(found["rows"] / seconds, 1),
        "traces_left": left,
    }


def _ms(ordered_s: Sequence[float], share: float) -> float | None:
    """A quantile in milliseconds, of sorted seconds."""
    return (
        round(1000 * ordered_s[min(len(ordered_s) - 1, int(share * len(ordered_s)))], 2)
        if ordered_s
        else None
    )
