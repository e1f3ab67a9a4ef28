"""`coevolve experience`: the door for other people's agents and for what their users say."""

from __future__ import annotations

import os
import secrets
from itertools import islice
from pathlib import Path
from typing import Annotated

import sqlalchemy as sa
import typer

from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import answering, fields, say, table
from coevolve.cli.project import listening
from coevolve.errors import ConfigError, StoreError
from coevolve.store import open_store
from coevolve.store.ingest.chat import RefusedLine, read_chats
from coevolve.store.redaction import Redactor

KEY_VARIABLE = "COEVOLVE_REDACTION_KEY"
_AT_ONCE = 200  # chats of one transaction
StoreOption = Annotated[
    str, typer.Option("--store", help="sqlite:///FILE or postgresql://USER@HOST/DATABASE.")
]


def serve(
    store: StoreOption = "sqlite:///experience.db",
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = any free one.")] = 4318,
    as_json: JsonFlag = False,
) -> None:
    """Take traces in at /v1/traces (OTLP over HTTP) and users' words at /v1/feedback."""
    import uvicorn

    from coevolve.store.ingest.service import create_app

    with answering(as_json) as give, listening(host, port) as listener:
        opened = open_store(store)
        try:
            url = f"http://{host}:{listener.getsockname()[1]}"
            paths = {"traces": f"{url}/v1/traces", "feedback": f"{url}/v1/feedback"}
            give({"url": url, "store": opened.database.name}, fields(f"experience at {url}", paths))
            app = create_app(opened, Redactor(redaction_key(store)))
            uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])
        finally:
            opened.close()
        say("the door is closed")


def import_chats(
    file: Annotated[Path, typer.Argument(metavar="CHATS", help="OpenAI chats, one JSON object a line.")],
    store: StoreOption = "sqlite:///experience.db",
    as_json: JsonFlag = False,
) -> None:
    """Read chat logs into the store; what is there already is passed over."""
    with answering(as_json) as give:
        redactor = Redactor(redaction_key(store))
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            raise ConfigError(f"cannot read {file}: {error.strerror}", fix="name a file of chats") from error
        opened = open_store(store)
        try:
            before, refused = opened.count(), list[RefusedLine]()
            found = read_chats(lines)
            while some := list(islice(found, _AT_ONCE)):
                refused += [one for one in some if isinstance(one, RefusedLine)]
                opened.append([redactor.trajectory(one) for one in some if not isinstance(one, RefusedLine)])
            added = opened.count() - before
        finally:
            opened.close()
        told = [{"line": one.number, "field": one.field, "why": one.why} for one in refused]
        rows = [(one.number, one.field, one.why) for one in refused[:20]]
        shown = [f"{added} trajectories added to {store}"]
        give(
            {"added": added, "refused": told},
            *shown,
            *([table(f"{len(refused)} lines refused", ("line", "field", "why"), rows)] if refused else []),
        )


def redaction_key(store: str) -> bytes:
    """The key of a store's placeholders: from the environment, else from a file beside an SQLite file.

    Raises: ConfigError: a store elsewhere needs the variable; StoreError: the file cannot be written.
    """
    if given := os.environ.get(KEY_VARIABLE):
        return given.encode()
    url = sa.make_url(store)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ConfigError(
            f"{url.render_as_string()} needs a key for its placeholders",
            fix=f"set {KEY_VARIABLE} to a long random text, the same wherever this store is written to",
        )
    path = Path(f"{url.database}.key")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    except FileExistsError:
        pass  # made by an earlier call
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}", fix="make its folder writable") from error
    return path.read_bytes()
