"""The value of one attribute, as its writer meant it: lists and objects often travel as texts of JSON."""

from __future__ import annotations

import json
import math
from typing import Any


def loaded(raw: Any) -> Any:
    """What a text of JSON holds; anything else as it is."""
    if not isinstance(raw, str):
        return raw
    try:
        # NaN and infinity are no JSON, though Python writes and reads them: they stay the texts they are.
        return json.loads(raw, parse_constant=str, parse_float=_real)
    except (ValueError, RecursionError):
        return raw


def text_of(value: Any) -> str:
    """A value as a text of its own, or as JSON's; nothing is the empty text."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _real(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text
