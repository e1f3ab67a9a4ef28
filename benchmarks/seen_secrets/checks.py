"""Self-check of the set: labelled texts enter, a report leaves; a broken promise raises `ValueError`.

It shows that the texts are what they say (secrets present, numbers valid, kinds balanced), not that they are
like production.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from benchmarks.planted_secrets import Planted
from benchmarks.seen_secrets.check_digits import icao, luhn, mod11_10, mod97, verhoeff, weighted
from benchmarks.seen_secrets.credentials import crc62
from benchmarks.seen_secrets.harmless_values import HARMLESS_VALUES
from benchmarks.seen_secrets.money import BASE58
from benchmarks.seen_secrets.render import MAKERS
from benchmarks.seen_secrets.seed_words import SEED_WORDS

PLANTED_RANGE = (600, 900)
LEAST_LOOK_ALIKES = 400
LARGEST_SHARE = 0.06
SAMPLES = 12  # values a check is tried on
KNOWN: Mapping[str, tuple[str, str]] = {  # rule -> (published body, its published check)
    "luhn": ("7992739871", "3"),
    "verhoeff": ("236", "3"),
    "icao": ("L898902C3", "6"),
    "mod11_10": ("8609574271", "9"),
}


def _numbers(value: str) -> str:
    return "".join(char for char in value if char.isdigit())


def _luhn_ok(value: str) -> bool:
    number = _numbers(value)
    return luhn(number[:-1]) == number[-1]


def _sum_ok(weights: Sequence[int], modulus: int) -> Callable[[str], bool]:
    return lambda value: weighted(_numbers(value), weights) % modulus == 0


def _iban_ok(value: str) -> bool:
    plain = value.replace(" ", "").upper()
    return mod97(plain[4:] + plain[:4]) == 1


def _seed_ok(value: str) -> bool:
    words, number = SEED_WORDS.split(), 0
    picked = value.split()
    for word in picked:
        number = number << 11 | words.index(word)
    bits = len(picked) // 3
    entropy = (number >> bits).to_bytes(len(picked) * 4 // 3, "big")
    return number & (1 << bits) - 1 == hashlib.sha256(entropy).digest()[0] >> 8 - bits


def _base58_ok(value: str) -> bool:
    number = 0
    for char in value:
        number = number * 58 + BASE58.index(char)
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def _rest_is_check(weights: Sequence[int]) -> Callable[[str], bool]:
    return lambda value: weighted(_numbers(value)[:-1], weights) % 11 % 10 == int(value[-1])


RULES: Mapping[str, Callable[[str], bool]] = {
    "card_plain": _luhn_ok,
    "card": _luhn_ok,
    "imei": _luhn_ok,
    "ca_sin": _luhn_ok,
    "za_id": _luhn_ok,
    "il_id": _luhn_ok,
    "ae_id": _luhn_ok,
    "gr_amka": _luhn_ok,
    "se_person_short": _luhn_ok,
    "iban": _iban_ok,
    "iban_plain": _iban_ok,
    "seed12": _seed_ok,
    "seed24": _seed_ok,
    "wif": _base58_ok,
    "xprv": _base58_ok,
    "pl_pesel": _sum_ok((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10),
    "nl_bsn": _sum_ok((9, 8, 7, 6, 5, 4, 3, 2, -1), 11),
    "au_tfn": _sum_ok((1, 4, 3, 7, 5, 8, 6, 9, 10), 11),
    "aba_routing": _sum_ok((3, 7, 1, 3, 7, 1, 3, 7, 1), 10),
    "dk_cpr": _sum_ok((4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11),
    "no_person": _sum_ok((5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11),
    "gb_nhs": _sum_ok((10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11),
    "ch_ahv": _sum_ok((1, 3) * 6 + (1,), 10),
    "ar_cuil": _sum_ok((5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11),
    "cz_birth_number": lambda value: int(_numbers(value)) % 11 == 0,
    "fr_nir": lambda value: (int(_numbers(value)[:13]) + int(value[-2:])) % 97 == 0,
    "es_dni": lambda value: "TRWAGMYFPDXBNJZSQVHLCKE"[int(value[:8]) % 23] == value[8],
    "in_aadhaar": lambda value: verhoeff(_numbers(value)[:-1]) == value[-1],
    "de_tax": lambda value: mod11_10(value[:-1]) == value[-1],
    "hr_oib": lambda value: mod11_10(value[:-1]) == value[-1],
    "tr_id": lambda value: sum(map(int, value[:10])) % 10 == int(value[10]),
    "cn_id": lambda value: (
        (
            weighted(value[:17], [2**place % 11 for place in range(17, 0, -1)])
            + (10 if value[17] == "X" else int(value[17]))
        )
        % 11
        == 1
    ),
    "mx_clabe": lambda value: (
        (sum(int(char) * (3, 7, 1)[place % 3] % 10 for place, char in enumerate(value[:17])) + int(value[17]))
        % 10
        == 0
    ),
    "be_register": lambda value: any(
        97 - int(lead + _numbers(value)[:9]) % 97 == int(value[-2:]) for lead in ("", "2")
    ),
    "ro_cnp": lambda value: (
        weighted(value[:12], (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11 % 10
        in (int(value[12]), 0 if value[12] == "1" else -1)
    ),
    "bg_egn": _rest_is_check((2, 4, 8, 5, 10, 9, 7, 3, 6)),
    "ua_tax": _rest_is_check((-1, 5, 7, 9, 4, 6, 10, 5, 7)),
    "ghp": lambda value: crc62(value[4:34]) == value[34:],
    "npm_token": lambda value: crc62(value[4:34]) == value[34:],
    "de_id_card": lambda value: icao(value[:9]) == value[9],
}
BROKEN: Mapping[str, Callable[[str], bool]] = {
    "bad_card": _luhn_ok,
    "order16": _luhn_ok,
    "bad_iban": _iban_ok,
}


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def check_values(seed: int) -> int:
    """Return how many values were proved by a rule written apart from their maker. Raises: ValueError."""
    rng = Random(f"seen-check:{seed}")
    for rule, name in ((luhn, "luhn"), (verhoeff, "verhoeff"), (icao, "icao"), (mod11_10, "mod11_10")):
        _need(rule(KNOWN[name][0]) == KNOWN[name][1], f"{name} differs from its published example")
    for name, holds in RULES.items():
        for _ in range(SAMPLES):
            value = MAKERS[name](rng)
            _need(holds(value), f"{name} made an invalid value: {value}")
    for name, holds in BROKEN.items():
        for _ in range(SAMPLES):
            value = HARMLESS_VALUES[name](rng)
            _need(not holds(value), f"{name} made a value that passes its check: {value}")
    return SAMPLES * (len(RULES) + len(BROKEN))


def check_texts(texts: Sequence[Planted], harmless: Sequence[Planted]) -> Counter[str]:
    """Return the number of texts of each kind. Raises: ValueError: a promise of the set is broken."""
    _need(PLANTED_RANGE[0] <= len(texts) <= PLANTED_RANGE[1], f"{len(texts)} texts with secrets")
    _need(len(harmless) >= LEAST_LOOK_ALIKES, f"{len(harmless)} look-alikes")
    _need(len({item.text for item in texts}) == len(texts), "two texts with secrets are the same")
    for item in texts:
        _need(bool(item.secrets), f"no secret in: {item.text[:80]}")
        _need(
            all(secret and secret in item.text for secret in item.secrets),
            f"a secret is missing in: {item.text[:80]}",
        )
    for item in harmless:
        _need(bool(item.text.strip()) and not item.secrets, f"a look-alike holds a secret: {item.text[:80]}")
    for item in [*texts, *harmless]:
        _need(not set("\u00ab\u00bb\u2039\u203a") & set(item.text), f"an unfilled mark in: {item.text[:80]}")
    kinds = Counter(item.kind for item in texts)
    kind, most = kinds.most_common(1)[0]
    _need(most <= LARGEST_SHARE * len(texts), f"{kind} holds {most} of {len(texts)} texts")
    return kinds
