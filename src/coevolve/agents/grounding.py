"""Arguments that must have been said: a value that nobody gave never reaches a tool.

A small model garbles what it copies (one letter of an address, two digits of a number), and what it was
not told it makes up. An action and the words of the conversation enter; the action leaves with such values
put right, or the reason why it must not be carried out. Only parameters that the world marks with `SAID`
are held to this, and nothing here knows whether a value that was said is the one that is meant.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import replace

from coevolve.environments.protocol import ToolSpec
from coevolve.environments.tools import SAID
from coevolve.types import Action

SIMILAR = 0.6  # difflib's ratio from which a value is a garbled copy; two unrelated numbers have about 0.4
_WORD = re.compile(r"[^\s\"{}\[\]():,;!?<>#]+")


def words(text: str) -> list[str]:
    """The words of a message or of a tool's result, as they stand there, without the marks around them."""
    found = (word.strip(".'*_`") for word in _WORD.findall(text))
    return [word for word in found if word]


def ground(action: Action, tool: ToolSpec, said: Sequence[str]) -> tuple[Action, tuple[str, ...]] | str:
    """Hold an action's marked arguments against what was said.

    Args:
        tool: the one that the action calls.
        said: all words of the conversation, the agent's own left out.

    Returns: the action and a note on each value that was put right, or why it must not be carried out.
    """
    args, notes = dict(action.args), []
    for name, schema in tool.parameters.get("properties", {}).items():
        value = args.get(name)
        if not schema.get(SAID) or not isinstance(value, str):
            continue
        meant = _heard(value, said)
        if meant is None:
            return f"{name} {value!r} was never said; ask for it"
        if meant != value:
            args[name] = meant
            notes.append(f"{name} {value!r} was never said, {meant!r} was")
    return (replace(action, args=args), tuple(notes)) if notes else (action, ())


def _heard(value: str, said: Sequence[str]) -> str | None:
    """The value where it was said, else the one span of as many words that it is a garbled copy of."""
    wanted = [word.casefold() for word in words(value)]
    size = len(wanted)
    spans = [said[at : at + size] for at in range(len(said) - size + 1)] if size else []
    if any([word.casefold() for word in span] == wanted for span in spans):
        return value
    texts = {" ".join(span).casefold(): " ".join(span) for span in spans}
    text = " ".join(wanted)
    alike = [one for one in texts if len(one) == len(text) or not (one.isdigit() and text.isdigit())]
    close = difflib.get_close_matches(text, alike, n=2, cutoff=SIMILAR)
    ratios = [difflib.SequenceMatcher(None, one, text).ratio() for one in close]
    if not close or (ratios[0] == ratios[-1] and len(close) > 1):
        return None
    return texts[close[0]]
