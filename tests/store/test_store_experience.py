"""What the experience store keeps, finds and refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from coevolve.errors import StoreError
from coevolve.store import Store, open_store
from coevolve.store.pools import append_pool, pool_rows, pools_from
from coevolve.store.query import Query
from coevolve.types import Failure, Outcome, Party, Split, Trajectory
from store_samples import lived, scored


def ids(found: list[Trajectory]) -> list[str]:
    return [trajectory.id for trajectory in found]


def test_what_was_appended_comes_back_equal_after_reopening(database_url: sa.URL) -> None:
    trajectory = lived("a", failure=Failure(Party.MODEL, "lone half \ud83d of a pair, \x00 and €"))
    store = open_store(database_url)
    store.append([trajectory])
    store.close()
    store = open_store(database_url)
    assert store.get("a") == trajectory
    assert store.count() == 1
    store.close()


def test_known_gives_those_that_are_kept_however_many_are_asked_for(store: Store) -> None:
    kept = [lived(f"t{k}") for k in range(700)]
    store.append([*kept, scored(lived("s"), Outcome.SUCCESS)])
    found = store.known([*(f"t{k}" for k in range(0, 1400, 2)), "s", "s"])
    assert set(found) == {"s", *(f"t{k}" for k in range(0, 700, 2))}
    assert found["t4"] == kept[4] and found["s"] == scored(lived("s"), Outcome.SUCCESS)


def test_the_same_trajectory_again_is_passed_over(store: Store) -> None:
    store.append([lived("a"), lived("a")])
    store.append([lived("b"), lived("a")])
    assert ids(store.find()) == ["a", "b"]


def test_an_episode_that_was_played_again_and_only_took_another_time_is_passed_over(store: Store) -> None:
    """A killed step is repeated from its beginning; its clock never reads the same twice."""
    store.append([lived("a", wall_s=1.0)])
    store.append([lived("a", wall_s=2.0)])
    assert store.count() == 1


def test_the_same_id_with_other_content_is_refused_and_its_batch_is_not_kept(store: Store) -> None:
    store.append([lived("a")])
    with pytest.raises(StoreError, match="trajectory a is already in"):
        store.append([lived("b"), lived("a", seed=8)])
    with pytest.raises(StoreError, match="trajectory c is already in"):
        store.append([lived("c"), lived("c", seed=8)])
    assert store.find() == [lived("a")]


def test_a_scored_trajectory_is_kept_with_its_scoring(store: Store) -> None:
    good = scored(lived("a"), Outcome.SUCCESS)
    store.append([good])
    store.append([lived("a")])  # raw again: says nothing new
    assert store.get("a") == good


def test_the_latest_scoring_is_valid_and_an_equal_one_is_passed_over(store: Store) -> None:
    first, second = scored(lived("a"), Outcome.FAILURE), scored(lived("a"), Outcome.SUCCESS)
    store.append([lived("a")])
    for each in (first, second, second, first):
        store.append_scores("run", [each])
        assert store.get("a") == each
    with store.database.read() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM scorings")).scalar() == 3


def test_a_batch_may_score_one_trajectory_twice_and_the_last_is_valid(store: Store) -> None:
    store.append([scored(lived("a"), Outcome.FAILURE), scored(lived("a"), Outcome.SUCCESS)])
    assert store.find(Query(outcome=Outcome.SUCCESS)) == [scored(lived("a"), Outcome.SUCCESS)]
    assert store.find(Query(outcome=Outcome.FAILURE)) == []


def test_scores_of_an_unknown_or_altered_trajectory_are_refused_whole(store: Store) -> None:
    store.append([lived("a"), lived("b")])
    good = scored(lived("a"), Outcome.SUCCESS)
    with pytest.raises(StoreError, match="trajectory z is not in the store"):
        store.append_scores("run", [good, scored(lived("z"), Outcome.SUCCESS)])
    with pytest.raises(StoreError, match="the scored trajectory b is not the one"):
        store.append_scores("run", [good, scored(lived("b", seed=77), Outcome.SUCCESS)])
    assert store.get("a") == lived("a")


def test_unknown_reward_is_found_neither_as_success_nor_as_failure(store: Store) -> None:
    store.append([scored(lived("a"), None), lived("b")])
    assert [ids(store.find(Query(outcome=outcome))) for outcome in Outcome] == [[], [], []]
    assert store.get("a").reward is not None and store.get("b").reward is None


def test_find_joins_its_conditions_and_keeps_the_order_of_arrival(store: Store) -> None:
    store.append([lived("d"), lived("c", type="return"), lived("b", split=Split.HELD_OUT)], round=1)
    store.append([scored(lived("a", version="v2"), Outcome.PARTIAL)], run="r", round=2)
    assert ids(store.find()) == ["d", "c", "b", "a"]
    assert ids(store.find(Query(round=1))) == ["d", "c", "b"]
    assert ids(store.find(Query(split=Split.TRAIN, round=1))) == ["d", "c"]
    assert ids(store.find(Query(type="return"))) == ["c"]
    assert ids(store.find(Query(version="v2", outcome=Outcome.PARTIAL))) == ["a"]
    assert ids(store.find(Query(version="v1", outcome=Outcome.PARTIAL))) == []
    assert ids(store.find(Query(limit=2))) == ["b", "a"]
    assert store.find(Query(limit=0)) == []


def test_an_unknown_id_is_an_error_with_a_fix(store: Store) -> None:
    with pytest.raises(StoreError, match=r"no trajectory zzz(.|\n)*fix: "):
        store.get("zzz")


def test_resolve_takes_a_unique_beginning_and_no_wildcards(store: Store) -> None:
    store.append([lived("ab1"), lived("ab2"), lived("ab"), lived("c_d")])
    assert [store.resolve(prefix) for prefix in ("ab1", "ab", "c")] == ["ab1", "ab", "c_d"]
    for bad in ("a", "_", "%", "x"):
        with pytest.raises(StoreError):
            store.resolve(bad)


def test_descendants_are_found_at_any_depth_and_a_circle_ends(store: Store) -> None:
    store.append([lived("a", parent="d"), lived("b", parent="a"), lived("c", parent="b")])
    store.append([lived("d", parent="c"), lived("other")])
    assert ids(store.descendants("a")) == ["b", "c", "d"]
    assert store.descendants("other") == []


def test_pools_keep_parent_path_and_what_they_were_made_from(store: Store) -> None:
    append_pool(store.database, "p1", path="pools/p1", sources=["a", "b", "a"])
    append_pool(store.database, "p1", path="pools/p1", sources=["a", "b"])
    append_pool(store.database, "p2", path="pools/p2", parent="p1", sources=["b"])
    assert [(row.id, row.parent, row.path) for row in pool_rows(store.database)] == [
        ("p1", None, "pools/p1"),
        ("p2", "p1", "pools/p2"),
    ]
    assert pools_from(store.database, "a") == ["p1"] and pools_from(store.database, "b") == ["p1", "p2"]
    with pytest.raises(StoreError, match="pool p1 is already noted"):
        append_pool(store.database, "p1", path="elsewhere")
    with pytest.raises(StoreError, match="unknown parent p9"):
        append_pool(store.database, "p3", path="x", parent="p9")


def at_once(count: int, work: Callable[[int], None]) -> list[BaseException]:
    """Run `work` in threads that begin together; what they raised."""
    errors: list[BaseException] = []
    together = threading.Barrier(count)

    def begin(worker: int) -> None:
        try:
            together.wait()
            work(worker)
        except BaseException as error:  # carried to the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=begin, args=(worker,)) for worker in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return errors


def test_eight_threads_appending_at_once_lose_and_double_nothing(store: Store, database_url: sa.URL) -> None:
    # Two stores on one database: their threads share no lock, as two processes would not.
    stores = (store, open_store(database_url))

    def work(worker: int) -> None:
        for number in range(10):
            # the neighbour's too: both threads bring the same ids
            stores[worker % 2].append([lived(f"{w % 8}-{number}") for w in (worker, worker + 1)])

    errors = at_once(8, work)
    stores[1].close()
    assert errors == []
    assert sorted(ids(store.find())) == sorted(f"{w}-{n}" for w in range(8) for n in range(10))


def test_writers_of_the_same_ids_in_opposite_orders_do_not_stop_each_other(store: Store) -> None:
    together = threading.Barrier(4)

    def work(worker: int) -> None:
        order = range(20) if worker % 2 else range(19, -1, -1)
        for number in range(5):
            together.wait()
            store.append([lived(f"{number}-{part}") for part in order])

    errors = at_once(4, work)
    assert errors == []
    assert store.count() == 100


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from store_samples import lived
from coevolve.store import open_store
store = open_store(sys.argv[1])
number = 0
while True:
    batch = [lived(f"{number}-{part}") for part in "xyz"]
    store.append(batch)
    print(number, flush=True)  # acknowledged
    number += 1
"""


def test_a_killed_writer_loses_nothing_acknowledged_and_halves_no_batch(database_url: sa.URL) -> None:
    url = database_url.render_as_string(hide_password=False)
    here = str(Path(__file__).parent.parent)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, url, here], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        told = [next(process.stdout) for _ in range(30)]
        os.kill(process.pid, signal.SIGKILL)
        told += process.stdout.readlines()
    assert process.returncode == -signal.SIGKILL
    acknowledged = [int(line) for line in told if line.endswith("\n")]
    store = open_store(url)
    held = ids(store.find())
    with store.database.read() as connection:
        if connection.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    store.append([lived("afterwards")])
    store.close()
    assert len(acknowledged) >= 30
    assert set(held) >= {f"{number}-{part}" for number in acknowledged for part in "xyz"}
    assert len(held) % 3 == 0 and len(held) <= 3 * (len(acknowledged) + 1)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk_is_told_with_its_fix_and_nothing_is_half_written(store: Store) -> None:
    store.append([lived("a")])
    with store.database.read() as connection:
        pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar() or 0)
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 4}")  # SQLite's own "disk full"
    with pytest.raises(StoreError, match=r"full(.|\n)*fix: free space"):
        store.append([lived(f"b{number}") for number in range(400)])
    assert ids(store.find()) == ["a"]
    with store.database.read() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 10_000}")
    store.append([lived("b")])
    assert ids(store.find()) == ["a", "b"]


def test_a_read_only_database_is_read_and_refuses_writes_with_a_fix(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/x.db")
    store.append([lived("a")])
    store.close()
    store = open_store(f"sqlite:///file:{tmp_path}/x.db?mode=ro&uri=true")
    assert store.get("a") == lived("a")
    with pytest.raises(StoreError, match=r"readonly(.|\n)*fix: make the file"):
        store.append([lived("b")])
    store.close()
