"""Folders kept under the hash of what is in them, and verified whenever they are taken out.

An adapter folder enters, its hash leaves; the hash gives the folder back or an error that names the damaged
file. A blob lies in `root/HASH/`, with `manifest.json` (file -> sha256) and the files under `files/`. Not
protected against: a change of a file between `get_folder` and its use.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from coevolve.codec import canonical_json
from coevolve.errors import RegistryError

ACCEPTED = frozenset({".safetensors", ".json", ".md", ".txt", ".jinja"})
_HASH = re.compile(r"[0-9a-f]{64}")


def put_folder(root: Path, folder: Path) -> str:
    """Copy a folder in and return its hash: 64 hex digits over names and contents of its files.

    Written to a temporary folder, flushed to the disk, then renamed: a blob is there whole or not at all.
    The same content again is free; a damaged blob of this content is replaced.

    Raises: RegistryError: a file of a kind that is not accepted (a pickle runs code when loaded), a link,
        an empty or missing folder, or a disk that refuses.
    """
    names = _listed(folder)
    try:
        root.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=root))
    except OSError as error:
        raise _disk_error(root, error) from error
    try:
        manifest = {name: _copy(folder / name, building / "files" / name) for name in names}
        content = canonical_json(manifest)
        digest = hashlib.sha256(content).hexdigest()
        _write(building / "manifest.json", content)
        for place in [p for p in building.rglob("*") if p.is_dir()] + [building]:
            _flush_folder(place)
        _move_in(building, root, digest)
    except OSError as error:
        raise _disk_error(root, error) from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return digest


def get_folder(root: Path, digest: str) -> Path:
    """The folder of a hash, after checking every file in it.

    Raises: RegistryError: unknown, or damaged: a file changed, lacking or added.
    """
    if not _HASH.fullmatch(digest):
        raise RegistryError(f"{digest!r} is no blob hash", fix="give the 64 hex digits from the manifest")
    place = root / digest
    if not place.is_dir():
        raise RegistryError(
            f"no blob {digest} in {root}",
            fix="check the blob folder that is configured, or restore it from a backup",
        )
    if damage := _damage(place, digest):
        raise RegistryError(
            f"blob {digest} is damaged: {damage}",
            fix=f"restore {place} from a backup, or train that version again",
        )
    return place / "files"


def _listed(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise RegistryError(f"{folder} is no folder", fix="give the folder that the learner wrote")
    names = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise RegistryError(f"{path} is a link", fix="put the file itself there")
        if path.is_dir():
            continue
        if path.suffix.lower() not in ACCEPTED or not path.is_file():
            raise RegistryError(
                f"{path} is not accepted: only {', '.join(sorted(ACCEPTED))} files are kept",
                fix="save weights as .safetensors (a pickle can run code when it is loaded); remove the file",
            )
        names.append(path.relative_to(folder).as_posix())
    if not names:
        raise RegistryError(f"{folder} is empty", fix="give the folder that the learner wrote")
    return names


def _copy(source: Path, target: Path) -> str:
    """Copy and flush one file; the hash is of the bytes that were written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with source.open("rb") as reader, target.open("wb") as writer:
        while chunk := reader.read(1 << 20):
            digest.update(chunk)
            writer.write(chunk)
        writer.flush()
        os.fsync(writer.fileno())
    return digest.hexdigest()


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as writer:
        writer.write(content)
        writer.flush()
        os.fsync(writer.fileno())


def _flush_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _move_in(building: Path, root: Path, digest: str) -> None:
    place = root / digest
    if place.exists() and _damage(place, digest):
        place.rename(Path(tempfile.mkdtemp(prefix=f".damaged-{digest[:8]}-", dir=root)) / digest)
    try:
        building.rename(place)
    except OSError as error:
        # Another process put the same content: content-addressed, so theirs is ours.
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    _flush_folder(root)


def _damage(place: Path, digest: str) -> str | None:
    """What is wrong with a blob, or None."""
    try:
        content = (place / "manifest.json").read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            return "manifest.json was changed"
        manifest: dict[str, str] = json.loads(content)
        files = place / "files"
        there = {p.relative_to(files).as_posix(): p for p in files.rglob("*") if not p.is_dir()}
        for name, expected in manifest.items():
            if name not in there:
                return f"{name} is lacking"
            with there[name].open("rb") as reader:
                if hashlib.file_digest(reader, "sha256").hexdigest() != expected:
                    return f"{name} was changed"
        extra = sorted(set(there) - set(manifest))
        return f"{extra[0]} was added" if extra else None
    except OSError as error:
        return f"{error.filename} cannot be read ({error.strerror})"


def _disk_error(root: Path, error: OSError) -> RegistryError:
    return RegistryError(
        f"blob cannot be written to {root}: {error.strerror or error}",
        fix="free space there and make the folder writable, then run the same command again",
    )
