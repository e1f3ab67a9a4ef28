"""Blobs: what goes in comes out, or an error names what is wrong."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from coevolve.errors import RegistryError
from coevolve.registry import get_folder, put_folder


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    folder = tmp_path / "adapter"
    (folder / "deep").mkdir(parents=True)
    (folder / "adapter_model.safetensors").write_bytes(bytes(range(256)) * 8)
    (folder / "adapter_config.json").write_text('{"r": 16}')
    (folder / "deep" / "README.md").write_text("hello")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_folder_comes_back_as_it_was_under_a_hash_of_its_content(tmp_path: Path, adapter: Path) -> None:
    root = tmp_path / "blobs"
    digest = put_folder(root, adapter)
    assert contents(get_folder(root, digest)) == contents(adapter)
    assert put_folder(root, get_folder(root, digest)) == digest
    assert put_folder(tmp_path / "elsewhere", adapter) == digest
    assert [path.name for path in root.iterdir()] == [digest]


def test_hash_is_stable_and_depends_on_names_and_bytes(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / "a.json").write_bytes(b"{}")
    # Pinned: manifests in existing databases name blobs by these digits.
    known = "9fd86f291c68d20cb037ac9322bf4bdb08f85949207ab265e86f86b99674e8b3"
    assert put_folder(tmp_path / "root", folder) == known
    (folder / "a.json").rename(folder / "b.json")
    assert put_folder(tmp_path / "root", folder) != known


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (
            lambda place: flip(place / "files/adapter_model.safetensors"),
            "adapter_model.safetensors was changed",
        ),
        (lambda place: (place / "files/deep/README.md").unlink(), "deep/README.md is lacking"),
        (lambda place: (place / "files/extra.json").write_text("{}"), "extra.json was added"),
        (lambda place: (place / "manifest.json").write_text("{}"), "manifest.json was changed"),
        (lambda place: (place / "manifest.json").unlink(), "manifest.json cannot be read"),
    ],
)
def test_a_damaged_blob_is_refused_naming_the_file_and_mended_by_putting_it_again(
    tmp_path: Path, adapter: Path, damage: Callable[[Path], object], told: str
) -> None:
    root = tmp_path / "blobs"
    digest = put_folder(root, adapter)
    damage(root / digest)
    with pytest.raises(RegistryError, match=rf"{told}(.|\n)*fix: restore"):
        get_folder(root, digest)
    assert put_folder(root, adapter) == digest
    assert contents(get_folder(root, digest)) == contents(adapter)


@pytest.mark.parametrize("name", ["optimizer.pt", "model.bin", "x.pkl", "x.ckpt", "noending", ".safetensors"])
def test_files_that_may_run_code_when_loaded_are_refused_by_name(
    tmp_path: Path, adapter: Path, name: str
) -> None:
    (adapter / "deep" / name).write_bytes(b"x")
    with pytest.raises(RegistryError, match=rf"{name} is not accepted"):
        put_folder(tmp_path / "blobs", adapter)
    assert not (tmp_path / "blobs").exists()


def test_links_empty_and_missing_folders_are_refused(tmp_path: Path, adapter: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "nowhere", adapter / "adapter_config.json"):
        with pytest.raises(RegistryError):
            put_folder(tmp_path / "blobs", folder)
    os.symlink("/etc/hostname", adapter / "stolen.txt")
    with pytest.raises(RegistryError, match="is a link"):
        put_folder(tmp_path / "blobs", adapter)


@pytest.mark.parametrize("digest", ["", "..", "../adapter", "a" * 63, "A" * 64, "a" * 64])
def test_what_is_no_known_hash_is_refused(tmp_path: Path, adapter: Path, digest: str) -> None:
    put_folder(tmp_path / "blobs", adapter)
    with pytest.raises(RegistryError, match="blob"):
        get_folder(tmp_path / "blobs", digest)


def test_a_disk_that_fills_up_leaves_no_blob_and_no_remains(
    tmp_path: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RegistryError, match=r"No space left(.|\n)*fix: free space"):
        put_folder(tmp_path / "blobs", adapter)
    assert list((tmp_path / "blobs").iterdir()) == []


def test_threads_that_put_the_same_folder_at_once_agree(tmp_path: Path, adapter: Path) -> None:
    got: list[str] = []
    together = threading.Barrier(6)

    def work() -> None:
        together.wait()
        got.append(put_folder(tmp_path / "blobs", adapter))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 6 and len(set(got)) == 1
    assert [path.name for path in (tmp_path / "blobs").iterdir()] == got[:1]
    assert contents(get_folder(tmp_path / "blobs", got[0])) == contents(adapter)
