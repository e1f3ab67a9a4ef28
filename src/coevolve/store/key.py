"""The key of a store: what placeholders and subjects are hashed under, made where there is none yet."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import sqlalchemy as sa

from coevolve.errors import ConfigError, StoreError

KEY_VARIABLE = "COEVOLVE_REDACTION_KEY"


def redaction_key(store: str | sa.URL) -> bytes:
    """The key of a store: from the environment, else from a file beside an SQLite file.

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
