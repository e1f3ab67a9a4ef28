"""Makers of harmless values in the form of secrets and personal data, for the fresh look-alikes.

`HARMLESS` maps the names that stand in templates as `{{name}}` to makers. A number that could be a card, an
account or a person's number fails the check that a real one passes, so that a rule without the check is found
out; numbers of parcels, articles and securities are in their own real forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from benchmarks.fresh_numbers import VALID, iban, verhoeff_holds
from benchmarks.planted_look_alikes import HARMLESS as COMMON
from benchmarks.planted_values import (
    ALNUM,
    BASE64,
    DIGITS,
    HEX,
    UPPER,
    Maker,
    chars,
    ean,
    luhn,
    not_card,
    of,
    one_of,
    pattern,
)

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def wrong(kind: str, form: str) -> Maker:
    """A maker of numbers in the form of a person's number, whose check fails. Form: # a digit, @ a letter."""

    def make(rng: Random) -> str:
        while VALID[kind]((value := pattern(form)(rng)).replace(".", "").replace("-", "").replace(" ", "")):
            pass
        return value

    return make


def wrong_iban(country: str) -> Maker:
    """A maker of what would be an IBAN, had its check digits not been moved by one."""

    def make(rng: Random) -> str:
        value = iban(country)(rng)
        while any(map(luhn, _runs(value))):
            value = iban(country)(rng)
        return f"{country}{(int(value[2:4]) + 1) % 100:02d}{value[4:]}"

    return make


def _runs(value: str) -> list[str]:
    """The runs of four groups of a spaced value that a reader could take for a card."""
    groups = value.split(" ")
    joined = ["".join(groups[i : i + 4]) for i in range(len(groups))]
    return [run for run in joined if run.isdigit() and len(run) == 16]


def unlike_card(*forms: str) -> Maker:
    """A maker of a pattern's numbers whose digits, read as one number, fail Luhn."""

    def make(rng: Random) -> str:
        while luhn("".join(filter(str.isdigit, value := pattern(*forms)(rng)))):
            pass
        return value

    return make


def grouped(make: Maker) -> Maker:
    return lambda rng: " ".join(_fours(make(rng)))


def _fours(text: str) -> list[str]:
    return [text[i : i + 4] for i in range(0, len(text), 4)]


def isbn(rng: Random) -> str:
    plain = ean("978")(rng)
    return f"{plain[:3]}-{plain[3]}-{plain[4:7]}-{plain[7:12]}-{plain[12]}"


def twelve(rng: Random) -> str:
    while verhoeff_holds(number := "4" + chars(rng, DIGITS, 11)):
        pass
    return number


def pem(label: str, start: str) -> Maker:
    def make(rng: Random) -> str:
        body = start + chars(rng, BASE64, 256 - len(start))
        return "\n".join(
            [
                f"-----BEGIN {label}-----",
                *(body[i : i + 64] for i in range(0, 256, 64)),
                f"-----END {label}-----",
            ]
        )

    return make


HARMLESS: Mapping[str, Maker] = {
    **COMMON, "order": unlike_card("BST-7####", "#4####-A", "PO/2025/0###", "3##-41#####-2#####5"),
    "invoice": pattern("RE-2025-0###", "FAC/25/###"), "ticket": pattern("HELP-2###", "SUP-4##"),
    "rma": pattern("RET-5####"), "sku": pattern("LMP-@@-2#", "BX#-@4#"), "ups": pattern("1Z@4#W#@0#4#2#3#6#"),
    "parcel": one_of(not_card(14, "0"), not_card(16, "3"), not_card(18, "00")),
    "usps": grouped(not_card(18, "9400")), "s10": pattern("LX4#2#1#8#DE", "CP#2#4#6#1#FR"),
    "spaced16": grouped(not_card(16, "4")), "spaced16b": grouped(not_card(16, "5")),
    "plain16": not_card(16, "5"), "dashed16": lambda rng: "-".join(_fours(not_card(16, "4")(rng))),
    "digits17": pattern("#" * 17), "upper8": of("", UPPER + DIGITS, 8), "amexish": not_card(15, "37"),
    "isbn_dashed": isbn, "isin": pattern("US0#78#3#1##5", "DE000@1@#W##"),
    **{f"wrong_iban_{country}": wrong_iban(country) for country in ("DE", "GB", "FR", "NL", "PL", "ES")},
    "not_cpf": wrong("cpf", "###.###.###-##"), "not_dni": wrong("dni", "########@"),
    "not_pesel": wrong("pesel", "9#0#1######"), "not_bsn": wrong("bsn", "4########"), "twelve": twelve,
    "ulid": of("01J", CROCKFORD, 23), "object_id": of("66f", HEX, 21), "nano": not_card(19, "17"),
    "integrity": of("", BASE64, 86, "=="), "h1": of("h1:", BASE64, 43, "="),
    "nix": of("", "0123456789abcdfghijklmnpqrsvwxyz", 32),
    "print": lambda rng: ":".join(chars(rng, HEX[:16].upper(), 2) for _ in range(20)),
    "fingerprint": of("SHA256:", BASE64, 43), "certificate": pem("CERTIFICATE", "MIIDazCCAlOgAwIBAgIU"),
    "public_key": pem("PUBLIC KEY", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA"),
    "ssh_public": of("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", BASE64, 43),
    "png": of("iVBORw0KGgoAAAANSUhEUgAA", BASE64, 90, "=="),
    "svg": of("PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmci", BASE64, 44),
    "woff": of("d09GMgABAAAAA", BASE64, 99), "etag": of('W/"', HEX, 20, '"'), "slug": of("", ALNUM, 11),
}  # fmt: skip
