"""One pass over a text that tells which of many rules are worth trying on it.

Each rule brings patterns without one of which it cannot match; RE2 looks for all of them at once, in time
that only depends on the text's length. Python's own expressions, which can look around and count, are then
tried on the few texts that need them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import re2

_MEMORY = 64 * 2**20  # bytes that RE2 may use; with too few it would forget what it learned of texts


class FirstLook:
    """Compiled patterns. Safe to share between threads."""

    def __init__(self, rules: Sequence[Sequence[str]]) -> None:
        """`rules`: of each, patterns in RE2's language."""
        options = re2.Options()
        options.max_mem = _MEMORY
        self._set = re2.Set.SearchSet(options)
        self._rule_of: list[int] = []
        for at, patterns in enumerate(rules):
            for pattern in patterns:
                self._set.Add(pattern)
                self._rule_of.append(at)
        self._set.Compile()

    def worth(self, text: str) -> list[int]:
        """Places of the rules that may match, in order."""
        found = self._set.Match(text.encode("utf-8", "surrogatepass"))
        return sorted({self._rule_of[at] for at in found or ()})


@cache
def literal(text: str) -> str:
    """A pattern for a text: in any case where it is written in lower case here, else as it stands."""
    escaped: str = re2.escape(text)
    return f"(?i){escaped}" if text == text.lower() else escaped
