"""Plain data as TOML text: tables, arrays of tables, strings, numbers, booleans and lists of these.

None is left out, since TOML has no word for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any


def written(document: Mapping[str, Any]) -> str:
    """The text of a document; reading it gives the document again."""
    lines: list[str] = []
    _emit(document, "", lines)
    return "\n".join(lines).strip() + "\n"


def _emit(table: Mapping[str, Any], prefix: str, lines: list[str]) -> None:
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_tables(value) and value is not None:
            # JSON's strings, numbers, booleans and lists are TOML's too, but for DEL.
            lines.append(f"{_key(key)} = {_plain(value)}")
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines.extend(("", f"[{prefix}{_key(key)}]"))
            _emit(value, f"{prefix}{_key(key)}.", lines)
        for one in value if _is_tables(value) else ():
            lines.extend(("", f"[[{prefix}{_key(key)}]]"))
            _emit(one, f"{prefix}{_key(key)}.", lines)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _plain(name)


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
