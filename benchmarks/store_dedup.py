"""Near-duplicates among many texts: the pool's own detector beside datasketch's plain pipeline.

Copies are planted by edits of several kinds at random rates, so that their similarity falls on both sides of
the threshold; what counts as a duplicate is then decided by the exact Jaccard similarity of word 3-shingles,
counted here and not by a detector. Each pair stands or falls by itself: no copy is edited twice.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.store_data import prose
from datasketch import MinHash, MinHashLSH

from coevolve.pool.duplicates import near_duplicates

THRESHOLDS = (0.8, 0.9)  # the second is the pool's own
COPIES = 0.2  # share of the texts
_SIZES = (400, 1800)  # characters of a text
_MOST_EDITED = 0.08  # share of a text's words
_NEAR = 0.15  # below the threshold, where a miss would be easy
_WORDS = re.compile(r"\w+")

Edit = Callable[[random.Random, list[str], int], list[str]]  # words, how many edits


def _replaced(rng: random.Random, words: list[str], count: int) -> list[str]:
    out = list(words)
    for at in rng.sample(range(len(out)), min(count, len(out))):
        out[at] = prose(rng, 30).split()[2]
    return out


def _dropped(rng: random.Random, words: list[str], count: int) -> list[str]:
    gone = set(rng.sample(range(len(words)), min(count, len(words) - 3)))
    return [word for at, word in enumerate(words) if at not in gone]


def _swapped(rng: random.Random, words: list[str], count: int) -> list[str]:
    out = list(words)
    for at in rng.sample(range(len(out) - 1), min(count, len(out) - 1)):
        out[at], out[at + 1] = out[at + 1], out[at]
    return out


def _renumbered(rng: random.Random, words: list[str], count: int) -> list[str]:
    places = [at for at, word in enumerate(words) if any(char.isdigit() for char in word)]
    out = list(words)
    for at in rng.sample(places, min(count, len(places))):
        out[at] = "".join(str(rng.randrange(10)) if char.isdigit() else char for char in out[at])
    return out


def _added(rng: random.Random, words: list[str], count: int) -> list[str]:
    at = rng.randrange(len(words))
    return [*words[:at], *prose(rng, 6 * count).split()[:count], *words[at:]]


def _moved(rng: random.Random, words: list[str], count: int) -> list[str]:
    """A passage stands elsewhere."""
    length = min(max(2, count), len(words) // 2)
    start = rng.randrange(len(words) - length)
    rest = words[:start] + words[start + length :]
    at = rng.randrange(len(rest))
    return [*rest[:at], *words[start : start + length], *rest[at:]]


EDITS: Mapping[str, Edit] = {
    "words replaced": _replaced,
    "words dropped": _dropped,
    "neighbours swapped": _swapped,
    "numbers changed": _renumbered,
    "a sentence added": _added,
    "a passage moved": _moved,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and its copy, by their places."""

    original: int
    copy: int
    kind: str
    similarity: float  # exact Jaccard of word 3-shingles


def plant(count: int, seed: int) -> tuple[list[str], list[Pair]]:
    """Texts in random order, some of them edited copies of others."""
    rng = random.Random(f"dedup:{seed}")
    copies = int(count * COPIES)
    texts = [prose(rng, rng.randint(*_SIZES)) for _ in range(count - copies)]
    links: list[tuple[int, str]] = []
    kinds = list(EDITS)
    for k, original in enumerate(rng.sample(range(len(texts)), copies)):
        words = texts[original].split()
        edits = max(1, round(rng.uniform(0, _MOST_EDITED) * len(words)))
        kind = kinds[k % len(kinds)]
        links.append((original, kind))
        texts.append(" ".join(EDITS[kind](rng, words, edits)))
    order = list(range(count))
    rng.shuffle(order)
    place = {at: k for k, at in enumerate(order)}
    first_copy = count - copies
    pairs = [
        Pair(place[original], place[first_copy + k], kind, jaccard(texts[original], texts[first_copy + k]))
        for k, (original, kind) in enumerate(links)
    ]
    return [texts[at] for at in order], pairs


def shingles(text: str) -> set[tuple[str, ...]]:
    """Word 3-shingles, in lower case."""
    words = _WORDS.findall(text.lower())
    return {tuple(words[k : k + 3]) for k in range(max(1, len(words) - 2))}


def jaccard(one: str, other: str) -> float:
    """Exact similarity of two texts."""
    first, second = shingles(one), shingles(other)
    return len(first & second) / max(1, len(first | second))


def by_pool(texts: Sequence[str], threshold: float, seed: int) -> dict[int, int]:
    """The pool's detector. Returns: place of each dropped text -> place of the one kept for it."""
    words = [_WORDS.findall(text.lower()) for text in texts]
    return {at: kept for at, (kept, _) in near_duplicates(words, threshold, seed).items()}


def by_datasketch(texts: Sequence[str], threshold: float, seed: int) -> dict[int, int]:
    """The pipeline of datasketch's documentation: MinHash of 128, LSH at the threshold, the first kept."""
    lsh = MinHashLSH(threshold=threshold, num_perm=128)
    dropped: dict[int, int] = {}
    for at, text in enumerate(texts):
        sketch = MinHash(num_perm=128, seed=seed + 1)
        sketch.update_batch([" ".join(one).encode() for one in shingles(text)])
        near = lsh.query(sketch)
        if near:
            dropped[at] = min(near)
        else:
            lsh.insert(at, sketch)
    return dropped


def judge(
    texts: Sequence[str], pairs: Sequence[Pair], dropped: Mapping[int, int], threshold: float
) -> dict[str, Any]:
    """Recall over planted pairs at or above the threshold, precision over everything that was dropped."""

    def same(pair: Pair) -> bool:
        return dropped.get(pair.copy, pair.copy) == dropped.get(pair.original, pair.original)

    alike = [pair for pair in pairs if pair.similarity >= threshold]
    near = [pair for pair in pairs if threshold - _NEAR <= pair.similarity < threshold]
    right = sum(jaccard(texts[at], texts[kept]) >= threshold for at, kept in dropped.items())
    by_kind = {
        kind: [
            sum(same(pair) for pair in alike if pair.kind == kind),
            sum(pair.kind == kind for pair in alike),
        ]
        for kind in EDITS
    }
    return {
        "recall": round(sum(map(same, alike)) / len(alike), 4) if alike else None,
        "precision": round(right / len(dropped), 4) if dropped else None,
        "alike": len(alike),
        "dropped": len(dropped),
        "near_misses": len(near),
        "near_misses_dropped": sum(map(same, near)),
        "found_by_kind": by_kind,
    }


def dedup(count: int, seed: int) -> dict[str, Any]:
    """Both detectors at each threshold."""
    texts, pairs = plant(count, seed)
    found: dict[str, Any] = {"texts": count, "planted": len(pairs), "thresholds": {}}
    for threshold in THRESHOLDS:
        rows = {}
        for name, detect in (("ours", by_pool), ("datasketch", by_datasketch)):
            began = time.monotonic()
            dropped = detect(texts, threshold, seed)
            seconds = round(time.monotonic() - began, 2)
            rows[name] = {"seconds": seconds, **judge(texts, pairs, dropped, threshold)}
        found["thresholds"][str(threshold)] = rows
    return found
