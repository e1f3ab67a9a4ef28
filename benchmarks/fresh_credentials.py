"""Credentials of services, of programs and of wallets, for the fresh evaluation set.

`CREDENTIALS` says of each kind how a value is made, which variable usually holds it, which host takes it, and
whether the value's own shape gives it away; one without such a shape is only planted next to its name.
"""
# ruff: noqa: E501 - a table's row is one line

from __future__ import annotations

import base64
import hashlib
import json
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from urllib.parse import quote

from benchmarks.fresh_values import LAST, email
from benchmarks.planted_values import (
    ALNUM,
    BASE64,
    DIGITS,
    HEX,
    LOWER,
    NONZERO,
    UPPER,
    URLSAFE,
    Maker,
    chars,
    checked,
    encoded,
    of,
    one_of,
)  # fmt: skip

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


@dataclass(frozen=True, slots=True)
class Credential:
    """One kind of credential and its usual surroundings."""

    make: Maker
    variable: str
    host: str
    shaped: bool = True  # a public prefix or structure tells it from random text


def base58check(payload: bytes) -> str:
    payload += hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    number, text = int.from_bytes(payload), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return text


def jwt(rng: Random) -> str:
    claims = {"iss": "https://login.fjordpost.com", "sub": str(uuid.UUID(int=rng.getrandbits(128), version=4)),
              "email": email(rng), "exp": rng.randint(1_700_000_000, 1_900_000_000)}  # fmt: skip
    head = rng.choice([{"alg": "ES256", "kid": chars(rng, ALNUM, 8)}, {"typ": "JWT", "alg": "HS512"}])
    return ".".join(
        [*(encoded(json.dumps(part).encode()) for part in (head, claims)), encoded(rng.randbytes(64))]
    )


def key_block(rng: Random) -> str:
    """A private key in PEM: an elliptic curve's, an RSA key's, or OpenSSH's, whose start is that of real ones."""
    armour, start, rows = rng.choice([("PRIVATE KEY", "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg", 2),
        ("RSA PRIVATE KEY", "MIIJKQIBAAKCAgEA", 49), ("PRIVATE KEY", "MC4CAQAwBQYDK2VwBCIEI", 1),
        ("OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW", 5)])  # fmt: skip
    body = start + chars(rng, BASE64, 64 * rows - len(start) % 64)
    lines = [body[i : i + 64] for i in range(0, len(body), 64)]
    return "\n".join([f"-----BEGIN {armour}-----", *lines, f"-----END {armour}-----"])


def grafana(rng: Random) -> str:
    """A service account's token, whose end is the CRC32 of its middle."""
    body = "glsa_" + chars(rng, ALNUM, 32)
    return f"{body}_{zlib.crc32(body.encode()):08x}"


def age_key(rng: Random) -> str:
    """An identity of the tool age: 32 bytes in Bech32, whose checksum is BIP 173's."""
    number = int.from_bytes(rng.randbytes(32)) << 4  # 256 bits in 52 groups of five, the last one padded
    data = [number >> 5 * (51 - i) & 31 for i in range(52)]
    prefix = "age-secret-key-"
    expanded = [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]
    check = bech32_sum([*expanded, *data, *[0] * 6]) ^ 1
    data += [check >> 5 * (5 - i) & 31 for i in range(6)]
    return f"{prefix}1{''.join(BECH32[n] for n in data)}".upper()


def bech32_sum(values: list[int]) -> int:
    total = 1
    for value in values:
        top, total = total >> 25, (total & 0x1FFFFFF) << 5 ^ value
        for i, term in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            total ^= term if top >> i & 1 else 0
    return total


def discord(rng: Random) -> str:
    return f"{encoded(chars(rng, NONZERO, 19).encode())}.G{chars(rng, URLSAFE, 5)}.{chars(rng, ALNUM, 38)}"


def slack(rng: Random) -> str:
    user = f"xoxp-{'-'.join(chars(rng, NONZERO, 13) for _ in range(3))}-{chars(rng, HEX, 32)}"
    bot = f"xoxb-{chars(rng, NONZERO, 13)}-{chars(rng, NONZERO, 13)}-{chars(rng, ALNUM, 24)}"
    return rng.choice([user, bot, f"xoxe.xoxp-1-{chars(rng, ALNUM, 166)}"])


def wallet(rng: Random) -> str:
    """A Bitcoin private key in the wallet import format, of a compressed public key."""
    return base58check(b"\x80" + rng.randbytes(32) + b"\x01")


def guid(rng: Random) -> str:
    return "-".join(chars(rng, HEX, n) for n in (8, 4, 4, 4, 12))


CREDENTIALS: Mapping[str, Credential] = {
    "aws_key_id": Credential(one_of(of("AKIA", UPPER + "234567", 16), of("ASIA", UPPER + "234567", 16)), "AWS_ACCESS_KEY_ID", "sts.amazonaws.com"),
    "aws_secret": Credential(of("", BASE64, 40), "AWS_SECRET_ACCESS_KEY", "s3.amazonaws.com", False),
    "aws_session": Credential(of("IQoJb3JpZ2luX2Vj", BASE64, 340, "=="), "AWS_SESSION_TOKEN", "sts.amazonaws.com", False),
    "gcp_api": Credential(of("AIzaSy", URLSAFE, 33), "GEMINI_API_KEY", "generativelanguage.googleapis.com"),
    "gcp_access": Credential(of("ya29.a0", URLSAFE, 160), "CLOUDSDK_AUTH_ACCESS_TOKEN", "storage.googleapis.com"),
    "gcp_refresh": Credential(of("1//0g", URLSAFE, 98), "GOOGLE_REFRESH_TOKEN", "oauth2.googleapis.com", False),
    "gcp_client": Credential(of("GOCSPX-", URLSAFE, 28), "GOOGLE_CLIENT_SECRET", "accounts.google.com"),
    "azure_client": Credential(lambda rng: f"{chars(rng, ALNUM, 3)}8Q~{chars(rng, URLSAFE, 34)}", "AZURE_CLIENT_SECRET", "login.microsoftonline.com"),
    "azure_storage": Credential(lambda rng: base64.b64encode(rng.randbytes(64)).decode(), "AZURE_STORAGE_KEY", "blob.core.windows.net", False),
    "azure_devops": Credential(of("", LOWER + "234567", 52), "AZURE_DEVOPS_EXT_PAT", "dev.azure.com", False),
    "github": Credential(one_of(checked("ghp_"), checked("ghu_"), checked("ghs_"), checked("gho_")), "GH_TOKEN", "api.github.com"),
    "github_fine": Credential(lambda rng: f"github_pat_11{chars(rng, UPPER + DIGITS, 20)}_{chars(rng, ALNUM, 59)}", "GITHUB_PAT", "api.github.com"),
    "gitlab": Credential(one_of(of("glpat-", URLSAFE, 20), of("glrt-", URLSAFE, 20), of("gldt-", URLSAFE, 20)), "GITLAB_TOKEN", "gitlab.com"),
    "slack": Credential(slack, "SLACK_TOKEN", "slack.com"),
    "stripe": Credential(one_of(of("sk_live_51", ALNUM, 97), of("rk_live_51", ALNUM, 97)), "STRIPE_SECRET_KEY", "api.stripe.com"),
    "stripe_hook": Credential(of("whsec_", ALNUM, 32), "STRIPE_SIGNING_SECRET", "dashboard.stripe.com"),
    "openai": Credential(lambda rng: f"sk-{rng.choice(['proj', 'svcacct', 'admin'])}-{chars(rng, URLSAFE, 74)}T3BlbkFJ{chars(rng, URLSAFE, 73)}9",
                         "OPENAI_API_KEY", "api.openai.com"),
    "anthropic": Credential(one_of(of("sk-ant-api03-", URLSAFE, 93, "AA"), of("sk-ant-oat01-", URLSAFE, 93, "AA"), of("sk-ant-admin01-", URLSAFE, 93, "AA")),
                            "ANTHROPIC_AUTH_TOKEN", "api.anthropic.com"),
    "twilio": Credential(of("", HEX, 32), "TWILIO_AUTH_TOKEN", "api.twilio.com", False),
    "sendgrid": Credential(lambda rng: f"SG.{chars(rng, ALNUM, 22)}.{chars(rng, URLSAFE, 42)}k", "SENDGRID_API_KEY", "api.sendgrid.com"),
    "npm": Credential(checked("npm_"), "NODE_AUTH_TOKEN", "registry.npmjs.org"),
    "pypi": Credential(of("pypi-AgEIcHlwaS5vcmc", URLSAFE, 160), "TWINE_PASSWORD", "packages.example.net"),
    "huggingface": Credential(of("hf_", UPPER + LOWER, 34), "HUGGING_FACE_HUB_TOKEN", "huggingface.co"),
    "telegram": Credential(lambda rng: f"{rng.randint(10**9, 8 * 10**9)}:AA{rng.choice('EFGH')}{chars(rng, URLSAFE, 32)}", "TG_BOT", "api.telegram.org"),
    "discord": Credential(discord, "DISCORD_TOKEN", "discord.com"),
    "jwt": Credential(jwt, "SUPABASE_SERVICE_ROLE", "fjordpost.supabase.co"),
    "shopify": Credential(of("shpat_", HEX, 32), "SHOPIFY_ADMIN", "fjordpost.myshopify.com"),
    "square": Credential(of("sq0csp-", URLSAFE, 43), "SQUARE_SECRET", "connect.squareup.com"),
    "mailgun": Credential(lambda rng: f"{chars(rng, HEX, 32)}-{chars(rng, HEX, 8)}-{chars(rng, HEX, 8)}", "MAILGUN_API_KEY", "api.mailgun.net", False),
    "mailchimp": Credential(of("", HEX, 32, "-us14"), "MAILCHIMP_KEY", "us14.api.mailchimp.com"),
    "datadog": Credential(of("", HEX, 32), "DD_API_KEY", "api.datadoghq.eu", False),
    "newrelic": Credential(of("NRAK-", UPPER + DIGITS, 27), "NEW_RELIC_USER_KEY", "api.newrelic.com"),
    "grafana": Credential(grafana, "GRAFANA_TOKEN", "grafana.fjordpost.com"),
    "linear": Credential(of("lin_api_", ALNUM, 40), "LINEAR_KEY", "api.linear.app"),
    "notion": Credential(lambda rng: f"ntn_{chars(rng, DIGITS, 11)}{chars(rng, ALNUM, 35)}", "NOTION_TOKEN", "api.notion.com"),
    "digitalocean": Credential(of("dop_v1_", HEX, 64), "DIGITALOCEAN_ACCESS_TOKEN", "api.digitalocean.com"),
    "heroku": Credential(guid, "HEROKU_API_KEY", "api.heroku.com", False),
    "fly": Credential(of("fm2_", BASE64, 180), "FLY_API_TOKEN", "api.fly.io", False),
    "doppler": Credential(of("dp.pt.", ALNUM, 43), "DOPPLER_TOKEN", "api.doppler.com"),
    "vault": Credential(of("hvs.CAESI", URLSAFE, 86), "VAULT_TOKEN", "vault.fjordpost.com:8200"),
    "terraform": Credential(lambda rng: f"{chars(rng, ALNUM, 14)}.atlasv1.{chars(rng, ALNUM, 67)}", "TF_TOKEN", "app.terraform.io"),
    "docker": Credential(of("dckr_pat_", URLSAFE, 27), "DOCKERHUB_TOKEN", "hub.docker.com"),
    "postman": Credential(lambda rng: f"PMAK-{chars(rng, HEX, 24)}-{chars(rng, HEX, 34)}", "POSTMAN_KEY", "api.getpostman.com"),
    "groq": Credential(of("gsk_", ALNUM, 52), "GROQ_API_KEY", "api.groq.com"),
    "replicate": Credential(of("r8_", ALNUM, 37), "REPLICATE_API_TOKEN", "api.replicate.com"),
    "databricks": Credential(of("dapi", HEX, 32), "DATABRICKS_TOKEN", "adb.azuredatabricks.net"),
    "supabase": Credential(of("sbp_", HEX, 40), "SUPABASE_ACCESS_TOKEN", "api.supabase.com"),
    "airtable": Credential(lambda rng: f"pat{chars(rng, ALNUM, 14)}.{chars(rng, HEX, 64)}", "AIRTABLE_TOKEN", "api.airtable.com"),
    "atlassian": Credential(lambda rng: f"ATATT3xFfGF0{chars(rng, URLSAFE, 171)}={chars(rng, HEX, 8).upper()}", "JIRA_TOKEN", "fjordpost.atlassian.net"),
    "rubygems": Credential(of("rubygems_", HEX, 48), "GEM_HOST_API_KEY", "rubygems.org"),
    "age_key": Credential(age_key, "SOPS_AGE_KEY", "git.fjordpost.com"),
    "wallet_key": Credential(wallet, "BTC_WIF_PRIVATE_KEY", "node.fjordpost.com", False),
    "eth_key": Credential(of("0x", HEX, 64), "ETH_PRIVATE_KEY", "mainnet.infura.io", False),
    "opaque": Credential(one_of(of("", ALNUM, 40), of("", HEX, 48), of("", ALNUM, 64)), "INTERNAL_API_KEY", "api.fjordpost.com", False),
    "signing": Credential(one_of(of("", HEX, 64), of("", URLSAFE, 50)), "SESSION_SECRET", "shop.fjordpost.com", False),
}  # fmt: skip

PIECES: Mapping[str, Maker] = {  # secrets that stand inside a longer text of their service's
    "key_block": key_block, "key_escaped": lambda rng: key_block(rng).replace("\n", "\\n"),
    "key_indented": lambda rng: key_block(rng).replace("\n", "\n    "),
    "basic": lambda rng: base64.b64encode(f"{rng.choice(LAST)}:{chars(rng, ALNUM, 14)}".encode()).decode(),
    "hook24": of("", ALNUM, 24), "hook68": of("", URLSAFE, 68), "base32": of("", UPPER + "234567", 32),
    "session24": of("", LOWER + DIGITS, 24), "azure_bus": lambda rng: base64.b64encode(rng.randbytes(32)).decode(),
    "sas": lambda rng: quote(base64.b64encode(rng.randbytes(32)).decode(), safe=""),
}  # fmt: skip
