"""The key of a store is there whole or not at all, and none takes the place of a lost one."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from coevolve.errors import ConfigError, StoreError
from coevolve.store.key import KEY_VARIABLE, redaction_key


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    return f"sqlite:///{tmp_path}/x.db"


def test_the_key_is_made_once_for_its_owner_alone_and_another_store_needs_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    store = f"sqlite:///{tmp_path}/new/x.db"
    key = redaction_key(store)
    assert redaction_key(store) == key
    assert len(key) == 64
    assert (tmp_path / "new" / "x.db.key").stat().st_mode & 0o077 == 0
    with pytest.raises(ConfigError, match="needs a key"):
        redaction_key("postgresql://u:secret@host/db")
    monkeypatch.setenv(KEY_VARIABLE, "given")
    assert redaction_key("postgresql://u:secret@host/db") == b"given"


@pytest.mark.parametrize("broken", ["fsync", "link"])
def test_a_disk_that_is_full_leaves_no_key_behind_and_the_next_call_makes_one(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, broken, full)
        with pytest.raises(StoreError, match=r"No space left on device\n  fix: make its folder writable"):
            redaction_key(url)
        assert list(tmp_path.iterdir()) == []
    assert len(redaction_key(url)) == 64
    assert [one.name for one in tmp_path.iterdir()] == ["x.db.key"]


def test_all_who_make_it_at_once_have_the_same_one(url: str, tmp_path: Path) -> None:
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(redaction_key(url))) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert (len(found), len(set(found))) == (8, 1)
    assert [one.name for one in tmp_path.iterdir()] == ["x.db.key"]


@pytest.mark.parametrize("make", [True, False])
@pytest.mark.parametrize("held", ["", "\n"])
def test_an_empty_key_is_refused_with_the_fix(url: str, tmp_path: Path, held: str, make: bool) -> None:
    (tmp_path / "x.db.key").write_text(held)
    with pytest.raises(StoreError, match=r"is empty\n  fix: restore it from a backup"):
        redaction_key(url, make=make)


def test_a_key_that_cannot_be_read_is_refused_with_the_fix(url: str, tmp_path: Path) -> None:
    (tmp_path / "x.db.key").mkdir()  # of a file that is not its own, root could read it all the same
    with pytest.raises(StoreError, match=r"cannot read the store's key[\s\S]*fix: make it readable"):
        redaction_key(url)


def test_a_lost_key_is_missed_and_not_made_anew_where_it_has_to_find_what_is_kept(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreError, match=f"is not there[\\s\\S]*fix: restore it[\\s\\S]*{KEY_VARIABLE}"):
        redaction_key(url, make=False)
    assert list(tmp_path.iterdir()) == []
    key = redaction_key(url)
    assert redaction_key(url, make=False) == key
    monkeypatch.setenv(KEY_VARIABLE, "given")
    assert redaction_key(url, make=False) == b"given"
