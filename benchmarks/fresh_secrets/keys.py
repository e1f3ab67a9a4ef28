"""Credentials in the shapes that their issuers give them, passwords as people make them, and wallets.

A generator enters; one value leaves, random. Where an issuer computes check signs (GitHub, npm, wallets), they are
computed. Nothing here opens anything.
"""
# ruff: noqa: E501

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from random import Random

from benchmarks.fresh_secrets.fill import Maker, pattern
from benchmarks.fresh_secrets.numbers import Check

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
WORDS = ["Sommer", "Liverpool", "Bella", "Mustang", "Schalke", "Principessa", "Corazon", "Dragon", "Monsoon", "Gizmo", "Chouette", "Barcelona", "Wiosna", "Karadeniz", "Pumpkin", "Harley", "Sakura", "Flamengo", "Charlie", "Winter", "Schnecke", "Napoli", "Tequila", "Biscuit", "Lighthouse", "Trabzon"]  # fmt: skip
PLAIN_WORDS = [
    "lantern",
    "cobalt",
    "otter",
    "fig",
    "harbor",
    "velvet",
    "cactus",
    "ember",
    "tundra",
    "pickle",
    "saddle",
    "quartz",
    "meadow",
    "thimble",
    "walnut",
    "glacier",
]
SEED_WORDS = ["orbit", "velvet", "ladder", "casino", "trumpet", "minor", "drift", "salmon", "pepper", "kingdom", "ribbon", "narrow", "galaxy", "picnic", "lawsuit", "enrich", "obvious", "tornado", "hazard", "cement", "useful", "whisper", "dolphin", "marble", "effort", "bronze", "carbon", "divert", "unlock", "frozen"]  # fmt: skip


def base58check(payload: bytes) -> str:
    """A wallet's address or key: the payload and four bytes of its double hash."""
    raw = payload + hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
    return base58(raw)


def base58(raw: bytes) -> str:
    value, signs = int.from_bytes(raw, "big"), ""
    while value:
        value, rest = divmod(value, 58)
        signs = BASE58[rest] + signs
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + signs


def base58_holds(value: str) -> bool:
    number = 0
    for sign in value:
        number = number * 58 + BASE58.index(sign)
    body = number.to_bytes(max(25, (number.bit_length() + 7) // 8), "big")
    return hashlib.sha256(hashlib.sha256(body[:-4]).digest()).digest()[:4] == body[-4:]


def _polymod(values: list[int]) -> int:
    state = 1
    for value in values:
        top = state >> 25
        state = (state & 0x1FFFFFF) << 5 ^ value
        for bit, term in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            state ^= term if (top >> bit) & 1 else 0
    return state


def bech32(prefix: str, data: list[int]) -> str:
    """An address of the newer form: prefix, five-bit groups and six check signs."""
    spread = [ord(sign) >> 5 for sign in prefix] + [0] + [ord(sign) & 31 for sign in prefix]
    rest = _polymod([*spread, *data, 0, 0, 0, 0, 0, 0]) ^ 1
    return prefix + "1" + "".join(BECH32[v] for v in [*data, *(rest >> 5 * (5 - i) & 31 for i in range(6))])


def bech32_holds(value: str) -> bool:
    prefix, data = value.lower().rsplit("1", 1)
    spread = [ord(sign) >> 5 for sign in prefix] + [0] + [ord(sign) & 31 for sign in prefix]
    return _polymod(spread + [BECH32.index(sign) for sign in data]) == 1


def _text(signs: str) -> Maker:
    return lambda rng: pattern(rng, signs)


def _after(head: str, signs: str, tail: str = "") -> Maker:
    """A fixed head, signs by a pattern, a fixed tail."""
    return lambda rng: head + pattern(rng, signs) + tail


def _bytes(size: int) -> Maker:
    return lambda rng: base64.b64encode(rng.randbytes(size)).decode()


def _checked(head: str) -> Maker:
    """GitHub's and npm's tokens: thirty signs and their CRC32 in base 62."""

    def make(rng: Random) -> str:
        body = pattern(rng, "w*30")
        rest, signs = zlib.crc32(body.encode()), ""
        while rest:
            rest, place = divmod(rest, 62)
            signs = BASE62[place] + signs
        return head + body + signs.rjust(6, "0")

    return make


def _segment(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")


def _jwt(rng: Random) -> str:
    start = 1_770_000_000 + rng.randrange(20_000_000)
    head = {"alg": rng.choice(("HS256", "RS256", "ES256")), "typ": "JWT"}
    claims = {
        "sub": pattern(rng, "h*8"),
        "iss": "https://login.northbeam.io",
        "iat": start,
        "exp": start + 3600,
    }
    return f"{_segment(head)}.{_segment(claims)}.{pattern(rng, 'b*43')}"


def _jwe(rng: Random) -> str:
    return f"{_segment({'alg': 'dir', 'enc': 'A256GCM'})}..{pattern(rng, 'b*16')}.{pattern(rng, 'b*180')}.{pattern(rng, 'b*22')}"


def _password(rng: Random) -> str:
    word, other, year = rng.choice(WORDS), rng.choice(WORDS).lower(), rng.randrange(1961, 2027)
    return rng.choice([f"{word}{year}!", f"{word.lower()}{year}", f"{word}#{year % 100:02d}{other[:3]}", word.replace("e", "3").replace("o", "0") + pattern(rng, "dd$"),
                       f"{word}_{other}_{year % 100:02d}", pattern(rng, "wwwww-wwwww-wdw"), f"!{other}{word}{pattern(rng, 'dd')}", f"{other}.{word}@{year}"])  # fmt: skip


def _strong(rng: Random) -> str:
    signs = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#%*+?_"
    return (
        rng.choice("ABCXYZ")
        + "".join(rng.choice(signs) for _ in range(rng.choice((11, 13, 17))))
        + pattern(rng, "dd")
    )


def _words(words: list[str], size: int, by: str) -> Maker:
    return lambda rng: by.join(rng.sample(words, size))


def _wif(rng: Random) -> str:
    return base58check(b"\x80" + rng.randbytes(32) + b"\x01")


def _ssh_body(rng: Random) -> str:
    head = b"openssh-key-v1\0" + b"\0\0\0\x04none\0\0\0\x04none\0\0\0\0\0\0\0\x01"
    return base64.b64encode(head + rng.randbytes(200)).decode()


def _discord(rng: Random) -> str:
    number = base64.b64encode(pattern(rng, "1d*17").encode()).decode().rstrip("=")
    return f"{number}.{pattern(rng, 'G')}{pattern(rng, 'w*5')}.{pattern(rng, 'b*38')}"


def _docker_auth(rng: Random) -> str:
    return base64.b64encode(f"ci-push:{pattern(rng, 'w*20')}".encode()).decode()


def _basic_auth(rng: Random) -> str:
    return base64.b64encode(f"svc_orders:{_strong(rng)}".encode()).decode()


KEYS: Mapping[str, Maker] = {
    "aws_id": _after("AKIA", "T*16"), "aws_temp_id": _after("ASIA", "T*16"), "aws_secret": _text("B*40"),
    "aws_session": _after("IQoJb3JpZ2luX2Vj", "B*300", "="), "azure_storage": _bytes(64), "azure_secret": _text("www8Q~b*34"),
    "azure_sas": lambda r: base64.b64encode(r.randbytes(32)).decode(), "azure_devops": lambda r: pattern(r, "w*76") + "AZDO" + pattern(r, "wwww"),
    "hex32": _text("h*32"), "hex40": _text("h*40"), "hex64": _text("h*64"), "google_key": lambda r: "AIzaSy" + pattern(r, "b*33"),
    "google_secret": _after("GOCSPX-", "b*28"), "google_refresh": _after("1//0", "db*98"), "google_access": _after("ya29.a0", "b*160"),
    "github": _checked("ghp_"), "github_oauth": _checked("gho_"), "github_server": _checked("ghs_"), "github_fine": _after("github_pat_", "11u*20_w*59"),
    "gitlab": _after("glpat-", "b*20"), "gitlab_runner": _after("glrt-t1_", "b*20"), "gitlab_deploy": _after("gldt-", "b*20"), "bitbucket": _after("ATBB", "w*24HHHHHHHH"),
    "slack_bot": _after("xoxb-", "Dd*11-Dd*12-w*24"), "slack_user": _after("xoxp-", "Dd*11-Dd*11-Dd*12-h*32"), "slack_app": _after("xapp-1-A0", "u*9-Dd*12-h*64"),
    "slack_hook": lambda r: f"https://hooks.slack.com/services/T0{pattern(r, 'u*9')}/B0{pattern(r, 'u*9')}/{pattern(r, 'w*24')}",
    "discord": _discord, "discord_hook": lambda r: f"https://discord.com/api/webhooks/{pattern(r, '1d*18')}/{pattern(r, 'b*68')}", "telegram": lambda r: pattern(r, "Dd*9") + ":AA" + pattern(r, "b*33"),
    "teams_hook": lambda r: f"https://prod-{pattern(r, 'dd')}.westeurope.logic.azure.com:443/workflows/{pattern(r, 'h*32')}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig={pattern(r, 'b*43')}",
    "stripe": _after("sk_live_", "51w*22w*77"), "stripe_rk": _after("rk_live_", "51w*22w*77"), "stripe_short": _after("sk_live_", "w*24"), "whsec": _after("whsec_", "w*32"),
    "square": _after("EAAA", "b*60"), "paypal_secret": _after("E", "b*79"), "adyen": lambda r: "AQE" + pattern(r, "w*60") + "==-" + pattern(r, "B*43") + "=-" + pattern(r, "w*16"), "razorpay": _text("w*24"), "mollie": _after("live_", "w*30"),
    "openai": lambda r: f"sk-proj-{pattern(r, 'b*74')}T3BlbkFJ{pattern(r, 'b*74')}", "openai_svc": lambda r: f"sk-svcacct-{pattern(r, 'b*74')}T3BlbkFJ{pattern(r, 'b*74')}", "anthropic": lambda r: f"sk-ant-api03-{pattern(r, 'b*93')}AA", "anthropic_oauth": lambda r: f"sk-ant-oat01-{pattern(r, 'b*93')}AA",
    "hf": _after("hf_", "w*34"), "groq": lambda r: f"gsk_{pattern(r, 'w*20')}WGdyb3FY{pattern(r, 'w*24')}", "xai": _after("xai-", "w*80"), "openrouter": _after("sk-or-v1-", "h*64"), "deepseek": _after("sk-", "h*32"), "perplexity": _after("pplx-", "w*48"), "replicate": _after("r8_", "w*37"),
    "mistral": _text("w*32"), "pinecone": lambda r: f"pcsk_{pattern(r, 'w*6')}_{pattern(r, 'w*63')}", "langsmith": _after("lsv2_pt_", "h*32_h*10"), "langfuse": _after("sk-lf-", "h*8-hhhh-4hhh-9hhh-h*12"), "elevenlabs": _after("sk_", "h*48"), "tavily": _after("tvly-prod-", "w*32"), "nvidia": _after("nvapi-", "b*64"),
    "twilio_sid": _after("SK", "h*32"), "sendgrid": _after("SG.", "b*22.b*43"), "mailgun": _text("h*32-h*8-h*8"), "mailchimp": lambda r: pattern(r, "h*32") + "-us1" + pattern(r, "d"), "brevo": _after("xkeysib-", "h*64-w*16"), "postmark": _text("h*8-hhhh-4hhh-8hhh-h*12"), "resend": _after("re_", "w*8_w*24"),
    "npm": _checked("npm_"), "pypi": _after("pypi-AgEIcHlwaS5vcmc", "b*150"), "rubygems": _after("rubygems_", "h*48"), "crates": _after("cio", "w*32"), "nuget": _after("oy2", "l*43"), "docker_pat": _after("dckr_pat_", "b*27"), "artifactory": _after("AKCp8", "w*68"), "docker_auth": _docker_auth, "basic_auth": _basic_auth, "azure_search": lambda r: pattern(r, "w*39") + "AzSe" + pattern(r, "w*9"),
    "databricks": _after("dapi", "h*32"), "digitalocean": _after("dop_v1_", "h*64"), "cloudflare": _text("b*40"), "heroku": _after("HRKU-AA", "b*58"), "fly": _after("FlyV1 fm2_", "B*120"), "netlify": _after("nfp_", "w*36"), "supabase": _after("sbp_", "h*40"), "supabase_secret": _after("sb_secret_", "b*22_b*8"), "planetscale": _after("pscale_tkn_", "b*43"), "neon_pw": _after("npg_", "w*12"),
    "shopify": _after("shpat_", "h*32"), "linear": _after("lin_api_", "w*40"), "notion": _after("ntn_", "d*11w*35"), "airtable": _after("pat", "w*14.h*64"), "atlassian": lambda r: "ATATT3xFfGF0" + pattern(r, "b*172") + "=" + pattern(r, "H*8"), "figma": _after("figd_", "b*40"), "postman": _after("PMAK-", "h*24-h*34"), "hubspot": _after("pat-eu1-", "h*8-hhhh-4hhh-9hhh-h*12"),
    "salesforce": lambda r: "00D" + pattern(r, "w*12") + "!AQ" + pattern(r, "w*94"), "okta": _after("00", "b*40"), "zendesk": _text("w*40"), "grafana": _after("glsa_", "w*32_h*8"), "grafana_cloud": lambda r: "glc_eyJvIjoi" + pattern(r, "w*110"), "sentry": lambda r: "sntryu_" + pattern(r, "h*64"), "newrelic": _after("NRAK-", "u*27"), "sonar": _after("sqp_", "h*40"), "snyk": _text("h*8-hhhh-4hhh-9hhh-h*12"),
    "vault": _after("hvs.CAESI", "b*90"), "terraform": lambda r: pattern(r, "w*14") + ".atlasv1." + pattern(r, "w*67"), "pulumi": _after("pul-", "h*40"), "doppler": _after("dp.st.prd.", "w*43"), "tailscale": lambda r: f"tskey-auth-k{pattern(r, 'w*11')}CNTRL-{pattern(r, 'w*32')}", "buildkite": _after("bkua_", "h*40"), "circleci": lambda r: f"CCIPAT_{pattern(r, 'w*22')}_{pattern(r, 'h*40')}", "onepassword": lambda r: "ops_eyJ" + pattern(r, "b*240"),
    "age_key": lambda r: bech32("age-secret-key-", [r.randrange(32) for _ in range(52)]).upper(), "jwt": _jwt, "jwe": _jwe, "totp": _text("T*32"), "totp16": _text("T*16"), "bytes32": _bytes(32), "bytes48": _bytes(48),
    "rsa_body": lambda r: "MIIEpAIBAAKCAQEA" + pattern(r, "B*1580"), "pkcs8_body": lambda r: "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBK" + pattern(r, "B*1580"), "ec_body": lambda r: "MHcCAQEEI" + pattern(r, "B*153") + "==", "ssh_body": _ssh_body, "pgp_body": lambda r: "lQPGB" + pattern(r, "B*640"),
    "bcrypt": lambda r: "$2b$12$" + pattern(r, "w*53"), "sha512crypt": lambda r: "$6$" + pattern(r, "w*16") + "$" + pattern(r, "w*86"), "cookie40": _text("w*40"), "cookie26": _text("l*26"), "jsession": _text("H*32"), "connect_sid": lambda r: "s%3A" + pattern(r, "b*32") + "." + pattern(r, "w*43"), "token43": _text("b*43"), "django_key": _after("django-insecure-", "w*48"),
    "otp": _text("Dddddd"), "otp8": _text("Dd*7"), "otp_dash": _text("Ddd-ddd"), "otp_space": _text("Ddd ddd"), "backup": _text("lllll-lllll"), "backup8": _text("Ddd*6"), "pin6": _text("Dddddd"), "bitlocker": _text("dddddd-dddddd-dddddd-dddddd-dddddd-dddddd-dddddd-dddddd"),
    "password": _password, "strong": _strong, "passphrase": _words(PLAIN_WORDS, 4, " "), "passwords_dash": _words(PLAIN_WORDS, 4, "-"), "alnum20": _text("w*20"), "alnum24": _text("w*24"), "alnum32": _text("w*32"), "seed12": _words(SEED_WORDS, 12, " "), "seed24": _words(SEED_WORDS, 24, " "),
    "btc": lambda r: base58check(b"\0" + r.randbytes(20)), "btc_bech32": lambda r: bech32("bc", [0] + [r.randrange(32) for _ in range(32)]), "ltc": lambda r: bech32("ltc", [0] + [r.randrange(32) for _ in range(32)]), "tron": lambda r: base58check(b"\x41" + r.randbytes(20)), "eth": _after("0x", "h*40"), "solana": lambda r: base58(b"\x5a" + r.randbytes(31)), "wif": _wif, "eth_private": _after("0x", "h*64"),
}  # fmt: skip


def _checked_holds(value: str) -> bool:
    total = 0
    for sign in value[-6:]:
        total = total * 62 + BASE62.index(sign)
    return zlib.crc32(value[4:-6].encode()) == total


KEY_CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(("github", "github_oauth", "github_server", "npm"), _checked_holds),
    **dict.fromkeys(("btc", "wif", "tron"), base58_holds),
    **dict.fromkeys(("btc_bech32", "ltc", "age_key"), bech32_holds),
}
