"""An evaluation set for a redactor: a seed enters, labelled texts of an agent's production traffic leave.

`planted` gives texts that hold secrets or personal data, `look_alikes` gives texts in which nothing may be
touched, `debatable` gives texts on which careful people disagree. Names of persons and street addresses are
no secrets here. A rate on this set holds for the formats written down in it, not for those that are missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from benchmarks.planted_secrets import Planted
from benchmarks.seen_secrets.checks import check_texts, check_values
from benchmarks.seen_secrets.cloud_texts import CLOUD_TEXTS
from benchmarks.seen_secrets.contact_texts import CONTACT_TEXTS
from benchmarks.seen_secrets.contexts import key_templates
from benchmarks.seen_secrets.debatable_texts import DEBATABLE_TEXTS
from benchmarks.seen_secrets.harmless_numbers import NUMBER_TEXTS
from benchmarks.seen_secrets.harmless_words import WORD_TEXTS
from benchmarks.seen_secrets.harmless_work import WORK_TEXTS
from benchmarks.seen_secrets.identity_texts import IDENTITY_TEXTS
from benchmarks.seen_secrets.long_texts import LONG_TEXTS
from benchmarks.seen_secrets.mixed_texts import MIXED_TEXTS
from benchmarks.seen_secrets.money_texts import MONEY_TEXTS
from benchmarks.seen_secrets.password_texts import PASSWORD_TEXTS
from benchmarks.seen_secrets.render import blocks, draw, draw_harmless

PLANTED_SOURCES = (
    CLOUD_TEXTS,
    PASSWORD_TEXTS,
    MONEY_TEXTS,
    CONTACT_TEXTS,
    IDENTITY_TEXTS,
    MIXED_TEXTS,
    LONG_TEXTS,
)
HARMLESS_SOURCES = (NUMBER_TEXTS, WORD_TEXTS, WORK_TEXTS)
TWICE = frozenset(
    {"aws_credential", "azure_credential", "jwt", "one_time_code", "customer_record", "signed_url"}
)
HARMLESS_ROUNDS = 2  # look-alikes a template gives, where it holds a value to draw


def planted(seed: int) -> list[Planted]:
    """Return 600 to 900 texts, each with at least one secret; the same seed gives the same texts."""
    rng = Random(f"seen-planted:{seed}")
    templates = [
        pair
        for raw in PLANTED_SOURCES
        for kind, text in blocks(raw)
        for pair in [(kind, text)] * _rounds(kind)
    ]
    templates += key_templates(rng)
    texts = [draw(text, kind, rng) for kind, text in templates]
    rng.shuffle(texts)
    return texts


def _rounds(kind: str) -> int:
    return 2 if kind in TWICE else 1


def look_alikes(seed: int) -> list[Planted]:
    """Return at least 400 texts in which nothing is to be hidden; the same seed gives the same texts."""
    rng = Random(f"seen-look-alikes:{seed}")
    pairs = [pair for raw in HARMLESS_SOURCES for pair in blocks(raw)]
    texts = [
        draw_harmless(text, kind, rng)
        for kind, text in pairs
        for _ in range(HARMLESS_ROUNDS if "\u2039" in text else 1)
    ]
    rng.shuffle(texts)
    return texts


def debatable(seed: int) -> list[Planted]:
    """Return texts on which careful people disagree, with the span in question; they are counted nowhere."""
    rng = Random(f"seen-debatable:{seed}")
    return [
        draw(text, kind, rng) if "«" in text else draw_harmless(text, kind, rng)
        for kind, text in blocks(DEBATABLE_TEXTS)
    ]


def check(seed: int) -> Counter[str]:
    """Return the number of texts of each kind, after every promise of the set was tried.

    Raises: ValueError: a secret is missing in its text, a number fails its check, or a kind outweighs 6%.
    """
    check_values(seed)
    texts: Sequence[Planted] = planted(seed)
    if texts != planted(seed):
        raise ValueError("the same seed gave other texts")
    return check_texts(texts, look_alikes(seed))


__all__ = ["check", "debatable", "look_alikes", "planted"]
