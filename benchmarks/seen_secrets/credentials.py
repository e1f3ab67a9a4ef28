# ruff: noqa: E501, SIM905
"""Credentials that carry structure: a random source enters, a value with true checksums and encodings leaves."""

from __future__ import annotations

import json
import zlib
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from random import Random
from urllib.parse import quote

from benchmarks.seen_secrets.key_files import KEY_FILES, pem_ec
from benchmarks.seen_secrets.shapes import ALPHABETS, DIGITS, LOWER, UPPER, UUID, shape

BASE62 = DIGITS + UPPER + LOWER
WORDS = (
    "Marmot Teekanne Gewitter Fjord Zeppelin kastanje Papaya brouillard Nordwind Tornado galleta Hummel "
    "caramel Lagune pioggia Sapin Walnuss kestane jaskinia morgen Orkan Trombone Blaubeer velero Amsel "
    "copper Lantern bicycle Kiwi glacier Pepper Otter canyon"
).split()


def crc62(body: str) -> str:
    rest, out = zlib.crc32(body.encode()), ""
    while rest:
        rest, place = divmod(rest, 62)
        out = BASE62[place] + out
    return out.rjust(6, "0")


def github(rng: Random, prefix: str) -> str:
    """A classic GitHub or npm token: 30 random characters and the CRC-32 of them in base 62."""
    body = shape(rng, "{a30}")
    return f"{prefix}_{body}{crc62(body)}"


def _url64(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def jwt(rng: Random) -> str:
    """A signed token whose header and claims are real JSON."""
    algorithm, length = rng.choice((("HS256", 32), ("RS256", 256), ("ES256", 64), ("EdDSA", 64)))
    header = {"alg": algorithm, "typ": "JWT"}
    if algorithm != "HS256":
        header["kid"] = shape(rng, "{h16}")
    issued = rng.randint(1_760_000_000, 1_790_000_000)
    claims = {
        "sub": shape(rng, rng.choice((UUID, "auth0|{h24}", "{n1}{d5}"))),
        "iat": issued,
        "exp": issued + 3600,
    }
    claims["scope"] = rng.choice(("orders:read", "admin", "openid profile", "read write"))
    head, body = (_url64(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    return f"{head}.{body}.{_url64(rng.randbytes(length))}"


def password(rng: Random) -> str:
    """A password as people and generators make them; safe inside JSON, YAML and shell quotes."""
    word, other = rng.sample(WORDS, 2)
    number, mark = str(rng.randint(10, 9999)), rng.choice("!*#_.+-?=%")
    return rng.choice(
        (
            f"{word}{number}{mark}",
            f"{word.capitalize()}{mark}{other}{number}",
            f"{word.lower()}-{other.lower()}-{rng.choice(WORDS).lower()}-{number}",
            f"{word.replace('a', '4').replace('e', '3').replace('o', '0')}{mark}{number}",
            shape(rng, "{a5}") + mark + shape(rng, "{a8}") + rng.choice("!*#%"),
            shape(rng, "{L1}{a13}{d2}"),
            shape(rng, "{l3}{U2}{d2}") + mark + shape(rng, "{l4}{n1}"),
            f"{rng.choice('_+')}{other}{number}{word.upper()}",
        )
    )


def url_password(rng: Random) -> str:
    """A password as it stands in a URL, with its reserved characters percent-encoded."""
    return quote(password(rng).replace("#", "@"), safe="")


def basic_auth(rng: Random) -> str:
    user = rng.choice(("svc-export", "deploy", "reporting", "shopadmin", "edi_user"))
    return b64encode(f"{user}:{password(rng)}".encode()).decode()


def docker_auth(rng: Random) -> str:
    return b64encode(f"ci-push:{shape(rng, 'dckr_pat_{w27}')}".encode()).decode()


def k8s_data(rng: Random) -> str:
    return b64encode(password(rng).encode()).decode()


def wireguard(rng: Random) -> str:
    raw = bytearray(rng.randbytes(32))
    raw[0] &= 248
    raw[31] = (raw[31] & 127) | 64
    return b64encode(bytes(raw)).decode()


def azure_storage(rng: Random) -> str:
    return shape(rng, "{b76}+ASt{a6}==")


def azure_secret(rng: Random) -> str:
    return shape(rng, "{a3}8Q~{w33}") + rng.choice("abcDEF")


def azure_cognitive(rng: Random) -> str:
    return shape(rng, "{a52}JQQJ99BGAC{a14}ACOG{a4}")


def base64_key(rng: Random) -> str:
    return b64encode(rng.randbytes(32)).decode()


def hex_signature(rng: Random) -> str:
    return rng.randbytes(32).hex()


def sas_signature(rng: Random) -> str:
    return quote(base64_key(rng), safe="")


def totp_seed(rng: Random) -> str:
    return b32encode(rng.randbytes(20)).decode()


def totp_spaced(rng: Random) -> str:
    seed = b32encode(rng.randbytes(20)).decode().lower()
    return " ".join(seed[start : start + 4] for start in range(0, 32, 4))


def kubeconfig_key(rng: Random) -> str:
    return b64encode(pem_ec(rng).encode()).decode()


def age_key(rng: Random) -> str:
    return "AGE-SECRET-KEY-1" + "".join(rng.choices("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", k=58))


def django_key(rng: Random) -> str:
    return "".join(rng.choices(LOWER + DIGITS + "!@#%^&*(-_=+)", k=50))


def one_time(rng: Random, size: int) -> str:
    """A code of digits that is no run and no year."""
    while True:
        code = "".join(rng.choices(DIGITS, k=size))
        if len(set(code)) > 2 and not code.startswith(("19", "20", "0")):
            return code


CREDENTIALS: Mapping[str, Callable[[Random], str]] = {
    **KEY_FILES,
    "pypi_token": lambda rng: shape(rng, "pypi-AgEIcHlwaS5vcmcC{w158}Q"),
    "stripe_live": lambda rng: shape(rng, "sk_live_51{a99}"),
    "ghp": lambda rng: github(rng, "ghp"),
    "gho": lambda rng: github(rng, "gho"),
    "ghs": lambda rng: github(rng, "ghs"),
    "npm_token": lambda rng: github(rng, "npm"),
    "jwt": jwt,
    "password": password,
    "url_password": url_password,
    "basic_auth": basic_auth,
    "docker_auth": docker_auth,
    "k8s_data": k8s_data,
    "wireguard": wireguard,
    "azure_storage": azure_storage,
    "azure_secret": azure_secret,
    "azure_cognitive": azure_cognitive,
    "base64_key": base64_key,
    "hex_signature": hex_signature,
    "sas_signature": sas_signature,
    "totp_seed": totp_seed,
    "totp_spaced": totp_spaced,
    "kubeconfig_key": kubeconfig_key,
    "age_key": age_key,
    "django_key": django_key,
    "aws_id": lambda rng: shape(rng, "AKIA{z16}"),
    "aws_temporary_id": lambda rng: shape(rng, "ASIA{z16}"),
    "aws_secret": lambda rng: shape(rng, "{b39}") + rng.choice(ALPHABETS["a"]),
    "aws_session": lambda rng: shape(rng, "IQoJb3JpZ2luX2Vj{b16}{a300}{b200}=="),
    "bedrock_key": lambda rng: shape(rng, "ABSKQmVkcm9ja0FQSUtleS1{a60}{b30}="),
    "google_access": lambda rng: shape(rng, "ya29.a0AS3H6N{w180}0163"),
    "google_refresh": lambda rng: shape(rng, "1//0{d1}{w90}L"),
    "google_client_secret": lambda rng: shape(rng, "GOCSPX-{w27}8"),
    "google_map_key": lambda rng: shape(rng, "AIzaSy{w32}c"),
    "microsoft_refresh": lambda rng: shape(rng, "1.AR{a22}AAAAAAAAAAAAAAAA{w400}"),
    "opaque32": lambda rng: shape(rng, "{a32}"),
    "opaque43": lambda rng: shape(rng, "{w42}8"),
    "opaque64": lambda rng: shape(rng, "{a64}"),
    "hex32": lambda rng: shape(rng, "{h32}"),
    "hex40": lambda rng: shape(rng, "{h40}"),
    "hex64": lambda rng: shape(rng, "{h64}"),
    "uuid_token": lambda rng: shape(rng, UUID),
    "slack_hook": lambda rng: shape(rng, "T0{u9}/B0{u9}/{a24}"),
    "discord_hook": lambda rng: shape(rng, "13{d17}/{w67}A"),
    "teams_sig": lambda rng: shape(rng, "{w43}"),
    "recovery_hex": lambda rng: shape(rng, "{h5}-{h5}"),
    "recovery_digits": lambda rng: shape(rng, "{n1}{d3} {d4}"),
    "recovery_block": lambda rng: shape(rng, "{z4}-{z4}-{z4}-{z4}"),
    "bitlocker": lambda rng: "-".join(f"{11 * rng.randint(9091, 59000):06d}" for _ in range(8)),
    "apple_recovery": lambda rng: "-".join(shape(rng, "{u4}") for _ in range(6)),
    "otp6": lambda rng: one_time(rng, 6),
    "otp8": lambda rng: one_time(rng, 8),
    "otp4": lambda rng: one_time(rng, 4),
    "otp_spaced": lambda rng: f"{one_time(rng, 3)} {one_time(rng, 3)}",
    "otp_google": lambda rng: f"G-{one_time(rng, 6)}",
    "wifi": lambda rng: shape(rng, rng.choice(("{d20}", "{l4}{n1}{l4}{n1}{l4}", "{u4}-{u4}-{u4}-{u4}"))),
    "android_wifi": lambda rng: shape(rng, "{L3}{d4}{l4}"),
    "magic": lambda rng: shape(rng, rng.choice(("{w42}8", "{h40}", "{a64}"))),
    "django_session": lambda rng: shape(rng, "{v32}"),
    "php_session": lambda rng: shape(rng, "{v26}"),
    "connect_sid": lambda rng: "s%3A" + shape(rng, "{w32}.{a40}%2B{a2}"),
    "snapshot_sig": lambda rng: shape(rng, "{h64}"),
    "cloudfront_sig": lambda rng: shape(rng, "{w340}__"),
    "password_hash": lambda rng: "$2b$12$" + shape(rng, "{a53}"),
}
