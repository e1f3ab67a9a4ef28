"""Ids in batches that one query can take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_IDS = 500  # bound parameters of one query, far below any database's limit


def batches(ids: Iterable[str]) -> Iterator[list[str]]:
    """The ids in their order, at most 500 at a time."""
    whole = list(ids)
    for start in range(0, len(whole), _IDS):
        yield whole[start : start + _IDS]
