# ruff: noqa: E501, SIM905
"""Check-digit rules: the digits before the check enter, the check digit (or characters) leaves.

Sources: ISO/IEC 7812 (Luhn), ISO 7064, ISO 13616 (IBAN), ICAO 9303, and each state's own published rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_VERHOEFF_D = (
    "0123456789 1234067895 2340178956 3401289567 4012395678 5987604321 6598710432 7659821043 8765932104 9876543210"
).split()
_VERHOEFF_P = (
    "0123456789 1576283094 5803796142 8916043527 9453126870 4286573901 2793806415 7046913258"
).split()


def digits(rng: Random, count: int) -> str:
    """Return `count` random digits, the first of which is not 0."""
    return str(rng.randint(10 ** (count - 1), 10**count - 1))


def weighted(text: str, weights: Sequence[int]) -> int:
    """Return the weighted sum of the digits of a text."""
    return sum(int(char) * weight for char, weight in zip(text, weights, strict=True))


def luhn(body: str) -> str:
    total = 0
    for place, char in enumerate(reversed(body)):
        double = int(char) * 2 if place % 2 == 0 else int(char)
        total += double - 9 if double > 9 else double
    return str(-total % 10)


def mod11_10(body: str) -> str:
    """ISO 7064 mod 11,10, as in the German tax number and the Croatian OIB."""
    rest = 10
    for char in body:
        rest = ((rest + int(char)) % 10 or 10) * 2 % 11
    return str((11 - rest) % 10)


def verhoeff(body: str) -> str:
    state = 0
    for place, char in enumerate(reversed(body), start=1):
        state = int(_VERHOEFF_D[state][int(_VERHOEFF_P[place % 8][int(char)])])
    return str(next(digit for digit in range(10) if _VERHOEFF_D[state][digit] == "0"))


def ean13(body: str) -> str:
    return str(-weighted(body, (1, 3) * 6) % 10)


def icao(text: str) -> str:
    """The check digit of a travel document's machine-readable line (weights 7, 3, 1)."""
    values = [int(char, 36) if char != "<" else 0 for char in text]
    return str(sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10)


def mod97(text: str) -> int:
    """The remainder by 97 of a text whose letters count as 10 to 35."""
    return int("".join(str(int(char, 36)) for char in text)) % 97
