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

import numpy as np
from datasketch import MinHash, MinHashLSH

from coevolve.types import PoolEntry

_WORDS = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_PERMUTATIONS = 128
_MIX = np.array([0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F], dtype=np.uint64)  # odd, random


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
    crowd: Sequence[PoolEntry], words: Mapping[str, Sequence[str]], threshold: float, seed: int
) -> dict[str, tuple[PoolEntry, bool]]:
    found = near_duplicates([words[entry.id] for entry in crowd], threshold, seed)
    return {crowd[at].id: (crowd[kept], exact) for at, (kept, exact) in found.items()}


def near_duplicates(
    texts: Sequence[Sequence[str]], threshold: float, seed: int
) -> dict[int, tuple[int, bool]]:
    """Find the texts that are close to one before them which is kept itself.

    Candidates come from MinHash and LSH (datasketch); each is verified by its exact similarity, so none is
    dropped in error, and about one in a thousand at the threshold is missed.

    Args:
        texts: words of each, the most wanted first.
        threshold: Jaccard similarity of word 3-shingles, in (0, 1].
        seed: of the hash permutations.

    Returns: place of each text that is dropped -> place of the one kept for it, and whether both are equal.
    """
    dropped: dict[int, tuple[int, bool]] = {}
    shingles: dict[int, np.ndarray] = {}
    exact: dict[str, int] = {}
    numbers: dict[str, int] = {}
    lsh = MinHashLSH(num_perm=_PERMUTATIONS, params=_bands(threshold)) if threshold < 1 else None
    sketch = MinHash(
        num_perm=_PERMUTATIONS, seed=seed % 2**32, hashfunc=int
    )  # the shingles are hashes already
    for at, words in enumerate(texts):
        text = " ".join(words)
        if text in exact:
            dropped[at] = (exact[text], True)
            continue
        exact[text] = at
        if lsh is None:
            continue
        mine_N = _shingles(words, numbers)
        sketch.clear()
        sketch.update_batch((mine_N >> np.uint64(32)).tolist())
        near = (
            other for other in sorted(lsh.query(sketch)) if _jaccard(mine_N, shingles[other]) >= threshold
        )
        kept = next(near, None)
        if kept is None:
            shingles[at] = mine_N
            lsh.insert(at, sketch)
        else:
            dropped[at] = (kept, False)
            exact[text] = kept
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


def _shingles(words: Sequence[str], numbers: dict[str, int]) -> np.ndarray:
    """Hashes of the distinct word 3-shingles: shape (N,); of 64 bits, so that no two are equal by chance.

    Args: numbers: of the words that were seen before; new ones are added.
    """
    ids = [numbers.setdefault(word, len(numbers) + 1) for word in words]
    ids_N = np.array(ids + [0] * (3 - len(ids)), dtype=np.uint64)
    return np.unique(ids_N[:-2] * _MIX[0] + ids_N[1:-1] * _MIX[1] + ids_N[2:] * _MIX[2])


def _jaccard(one_N: np.ndarray, other_N: np.ndarray) -> float:
    shared = len(np.intersect1d(one_N, other_N, assume_unique=True))
    return shared / max(1, len(one_N) + len(other_N) - shared)
