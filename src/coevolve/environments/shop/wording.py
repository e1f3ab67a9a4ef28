"""Loads a split's wording: the words of its lexicon and the sentences of its grammar.

One TOML file per split, so that splits can be compared by eye and by a test. Live traffic has no
wording of its own and uses train's.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from coevolve.errors import WorldError
from coevolve.types import Split

LEXICON = ("first_names", "last_names", "brands", "models", "categories", "coupons")
CORES: Mapping[str, frozenset[str]] = {
    "price": frozenset({"product"}),
    "stock": frozenset({"product"}),
    "find": frozenset({"category", "max_price"}),
    "compare_price": frozenset({"a", "b"}),
    "compare_weight": frozenset({"a", "b"}),
    "compare_battery": frozenset({"a", "b"}),
    "status": frozenset({"order"}),
    "status_no_number": frozenset(),
    "cancel": frozenset({"order"}),
    "coupon": frozenset({"order", "code"}),
    "pay": frozenset({"order", "card"}),
    "return": frozenset({"order", "reason"}),
    "warranty": frozenset({"order", "defect"}),
    "buy": frozenset({"quantity", "product", "card"}),
    "safety": frozenset({"product", "hazard"}),
}
FRAMES: Mapping[str, frozenset[str]] = {
    "greetings": frozenset(),
    "closings": frozenset(),
    "identity": frozenset({"email", "pin"}),
    "give_order": frozenset({"order"}),
    "give_identity": frozenset({"email", "pin"}),
    "give_code": frozenset({"confirmation"}),
    "give_card": frozenset({"card"}),
    "confused": frozenset(),
}
FILLERS = ("reason", "defect", "hazard")


@dataclass(frozen=True, slots=True)
class Wording:
    """One split's words."""

    lexicon: Mapping[str, tuple[str, ...]]
    cores: Mapping[str, tuple[str, ...]]  # topic -> sentences with slots
    frames: Mapping[str, tuple[str, ...]]
    fillers: Mapping[str, tuple[str, ...]]


@cache
def load_wording(split: Split, folder: Path | None = None) -> Wording:
    """Read one split's wording; `folder` replaces the package's own.

    Raises: WorldError: the file is missing, is no TOML, or lacks a list or a slot.
    """
    name = f"{(Split.TRAIN if split is Split.LIVE else split).value}.toml"
    home: Traversable = folder or files("coevolve.environments.shop").joinpath("wording")
    file = home.joinpath(name)
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise WorldError(f"wording file {file} cannot be read: {error}", fix=f"provide {name}") from error
    except tomllib.TOMLDecodeError as error:
        raise WorldError(f"wording file {file} is no TOML: {error}", fix=f"mend {name}") from error
    wording = Wording(
        *(
            {key: _sentences(data, section, key, str(file)) for key in keys}
            for section, keys in (
                ("lexicon", LEXICON),
                ("cores", tuple(CORES)),
                ("frames", tuple(FRAMES)),
                ("fillers", FILLERS),
            )
        )
    )
    for kind, slots in ((wording.cores, CORES), (wording.frames, FRAMES)):
        for key, wanted in slots.items():
            for sentence in kind[key]:
                _check_slots(sentence, wanted, key, str(file))
    return wording


def message(
    wording: Wording, topic: str, slots: Mapping[str, str], rng: random.Random, identity: bool
) -> str:
    """A customer's message: greeting, core, identity before or after it, closing."""
    core = rng.choice(wording.cores[topic]).format(**slots)
    parts = [core]
    if identity:
        known = rng.choice(wording.frames["identity"]).format(**slots)
        parts.insert(rng.randrange(2), known)
    parts = [rng.choice(wording.frames["greetings"]), *parts, rng.choice(wording.frames["closings"])]
    return " ".join(part.strip() for part in parts if part.strip())


def _sentences(data: Mapping[str, object], section: str, key: str, file: str) -> tuple[str, ...]:
    table = data.get(section)
    found = table.get(key) if isinstance(table, dict) else None
    if not isinstance(found, list) or not found or not all(isinstance(text, str) for text in found):
        raise WorldError(
            f"{file}: [{section}] {key} is no list of texts", fix=f"give {key} at least one text"
        )
    return tuple(found)


def _check_slots(sentence: str, wanted: frozenset[str], key: str, file: str) -> None:
    try:
        empty = {slot: "\0" for slot in wanted}
        filled = sentence.format(**empty)
    except (KeyError, ValueError, IndexError) as error:
        raise WorldError(
            f"{file}: {key} has a bad slot in {sentence!r}: {error}", fix="use known slots"
        ) from error
    if filled.count("\0") < len(wanted):
        lacking = ", ".join(sorted(slot for slot in wanted if "{" + slot + "}" not in sentence))
        raise WorldError(f"{file}: {key} lacks {lacking} in {sentence!r}", fix=f"add {{{lacking}}}")
