"""Pool versions on disk: whole or not at all, verified when read, the same id for the same content."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from coevolve.codec import essence
from coevolve.errors import PoolError
from coevolve.pool import PoolRule, diff, evolve, lineage, load, save, stats
from coevolve.pool.rows import encode
from coevolve.pool.versions import identify
from coevolve.types import Outcome, PoolVersion, Signal
from pool_samples import completed, trajectory


def sample(extra: int = 0) -> PoolVersion:
    scored = [trajectory(f"own{k}", kind=f"k{k % 2}") for k in range(4 + extra)]
    scored += [trajectory(f"bad{k}", Outcome.FAILURE, kind="k0") for k in range(2)]
    scored += [trajectory("unknown", None)]
    # a whole number where a float is declared must not change the hash on its way through JSON
    scored[0] = replace(scored[0], signals=(Signal("x", 1, "whole", turn=0),))
    return evolve(None, scored, PoolRule(), completed, seed=3, round=1)


def test_what_was_saved_is_what_is_loaded(tmp_path: Path) -> None:
    pool = sample()
    home = save(pool, tmp_path)
    assert home == tmp_path / pool.id
    assert sorted(p.name for p in home.iterdir()) == ["entries.parquet", "manifest.json"]
    assert load(tmp_path, pool.id) == pool


def test_a_pool_evolved_from_a_loaded_one_equals_one_evolved_from_memory(tmp_path: Path) -> None:
    pool = sample()
    save(pool, tmp_path)
    offered = [trajectory(f"next{k}") for k in range(3)]
    from_memory, from_disk = (
        evolve(p, offered, PoolRule(), None, seed=4, round=2) for p in (pool, load(tmp_path, pool.id))
    )
    assert from_memory.id == from_disk.id


def test_saving_twice_changes_nothing_and_leaves_no_temporary(tmp_path: Path) -> None:
    pool = sample()
    first = (save(pool, tmp_path) / "manifest.json").read_bytes()
    assert (save(pool, tmp_path) / "manifest.json").read_bytes() == first
    assert [p.name for p in tmp_path.iterdir()] == [pool.id]


def test_the_manifest_says_what_made_the_version(tmp_path: Path) -> None:
    pool = sample()
    manifest = json.loads((save(pool, tmp_path) / "manifest.json").read_text())
    content = manifest["content"]
    assert content["recipe"]["seed"] == 3 and content["recipe"]["rule"]["per_type"] == PoolRule().per_type
    assert content["counts"]["operations"] == {
        "own_failure": 2,
        "own_success": 4,
        "teacher_completion": 2,
    }
    assert content["rejected"] == {"unknown outcome": 1}
    assert len(manifest["files"]["entries.parquet"]) == 64


def test_the_columns_can_be_read_without_this_package(tmp_path: Path) -> None:
    pool = sample()
    rows = pq.read_table(save(pool, tmp_path) / "entries.parquet").to_pylist()
    assert [row["id"] for row in rows] == [entry.id for entry in pool.entries]
    row = next(row for row in rows if row["operation"] == "teacher_completion")
    assert row["sources"] and row["synthetic"] and row["executed"] and row["outcome"] == "success"
    assert json.loads(row["trajectory_json"])["task"]["split"] == "train"


def test_the_written_json_is_what_the_codec_would_write() -> None:
    for entry in sample().entries:
        assert json.loads(encode(entry.trajectory)) == essence(entry.trajectory)


@pytest.mark.parametrize("name", ["entries.parquet", "manifest.json"])
@pytest.mark.parametrize("harm", ["flip", "cut", "delete"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str, harm: str) -> None:
    pool = sample()
    file = save(pool, tmp_path) / name
    data = bytearray(file.read_bytes())
    if harm == "delete":
        file.unlink()
    elif harm == "cut":
        file.write_bytes(data[: len(data) // 2])
    else:
        at = data.find(b"k0") if name == "manifest.json" else len(data) // 2
        data[at] ^= 1
        file.write_bytes(data)
    with pytest.raises(PoolError, match=name) as raised:
        load(tmp_path, pool.id)
    assert raised.value.fix


def test_entries_swapped_together_with_their_file_hash_are_noticed(tmp_path: Path) -> None:
    pool, other = sample(), sample(extra=1)
    home, strange = save(pool, tmp_path), save(other, tmp_path)
    (home / "entries.parquet").write_bytes((strange / "entries.parquet").read_bytes())
    manifest = json.loads((home / "manifest.json").read_text())
    manifest["files"] = json.loads((strange / "manifest.json").read_text())["files"]
    (home / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(PoolError, match=r"entries\.parquet"):
        load(tmp_path, pool.id)


def test_an_unknown_version_is_refused_and_the_known_ones_are_named(tmp_path: Path) -> None:
    pool = sample()
    save(pool, tmp_path)
    with pytest.raises(PoolError, match=pool.id):
        load(tmp_path, "0000")
    with pytest.raises(PoolError, match="none saved"):
        load(tmp_path / "nowhere", "0000")


def test_a_version_with_a_foreign_id_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="id of its content"):
        save(replace(sample(), id="feedfeedfeedfeed"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported_and_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PoolError, match="No space left"):
        save(sample(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_id_is_the_hash_of_the_content_and_not_of_the_id() -> None:
    pool = sample()
    assert identify(replace(pool, id="other")) == pool.id == sample().id
    assert identify(replace(pool, parent="other")) != pool.id
    assert identify(replace(pool, entries=pool.entries[1:])) != pool.id


def test_stats_count_what_is_there_and_shares_are_of_what_can_be_imitated() -> None:
    figures = stats(sample())
    assert (figures["entries"], figures["imitated"]) == (8, 6)
    assert figures["own_share"] == pytest.approx(4 / 6)
    assert figures["executed_synthetic_share"] == pytest.approx(2 / 6)
    assert figures["outcomes"] == {"failure": 2, "success": 6}


def test_stats_of_an_empty_pool_are_unknown_and_not_zero() -> None:
    figures = stats(evolve(None, [], PoolRule(), None, seed=0, round=0))
    assert (figures["own_share"], figures["mean_reward"], figures["mean_turns"]) == (None, None, None)


def test_diff_names_what_came_and_went() -> None:
    before = sample()
    after = evolve(before, [trajectory("new", kind="k9")], PoolRule(), None, seed=0, round=2)
    changed = diff(before, after)
    (new,) = changed["added"]
    assert next(e.trajectory.id for e in after.entries if e.id == new) == "new"
    assert changed["removed"] == [] and changed["kept"] == len(before.entries)
    assert changed["changes"]["types"] == {"k9": 1}


def test_lineage_leads_from_a_completion_to_the_failure_it_mends() -> None:
    pool = sample()
    entry = next(e for e in pool.entries if e.trajectory.id == "bad0-completed")
    line = lineage(pool, entry.id)
    failure = next(e for e in pool.entries if e.trajectory.id == "bad0")
    assert line["sources"] == [{"trajectory": "bad0", "entry": failure.id}]
    assert line["spliced_at"] == 1
    assert line["operation"] == "teacher_completion"
    with pytest.raises(PoolError, match="nobody"):
        lineage(pool, "nobody")


def test_a_mapping_that_is_no_dict_hashes_like_one() -> None:
    from types import MappingProxyType

    made = trajectory("a")
    spec: Mapping[str, object] = {"b": 1, "a": [1, 2]}
    one, other = (
        replace(made, task=replace(made.task, spec=s)) for s in (spec, MappingProxyType(dict(spec)))
    )
    assert encode(one) == encode(other)
