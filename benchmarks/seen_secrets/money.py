"""Cards, accounts and wallets: a random source enters, a number with true check digits leaves."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from random import Random

from benchmarks.seen_secrets.check_digits import digits, luhn, mod97, weighted
from benchmarks.seen_secrets.seed_words import SEED_WORDS
from benchmarks.seen_secrets.shapes import UPPER, shape

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BLZ = ("37040044", "50010517", "10050000", "70150000", "43060967", "20041133", "12030000")


def card_digits(rng: Random) -> str:
    """Visa, Mastercard, American Express, Discover, Maestro or UnionPay, with a Luhn digit."""
    prefix = rng.choice("4 4 4 51 54 2221 2720 37 34 6011 65 5018 62 3530".split())  # noqa: SIM905
    length = 15 if prefix in ("34", "37") else 16
    body = prefix + rng.choice("123456789") + "".join(rng.choices("0123456789", k=length - len(prefix) - 2))
    return body + luhn(body)


def _groups(value: str, sizes: tuple[int, ...], mark: str) -> str:
    parts, start = [], 0
    for size in sizes:
        parts.append(value[start : start + size])
        start += size
    return mark.join(parts)


def card(rng: Random) -> str:
    value = card_digits(rng)
    mark = rng.choice((" ", " ", "-", ""))
    return _groups(value, (4, 6, 5) if len(value) == 15 else (4, 4, 4, 4), mark)


def cvv(rng: Random) -> str:
    while True:
        value = digits(rng, 3)
        if len(set(value)) > 1:
            return value


def expiry(rng: Random) -> str:
    return f"{rng.randint(1, 12):02d}/{rng.randint(27, 31)}"


def card_pin(rng: Random) -> str:
    while True:
        value = shape(rng, "{n1}{d3}")
        if len(set(value)) > 2 and not value.startswith(("19", "20")):
            return value


def _fr_bban(rng: Random) -> str:
    bank, branch, account = (
        rng.choice(("30004", "20041", "10278", "30002")),
        shape(rng, "{d5}"),
        shape(rng, "{d11}"),
    )
    key = 97 - (89 * int(bank) + 15 * int(branch) + 3 * int(account)) % 97
    return f"{bank}{branch}{account}{key:02d}"


def _es_bban(rng: Random) -> str:
    bank, account = rng.choice(("2100", "0049", "0182", "2038")) + shape(rng, "{d4}"), shape(rng, "{d10}")
    weights = (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)
    first, second = (-weighted(part, weights) % 11 for part in ("00" + bank, account))
    return f"{bank}{'01234567891'[first]}{'01234567891'[second]}{account}"


def _it_bban(rng: Random) -> str:
    body = rng.choice(("03069", "02008", "05034", "36772")) + shape(rng, "{d5}0{d11}")
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21)
    total = sum(odd[int(char)] if place % 2 == 0 else int(char) for place, char in enumerate(body))
    return UPPER[total % 26] + body


def _nl_bban(rng: Random) -> str:
    while True:
        body = "0" + digits(rng, 8)
        check = -weighted(body, range(10, 1, -1)) % 11  # the 11-test over ten digits
        if check < 10:
            return rng.choice(("INGB", "RABO", "ABNA", "BUNQ", "TRIO")) + body + str(check)


def _be_bban(rng: Random) -> str:
    body = digits(rng, 10)
    return f"{body}{int(body) % 97 or 97:02d}"


def _pt_bban(rng: Random) -> str:
    body = rng.choice(("0035", "0033", "0010", "0018")) + shape(rng, "{d15}")
    return f"{body}{98 - int(body + '00') % 97:02d}"


def _pl_bban(rng: Random) -> str:
    bank = rng.choice(("1020", "1140", "1090", "2490", "1050")) + shape(rng, "{d3}")
    return bank + str(-weighted(bank, (3, 9, 7, 1, 3, 9, 7)) % 10) + shape(rng, "0000{d12}")


BBANS: Mapping[str, Callable[[Random], str]] = {
    "DE": lambda rng: rng.choice(BLZ) + shape(rng, "{d10}"),
    "AT": lambda rng: rng.choice(("20111", "12000", "32000", "14000")) + shape(rng, "{d11}"),
    "CH": lambda rng: rng.choice(("00762", "09000", "00700", "80808")) + shape(rng, "{d12}"),
    "FR": _fr_bban,
    "ES": _es_bban,
    "IT": _it_bban,
    "NL": _nl_bban,
    "BE": _be_bban,
    "PT": _pt_bban,
    "PL": _pl_bban,
    "GB": lambda rng: rng.choice(("BARC", "LOYD", "MONZ", "REVO", "NWBK")) + shape(rng, "{d14}"),
    "IE": lambda rng: rng.choice(("AIBK", "BOFI")) + shape(rng, "9{d13}"),
    "SE": lambda rng: rng.choice(("500", "600", "800")) + shape(rng, "0000{d13}"),
    "TR": lambda rng: rng.choice(("00061", "00010", "00062")) + shape(rng, "0{d16}"),
    "LU": lambda rng: "001" + shape(rng, "{d13}"),
    "DK": lambda rng: "0040" + shape(rng, "{d10}"),
}


def iban_plain(rng: Random, land: str = "") -> str:
    land = land or rng.choice(tuple(BBANS))
    bban = BBANS[land](rng)
    return f"{land}{98 - mod97(f'{bban}{land}00'):02d}{bban}"


def spaced(value: str) -> str:
    return " ".join(value[start : start + 4] for start in range(0, len(value), 4))


def iban(rng: Random) -> str:
    value = iban_plain(rng)
    return spaced(value) if rng.random() < 0.6 else value


def iban_maker(land: str, write: Callable[[str], str]) -> Callable[[Random], str]:
    """Return a maker of one country's IBANs, written in groups or in one piece."""
    return lambda rng: write(iban_plain(rng, land))


def aba_routing(rng: Random) -> str:
    body = rng.choice(("0210", "1110", "0260", "3222", "0610")) + shape(rng, "{d4}")
    return body + str(-weighted(body, (3, 7, 1, 3, 7, 1, 3, 7)) % 10)


def mx_clabe(rng: Random) -> str:
    body = rng.choice(("012", "002", "072", "014")) + "180" + shape(rng, "{d11}")
    total = sum(int(char) * (3, 7, 1)[place % 3] % 10 for place, char in enumerate(body))
    return body + str(-total % 10)


def seed_phrase(rng: Random, count: int = 12) -> str:
    """A BIP 39 phrase whose last word carries the checksum."""
    words, entropy = SEED_WORDS.split(), rng.randbytes(count * 4 // 3)
    check = count // 3
    number = int.from_bytes(entropy, "big") << check | hashlib.sha256(entropy).digest()[0] >> 8 - check
    return " ".join(words[number >> 11 * place & 2047] for place in reversed(range(count)))


def _base58(data: bytes) -> str:
    number, out = int.from_bytes(data, "big"), ""
    while number:
        number, place = divmod(number, 58)
        out = BASE58[place] + out
    return "1" * (len(data) - len(data.lstrip(b"\x00"))) + out


def _base58_checked(data: bytes) -> str:
    return _base58(data + hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4])


def bitcoin_wif(rng: Random) -> str:
    return _base58_checked(b"\x80" + rng.randbytes(32) + b"\x01")


def bitcoin_xprv(rng: Random) -> str:
    head = bytes.fromhex("0488ade4") + b"\x03" + rng.randbytes(4) + b"\x80\x00\x00\x00"
    return _base58_checked(head + rng.randbytes(32) + b"\x00" + rng.randbytes(32))


MONEY: Mapping[str, Callable[[Random], str]] = {
    "card": card,
    "card_plain": card_digits,
    "cvv": cvv,
    "cvv4": card_pin,
    "expiry": expiry,
    "expiry_long": lambda rng: f"{rng.randint(1, 12):02d}/20{rng.randint(27, 31)}",
    "expiry_tight": lambda rng: f"{rng.randint(1, 12):02d}{rng.randint(27, 31)}",
    "card_pin": card_pin,
    "iban": iban,
    "iban_plain": iban_plain,
    **{f"iban_{land.lower()}": iban_maker(land, spaced) for land in BBANS},
    **{f"iban_{land.lower()}_plain": iban_maker(land, str) for land in BBANS},
    "iban_lower": lambda rng: iban_plain(rng, "DE").lower(),
    "aba_routing": aba_routing,
    "us_account": lambda rng: shape(rng, rng.choice(("{n1}{d8}", "{n1}{d9}", "{n1}{d11}"))),
    "gb_sort": lambda rng: (
        f"{rng.choice((20, 30, 40, 60, 77, 82))}-{rng.randint(10, 99)}-{rng.randint(10, 99)}"
    ),
    "gb_account": lambda rng: shape(rng, "{n1}{d7}"),
    "au_bsb": lambda rng: rng.choice(("062", "032", "082", "012")) + shape(rng, "-{d3}"),
    "au_account": lambda rng: shape(rng, "{n1}{d7}"),
    "ca_account": lambda rng: shape(rng, "{n1}{d6}"),
    "de_account": lambda rng: shape(rng, "{n1}{d9}"),
    "in_account": lambda rng: shape(rng, "{n1}{d11}"),
    "jp_account": lambda rng: shape(rng, "{n1}{d6}"),
    "br_account": lambda rng: shape(rng, "{n1}{d5}-{d1}"),
    "se_account": lambda rng: shape(rng, "{n1}{d2} {d3} {d3}-{d1}"),
    "mx_clabe": mx_clabe,
    "seed12": seed_phrase,
    "seed24": lambda rng: seed_phrase(rng, 24),
    "wif": bitcoin_wif,
    "xprv": bitcoin_xprv,
    "eth_key": lambda rng: "0x" + rng.randbytes(32).hex(),
    "solana_key": lambda rng: _base58(rng.randbytes(64)),
    "binance_secret": lambda rng: shape(rng, "{a64}"),
    "coinbase_secret": lambda rng: b64encode(rng.randbytes(64)).decode(),
}
