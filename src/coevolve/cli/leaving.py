"""What leaves a store: `coevolve experience export`, `keep` and `forget`."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import EXIT_ERROR, answering, fields, say, table
from coevolve.cli.stores import FromStore, experience_at, store_url
from coevolve.errors import ConfigError
from coevolve.registry import Registry
from coevolve.store import Store, retention
from coevolve.store import export as exporting
from coevolve.store import forget as forgetting
from coevolve.store.chat_form import Setting
from coevolve.store.deletion import Gone
from coevolve.store.export import Form
from coevolve.store.forget import Forgotten
from coevolve.store.key import redaction_key
from coevolve.store.query import Query
from coevolve.store.redaction import Redactor, subject_of
from coevolve.store.retention import Keep
from coevolve.types import MEASURING, JsonObject, Outcome, Split

_POOL_FIX = "delete that folder and what was copied from it; the run begins anew without it"
_VERSION_FIX = "promote a version that is not listed, and delete the adapters of those that are"
_NOTES = (
    "files that were exported, backups and other copies are not known here: delete them too",
    "what is sent later is kept again: stop who sends it first",
)
_NOBODY = "no session is known: is the id written as it was sent, and is this the store's own key?"
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would go, and delete nothing.")]
Session = Annotated[
    list[str] | None, typer.Option("--session", metavar="ID", help="A session; may be repeated.")
]


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")],
    store: FromStore = "experience.db",
    form: Annotated[
        Form | None, typer.Option("--form", help="Without it: parquet for FILE.parquet, else jsonl.")
    ] = None,
    version: Annotated[str | None, typer.Option(help="Of this version alone.")] = None,
    split: Annotated[Split | None, typer.Option(help="Of this split alone.")] = None,
    type: Annotated[str | None, typer.Option(help="Of this task type alone.")] = None,
    agent: Annotated[str | None, typer.Option(help="Of this agent alone.")] = None,
    outcome: Annotated[Outcome | None, typer.Option(help="With this outcome alone.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="What failed, or somebody broke.")] = False,
    session: Session = None,
    days: Annotated[float | None, typer.Option(min=0, help="What came in these last days.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The newest so many.")] = None,
    tools: Annotated[
        Path | None, typer.Option(help="A JSON list of tools in OpenAI's form, for the chats.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Write trajectories to a file: jsonl (lossless), parquet (with messages), or chat (OpenAI's form)."""
    wanted = form or (Form.PARQUET if file.suffix == ".parquet" else Form.JSONL)
    with answering(as_json) as give, experience_at(store) as opened:
        if wanted is Form.CHAT and split in MEASURING:
            raise ConfigError(
                f"chats are what trainers take, and {split} tasks measure", fix="give --form jsonl or parquet"
            )
        query = Query(
            version=version,
            split=split,
            type=type,
            agent=agent,
            outcome=outcome,
            failed=failed,
            sessions=_as_kept(store, session) if session else None,
            since_s=None if days is None else time.time() - days * retention.DAY_S,
            limit=limit,
            measuring=split in MEASURING,  # only where they are asked for by name
        )
        setting = Setting(_systems(opened), _tools(tools))
        done = exporting.export(opened, file, wanted, query, setting)
        left = f"; {done.left_out} without an answer of the agent are left out" if done.left_out else ""
        give({"form": wanted.value, **asdict(done)}, f"{done.trajectories} trajectories in {done.path}{left}")


def keep(
    store: FromStore = "experience.db",
    days: Annotated[float | None, typer.Option(min=0, help="Delete what is older.")] = None,
    newest: Annotated[int | None, typer.Option(min=0, help="Delete what is beyond these newest.")] = None,
    split: Annotated[str, typer.Option(help='Delete only of this split; "all" = of every one.')] = "live",
    pools_too: Annotated[
        bool, typer.Option("--pools-too", help="Delete what pools were made from as well.")
    ] = False,
    dry_run: DryRun = False,
    as_json: JsonFlag = False,
) -> None:
    """Delete what is past a limit; what a pool was made from stays."""
    with answering(as_json) as give, experience_at(store) as opened:
        rule = Keep(days=days, newest=newest, split=_split(split), pools_too=pools_too)
        done = retention.keep(opened.database, rule, time.time(), dry_run=dry_run)
        data = {"dry_run": dry_run, "gone": asdict(done.gone)}
        data |= {"kept_for_pools": done.for_pools, "pools": list(done.pools)}
        stay = (
            f"{done.for_pools} trajectories stay because pools were made from them: {', '.join(done.pools)}"
        )
        fix = "--pools-too deletes them as well"
        give(data, _gone(done.gone, dry_run), *([f"\n{stay}\n{fix}"] if done.for_pools else []))


def forget(
    store: FromStore = "experience.db",
    user: Annotated[str | None, typer.Option(metavar="ID", help="A user's id as it was sent.")] = None,
    session: Session = None,
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Delete all of a user's sessions, and list what was made from them."""
    with answering(as_json) as give, experience_at(store) as opened:
        subject = (
            subject_of(redaction_key(store_url(store), make=False), user) if user and user.strip() else None
        )
        doing = yes and not dry_run
        sessions = _as_kept(store, session or ())
        told = forgetting.forget(opened.database, subject=subject, sessions=sessions, dry_run=not doing)
        data, shown = _forgotten(told, dry_run=not doing)
        refusal = {"error": "nothing is deleted yet", "fix": "the same command with --yes deletes it"}
        if told.unscrubbed is not None:
            refusal = {"error": told.unscrubbed.what, "fix": told.unscrubbed.fix}
        elif doing or dry_run:
            give(data, *shown)
            return
        give({**refusal, **data}, *shown)
        if not as_json:
            say(f"error: {refusal['error']}\nfix: {refusal['fix']}")
        raise typer.Exit(EXIT_ERROR)


def _as_kept(store: str, sessions: Sequence[str]) -> list[str]:
    """Ids of sessions as they were sent and as they are kept: one that is an address has a placeholder."""
    if not sessions:
        return []
    redactor = Redactor(redaction_key(store_url(store), make=False))
    return sorted({*sessions, *map(redactor.text, sessions)})


def _systems(opened: Store) -> dict[str, str]:
    """System prompts of the versions that the store's registry knows."""
    known = {one.id: one.harness.get("system") for one, _, _ in Registry(opened.database).versions()}
    return {id: system for id, system in known.items() if isinstance(system, str)}


def _tools(path: Path | None) -> Sequence[JsonObject]:
    if path is None:
        return ()
    fix = 'write a list such as [{"type": "function", "function": {"name": ..., "parameters": ...}}]'
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read tools from {path}: {error}", fix=fix) from error
    if not isinstance(found, list) or not all(isinstance(one, dict) and "function" in one for one in found):
        raise ConfigError(f"{path} is no list of tools in OpenAI's form", fix=fix)
    return found


def _split(name: str) -> Split | None:
    if name == "all":
        return None
    try:
        return Split(name)
    except ValueError:
        raise ConfigError(
            f"--split {name!r} is no split", fix=f"use one of all, {', '.join(Split)}"
        ) from None


def _gone(gone: Gone, dry_run: bool) -> RenderableType:
    return fields("would be deleted" if dry_run else "deleted", asdict(gone))


def _forgotten(told: Forgotten, *, dry_run: bool) -> tuple[dict[str, Any], list[RenderableType]]:
    pools = [{"id": one.id, "path": one.path, "fix": _POOL_FIX} for one in told.pools]
    versions = [{"id": one.id, "standing": one.standing, "fix": _VERSION_FIX} for one in told.versions]
    notes = [*_NOTES] if told.sessions else [_NOBODY, *_NOTES]
    data = {
        "dry_run": dry_run,
        "sessions": list(told.sessions),
        "gone": asdict(told.gone),
        "descendants": list(told.descendants),
        "shared": told.shared,
        "pools": pools,
        "versions": versions,
        "notes": notes,
    }
    shown: list[RenderableType] = [f"{len(told.sessions)} sessions", _gone(told.gone, dry_run)]
    if told.descendants:
        made = "of these, made from the sessions' trajectories"
        shown.append(table(made, ("trajectory",), [(one,) for one in told.descendants]))
    if told.shared:
        shown.append(f"\n{told.shared} of these trajectories are another user's too: the session is shared")
    if pools:
        rows = [(one["id"], one["path"]) for one in pools]
        shown += [table("pools that still hold the text", ("pool", "path"), rows), f"fix: {_POOL_FIX}"]
    if versions:
        rows = [(one["id"], one["standing"]) for one in versions]
        shown += [
            table("versions that learned from it", ("version", "standing"), rows),
            f"fix: {_VERSION_FIX}",
        ]
    return data, [*shown, "", *notes]
