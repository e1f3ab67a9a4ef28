"""Numbers of persons, cards and accounts that are valid by their own public checks, for the fresh set.

A `random.Random` enters a maker; a value leaves. `VALID` holds the checks, each of which has an outside truth
(a published specimen), and the makers draw until their check passes; the content is random, so no value was
issued to anybody on purpose. Not covered: a bank's own check digits inside an IBAN.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from random import Random

from benchmarks.planted_values import DIGITS, UPPER, Maker, chars, luhn

NUMBERS = {  # kind -> its forms, in the language of `person`
    "steuer_id": "+# ### ### ###|+##########", "kvnr": "@#########",
    "dni": "########@|##.###.###-@|X#######@|Y#######@", "bsn": "1########|2########", "pesel": "%y%m%d#####",
    "cpf": "###.###.###-##|###########", "tckn": "+##########",
    "codice_fiscale": "&&&&&&%yC%dF205@|&&&&&&%yT%dH501@|&&&&&&%yL%dL219@",
    "nir": "2 %y %m 75 11# +## ##|1%y%m6912+0####", "personnummer": "%y%m%d-####|%Y%m%d-####",
    "hetu": "%d%m%y-2##?", "rrn": "%y.%m.%d-+##.##", "sin": "1## ### ###|5##-###-###",
    "aadhaar": "4### #### ####|7### #### ####", "my_number": "#### #### ####|############",
    "cn_id": "110105%Y%m%d+##?", "ahv": "756.####.####.##", "tfn": "1## ### ###",
    "nhs": "4## ### ####|6#########", "nif": "2## ### ###|2########", "cnp": "2%y%m%d12####",
    "rodne_cislo": "%y%m%d/####", "za_id": "%y%m%d+###08#",
}  # fmt: skip
BBANS = {  # 9 a digit, A a capital letter, of the SWIFT registry's structures
    "DE": "9" * 18, "GB": "AAAA" + "9" * 14, "FR": "9" * 23, "NL": "AAAA" + "9" * 10, "ES": "9" * 20,
    "IT": "A" + "9" * 22, "AT": "9" * 16, "BE": "9" * 12, "CH": "9" * 17, "PL": "9" * 24, "PT": "9" * 21,
    "TR": "999990" + "9" * 16, "CZ": "9" * 20, "NO": "9" * 11, "FI": "9" * 14, "GR": "9" * 23,
    "RO": "AAAA" + "9" * 16, "HU": "9" * 24, "LU": "9" * 16, "SE": "9" * 20,
}  # fmt: skip
CARDS = {  # issuer -> prefixes, how its digits are grouped
    "visa": (("4",), (4, 4, 4, 4)), "mastercard": (("51", "54", "2226", "2700"), (4, 4, 4, 4)),
    "amex": (("34", "37"), (4, 6, 5)), "discover": (("6011", "645"), (4, 4, 4, 4)),
    "diners": (("36", "38"), (4, 6, 4)), "jcb": (("3530", "3566"), (4, 4, 4, 4)),
    "unionpay": (("6221", "6250"), (4, 4, 4, 4, 3)), "maestro": (("6759", "5038"), (4, 4, 4, 4)),
}  # fmt: skip
ODD_DIGITS = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
ODD_LETTERS = (*ODD_DIGITS, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
ODD = dict(zip(DIGITS + UPPER, ODD_DIGITS + ODD_LETTERS, strict=True))  # a character's weight at odd places
PERMUTED = [
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
]
DIHEDRAL = [
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
]


def weighted(weights: Sequence[int], modulus: int) -> Callable[[str], bool]:
    """A check whose weighted sum of digits, the check digit included, is divisible by the modulus."""
    return lambda digits: not sum(w * int(d) for w, d in zip(weights, digits, strict=True)) % modulus


def iban_holds(value: str) -> bool:
    return int("".join(str(int(c, 36)) for c in value[4:] + value[:4])) % 97 == 1


def cpf_holds(digits: str) -> bool:
    sums = (sum(int(d) * (n + 1 - i) for i, d in enumerate(digits[:n])) for n in (9, 10))
    return digits[9:] == "".join(str(total * 10 % 11 % 10) for total in sums)


def tax_id_holds(digits: str) -> bool:
    """Germany's: ISO 7064 mod 11, 10 over digits of which exactly one occurs twice among the first ten."""
    product = 10
    for digit in digits[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[10]) and len(set(digits[:10])) == 9 and digits[0] != "0"


def verhoeff_holds(digits: str) -> bool:
    state = 0
    for i, digit in enumerate(reversed(digits)):
        state = int(DIHEDRAL[state][int(PERMUTED[i % 8][int(digit)])])
    return state == 0


def tckn_holds(d: str) -> bool:
    tenth = (7 * sum(map(int, d[0:9:2])) - sum(map(int, d[1:8:2]))) % 10
    return d[0] != "0" and int(d[9]) == tenth and int(d[10]) == sum(map(int, d[:10])) % 10


def fiscal_code_holds(code: str) -> bool:
    total = sum(
        ODD[c] if i % 2 == 0 else int(c) if c.isdigit() else ord(c) - 65 for i, c in enumerate(code[:15])
    )
    return code[15] == UPPER[total % 26]


def insured_holds(value: str) -> bool:
    digits = f"{ord(value[0]) - 64:02d}{value[1:9]}"
    products = [int(d) * (1 + i % 2) for i, d in enumerate(digits)]
    return sum(p - 9 if p > 9 else p for p in products) % 10 == int(value[9])


def dni_holds(value: str) -> bool:
    """Spain's, of citizens and, with X, Y or Z in the first place, of foreigners."""
    number = int(value[:-1].translate(str.maketrans("XYZ", "012")))
    return value[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]


def cn_id_holds(value: str) -> bool:
    """China's: ISO 7064 mod 11-2."""
    total = sum(int(digit) * 2 ** (17 - i) for i, digit in enumerate(value[:17]))
    return value[17] == "10X98765432"[total % 11]


VALID: Mapping[str, Callable[[str], bool]] = {  # kind -> does the bare value pass?
    "card": luhn, "iban": iban_holds, "cpf": cpf_holds, "steuer_id": tax_id_holds, "aadhaar": verhoeff_holds,
    "tckn": tckn_holds, "codice_fiscale": fiscal_code_holds, "kvnr": insured_holds, "sin": luhn,
    "personnummer": lambda v: luhn(v[-10:]), "za_id": luhn,
    "dni": dni_holds,
    "hetu": lambda v: v[-1] == "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(v[:-1]) % 31],
    "nir": lambda v: int(v[13:]) == 97 - int(v[:13]) % 97,
    "rrn": lambda v: int(v[9:]) == 97 - int(v[:9]) % 97,
    "cn_id": cn_id_holds,
    "rodne_cislo": lambda v: int(v) % 11 == 0, "bsn": weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), 11),
    "pesel": weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10),
    "tfn": weighted((1, 4, 3, 7, 5, 8, 6, 9, 10), 11), "nhs": weighted((10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11),
    "nif": weighted((9, 8, 7, 6, 5, 4, 3, 2, 1), 11),
    "my_number": weighted((6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11), "ahv": weighted((1, 3) * 6 + (1,), 10),
    "cnp": weighted((2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9, -1), 11),
}  # fmt: skip


def bare(value: str) -> str:
    """The value without its separators, as the checks take it."""
    return re.sub(r"[\s./-]", "", value)


def born(rng: Random) -> date:
    return date(1950, 1, 1) + timedelta(days=rng.randrange(18_000))  # before 2000: no mark of the century


def person(kind: str, form: str) -> Maker:
    """A maker of valid numbers: # a digit, + not 0, @ a letter, & a consonant, ? either, % a date."""

    def make(rng: Random) -> str:
        while True:
            dated = born(rng).strftime(rng.choice(form.split("|")))
            alphabets = {"#": DIGITS, "+": DIGITS[1:], "@": UPPER, "&": "BCDFGLMNPRSTVZ", "?": DIGITS + UPPER}
            value = "".join(rng.choice(alphabets[c]) if c in alphabets else c for c in dated)
            if VALID[kind](bare(value)):
                return value

    return make


def card(issuer: str) -> Maker:
    """A maker of an issuer's numbers that pass Luhn, written together, with spaces or with hyphens."""

    def make(rng: Random) -> str:
        prefixes, groups = CARDS[issuer]
        prefix = rng.choice(prefixes)
        while not luhn(number := prefix + chars(rng, DIGITS, sum(groups) - len(prefix))):
            pass
        ends = [sum(groups[: i + 1]) for i in range(len(groups))]
        pieces = [number[end - n : end] for n, end in zip(groups, ends, strict=True)]
        return rng.choice([" ", "-", ""]).join(pieces)

    return make


def iban(country: str) -> Maker:
    def make(rng: Random) -> str:
        alphabets = {"9": DIGITS, "A": UPPER}
        bban = "".join(rng.choice(alphabets.get(c, c)) for c in BBANS[country])
        value = int("".join(str(int(c, 36)) for c in bban + country + "00"))
        whole = f"{country}{98 - value % 97:02d}{bban}"
        return rng.choice([whole, " ".join(whole[i : i + 4] for i in range(0, len(whole), 4))])

    return make


def nino(rng: Random) -> str:
    pair = ""
    while not pair or pair in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ"):  # never allocated
        pair = rng.choice("ABCEGHJKLMNOPRSTWXYZ") + rng.choice("ABCEGHJKLMNPRSTWXYZ")
    pairs = [pair, *(chars(rng, DIGITS, 2) for _ in range(3)), rng.choice("ABCD")]
    return rng.choice([" ", ""]).join(pairs)
