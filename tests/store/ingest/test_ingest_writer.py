from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from coevolve.errors import IngestError
from coevolve.store.ingest.writer import Writer


class _Slow:
    """A commit that waits to be let go, and remembers what it was given."""

    def __init__(self) -> None:
        self.go, self.began = threading.Event(), threading.Event()
        self.commits: list[list[int]] = []

    def __call__(self, items: Sequence[int]) -> None:
        self.began.set()
        assert self.go.wait(10)
        if -1 in items:
            raise ValueError("a bad item")
        self.commits.append(list(items))


def test_what_waits_is_committed_together_and_told_when_it_is_durable() -> None:
    slow = _Slow()
    writer = Writer(slow)
    first = writer.submit([1])
    assert slow.began.wait(10)
    later = [writer.submit([k, k]) for k in range(2, 12)]
    assert not any(one.done() for one in [first, *later])
    slow.go.set()
    for one in [first, *later]:
        one.result(10)
    assert slow.commits == [[1], [k for k in range(2, 12) for _ in range(2)]]
    writer.close()


def test_more_than_can_wait_is_pushed_back_and_nothing_dropped() -> None:
    slow = _Slow()
    writer = Writer(slow, most_waiting=5)
    taken = [writer.submit([1, 2, 3])]
    assert slow.began.wait(10)
    with pytest.raises(IngestError) as refused:
        writer.submit([4, 5, 6])
    assert refused.value.status == 429
    taken.append(writer.submit([4, 5]))
    slow.go.set()
    writer.close()
    assert [one.result(0) for one in taken] == [None, None]
    assert [item for commit in slow.commits for item in commit] == [1, 2, 3, 4, 5]


def test_a_batch_larger_than_the_limit_is_taken_where_nothing_waits() -> None:
    slow = _Slow()
    slow.go.set()
    writer = Writer(slow, most_waiting=2)
    writer.submit([1, 2, 3]).result(10)
    writer.close()


def test_one_bad_batch_does_not_cost_the_others() -> None:
    slow = _Slow()
    writer = Writer(slow)
    head = writer.submit([0])
    assert slow.began.wait(10)
    good, bad, other = writer.submit([1]), writer.submit([-1, 2]), writer.submit([3])
    slow.go.set()
    head.result(10), good.result(10), other.result(10)
    with pytest.raises(ValueError, match="a bad item"):
        bad.result(10)
    writer.close()
    assert sorted(item for commit in slow.commits for item in commit) == [0, 1, 3]


def test_closing_commits_what_waits_and_refuses_what_comes_after() -> None:
    slow = _Slow()
    slow.go.set()
    writer = Writer(slow)
    last = writer.submit([1])
    writer.close()
    writer.close()
    assert last.done()
    with pytest.raises(IngestError) as refused:
        writer.submit([2])
    assert refused.value.status == 503


def test_a_sender_that_gives_up_costs_nobody_else_the_writer() -> None:
    slow = _Slow()
    writer = Writer(slow)
    head = writer.submit([0])
    assert slow.began.wait(10)
    gone, bad, other = writer.submit([1]), writer.submit([-1]), writer.submit([2])
    assert gone.cancel() and bad.cancel()
    assert not head.cancel()  # it is being written
    slow.go.set()
    head.result(10), other.result(10)
    writer.submit([3]).result(10)
    assert writer.waiting == 0
    writer.close()
    assert sorted(item for commit in slow.commits for item in commit) == [0, 1, 2, 3]
