"""From what stands on a command line to an open workspace."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from coevolve import config as configuration
from coevolve.cli.output import Interrupted, say
from coevolve.config import RunConfig
from coevolve.errors import ConfigError
from coevolve.timekeeping import elapsed_s
from coevolve.workspace import CONFIG_FILE, Workspace, open_workspace

ConfigArg = Annotated[Path, typer.Argument(metavar="CONFIG", help="A TOML file, or the folder of a run.")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.FIELD=VALUE", help="Replace one field; may be repeated."),
]


def read_config(path: Path, sets: Sequence[str] = (), flags: Mapping[str, Any] | None = None) -> RunConfig:
    """The config of a TOML file or of a run's folder, with fields replaced.

    Args:
        sets: texts such as "learn.rank=8".
        flags: dotted fields to values; None values are passed over.
    """
    config = configuration.load(_file(path))
    values: dict[str, Any] = {}
    known = configuration.resolved(config)
    for one in sets:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"--set {one!r} has no value", fix="write --set section.field=value")
        values[name.strip()] = _value(value.strip(), _present(known, name.strip()))
    values |= {name: value for name, value in (flags or {}).items() if value is not None}
    config = configuration.override(config, values) if values else config
    if path.is_dir() and (Path(config.run.out_dir) / config.run.name).resolve() != path.resolve():
        raise ConfigError(
            f"{path} is not where its own config says it is ({config.run.out_dir}/{config.run.name})",
            fix="start the command in the folder in which the run was started",
        )
    return config


@contextmanager
def acting(config: RunConfig, path: Path) -> Iterator[Workspace]:
    """An open workspace under exactly these settings, made where there is none; it says what it does.

    Args: path: the TOML file or run's folder that the settings are from, for errors.
    """
    ws = open_workspace(config, source=str(_file(path)))
    ws.say = timed(elapsed_s(ws))
    try:
        yield ws
    except Interrupted:
        ws.store.close()  # the model's own thread may still be at work, so the model is left alone
        raise
    except BaseException:
        ws.close()
        raise
    ws.close()


@contextmanager
def reading(path: Path) -> Iterator[Workspace]:
    """The workspace of a run that exists, under the settings it was started with. Loads no model.

    Raises: ConfigError: there is no run yet.
    """
    config = read_config(path)
    folder = Path(config.run.out_dir) / config.run.name
    kept = folder / CONFIG_FILE
    if not kept.is_file():
        raise ConfigError(f"there is no run in {folder} yet", fix=f"start it with `coevolve run {path}`")
    ws = open_workspace(configuration.load(kept), source=str(kept))
    try:
        yield ws
    finally:
        ws.close()


def timed(before_s: float) -> Callable[[str], None]:
    """A printer of lines with the run's elapsed time, whose clock begins at `before_s` seconds."""
    began_s = time.monotonic() - before_s

    def line(text: str) -> None:
        minutes, seconds = divmod(int(time.monotonic() - began_s), 60)
        say(f"[{minutes:3d}:{seconds:02d}] {text}")

    return line


def _file(path: Path) -> Path:
    if path.is_dir():
        if not (path / CONFIG_FILE).is_file():
            raise ConfigError(f"{path} is no run's folder", fix="name a TOML file, or a folder below runs/")
        return path / CONFIG_FILE
    return path


def _present(known: Mapping[str, Any], dotted: str) -> Any:
    value: Any = known
    for part in dotted.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _value(written: str, present: Any) -> Any:
    """As TOML would read it; a text field takes its text without quotes too."""
    try:
        document = tomllib.loads(f"x = {written}")
    except tomllib.TOMLDecodeError:
        return written
    value = document["x"]
    if len(document) > 1 or (isinstance(present, str) and not isinstance(value, str)):
        return written
    return value
