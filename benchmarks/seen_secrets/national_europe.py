# ruff: noqa: E501
"""National and tax numbers of European states: a random source enters, a number with a true check leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from random import Random

from benchmarks.seen_secrets.check_digits import digits, luhn, mod11_10, weighted
from benchmarks.seen_secrets.shapes import UPPER, shape


def birth(rng: Random) -> date:
    """A birth date between 1945 and 2007."""
    return date(1945, 1, 1) + timedelta(days=rng.randrange(62 * 365))


def _retry(rng: Random, draw: Callable[[Random], str | None]) -> str:
    while True:
        value = draw(rng)
        if value is not None:
            return value


def de_tax(rng: Random) -> str:
    """Steuer-ID: of the first ten digits exactly one occurs twice, one is missing."""
    body = rng.sample("0123456789", 10)
    keep, drop = rng.sample(range(10), 2)
    body[drop] = body[keep]
    if body[0] == "0":
        return de_tax(rng)
    text = "".join(body)
    return text + mod11_10(text)


def de_tax_spaced(rng: Random) -> str:
    value = de_tax(rng)
    return f"{value[:2]} {value[2:5]} {value[5:8]} {value[8:]}"


def de_pension(rng: Random) -> str:
    """Rentenversicherungsnummer: area, birth date, letter, serial, check digit."""
    born, letter = birth(rng), rng.choice(UPPER)
    body = f"{rng.choice((10, 12, 13, 15, 50, 53, 65)):02d}{born:%d%m%y}"
    serial = f"{rng.randint(0, 99):02d}"
    full = body + f"{UPPER.index(letter) + 1:02d}" + serial
    total = 0
    for char, weight in zip(full, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1), strict=True):
        product = int(char) * weight
        total += product // 10 + product % 10
    return f"{body[:2]} {body[2:]} {letter} {serial}{total % 10}"


def de_health(rng: Random) -> str:
    """Krankenversichertennummer: a letter, eight digits, a check digit."""
    letter, body = rng.choice(UPPER), digits(rng, 8)
    return (
        letter + body + str(-int(luhn(f"{UPPER.index(letter) + 1:02d}{body}")) % 10)
    )  # the sum, not its complement


def fr_nir(rng: Random) -> str:
    born = birth(rng)
    department = rng.choice((13, 31, 33, 35, 44, 59, 69, 75, 92))
    body = f"{rng.choice('12')}{born:%y%m}{department}{rng.randint(1, 600):03d}{rng.randint(1, 700):03d}"
    key = 97 - int(body) % 97
    return f"{body[0]} {body[1:3]} {body[3:5]} {body[5:7]} {body[7:10]} {body[10:]} {key:02d}"


def es_dni(rng: Random) -> str:
    number = rng.randint(10_000_000, 79_999_999)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def es_nie(rng: Random) -> str:
    first, rest = rng.choice("XYZ"), digits(rng, 7)
    number = int(f"{'XYZ'.index(first)}{rest}")
    return f"{first}{rest}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def it_code(rng: Random) -> str:
    """Codice fiscale: names, birth date, town, check letter."""
    born = birth(rng)
    day = born.day + rng.choice((0, 40))
    body = "".join(rng.choices("BCDFGLMNPRSTVZ", k=6)) + f"{born:%y}{'ABCDEHLMPRST'[born.month - 1]}{day:02d}"
    body += rng.choice(("H501", "F205", "L219", "F839", "D612", "A944", "G273"))
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
    total = 0
    for place, char in enumerate(body):
        value = int(char) if char.isdigit() else UPPER.index(char)
        total += odd[value] if place % 2 == 0 else value
    return body + UPPER[total % 26]


def pt_nif(rng: Random) -> str:
    body = rng.choice("123") + digits(rng, 7)
    rest = weighted(body, range(9, 1, -1)) % 11
    return body + str(0 if rest < 2 else 11 - rest)


def nl_bsn(rng: Random) -> str:
    def draw(rng: Random) -> str | None:
        body = digits(rng, 8)
        check = weighted(body, range(9, 1, -1)) % 11
        return body + str(check) if check < 10 else None

    return _retry(rng, draw)


def pl_pesel(rng: Random) -> str:
    born = birth(rng)
    body = f"{born:%y}{born.month + (20 if born.year >= 2000 else 0):02d}{born:%d}{rng.randint(0, 9999):04d}"
    return body + str(-weighted(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10)


def pl_nip(rng: Random) -> str:
    def draw(rng: Random) -> str | None:
        body = digits(rng, 9)
        check = weighted(body, (6, 5, 7, 2, 3, 4, 5, 6, 7)) % 11
        return f"{body[:3]}-{body[3:6]}-{body[6:8]}-{body[8]}{check}" if check < 10 else None

    return _retry(rng, draw)


def se_person(rng: Random) -> str:
    born, serial = birth(rng), f"{rng.randint(1, 979):03d}"
    return f"{born:%Y%m%d}-{serial}{luhn(f'{born:%y%m%d}{serial}')}"


def se_person_short(rng: Random) -> str:
    return se_person(rng)[2:]


def tr_id(rng: Random) -> str:
    body = digits(rng, 9)
    odd, even = sum(map(int, body[0::2])), sum(map(int, body[1::2]))
    tenth = (odd * 7 - even) % 10
    return f"{body}{tenth}{(odd + even + tenth) % 10}"


def fi_hetu(rng: Random) -> str:
    born, serial = birth(rng), f"{rng.randint(2, 899):03d}"
    check = "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(f"{born:%d%m%y}{serial}") % 31]
    return f"{born:%d%m%y}{'A' if born.year >= 2000 else '-'}{serial}{check}"


def dk_cpr(rng: Random) -> str:
    def draw(rng: Random) -> str | None:
        born = birth(rng)
        body = f"{born:%d%m%y}" + f"{rng.randint(400, 999) if born.year >= 2000 else rng.randint(1, 399):03d}"
        check = -weighted(body, (4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
        return f"{body[:6]}-{body[6:]}{check}" if check < 10 else None

    return _retry(rng, draw)


def no_person(rng: Random) -> str:
    def draw(rng: Random) -> str | None:
        born = birth(rng)
        body = f"{born:%d%m%y}" + f"{rng.randint(500, 999) if born.year >= 2000 else rng.randint(0, 499):03d}"
        first = -weighted(body, (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11
        if first == 10:
            return None
        second = -weighted(f"{body}{first}", (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
        return f"{body}{first}{second}" if second < 10 else None

    return _retry(rng, draw)


def be_register(rng: Random) -> str:
    born, serial = birth(rng), f"{rng.randint(1, 997):03d}"
    body = f"{born:%y%m%d}{serial}"
    check = 97 - int(("2" if born.year >= 2000 else "") + body) % 97
    return f"{born:%y.%m.%d}-{serial}.{check:02d}"


def ch_ahv(rng: Random) -> str:
    body = "756" + digits(rng, 9)
    check = -weighted(body, (1, 3) * 6) % 10
    return f"756.{body[3:7]}.{body[7:11]}.{body[11]}{check}"


def at_insurance(rng: Random) -> str:
    def draw(rng: Random) -> str | None:
        serial, born = digits(rng, 3), birth(rng)
        check = weighted(f"{serial}{born:%d%m%y}", (3, 7, 9, 5, 8, 4, 2, 1, 6)) % 11
        return f"{serial}{check} {born:%d%m%y}" if check < 10 else None

    return _retry(rng, draw)


def cz_birth_number(rng: Random) -> str:
    def draw(rng: Random) -> str | None:
        born = birth(rng)
        if born.year < 1954:
            return None
        body = f"{born:%y}{born.month + rng.choice((0, 50)):02d}{born:%d}{rng.randint(0, 999):03d}"
        check = int(body) % 11
        return f"{body[:6]}/{body[6:]}{check}" if check < 10 else None

    return _retry(rng, draw)


def ro_cnp(rng: Random) -> str:
    born = birth(rng)
    first = rng.choice("56") if born.year >= 2000 else rng.choice("12")
    body = f"{first}{born:%y%m%d}{rng.randint(1, 46):02d}{rng.randint(1, 999):03d}"
    check = weighted(body, (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return body + str(1 if check == 10 else check)


def bg_egn(rng: Random) -> str:
    born = birth(rng)
    month = born.month + (40 if born.year >= 2000 else 0)
    body = f"{born:%y}{month:02d}{born:%d}{rng.randint(1, 999):03d}"
    return body + str(weighted(body, (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10)


def gb_nino(rng: Random) -> str:
    prefix = rng.choice(("AB", "CE", "HJ", "JK", "LM", "NP", "PW", "SR", "WX", "YA"))
    body = f"{rng.randint(0, 999999):06d}"
    spaced = rng.random() < 0.6
    return (
        f"{prefix} {body[:2]} {body[2:4]} {body[4:]} {rng.choice('ABCD')}" if spaced else prefix + body + "C"
    )


def gb_nhs(rng: Random) -> str:
    def draw(rng: Random) -> str | None:
        body = rng.choice("4679") + shape(rng, "{d8}")
        check = -weighted(body, range(10, 1, -1)) % 11
        return f"{body[:3]} {body[3:6]} {body[6:]}{check}" if check < 10 else None

    return _retry(rng, draw)


def gb_utr(rng: Random) -> str:
    body = digits(rng, 9)
    return "21987654321"[weighted(body, (6, 7, 8, 9, 10, 5, 4, 3, 2)) % 11] + body


def ie_pps(rng: Random) -> str:
    body = digits(rng, 7)
    return f"{body}{'WABCDEFGHIJKLMNOPQRSTUV'[(weighted(body, range(8, 1, -1)) + 9) % 23]}A"


def hr_oib(rng: Random) -> str:
    body = digits(rng, 10)
    return body + mod11_10(body)


def gr_amka(rng: Random) -> str:
    body = f"{birth(rng):%d%m%y}{rng.randint(0, 9999):04d}"
    return body + luhn(body)


def ee_code(rng: Random) -> str:
    born = birth(rng)
    body = (
        f"{rng.choice('56') if born.year >= 2000 else rng.choice('34')}{born:%y%m%d}{rng.randint(1, 710):03d}"
    )
    check = weighted(body, (1, 2, 3, 4, 5, 6, 7, 8, 9, 1)) % 11
    if check == 10:
        check = weighted(body, (3, 4, 5, 6, 7, 8, 9, 1, 2, 3)) % 11 % 10
    return f"{body}{check}"


def ua_tax(rng: Random) -> str:
    days = (birth(rng) - date(1899, 12, 31)).days
    body = f"{days:05d}{rng.randint(0, 9999):04d}"
    return body + str(weighted(body, (-1, 5, 7, 9, 4, 6, 10, 5, 7)) % 11 % 10)


EUROPE: Mapping[str, Callable[[Random], str]] = {
    rule.__name__: rule
    for rule in (
        de_tax, de_tax_spaced, de_pension, de_health, fr_nir, es_dni, es_nie, it_code, pt_nif, nl_bsn, pl_pesel,
        pl_nip, se_person, se_person_short, tr_id, fi_hetu, dk_cpr, no_person, be_register, ch_ahv, at_insurance,
        cz_birth_number, ro_cnp, bg_egn, gb_nino, gb_nhs, gb_utr, ie_pps, hr_oib, gr_amka, ee_code, ua_tax,
    )
}  # fmt: skip
