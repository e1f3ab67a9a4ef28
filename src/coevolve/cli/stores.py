"""Which store of experience a command line names, and how words are heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import numpy as np
import sqlalchemy as sa
import typer

from coevolve import config as configuration
from coevolve.errors import ConfigError, MissingExtraError
from coevolve.feedback.behaviour import Nearness, letters_alike
from coevolve.live import Listening, listening
from coevolve.models.embeddings import open_embedder
from coevolve.sections import FeedbackSection
from coevolve.store import Store, open_store

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
        try:
            return sa.make_url(where)
        except (sa.exc.ArgumentError, ValueError):
            raise ConfigError(
                "what --store names is no database URL",
                fix="write it as postgresql://USER:PASSWORD@HOST:PORT/DB",
            ) from None
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
    return FeedbackSection() if config is None else configuration.load(config, run=False).feedback


def heard_by_meaning(section: FeedbackSection) -> Listening:
    """How a [feedback] section hears live sessions: by meaning where the extra `local` is, else by letters.

    The encoder is loaded by the first comparison: where nothing is new, nobody waits for it.
    """
    opened: list[Nearness] = []

    def nearness(texts: Sequence[str]) -> np.ndarray:
        if not opened:
            try:
                opened.append(open_embedder().nearness)
            except MissingExtraError:
                opened.append(letters_alike)
        return opened[0](texts)

    return listening(section, nearness)
