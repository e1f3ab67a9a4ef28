"""Which store of experience a command line names, the key of its placeholders, and how words are heard."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import sqlalchemy as sa
import typer

from coevolve import config as configuration
from coevolve.errors import ConfigError, StoreError
from coevolve.sections import FeedbackSection
from coevolve.store import Store, open_store

KEY_VARIABLE = "COEVOLVE_REDACTION_KEY"
FromStore = Annotated[
    str,
    typer.Option(
        "--store", metavar="WHERE", help="A file, the folder of a run, or postgresql://USER@HOST/DB."
    ),
]
FeedbackConfig = Annotated[
    Path | None, typer.Option("--config", metavar="TOML", help="Its [feedback] says what words weigh.")
]


def store_url(where: str) -> sa.URL:
    """The database that a URL, a file or a run's folder names."""
    if "://" in where:
        return sa.make_url(where)
    path = Path(where)
    return sa.URL.create("sqlite", database=str(path / "experience.db" if path.is_dir() else path))


@contextmanager
def experience_at(where: str) -> Iterator[Store]:
    """An open store that was there before.

    Raises: ConfigError: no such file.
    """
    url = store_url(where)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).is_file():
        raise ConfigError(
            f"there is no experience in {url.database}",
            fix="name a database, its file, or the folder of a run with --store",
        )
    opened = open_store(url)
    try:
        yield opened
    finally:
        opened.close()


def feedback_of(config: Path | None) -> FeedbackSection:
    """The [feedback] of a TOML file, or its defaults."""
    return FeedbackSection() if config is None else configuration.load(config).feedback


def redaction_key(store: str) -> bytes:
    """The key of a store's placeholders: from the environment, else from a file beside an SQLite file.

    Raises: ConfigError: a store elsewhere needs the variable; StoreError: the file cannot be written.
    """
    if given := os.environ.get(KEY_VARIABLE):
        return given.encode()
    url = store_url(store)
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
