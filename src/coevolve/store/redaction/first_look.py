"""One pass over a text that tells which of many rules are worth trying on it.

Each rule brings patterns without one of which it cannot match. Hyperscan looks for all of them at once, in
time that hardly depends on their number; Python's own expressions, which can look around and count, are then
tried on the few texts that need them.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

import hyperscan

_FLAGS = hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_UTF8


class FirstLook:
    """Compiled patterns. Safe to share between threads."""

    def __init__(self, rules: Sequence[Sequence[str]]) -> None:
        """`rules`: of each, patterns in Hyperscan's language, which does not look around."""
        places: dict[str, set[int]] = {}
        for at, patterns in enumerate(rules):
            for pattern in patterns:
                places.setdefault(pattern, set()).add(at)
        self._rules_of = tuple(places.values())
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[pattern.encode() for pattern in places],
            ids=list(range(len(places))),
            flags=[_FLAGS] * len(places),
        )
        self._own = threading.local()

    def worth(self, text: str | bytes) -> list[int]:
        """Places of the rules that may match, in order. Bytes are what `encoded` returned."""
        data = text if isinstance(text, bytes) else encoded(text)
        seen: list[int] = []
        if data:
            self._database.scan(data, lambda at, *_: seen.append(at), scratch=self._scratch())
        return sorted(set().union(*(self._rules_of[at] for at in seen)))

    def _scratch(self) -> hyperscan.Scratch:
        """A thread's own working space: two scans at once must not share one."""
        found: hyperscan.Scratch | None = getattr(self._own, "scratch", None)
        if found is None:
            found = self._own.scratch = hyperscan.Scratch(self._database)
        return found


def encoded(text: str) -> bytes:
    """In UTF-8, which Hyperscan relies on: half a surrogate pair is a question mark."""
    return text.encode("utf-8", "replace")


def literal(text: str) -> str:
    """A pattern for a text: in any case where it is written in lower case here, else as it stands."""
    escaped = re.escape(text)
    return f"(?i){escaped}" if text == text.lower() else escaped
