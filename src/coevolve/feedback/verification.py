"""Ready checks of what an agent produced: a text enters, whether it passed leaves, with a reason.

    episode.check("answer", *fits(text, Answer))

Each is pure and quick, and runs nothing of what it is given: that code parses says nothing of what it does.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

from pydantic import TypeAdapter, ValidationError


def fits(text: str, shape: Any) -> tuple[bool, str]:
    """Whether a text is JSON of a shape: a dataclass, a TypedDict, a pydantic model, `list[int]`.

    Numbers and texts are not taken for each other.

    Returns: passed, and else the first field that does not fit, with why.
    """
    try:
        TypeAdapter(shape).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return False, f"{where}: {first['msg']}" if where else first["msg"]
    return True, ""


def parses(code: str) -> tuple[bool, str]:
    """Whether a text is Python by this interpreter's grammar; it is not run.

    Returns: passed, and else the first line that is wrong, with why.
    """
    try:
        with warnings.catch_warnings():  # of what runs otherwise than it reads, which is no error
            warnings.simplefilter("ignore")
            ast.parse(code)
    except SyntaxError as error:
        return False, f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:  # a NUL; nested too deeply
        return False, f"{type(error).__name__}: {error}"
    return True, ""
