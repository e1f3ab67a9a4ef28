"""`coevolve experience`: the door for other people's agents and for what their users say."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from itertools import islice
from os import cpu_count
from pathlib import Path
from typing import Annotated

import typer

from coevolve import config as configuration
from coevolve import live
from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import answering, fields, say, table
from coevolve.cli.project import bound
from coevolve.cli.reviewing import queue
from coevolve.cli.stores import FromStore, feedback_of, heard_by_meaning, store_url
from coevolve.errors import ConfigError
from coevolve.feedback.explain import explain
from coevolve.feedback.statements import refusal
from coevolve.store import open_store
from coevolve.store.ingest.chat import Chat, RefusedLine, append_chats, read_chats
from coevolve.store.key import redaction_key
from coevolve.store.redaction import Redactor
from coevolve.types import Trajectory

_AT_ONCE = 200  # chats of one transaction


def serve(
    store: FromStore = "experience.db",
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = any free one.")] = 4318,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="TOML",
            help="Its [feedback] says what words weigh, its [redaction] what goes.",
        ),
    ] = None,
    readers: Annotated[
        int, typer.Option(min=0, max=64, help="Processes that read and redact; 0 = none of their own.")
    ] = max(1, min(4, (cpu_count() or 1) - 1)),
    as_json: JsonFlag = False,
) -> None:
    """Take traces in at /v1/traces (OTLP over HTTP) and users' words at /v1/feedback, and judge them."""
    import uvicorn

    from coevolve.store.ingest.service import Hooks, create_app

    with answering(as_json) as give, bound(host, port) as listener:
        heard = heard_by_meaning(feedback_of(config))
        redactor = _redactor(store, config)
        opened = open_store(store_url(store))
        try:
            url = f"http://{host}:{listener.getsockname()[1]}"
            names = ("traces", "feedback", "review", "trajectories")
            paths = {name: f"{url}/v1/{name}" for name in names}
            give({"url": url, "store": opened.database.name}, fields(f"experience at {url}", paths))

            def settled() -> None:
                while live.score_live(opened, heard).scored:
                    pass

            def review(count: int) -> list[dict[str, object]]:
                return [asdict(one) for one in queue(opened, count)]

            def reasons(one: Trajectory) -> list[dict[str, object]]:
                return [asdict(row) for row in explain(one)]

            judging = Hooks(refusal=refusal, settled=settled, review=review, explain=reasons)
            app = create_app(opened, redactor, hooks=judging, processes=readers)
            uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])
        finally:
            opened.close()
        say("the door is closed")


def import_chats(
    file: Annotated[Path, typer.Argument(metavar="CHATS", help="OpenAI chats, one JSON object a line.")],
    store: FromStore = "experience.db",
    config: Annotated[
        Path | None, typer.Option("--config", metavar="TOML", help="Its [redaction] names fields to replace.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Read chat logs into the store; what is there already is passed over."""
    with answering(as_json) as give:
        redactor = _redactor(store, config)
        try:
            # JSON may hold what else ends a line for Python: U+2028, U+2029 and U+0085
            lines = file.open(encoding="utf-8", errors="replace", newline="\n")
        except OSError as error:
            raise ConfigError(f"cannot read {file}: {error.strerror}", fix="name a file of chats") from error
        with lines, closing(open_store(store_url(store))) as opened:
            before, refused = opened.count(), list[RefusedLine]()
            found = read_chats(lines, redactor.subject)
            while some := list(islice(found, _AT_ONCE)):
                bad = [one for one in some if isinstance(one, RefusedLine)]
                bad += append_chats(opened, [one for one in some if isinstance(one, Chat)], redactor)
                refused += sorted(bad, key=lambda one: one.number)
            added = opened.count() - before
        told = [{"line": one.number, "field": one.field, "why": one.why} for one in refused]
        rows = [(one.number, one.field, one.why) for one in refused[:20]]
        shown = [f"{added} trajectories added to {store}"]
        give(
            {"added": added, "refused": told},
            *shown,
            *([table(f"{len(refused)} lines refused", ("line", "field", "why"), rows)] if refused else []),
        )


def _redactor(store: str, config: Path | None) -> Redactor:
    """Of a store's key and the fields that a TOML file names."""
    fields = () if config is None else configuration.load(config, run=False).redaction.fields
    return Redactor(redaction_key(store_url(store)), fields)
