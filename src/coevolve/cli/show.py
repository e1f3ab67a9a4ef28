"""`coevolve show` and `coevolve experience show`: a trajectory, a session, a pool or a version, to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from coevolve import pool as pools
from coevolve.cli.lineage import became, find_entry, show_entry, since_parent
from coevolve.cli.opening import ConfigArg, JsonFlag, reading
from coevolve.cli.output import answering, fields, percent, signed, table
from coevolve.cli.stages import verdict_tables
from coevolve.cli.stores import FromStore, experience_at, store_url
from coevolve.cli.versions import moment
from coevolve.codec import to_json
from coevolve.errors import CoevolveError, RegistryError, StoreError
from coevolve.feedback.explain import Row, explain
from coevolve.registry import Registry
from coevolve.registry.registry import ALIAS
from coevolve.store import Store
from coevolve.store.key import redaction_key
from coevolve.store.pools import pool_rows, pools_from
from coevolve.store.query import Query
from coevolve.store.redaction import Redactor
from coevolve.types import MEASURING, Trajectory, Turn
from coevolve.workspace import Workspace

Shown = tuple[dict[str, Any], list[RenderableType]]


def show(
    config: ConfigArg,
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID", help='Of a version, pool, entry or trajectory, or its start; or "champion".'
        ),
    ],
    as_json: JsonFlag = False,
) -> None:
    """A trajectory with every signal, a pool, an entry of one with its sources, or a version's lineage."""
    with answering(as_json) as give, reading(config) as ws:
        kind, found = find(ws, id)
        data, parts = _SHOWN[kind](ws, found)
        give({"kind": kind, **data}, *parts)


def show_experience(
    id: Annotated[
        str,
        typer.Argument(metavar="ID", help="Of a session; or of a trajectory, or its start."),
    ],
    store: FromStore = "experience.db",
    as_json: JsonFlag = False,
) -> None:
    """A trajectory turn by turn with its signals and reward, or all of a session in order of arrival."""
    with answering(as_json) as give, experience_at(store) as opened:
        kind, found = find_experience(opened, store, id)
        shown = [show_trajectory(opened, one) for one in found]
        parts = [part for _, some in shown for part in some]
        if kind == "trajectory":
            ((data, _),) = shown
            give({"kind": kind, **data}, *parts)
        else:
            session = found[0].session_id
            data = {"kind": kind, "session": session, "trajectories": [one for one, _ in shown]}
            give(data, f"session {session}: {len(found)} trajectories", *parts)


def find_experience(store: Store, where: str, id: str) -> tuple[str, list[Trajectory]]:
    """ "trajectory" and the one that is meant, or "session" and all of it in order of arrival.

    A whole id of a trajectory comes first, then a session's, then what a trajectory's id begins with.

    Args: where: the store as the command line names it, whose key finds a session that is an address.

    Raises: StoreError: nothing is meant, or several trajectories are, or it is of a task that measures.
    """
    begun = store.beginning(id) if id else []
    session = [] if begun == [id] else store.find(Query(sessions=[id]))
    if not session and not begun:
        with suppress(CoevolveError):  # without the store's key nothing is found by what it stands for
            kept = Redactor(redaction_key(store_url(where), make=False)).text(id)
            session = store.find(Query(sessions=[kept]))
    if session:
        return "session", _tunable(session)
    if not begun:
        raise StoreError(
            f"no trajectory begins with {id!r}, and no session has that id",
            fix="`coevolve experience review`, `errors` and `similar` list ids; a trace becomes a trajectory "
            "once it is quiet for 30 s",
        )
    return "trajectory", _tunable([store.get(store.resolve(id))])


def _tunable(found: list[Trajectory]) -> list[Trajectory]:
    """Who mends an agent by what it failed at where it is measured measures nothing."""
    if any(one.task.split in MEASURING for one in found):
        raise StoreError(
            f"{found[0].id} is of a task that measures",
            fix="`coevolve show CONFIG ID` shows it within its run",
        )
    return found


def find(ws: Workspace, prefix: str) -> tuple[str, str]:
    """The kind and whole id of what begins so: versions and pools before trajectories, entries last.

    Raises: RegistryError: several versions or pools begin so; StoreError: nothing does, or several do.
    """
    if prefix == ALIAS:
        return "version", ws.registry.resolve(prefix)
    known = [("version", version.id) for version, _, _ in ws.registry.versions()]
    known += [("pool", row.id) for row in pool_rows(ws.store.database)]
    matching = [one for one in known if prefix and one[1].startswith(prefix)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        listed = ", ".join(f"{kind} {id}" for kind, id in matching[:5])
        raise RegistryError(f"{prefix!r} begins {listed}", fix="give more characters")
    if not ws.store.beginning(prefix):
        if (entry := find_entry(ws, prefix)) is not None:
            return "entry", entry
        raise StoreError(
            f"no version, pool, entry or trajectory begins with {prefix!r}",
            fix="`coevolve versions` lists versions and their pools; a pool lists its trajectories",
        )
    return "trajectory", ws.store.resolve(prefix)


def show_version(ws: Workspace, version_id: str) -> Shown:
    """Standing, lineage, verdicts, what it learned from and how."""
    version = ws.registry.get(version_id)
    verdicts, standing = ws.registry.verdicts(version_id), ws.registry.standing(version_id)
    lineage, history = ws.registry.lineage(version_id), ws.registry.history(version_id)
    data = {
        "version": to_json(version),
        "standing": standing.value,
        "lineage": [one.id for one in lineage],
        "verdicts": [to_json(one) for one in verdicts],
        "history": [
            {"before": before.value if before else None, "after": after.value, "why": why, "created_s": at}
            for _, before, after, why, at in history
        ],
    }
    parts: list[RenderableType] = [
        fields(
            f"version {version.id}: {standing.value}",
            {
                "base model": version.base,
                "learner": version.learner or "none: this is the base",
                "pool": version.pool,
                "adapters": ", ".join(f"{module} {blob[:16]}" for module, blob in version.adapters.items()),
                "lineage": " <- ".join(one.id for one in lineage),
                **_flat("notes", version.notes),
            },
        ),
        table("moves", ("when", "to", "why"), [(moment(at), after, why) for _, _, after, why, at in history]),
    ]
    for verdict in verdicts:
        parts += verdict_tables(verdict, types=True)
    return data, parts


def show_pool(ws: Workspace, pool_id: str) -> Shown:
    """Figures, parent, what was turned away, and the versions that learned from it."""
    pool = pools.load(ws.pools, pool_id)
    stats, change = pools.stats(pool), since_parent(ws, pool)
    learned = [version.id for version, _, _ in ws.registry.versions() if version.pool == pool_id]
    entries: list[dict[str, Any]] = [
        {
            "entry": entry.id,
            "operation": entry.operation.value,
            "type": entry.trajectory.task.type,
            "round": entry.round,
            "trajectory": entry.trajectory.id,
            "sources": list(entry.sources),
        }
        for entry in pool.entries
    ]
    parts: list[RenderableType] = [
        fields(
            f"pool {pool.id}: {stats['entries']} entries, {stats['imitated']} of them to imitate",
            {
                "parent": pool.parent,
                "since parent": change and f"{len(change['added'])} added, {len(change['removed'])} removed",
                "learned by": ", ".join(learned),
                **{name: _counts(stats[name]) for name in ("operations", "outcomes", "types", "rejected")},
                "own": percent(stats["own_share"]),
                "executed synthetic": percent(stats["executed_synthetic_share"]),
                "unverified synthetic": percent(stats["unverified_synthetic_share"]),
                "mean reward": signed(stats["mean_reward"]),
                "mean turns": stats["mean_turns"] and f"{stats['mean_turns']:.2f}",
            },
        ),
        table(
            "entries",
            ("entry", "operation", "type", "round", "trajectory", "sources"),
            [(*tuple(e.values())[:-1], ", ".join(e["sources"])) for e in entries],
        ),
    ]
    data = {
        "stats": stats,
        "since_parent": change,
        "recipe": dict(pool.recipe),
        "versions": learned,
        "entries": entries,
    }
    return data, parts


def show_trajectory(store: Store, found: Trajectory, told: Sequence[str] = ()) -> Shown:
    """Its turns, every signal with its reason, and what became of it.

    Args: told: what each pool of its run made of it; no run's pools know a live one.
    """
    rows = explain(found)
    held = pools_from(store.database, found.id)
    taught = [version.id for version, _, _ in Registry(store.database).versions() if version.pool in held]
    data = {
        "trajectory": to_json(found),
        "rows": [asdict(row) for row in rows],
        "pools": held,
        "became": list(told),
        "versions": taught,
    }
    reasons = [(row.turn, row.action, signed(row.credit), row.signal, _score(row), row.why) for row in rows]
    parts: list[RenderableType] = [
        fields(
            f"trajectory {found.id}",
            {
                **_head(found),
                "pools": ", ".join(held),
                "became": "\n".join(told),
                "taught": ", ".join(taught),
            },
        ),
        table(
            "turns", ("turn", "by", "sees", "thinks", "does", "comes of it"), [_turn(t) for t in found.turns]
        ),
        table("reasons", ("turn", "action", "credit", "signal", "score", "why"), reasons),
    ]
    return data, parts


_SHOWN: Mapping[str, Callable[[Workspace, str], Shown]] = {
    "version": show_version,
    "pool": show_pool,
    "entry": show_entry,
    "trajectory": lambda ws, id: show_trajectory(ws.store, ws.store.get(id), became(ws, id)),
}


def _score(row: Row) -> str:
    return signed(row.score) if row.signal else ""


def _head(found: Trajectory) -> dict[str, object]:
    task, reward, failure = found.task, found.reward, found.failure
    kind = f"{task.type}, difficulty {task.difficulty}{', to be refused' if task.refusal else ''}"
    outcome = reward.outcome.value if reward is not None and reward.outcome is not None else "not judged"
    return {
        "task": f"{task.id} ({task.split.value}): {kind}",
        "session": found.session_id,
        "acted": found.version,
        "outcome": f"{outcome}, reward {signed(reward.total if reward is not None else None)}",
        "ended": found.stop.value,
        "broken by": f"{failure.party.value}: {failure.why}" if failure is not None else None,
        "grown from": found.parent,
    }


def _turn(turn: Turn) -> tuple[object, ...]:
    does = turn.raw
    if turn.action is not None:
        does = f"{turn.action.tool} " + ", ".join(f"{k}={v!r}" for k, v in turn.action.args.items())
    came = [turn.result, f"error: {turn.error}" if turn.error else "", " ".join(f"*{e}" for e in turn.events)]
    by = f"{turn.by}, exploring" if turn.explored else turn.by
    return (turn.index, by, turn.observation, turn.thought, does, "\n".join(filter(None, came)))


def _counts(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in values.items())


def _flat(prefix: str, values: Mapping[str, Any]) -> dict[str, object]:
    """Nested notes as dotted names; a long list as its first and last member."""
    shown: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            shown |= _flat(f"{prefix}.{name}", value)
        elif isinstance(value, list | tuple) and len(value) > 6:
            shown[f"{prefix}.{name}"] = f"{value[0]} ... {value[-1]} ({len(value)})"
        else:
            shown[f"{prefix}.{name}"] = value
    return shown
