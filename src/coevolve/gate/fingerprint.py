"""One-way fingerprints of held-out tasks: others may test for leakage without seeing a text.

A fingerprint finds the same words again, whatever their case and spacing; it does not find a paraphrase.
Whoever can guess a whole text can confirm the guess.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from coevolve.types import Task


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """What the gate tells about its tasks: hashes of their openings, and how many of each type."""

    hashes: frozenset[str]  # hex SHA-256
    counts: Mapping[str, int]


def fingerprint(text: str) -> str:
    """Hex SHA-256 of a text's words, case and spacing aside."""
    return sha256(" ".join(text.casefold().split()).encode()).hexdigest()


def fingerprints(tasks: Sequence[Task]) -> Fingerprints:
    """Fingerprints of the tasks' opening messages and counts per type."""
    return Fingerprints(
        frozenset(fingerprint(task.opening) for task in tasks),
        dict(sorted(Counter(task.type for task in tasks).items())),
    )


def leaked(texts: Iterable[str], prints: Fingerprints) -> tuple[int, ...]:
    """Positions of the texts that are a held-out opening."""
    return tuple(index for index, text in enumerate(texts) if fingerprint(text) in prints.hashes)
