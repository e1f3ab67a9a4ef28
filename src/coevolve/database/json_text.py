"""Values as the JSON text that a database holds, and back."""

from __future__ import annotations

import json
import re
from typing import Any

from coevolve.codec import canonical_json

_MARK = "f8ff"  # a character of private use; with four hex digits it stands for one that is refused
_ESCAPE = re.compile(r"\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|u([0-9a-f]{4})|.)")


def written(value: object) -> str:
    """Canonical JSON."""
    return canonical_json(value).decode("ascii")


def escaped(value: object) -> str:
    """JSON that PostgreSQL can hold: it refuses the character NUL and half surrogate pairs in a text."""
    text = written(value)
    return _ESCAPE.sub(_refused, text) if "\\u" in text else text


def _refused(match: re.Match[str]) -> str:
    code = match.group(1)
    held = code is None or not (code == "0000" or code == _MARK or "d800" <= code <= "dfff")
    return match.group() if held else f"\\u{_MARK}{code}"


def unescaped(text: str | bytes) -> Any:
    """What `escaped` was made from."""
    whole = text if isinstance(text, str) else text.decode("utf-8")
    mark = chr(int(_MARK, 16))
    return json.loads(re.sub(f"{mark}([0-9a-f]{{4}})", r"\\u\1", whole) if mark in whole else whole)
