"""Near-duplicates among entries: entries come in, the best of each cluster leaves.

Two entries are one where their task type and every word that holds a digit agree, and the word
3-shingles of the task's opening and the actor's raw turns overlap by the threshold (Jaccard). Digits are
kept because the same job on another order number is another lesson in copying; a reworded attempt at one
job is not. Meaning is not compared: a paraphrase in other words stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from datasketch import MinHash, MinHashLSH

from coevolve.types import PoolEntry

_WORDS = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_PERMUTATIONS = 128


def best_of_clusters(
    entries: Sequence[PoolEntry], threshold: float, seed: int
) -> tuple[list[PoolEntry], Mapping[str, tuple[PoolEntry, bool]]]:
    """Keep the best entry of each cluster.

    Args:
        entries: best first; an entry is dropped where it is close to one that stands before it.
        threshold: Jaccard similarity in (0, 1] from which two texts are one.
        seed: of the hash permutations.

    Returns: the kept entries, best first, and for every dropped entry's id the one kept in its place and
        whether both read the same word for word.
    """
    words = {entry.id: _words(entry) for entry in entries}
    crowds: dict[tuple[str, frozenset[str]], list[PoolEntry]] = defaultdict(list)
    for entry in entries:
        crowds[_key(entry, words[entry.id])].append(entry)
    dropped: dict[str, tuple[PoolEntry, bool]] = {}
    for crowd in crowds.values():
        if len(crowd) > 1:  # most texts hold numbers of their own and need no hashing at all
            dropped.update(_cluster(crowd, words, threshold, seed))
    return [entry for entry in entries if entry.id not in dropped], dropped


def _cluster(
    crowd: Sequence[PoolEntry], words: Mapping[str, list[str]], threshold: float, seed: int
) -> dict[str, tuple[PoolEntry, bool]]:
    dropped: dict[str, tuple[PoolEntry, bool]] = {}
    kept: dict[str, PoolEntry] = {}
    shingles: dict[str, set[str]] = {}
    exact: dict[str, PoolEntry] = {}
    lsh = MinHashLSH(num_perm=_PERMUTATIONS, params=_bands(threshold)) if threshold < 1 else None
    for entry in crowd:
        text = " ".join(words[entry.id])
        if text in exact:
            dropped[entry.id] = (exact[text], True)
            continue
        exact[text] = entry
        if lsh is None:
            continue
        shingles[entry.id] = _shingles(words[entry.id])
        sketch = MinHash(num_perm=_PERMUTATIONS, seed=seed % 2**32)
        sketch.update_batch([shingle.encode() for shingle in sorted(shingles[entry.id])])
        near = [
            other
            for other in sorted(lsh.query(sketch))
            if _jaccard(shingles[entry.id], shingles[other]) >= threshold
        ]
        if near:
            dropped[entry.id] = (kept[near[0]], False)
            exact[text] = kept[near[0]]
        else:
            kept[entry.id] = entry
            lsh.insert(entry.id, sketch)
    return dropped


def _bands(threshold: float) -> tuple[int, int]:
    """Bands and rows that miss one pair in a thousand at the threshold; what they propose is verified."""
    for rows in range(16, 1, -1):
        bands = _PERMUTATIONS // rows
        if 1 - (1 - threshold**rows) ** bands >= 0.999:
            return bands, rows
    return _PERMUTATIONS, 1


def _words(entry: PoolEntry) -> list[str]:
    trajectory = entry.trajectory
    text = " ".join([trajectory.task.opening, *(turn.raw for turn in trajectory.turns)])
    return _WORDS.findall(text.lower())


def _key(entry: PoolEntry, words: Sequence[str]) -> tuple[str, frozenset[str]]:
    numbers = frozenset(word for word in words if _DIGIT.search(word))
    return entry.trajectory.task.type, numbers


def _shingles(words: Sequence[str]) -> set[str]:
    return {" ".join(words[k : k + 3]) for k in range(max(1, len(words) - 2))}


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, len(one | other))
