"""What stands beside a run: doctor, init, and the shop as a service."""

from __future__ import annotations

import socket
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from coevolve import doctor as machine
from coevolve import scaffold
from coevolve.cli.opening import JsonFlag, read_config
from coevolve.cli.output import answering, fields, say, table
from coevolve.errors import ConfigError

shop = typer.Typer(help="The built-in shop world.", no_args_is_help=True, rich_markup_mode=None)
_MARKS = {True: "ok", False: "MISSING", None: "optional"}


def doctor(
    config: Annotated[
        Path | None, typer.Argument(metavar="[CONFIG]", help="Look at what this run names as well.")
    ] = None,
    out_dir: Annotated[Path, typer.Option(help="Where runs will be written.")] = Path("runs"),
    as_json: JsonFlag = False,
) -> None:
    """Look at this machine and say the fix for whatever a run would miss; exit 1 if it is required."""
    with answering(as_json) as give:
        findings = machine.checks(out_dir, read_config(config) if config is not None else None)
        ok = all(one.ok is not False for one in findings)
        rows = [(_MARKS[one.ok], one.name, one.detail, one.fix or None) for one in findings]
        give(
            {"ok": ok, "findings": [asdict(one) for one in findings]},
            table("this machine", ("", "what", "found", "fix"), rows),
        )
    if not ok:
        raise typer.Exit(1)


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Made where it is missing.")],
    as_json: JsonFlag = False,
) -> None:
    """Write a small project to edit: an environment, a config, a test, a page to read."""
    with answering(as_json) as give:
        written = [str(path) for path in scaffold.init(folder)]
        commands = {"then": f"cd {folder}", "test it": "pytest", "run it": "coevolve run agent.toml"}
        give({"files": written}, fields("written", {"files": "\n".join(written), **commands}))


@shop.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 = any free one.")] = 8000,
    as_json: JsonFlag = False,
) -> None:
    """The shop over HTTP, with the same code path as in a run; /docs describes it."""
    import uvicorn

    from coevolve.environments.shop.service import create_app

    with answering(as_json) as give, bound(host, port) as listener:
        url = f"http://{host}:{listener.getsockname()[1]}"
        give({"url": url}, f"shop at {url}, described at {url}/docs; Ctrl-C ends it")
        settings = uvicorn.Config(create_app(), log_level="warning", access_log=False)
        uvicorn.Server(settings).run(sockets=[listener])
        say("the shop is closed")


def bound(host: str, port: int) -> socket.socket:
    """A socket at this address. Raises ConfigError where it is taken."""
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise ConfigError(
            f"cannot listen at {host}:{port} ({error.strerror or error})", fix="give another --port or --host"
        ) from error
