"""Numbers that states, banks and makers of devices give out, with the checks that hold for real ones.

A number enters; whether it passes its own check leaves (`VALID`, `BBAN`). Makers draw until the check holds, so
they are right where it is. Nothing here knows whether a number has been given to somebody.
"""
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable, Mapping

Check = Callable[[str], bool]
DIGITS = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
FINNISH = "0123456789ABCDEFHJKLMNPRSTUVWXY"
CURP = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
RFC = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ"
CF_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
VERHOEFF = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)
DIHEDRAL = ("0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
            "5987604321", "6598710432", "7659821043", "8765932104", "9876543210")  # fmt: skip


def plain(value: str) -> str:
    """The letters and digits of a value, without what it is grouped by."""
    return "".join(sign for sign in value if sign.isalnum())


def numbers(value: str) -> list[int]:
    """The digits of a value."""
    return [int(sign) for sign in value if sign.isdigit()]


def luhn(value: str) -> bool:
    """Whether the digits pass the check of cards, IMEIs and several national numbers."""
    total = 0
    for place, digit in enumerate(reversed(numbers(value))):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def weighted(weights: tuple[int, ...], modulus: int, rest: int = 0) -> Check:
    """A check: the weighted sum of the digits leaves `rest`."""

    def holds(value: str) -> bool:
        found = numbers(value)
        total = sum(a * b for a, b in zip(found, weights, strict=True))
        return total % modulus == rest

    return holds


def two_step(first: tuple[int, ...], second: tuple[int, ...]) -> Check:
    """A check with two digits at the end, each 11 minus the weighted rest, and 0 where that is above 9 (CPF)."""

    def holds(value: str) -> bool:
        found = numbers(value)
        ends = []
        for weights in (first, second):
            rest = sum(a * b for a, b in zip(found, weights, strict=False)) % 11
            ends.append(0 if rest < 2 else 11 - rest)
        return found[-2:] == ends

    return holds


def steuer_id(value: str) -> bool:
    product = 10
    found = numbers(value)
    for digit in found[:-1]:
        product = ((digit + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == found[-1] and len(set(found[:10])) == 9 and found[0] > 0


def seven_three_one(value: str) -> bool:
    """The check of travel documents: letters count from 10, the last sign is the check digit."""
    signs = value.replace("<", "0")
    total = sum(int(sign, 36) * (7, 3, 1)[place % 3] for place, sign in enumerate(signs[:-1]))
    return total % 10 == int(signs[-1])


def insured(value: str) -> bool:
    """The German health insurance number: a letter, eight digits and a check digit."""
    found = numbers(f"{ord(value[0]) - 64:02d}{value[1:]}")
    total = sum(sum(divmod(digit * (1, 2)[place % 2], 10)) for place, digit in enumerate(found[:-1]))
    return total % 10 == found[-1]


def pension(value: str) -> bool:
    """The German pension number: area, birth date, initial, two digits and a check digit."""
    signs = plain(value)
    found = numbers(f"{signs[:8]}{ord(signs[8]) - 64:02d}{signs[9:]}")
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    return sum(sum(divmod(a * b, 10)) for a, b in zip(found[:-1], weights, strict=True)) % 10 == found[-1]


def nir(value: str) -> bool:
    signs = plain(value)
    return 97 - int(signs[:13]) % 97 == int(signs[13:])


def codice_fiscale(value: str) -> bool:
    total = 0
    for place, sign in enumerate(value[:15]):
        rank = int(sign) if sign.isdigit() else ord(sign) - 65
        total += rank if place % 2 else CF_ODD[rank]
    return value[15] == UPPER[total % 26]


def dni(value: str) -> bool:
    signs = plain(value)
    digits = signs[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return DNI[int(digits) % 23] == signs[-1]


def belgian(value: str) -> bool:
    signs = plain(value)
    return 97 - int(signs[:9]) % 97 == int(signs[9:])


def finnish(value: str) -> bool:
    return FINNISH[int(value[:6] + value[7:10]) % 31] == value[-1]


def norwegian(value: str) -> bool:
    first = weighted((3, 7, 6, 1, 8, 9, 4, 5, 2, 1), 11)
    return first(plain(value)[:10]) and weighted((5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11)(value)


def curp(value: str) -> bool:
    total = sum(CURP.index(sign) * (18 - place) for place, sign in enumerate(value[:17]))
    return (10 - total % 10) % 10 == int(value[17])


def rfc(value: str) -> bool:
    rest = sum(RFC.index(sign) * (13 - place) for place, sign in enumerate(value[:12])) % 11
    return value[12] == ("0" if rest == 0 else "A" if rest == 1 else str(11 - rest))


def rut(value: str) -> bool:
    signs = plain(value)
    total = sum(int(sign) * (2 + place % 6) for place, sign in enumerate(reversed(signs[:-1])))
    return "0123456789K"[(11 - total % 11) % 11] == signs[-1]


def aadhaar(value: str) -> bool:
    state = 0
    for place, digit in enumerate(reversed(numbers(value))):
        state = int(DIHEDRAL[state][int(VERHOEFF[place % 8][digit])])
    return state == 0


def korean(value: str) -> bool:
    found = numbers(value)
    total = sum(a * b for a, b in zip(found, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5), strict=False))
    return (11 - total % 11) % 10 == found[-1]


def my_number(value: str) -> bool:
    found = numbers(value)
    rest = sum(a * b for a, b in zip(found, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2), strict=False)) % 11
    return found[-1] == (0 if rest < 2 else 11 - rest)


def chinese(value: str) -> bool:
    total = sum(int(sign) * pow(2, 17 - place, 11) for place, sign in enumerate(value[:17]))
    return "10X98765432"[total % 11] == value[17]


def turkish(value: str) -> bool:
    found = numbers(value)
    tenth = (sum(found[0:9:2]) * 7 - sum(found[1:8:2])) % 10
    return found[9] == tenth and found[10] == sum(found[:10]) % 10


def nif(value: str) -> bool:
    found = numbers(value)
    rest = sum(a * b for a, b in zip(found, range(9, 1, -1), strict=False)) % 11
    return found[-1] == (0 if rest < 2 else 11 - rest)


def cnp(value: str) -> bool:
    found = numbers(value)
    rest = sum(a * b for a, b in zip(found, numbers("279146358279"), strict=False)) % 11
    return found[-1] == (1 if rest == 10 else rest)


def utr(value: str) -> bool:
    found = numbers(value)
    rest = sum(a * b for a, b in zip(found[1:], (6, 7, 8, 9, 10, 5, 4, 3, 2), strict=True)) % 11
    return "21987654321"[rest] == str(found[0])


def nric(value: str) -> bool:
    total = sum(a * b for a, b in zip(numbers(value), (2, 7, 6, 5, 4, 3, 2), strict=True))
    return "JZIHGFEDCBA"[(total + (4 if value[0] == "T" else 0)) % 11] == value[-1]


def thai(value: str) -> bool:
    found = numbers(value)
    return (11 - sum(a * b for a, b in zip(found, range(13, 1, -1), strict=False)) % 11) % 10 == found[-1]


def ukrainian(value: str) -> bool:
    found = numbers(value)
    return (
        sum(a * b for a, b in zip(found, (-1, 5, 7, 9, 4, 6, 10, 5, 7), strict=False)) % 11 % 10 == found[-1]
    )


def snils(value: str) -> bool:
    found = numbers(value)
    total = sum(a * b for a, b in zip(found, range(9, 0, -1), strict=False)) % 101
    return total % 100 == int(plain(value)[-2:])


def medicare(value: str) -> bool:
    found = numbers(value)
    return sum(a * b for a, b in zip(found, (1, 3, 7, 9, 1, 3, 7, 9), strict=False)) % 10 == found[8]


def spi(value: str) -> bool:
    signs = plain(value)
    return int(signs[:10]) % 511 == int(signs[10:])


def iban(value: str) -> bool:
    signs = plain(value)
    return int("".join(str(int(sign, 36)) for sign in signs[4:] + signs[:4])) % 97 == 1


def with_check(country: str, bban: str) -> str:
    """The IBAN of a domestic account number, with its two check digits."""
    spelt = "".join(str(int(sign, 36)) for sign in f"{bban}{country}00")
    return f"{country}{98 - int(spelt) % 97:02d}{bban}"


def cin(value: str) -> bool:
    """The letter before an Italian account number, counted as in the codice fiscale."""
    ranks = [int(sign) if sign.isdigit() else ord(sign) - 65 for sign in value[1:]]
    return (
        value[0] == UPPER[sum(rank if place % 2 else CF_ODD[rank] for place, rank in enumerate(ranks)) % 26]
    )


def spanish_account(value: str) -> bool:
    bank, account = (
        weighted((4, 8, 5, 10, 9, 7, 3, 6, 1), 11),
        weighted((1, 1, 2, 4, 8, 5, 10, 9, 7, 3, 6), 11),
    )
    return bank(value[:9]) and account(value[9:])


BBAN: Mapping[str, Check] = {  # checks of domestic account numbers
    "BE": lambda value: (int(value[:10]) % 97 or 97) == int(value[10:]),
    "ES": spanish_account,
    "FR": lambda value: int(value) % 97 == 0,
    "IT": cin,
    "NL": lambda value: weighted((10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11)(value[4:]),
    "PL": lambda value: weighted((3, 9, 7, 1, 3, 9, 7, 1), 10)(value[:8]),
    "PT": lambda value: int(value) % 97 == 1,
}
CPF = two_step((10, 9, 8, 7, 6, 5, 4, 3, 2), (11, 10, 9, 8, 7, 6, 5, 4, 3, 2))
INN_12 = (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)


def inn(value: str) -> bool:
    found = numbers(value)
    ends = [sum(a * b for a, b in zip(found, w, strict=False)) % 11 % 10 for w in (INN_12, (3, *INN_12))]
    return found[10:] == ends


VALID: Mapping[str, Check] = {
    "steuer_id": steuer_id, "kvnr": insured, "rvnr": pension, "ausweis_de": seven_three_one, "nir": nir, "spi": spi,
    "codice_fiscale": codice_fiscale, "dni": dni, "nie": dni, "bsn": weighted((9, 8, 7, 6, 5, 4, 3, 2, -1), 11),
    "rijksregister": belgian, "pesel": weighted((1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1), 10), "personnummer": luhn,
    "fodselsnummer": norwegian, "hetu": finnish, "cpf": CPF, "curp": curp, "rfc": rfc, "rut": rut, "aadhaar": aadhaar,
    "cuil": weighted((5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1), 11), "rrn": korean, "my_number": my_number, "cn_id": chinese,
    "tc_kimlik": turkish, "nif_pt": nif, "cnp": cnp, "rodne": lambda v: int(plain(v)) % 11 == 0, "utr": utr,
    "tfn": weighted((1, 4, 3, 7, 5, 8, 6, 9, 10), 11), "medicare_au": medicare, "sin": luhn, "za_id": luhn,
    "nhs": weighted((10, 9, 8, 7, 6, 5, 4, 3, 2, 1), 11), "il_id": luhn, "amka": luhn, "thai_id": thai, "nric": nric,
    "ahv": weighted((1, 3) * 6 + (1,), 10), "svnr": weighted((3, 7, 9, -1, 5, 8, 4, 2, 1, 6), 11), "inn": inn,
    "emirates_id": luhn, "snils": snils, "rnokpp": ukrainian, "card": luhn, "amex": luhn, "imei": luhn, "iccid": luhn,
    "iban_de": iban, "iban_fr": iban, "iban_nl": iban, "iban_es": iban, "iban_it": iban, "iban_gb": iban, "iban_pl": iban,
    "iban_be": iban, "iban_at": iban, "iban_ch": iban, "iban_se": iban, "iban_ae": iban, "iban_tr": iban, "iban_pt": iban,
    "routing_us": weighted((3, 7, 1, 3, 7, 1, 3, 7, 1), 10), "clabe": weighted((3, 7, 1) * 5 + (3, 7, 1), 10),
}  # fmt: skip
