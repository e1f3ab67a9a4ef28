# ruff: noqa: E501, SIM905
"""Values that name no person and open no door: a random source enters, an order number, hash or time leaves."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random

from benchmarks.seen_secrets.check_digits import digits, ean13, luhn, mod97
from benchmarks.seen_secrets.shapes import UUID, shape

FIRST = "Ines Jakub Tom Sofia Mehmet Giulia Paul Rieke Ana Kenji Lena Priya Olu Marek Charlotte Noah Yuki Fatma".split()
LAST = "Moreau Kowal Vermeulen Lindqvist Aydin Ricci Connor Brandt Figueira Mori Vogt Raman Whitfield Tanabe".split()
CITIES = "Lyon Utrecht Gdańsk Leeds Porto Malmö Graz Bologna Sevilla Osaka Denver İzmir Bremen Ghent".split()
GOODS = "kettle,desk lamp,hiking boots,e-bike battery,coffee grinder,rain jacket,router,office chair,blender".split(
    ","
)


def moment(rng: Random) -> datetime:
    return datetime(2026, 1, 5, tzinfo=UTC) + timedelta(seconds=rng.randrange(300 * 86_400))


def bad_card(rng: Random) -> str:
    """Sixteen digits that fail the Luhn rule."""
    body = rng.choice("45") + shape(rng, "{d14}")
    return body + str((int(luhn(body)) + rng.randint(1, 9)) % 10)


def grouped(value: str) -> str:
    return " ".join(value[start : start + 4] for start in range(0, len(value), 4))


def bad_iban(rng: Random) -> str:
    """The form of a German IBAN with check digits that do not fit."""
    bban = shape(rng, "{d18}")
    return grouped(f"DE{(98 - mod97(f'{bban}DE00') + rng.randint(1, 90)) % 97 + 2:02d}{bban}")


def png(rng: Random) -> str:
    """The base 64 of a small image file's head and compressed body."""
    head = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000200000002008060000")
    return b64encode(head + zlib.compress(rng.randbytes(120))).decode()


def ups(rng: Random) -> str:
    return shape(rng, "1Z{u6}{d10}")


def isbn13(rng: Random) -> str:
    body = "9783" + shape(rng, "{d8}")
    return f"978-3-{body[4:7]}-{body[7:12]}-{ean13(body)}"


def ean(rng: Random) -> str:
    body = "40" + shape(rng, "{d10}")
    return body + ean13(body)


def not_luhn(rng: Random, size: int) -> str:
    body = digits(rng, size - 1)
    return body + str((int(luhn(body)) + rng.randint(1, 9)) % 10)


HARMLESS_VALUES: Mapping[str, Callable[[Random], str]] = {
    "first": lambda rng: rng.choice(FIRST),
    "last": lambda rng: rng.choice(LAST),
    "name": lambda rng: f"{rng.choice(FIRST)} {rng.choice(LAST)}",
    "city": lambda rng: rng.choice(CITIES),
    "goods": lambda rng: rng.choice(GOODS),
    "uuid": lambda rng: shape(rng, UUID),
    "hex7": lambda rng: shape(rng, "{n1}{h4}a{h1}"),
    "sha1": lambda rng: shape(rng, "{h40}"),
    "sha256": lambda rng: shape(rng, "{h64}"),
    "md5": lambda rng: shape(rng, "{h32}"),
    "trace": lambda rng: shape(rng, "{h32}"),
    "span": lambda rng: shape(rng, "{h16}"),
    "sri": lambda rng: "sha512-" + b64encode(rng.randbytes(64)).decode(),
    "goh1": lambda rng: "h1:" + b64encode(rng.randbytes(32)).decode(),
    "order": lambda rng: shape(rng, rng.choice(("{n1}{d5}", "A-{d5}", "ORD-2026-{d5}", "{n1}{d7}"))),
    "order10": lambda rng: not_luhn(rng, 10),
    "order16": lambda rng: not_luhn(rng, 16),
    "invoice": lambda rng: shape(rng, "RE-2026-{d4}"),
    "ticket": lambda rng: shape(rng, "{U3}-{n1}{d3}"),
    "sku": lambda rng: shape(rng, "{U2}-{d4}-{U3}"),
    "tracking": lambda rng: shape(rng, rng.choice(("00340{d15}", "JJD{d18}", "RR{d9}DE", "{n1}{d13}"))),
    "ups": ups,
    "isbn": isbn13,
    "ean": ean,
    "bad_card": bad_card,
    "bad_card_spaced": lambda rng: grouped(bad_card(rng)),
    "bad_iban": bad_iban,
    "day": lambda rng: f"{moment(rng):%Y-%m-%d}",
    "day_de": lambda rng: f"{moment(rng):%d.%m.%Y}",
    "day_us": lambda rng: f"{moment(rng):%m/%d/%Y}",
    "clock": lambda rng: f"{moment(rng):%H:%M}",
    "iso": lambda rng: f"{moment(rng):%Y-%m-%dT%H:%M:%SZ}",
    "log": lambda rng: f"{moment(rng):%Y-%m-%d %H:%M:%S},{rng.randint(0, 999):03d}",
    "epoch": lambda rng: str(int(moment(rng).timestamp())),
    "epoch_ms": lambda rng: str(int(moment(rng).timestamp()) * 1000 + rng.randint(0, 999)),
    "compact": lambda rng: f"{moment(rng):%Y%m%d%H%M%S}",
    "amount": lambda rng: f"{rng.randint(3, 900)}.{rng.randint(0, 99):02d}",
    "amount_de": lambda rng: f"{rng.randint(3, 900)},{rng.randint(0, 99):02d}",
    "count": lambda rng: str(rng.randint(2, 480)),
    "big": lambda rng: str(rng.randint(10_000, 9_999_999)),
    "percent": lambda rng: f"{rng.uniform(1, 99):.1f}",
    "float": lambda rng: f"{rng.uniform(-1, 1):.12f}",
    "version": lambda rng: f"{rng.randint(0, 14)}.{rng.randint(0, 40)}.{rng.randint(0, 20)}",
    "version4": lambda rng: (
        f"{rng.randint(1, 14)}.{rng.randint(0, 40)}.{rng.randint(100, 250)}.{rng.randint(0, 99)}"
    ),
    "lan_ip": lambda rng: f"192.168.{rng.randint(0, 60)}.{rng.randint(2, 250)}",
    "pod_ip": lambda rng: f"10.{rng.randint(0, 250)}.{rng.randint(0, 250)}.{rng.randint(2, 250)}",
    "doc_ip": lambda rng: f"{rng.choice(('203.0.113', '198.51.100', '192.0.2'))}.{rng.randint(2, 250)}",
    "port": lambda rng: str(rng.choice((3000, 5432, 6379, 8000, 8080, 9090))),
    "status": lambda rng: str(rng.choice((200, 201, 204, 404, 409, 422))),
    "pid": lambda rng: str(rng.randint(200, 64_000)),
    "wg_public": lambda rng: b64encode(rng.randbytes(32)).decode(),
    "png": png,
    "user_id": lambda rng: shape(rng, "usr_{a14}"),
    "stripe_id": lambda rng: shape(rng, "{a14}"),
    "aws_account": lambda rng: not_luhn(rng, 12),
    "call": lambda rng: shape(rng, "call_{a24}"),
    "request": lambda rng: shape(rng, "req_{a24}"),
    "pod": lambda rng: shape(rng, "{v9}-{v5}"),
    "slug": lambda rng: rng.choice(("checkout", "billing", "returns", "stock-sync", "support-bot", "ledger")),
    "nano": lambda rng: shape(rng, "{w21}"),
    "build": lambda rng: shape(rng, "{n1}{d7}"),
    "asin": lambda rng: shape(rng, "B0{u8}"),
    "git_object": lambda rng: shape(rng, "{h7}..{h7}"),
    "phone_like": lambda rng: shape(rng, "{n1}{d9}"),
}
