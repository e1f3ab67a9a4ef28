"""The key of a store: what placeholders and subjects are hashed under, made where there is none yet.

A store's URL enters, the key leaves. It is there whole or not at all: under an empty one everybody could try
out whom a placeholder stands for. Not protected against: a key that is lost; nothing brings it back.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import sqlalchemy as sa

from coevolve.errors import ConfigError, StoreError

KEY_VARIABLE = "COEVOLVE_REDACTION_KEY"


def redaction_key(store: str | sa.URL, *, make: bool = True) -> bytes:
    """The key of a store: from the environment, else from a file beside an SQLite file.

    Args: make: a key where there is none. Not for what has to find again what is kept: under a new key it
        would find nothing, and the lost one would no longer be missed.

    Raises: ConfigError: a store elsewhere needs the variable; StoreError: the file cannot be written or
        read, is empty, or is not there and is not to be made.
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
    if make and not os.path.exists(path):  # unlike its method, no error where that cannot be known
        _make(path)
    return _read(path)


def _make(path: Path) -> None:
    """Written beside it and linked into place: no crash leaves a part, and nobody replaces another's."""
    part = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(secrets.token_hex(32).encode("ascii"))
                file.flush()
                os.fsync(file.fileno())
            os.link(part, path)
        finally:
            part.unlink(missing_ok=True)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # what is hashed under it must not outlive it
        finally:
            os.close(folder)
    except FileExistsError:
        pass  # made by another process meanwhile
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror}",
            fix=f"make its folder writable and free space on that disk, or set {KEY_VARIABLE}",
        ) from error


def _read(path: Path) -> bytes:
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        raise StoreError(
            f"the store's key {path} is not there, and another one would find nothing of what is kept",
            fix=f"restore it from a backup, or set {KEY_VARIABLE} to what was in it; a store that never had "
            f"one takes any long random text there",
        ) from None
    except OSError as error:
        raise StoreError(
            f"cannot read the store's key {path}: {error.strerror}", fix="make it readable (chmod u+r)"
        ) from error
    if not key.strip():
        raise StoreError(
            f"the store's key {path} is empty",
            fix="restore it from a backup; if nothing was written to this store yet, delete that file",
        )
    return key
