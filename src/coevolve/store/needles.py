"""Many short literals looked for in one text: a text enters, those of the literals that it holds leave.

A first look at which groups of three bytes the text has rules nearly all of them out; the few others are
searched for one by one. Literals in lower case are found in any case, others as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_GROUP = 3  # bytes that are looked at together
_CODES = 1 << 16
_MIX = np.array([0x9E3B, 0x85EB, 1], dtype=np.uint16)  # odd, so that no byte is lost


class Needles:
    """Compiled literals. Safe to share between threads."""

    def __init__(self, literals: Iterable[str]) -> None:
        known = dict.fromkeys(literals)
        self._as_written = tuple(one for one in known if one != one.lower())
        lower = [one for one in known if one == one.lower()]
        self._short = tuple(one for one in lower if len(one.encode()) < _GROUP)
        self._long = tuple(one for one in lower if len(one.encode()) >= _GROUP)
        codes = [_codes(one) for one in self._long]
        most = max((len(one) for one in codes), default=1)
        # shape (literals, groups); a shorter literal's first group is repeated
        self._codes_LG = np.array([[*one, *[one[0]] * (most - len(one))] for one in codes], dtype=np.int64)

    def found(self, text: str) -> set[str]:
        """Those of the literals that the text holds."""
        lowered = text.lower()
        there = {one for one in self._short if one in lowered}
        there.update(one for one in self._as_written if one in text)
        if self._long:
            seen = np.zeros(_CODES, dtype=np.bool_)
            seen[_codes(lowered)] = True
            for at in np.flatnonzero(seen[self._codes_LG].all(axis=1)):
                if self._long[at] in lowered:
                    there.add(self._long[at])
        return there


def _codes(text: str) -> np.ndarray:
    """A number below 65,536 for each group of three bytes: shape (bytes - 2,), empty for a shorter text."""
    bytes_N = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8).astype(np.uint16)
    return bytes_N[:-2] * _MIX[0] + bytes_N[1:-1] * _MIX[1] + bytes_N[2:] * _MIX[2]  # wraps around
