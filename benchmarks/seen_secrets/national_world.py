# ruff: noqa: E501
"""National and tax numbers outside Europe: a random source enters, a number with a true check leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from benchmarks.seen_secrets.check_digits import digits, luhn, verhoeff, weighted
from benchmarks.seen_secrets.national_europe import birth
from benchmarks.seen_secrets.shapes import DIGITS, UPPER, shape


def us_ssn(rng: Random) -> str:
    area = rng.choice([number for number in range(1, 773) if number != 666])
    return f"{area:03d}-{rng.randint(1, 99):02d}-{rng.randint(1, 9999):04d}"


def us_ssn_plain(rng: Random) -> str:
    return us_ssn(rng).replace("-", "")


def us_itin(rng: Random) -> str:
    return f"9{rng.randint(0, 99):02d}-{rng.randint(70, 88)}-{rng.randint(1, 9999):04d}"


def us_medicare(rng: Random) -> str:
    """Medicare beneficiary number: letters without S, L, O, I, B, Z at fixed places."""
    letters = "ACDEFGHJKMNPQRTUVWXY"
    mixed = letters + DIGITS
    pick = rng.choice
    head = f"{pick('123456789')}{pick(letters)}{pick(mixed)}{pick(DIGITS)}"
    middle = f"{pick(letters)}{pick(mixed)}{pick(DIGITS)}"
    return f"{head}-{middle}-{pick(letters)}{pick(letters)}{pick(DIGITS)}{pick(DIGITS)}"


def ca_sin(rng: Random) -> str:
    body = rng.choice("124567") + shape(rng, "{d7}")
    value = body + luhn(body)
    return f"{value[:3]} {value[3:6]} {value[6:]}"


def br_cpf(rng: Random) -> str:
    body = digits(rng, 9)
    for start in (10, 11):
        rest = weighted(body, range(start, 1, -1)) % 11
        body += str(0 if rest < 2 else 11 - rest)
    return f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"


def mx_curp(rng: Random) -> str:
    born = birth(rng)
    consonants = "BCDFGHJKLMNPQRSTVWXYZ"
    body = (
        rng.choice(consonants) + rng.choice("AEIU") + "".join(rng.choices(consonants, k=2)) + f"{born:%y%m%d}"
    )
    body += rng.choice("HM") + rng.choice(("DF", "JC", "NL", "PL", "VZ", "YN"))
    body += "".join(rng.choices(consonants, k=3)) + ("A" if born.year >= 2000 else "0")
    alphabet = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
    total = sum(alphabet.index(char) * (18 - place) for place, char in enumerate(body))
    return body + str(-total % 10)


def cl_rut(rng: Random) -> str:
    body = str(rng.randint(5_000_000, 25_999_999))
    total = sum(int(char) * (2 + place % 6) for place, char in enumerate(reversed(body)))
    check = "0123456789K"[-total % 11]
    return f"{int(body):,}".replace(",", ".") + f"-{check}"


def ar_cuil(rng: Random) -> str:
    while True:
        body = rng.choice(("20", "27", "23")) + digits(rng, 8)
        check = -weighted(body, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
        if check < 10:
            return f"{body[:2]}-{body[2:]}-{check}"


def in_aadhaar(rng: Random) -> str:
    body = rng.choice("23456789") + shape(rng, "{d10}")
    value = body + verhoeff(body)
    return f"{value[:4]} {value[4:8]} {value[8:]}"


def in_pan(rng: Random) -> str:
    return shape(rng, "{U3}P{U1}") + f"{rng.randint(1, 9999):04d}" + rng.choice(UPPER)


def cn_id(rng: Random) -> str:
    area = rng.choice(("110105", "310104", "440305", "330106", "510107", "420106"))
    body = f"{area}{birth(rng):%Y%m%d}{rng.randint(1, 999):03d}"
    total = weighted(body, (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return body + "10X98765432"[total % 11]


def jp_my_number(rng: Random) -> str:
    body = digits(rng, 11)
    rest = weighted(body, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    value = body + str(0 if rest <= 1 else 11 - rest)
    return f"{value[:4]} {value[4:8]} {value[8:]}" if rng.random() < 0.5 else value


def kr_resident(rng: Random) -> str:
    born = birth(rng)
    body = f"{born:%y%m%d}{rng.choice('34') if born.year >= 2000 else rng.choice('12')}{digits(rng, 5)}"
    check = (11 - weighted(body, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10
    return f"{body[:6]}-{body[6:]}{check}"


def tw_id(rng: Random) -> str:
    letter = rng.choice("ABDEFH")
    code = {"A": 10, "B": 11, "D": 13, "E": 14, "F": 15, "H": 17}[letter]
    body = rng.choice("12") + shape(rng, "{d7}")
    total = code // 10 + code % 10 * 9 + weighted(body, range(8, 0, -1))
    return f"{letter}{body}{-total % 10}"


def sg_nric(rng: Random) -> str:
    prefix, body = rng.choice("ST"), shape(rng, "{d7}")
    total = weighted(body, (2, 7, 6, 5, 4, 3, 2)) + (4 if prefix == "T" else 0)
    return f"{prefix}{body}{'JZIHGFEDCBA'[total % 11]}"


def hk_id(rng: Random) -> str:
    letter, body = rng.choice("ACDEGKPRVYZ"), digits(rng, 6)
    total = 36 * 9 + (UPPER.index(letter) + 10) * 8 + weighted(body, range(7, 1, -1))
    return f"{letter}{body}({'0123456789A'[-total % 11]})"


def th_id(rng: Random) -> str:
    body = rng.choice("1345") + shape(rng, "{d11}")
    value = body + str((11 - weighted(body, range(13, 1, -1)) % 11) % 10)
    return f"{value[0]}-{value[1:5]}-{value[5:10]}-{value[10:12]}-{value[12]}"


def au_tfn(rng: Random) -> str:
    while True:
        body = digits(rng, 8)
        check = weighted(body, (1, 4, 3, 7, 5, 8, 6, 9)) % 11  # weight of the last digit is 10, that is -1
        if check < 10:
            return f"{body[:3]} {body[3:6]} {body[6:]}{check}"


def au_medicare(rng: Random) -> str:
    body = rng.choice("23456") + shape(rng, "{d7}")
    value = body + str(weighted(body, (1, 3, 7, 9, 1, 3, 7, 9)) % 10) + rng.choice("12")
    return f"{value[:4]} {value[4:9]} {value[9]}"


def nz_ird(rng: Random) -> str:
    while True:
        body = str(rng.randint(10_000_000, 14_999_999))
        check = -weighted(body, (3, 2, 7, 6, 5, 4, 3, 2)) % 11
        if check < 10:
            return f"{body[:3]}-{body[3:6]}-{body[6:]}{check}"


def za_id(rng: Random) -> str:
    body = f"{birth(rng):%y%m%d}{digits(rng, 4)}08"
    return body + luhn(body)


def il_id(rng: Random) -> str:
    body = rng.choice("0234") + shape(rng, "{d7}")
    return body + luhn(body)


def ae_id(rng: Random) -> str:
    body = f"784{birth(rng):%Y}{shape(rng, '{d7}')}"
    value = body + luhn(body)
    return f"{value[:3]}-{value[3:7]}-{value[7:14]}-{value[14]}"


def eg_id(rng: Random) -> str:
    """A number without a public check digit: century, birth date, governorate, serial."""
    born = birth(rng)
    return (
        f"{3 if born.year >= 2000 else 2}{born:%y%m%d}{rng.choice(('01', '02', '12', '21'))}{digits(rng, 5)}"
    )


WORLD: Mapping[str, Callable[[Random], str]] = {
    rule.__name__: rule
    for rule in (
        us_ssn, us_ssn_plain, us_itin, us_medicare, ca_sin, br_cpf, mx_curp, cl_rut, ar_cuil, in_aadhaar, in_pan,
        cn_id, jp_my_number, kr_resident, tw_id, sg_nric, hk_id, th_id, au_tfn, au_medicare, nz_ird, za_id, il_id,
        ae_id, eg_id,
    )
}  # fmt: skip
