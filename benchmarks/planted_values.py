"""Made-up values in real formats, and the templates' language that puts them into texts.

A template and a `random.Random` enter; a text and the substrings of it that are secret leave. In a template
`<<email>>` draws a secret by its maker's name and `{{order}}` a harmless value. Prefixes, alphabets, lengths
and public checksums are the real ones, the content is random: no value was ever issued to anybody. Phone
numbers use the ranges that are reserved for fiction where a country has them.
"""

from __future__ import annotations

import base64
import json
import re
import string
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from random import Random

Maker = Callable[[Random], str]

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
BASE62 = DIGITS + UPPER + LOWER
BASE64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"
NONZERO = "123456789"
HEX = "0123456789abcdef"
SYLLABLES = ("bal", "dor", "fen", "gri", "hol", "jas", "kel", "lum", "mor", "nav", "os", "per", "quil", "ros",
             "sten", "tav", "ulm", "vex", "wil", "zan")  # fmt: skip
WORDS = ("amber", "bridge", "candle", "delta", "ember", "forest", "gravel", "harbor", "island", "jacket")
TLDS = ("com", "de", "co.uk", "fr", "io", "net", "org", "nl", "com.br", "example")
MARKER = re.compile(r"<<(\w+)>>|\{\{(\w+)\}\}")

PHONES_ABROAD = (  # patterns, separated by |
    "+49 30 23125 ###|+49 (0)30 23125-###|+49 171 39200##|0049 171 39200##|+44 20 7946 0###|+44 7700 900###"
    "|+447700900###|+33 1 99 00 ## ##|+33 6 39 98 ## ##|+33639980###|+61 491 570 ###|+46 8 465 004 ##"
    "|+353 20 91# ####|+81 90-####-####|+91 98### #####|+55 11 9####-####|+34 6## ### ###|+39 3## ### ####"
    "|+31 6 ########|+48 5## ### ###|+86 138 #### ####|+41 79 ### ## ##|+43 664 #######|+45 2# ## ## ##"
    "|+420 6## ### ###|+1 415 555 01##|+1-303-555-01##|+1 (212) 555-01##"
)
PHONES_US = "(415) 555-01##|212-555-01##|1-312-555-01##|303.555.01##|(617)555-01##|+12125550###"
PHONES_HOME = {  # patterns, separated by |
    "phone_de": "030 23125 ###|0171 39200##|0171/39200##|030/23125-###",
    "phone_uk": "020 7946 0###|07700 900###|07700900###|(020) 7946 0###",
    "phone_fr": "06 39 98 ## ##|01 99 00 ## ##|06.39.98.##.##",
    "phone_es": "6## ## ## ##|6## ### ###",
}
IBANS = {  # country -> its BBAN: 9 a digit, A a capital letter
    "DE": "9" * 18, "GB": "AAAA" + "9" * 14, "FR": "9" * 23, "NL": "AAAA" + "9" * 10, "ES": "9" * 20,
    "IT": "A" + "9" * 22, "AT": "9" * 16, "BE": "9" * 12, "CH": "9" * 17, "PL": "9" * 24, "PT": "9" * 21,
    "SE": "9" * 20, "IE": "AAAA" + "9" * 14, "DK": "9" * 14,
}  # fmt: skip
KEY_BLOCKS = {  # armour -> (how its body starts, full lines)
    "RSA PRIVATE KEY": ("MIIEpAIBAAKCAQEA", 24),
    "EC PRIVATE KEY": ("MHcCAQEEI", 2),
    "OPENSSH PRIVATE KEY": ("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB", 6),
    "PRIVATE KEY": ("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBK", 25),
    "ENCRYPTED PRIVATE KEY": ("MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI", 27),
    "DSA PRIVATE KEY": ("MIIBuwIBAAKBgQ", 9),
    "PGP PRIVATE KEY BLOCK": ("lQOYBG", 12),
}


def chars(rng: Random, alphabet: str, n: int) -> str:
    return "".join(rng.choices(alphabet, k=n))


def of(prefix: str, alphabet: str, n: int, end: str = "") -> Maker:
    """A maker of a prefix, n random characters of the alphabet and an end."""
    return lambda rng: prefix + chars(rng, alphabet, n) + end


def one_of(*makers: Maker) -> Maker:
    return lambda rng: rng.choice(makers)(rng)


def pattern(*patterns: str) -> Maker:
    """A maker that replaces in one of the patterns # by a digit and @ by a capital letter."""

    def make(rng: Random) -> str:
        chosen = rng.choice(patterns)
        return "".join({"#": rng.choice(DIGITS), "@": rng.choice(UPPER)}.get(c, c) for c in chosen)

    return make


def luhn(digits: str) -> bool:
    doubled = [int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def not_card(n: int, prefix: str = "") -> Maker:
    """A maker of an n-digit number that fails Luhn."""

    def make(rng: Random) -> str:
        while luhn(number := prefix + chars(rng, DIGITS, n - len(prefix))):
            pass
        return number

    return make


def ean(prefix: str) -> Maker:
    """A maker of 13-digit article numbers with the right check digit, none of which passes Luhn."""

    def make(rng: Random) -> str:
        while True:
            body = prefix + chars(rng, DIGITS, 12 - len(prefix))
            number = body + str(-sum(int(d) * (1 + 2 * (i % 2)) for i, d in enumerate(body)) % 10)
            if not luhn(number):
                return number

    return make


def card(rng: Random) -> str:
    prefix = rng.choice(["4", "4", str(rng.randint(51, 55)), str(rng.randint(2221, 2720)), "6011", "65"])
    return _card(rng, prefix, (4, 4, 4, 4))


def amex(rng: Random) -> str:
    return _card(rng, rng.choice(["34", "37"]), (4, 6, 5))


def _card(rng: Random, prefix: str, groups: tuple[int, ...]) -> str:
    body = prefix + chars(rng, DIGITS, sum(groups) - 1 - len(prefix))
    number = next(body + d for d in DIGITS if luhn(body + d))
    ends = [sum(groups[: i + 1]) for i in range(len(groups))]
    return rng.choice([" ", "-", ""]).join(number[e - g : e] for g, e in zip(groups, ends, strict=True))


def iban(rng: Random) -> str:
    country = rng.choice(list(IBANS))
    bban = "".join(rng.choice(DIGITS if c == "9" else UPPER) for c in IBANS[country])
    value = int("".join(str(int(c, 36)) for c in bban + country + "00"))
    whole = f"{country}{98 - value % 97:02d}{bban}"
    return rng.choice([whole, " ".join(whole[i : i + 4] for i in range(0, len(whole), 4))])


def name(rng: Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=2))


def email(rng: Random) -> str:
    first, last, tld = (
        name(rng),
        name(rng),
        rng.choice(TLDS),
    )
    local = rng.choice(
        [f"{first}.{last}", f"{first}_{last}{rng.randint(1, 99)}", f"{first}{rng.randint(1950, 2009)}",
         f"{first}-{last}", f"{first}.{last}+{rng.choice(['shop', 'orders', 'news'])}"]
    )  # fmt: skip
    whole = f"{local}@{rng.choice(['', '', 'mail.', 'eu.post.'])}{name(rng)}{rng.choice(SYLLABLES)}.{tld}"
    return rng.choice([whole, whole, whole, whole.title(), whole.upper()])


def ssn(rng: Random) -> str:
    area = rng.choice([n for n in range(1, 900) if n != 666])
    return f"{area:03d}-{rng.randint(1, 99):02d}-{rng.randint(1, 9999):04d}"


def public_ip(rng: Random) -> str:
    first = rng.choice([n for n in range(11, 224) if n not in {100, 127, 169, 172, 192, 198, 203}])
    return ".".join(str(n) for n in (first, *(rng.randint(1, 254) for _ in range(3))))


def checked(prefix: str) -> Maker:
    """A maker of GitHub's and npm's tokens: 30 random characters, then their CRC32 in six of base 62."""

    def make(rng: Random) -> str:
        body = chars(rng, BASE62, 30)
        crc, end = zlib.crc32(body.encode()), ""
        for _ in range(6):
            crc, digit = divmod(crc, 62)
            end = BASE62[digit] + end
        return prefix + body + end

    return make


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwt(rng: Random) -> str:
    header = {"alg": rng.choice(["HS256", "RS256"]), "typ": "JWT"}
    payload = {
        "sub": chars(rng, DIGITS, 8),
        "role": "customer",
        "iat": rng.randint(1_600_000_000, 1_800_000_000),
    }
    parts = [encoded(json.dumps(part, separators=(",", ":")).encode()) for part in (header, payload)]
    return ".".join([*parts, encoded(rng.randbytes(32 if header["alg"] == "HS256" else 256))])


def discord(rng: Random) -> str:
    user = encoded(chars(rng, NONZERO, 18).encode())
    return f"{user}.{chars(rng, URLSAFE, 6)}.{chars(rng, URLSAFE, rng.choice([27, 38]))}"


def basic(rng: Random) -> str:
    return base64.b64encode(f"{name(rng)}:{password(rng)}".encode()).decode()


def strong(rng: Random) -> str:
    inside = chars(rng, ALNUM + "!#%*+-_=?", rng.randint(7, 13))
    return f"{rng.choice(UPPER)}{rng.choice(LOWER)}{inside}{rng.choice(DIGITS)}{rng.choice(LOWER)}"


def wordy(rng: Random) -> str:
    word = name(rng)
    return rng.choice([f"{word.title()}{rng.randint(10, 9999)}!", f"{word}{rng.randint(10, 999)}",
                       f"{word.title()}-{rng.choice(WORDS)}-{rng.randint(10, 99)}"])  # fmt: skip


password = one_of(strong, strong, wordy)


def block(rng: Random) -> str:
    armour = rng.choice(list(KEY_BLOCKS))
    start, lines = KEY_BLOCKS[armour]
    body = start + chars(rng, BASE64, 64 * lines - len(start) + rng.randrange(24, 60, 4))
    rows = [body[i : i + 64] for i in range(0, len(body), 64)]
    head = ["Version: GnuPG v2", ""] if armour.startswith("PGP") else []
    return "\n".join([f"-----BEGIN {armour}-----", *head, *rows, f"-----END {armour}-----"])


def moment(form: str) -> Maker:
    def make(rng: Random) -> str:
        start = datetime(2021, 1, 1, tzinfo=UTC)
        return (start + timedelta(seconds=rng.randrange(150_000_000))).strftime(form)

    return make


SECRETS: Mapping[str, Maker] = {
    "email": email,
    "email_escaped": lambda rng: email(rng).replace("@", "%40").replace("+", "%2B"),
    "phone": pattern(*PHONES_ABROAD.split("|")),
    "phone_us": pattern(*PHONES_US.split("|")),
    **{kind: pattern(*forms.split("|")) for kind, forms in PHONES_HOME.items()},
    "card": card,
    "amex": amex,
    "cvv": of("", DIGITS, 3),
    "cid": of("", DIGITS, 4),
    "iban": iban,
    "ssn": ssn,
    "ssn_spaced": lambda rng: ssn(rng).replace("-", " "),
    "ssn_plain": lambda rng: ssn(rng).replace("-", ""),
    "ip": public_ip,
    "aws_key": one_of(of("AKIA", UPPER + "234567", 16), of("ASIA", UPPER + "234567", 16)),
    "aws_secret": of("", BASE64, 40),
    "github": one_of(checked("ghp_"), checked("gho_"), checked("ghs_")),
    "github_fine": lambda rng: f"github_pat_{chars(rng, ALNUM, 22)}_{chars(rng, ALNUM, 59)}",
    "gitlab": of("glpat-", URLSAFE, 20),
    "npm": checked("npm_"),
    "slack": one_of(
        lambda rng: f"xoxb-{chars(rng, NONZERO, 12)}-{chars(rng, NONZERO, 13)}-{chars(rng, ALNUM, 24)}",
        lambda rng: f"xoxp-{'-'.join(chars(rng, NONZERO, 12) for _ in range(3))}-{chars(rng, HEX, 32)}",
        lambda rng: f"xapp-1-A{chars(rng, UPPER, 10)}-{chars(rng, NONZERO, 13)}-{chars(rng, HEX, 64)}",
    ),
    "slack_hook": of("", ALNUM, 24),
    "stripe": one_of(
        of("sk_live_", ALNUM, 24),
        of("sk_live_51", ALNUM, 97),
        of("rk_live_", ALNUM, 24),
        of("sk_test_", ALNUM, 24),
    ),
    "stripe_hook": of("whsec_", ALNUM, 32),
    "openai": lambda rng: f"sk-{chars(rng, ALNUM, 20)}T3BlbkFJ{chars(rng, ALNUM, 20)}",
    "openai_project": lambda rng: f"sk-proj-{chars(rng, URLSAFE, 74)}T3BlbkFJ{chars(rng, URLSAFE, 73)}A",
    "anthropic": of("sk-ant-api03-", URLSAFE, 93, "AA"),
    "huggingface": of("hf_", UPPER + LOWER, 34),
    "google": of("AIza", URLSAFE, 35),
    "google_client": of("GOCSPX-", URLSAFE, 28),
    "twilio_key": of("SK", HEX, 32),
    "hex32": of("", HEX, 32),
    "hex64": of("", HEX, 64),
    "sendgrid": lambda rng: f"SG.{chars(rng, URLSAFE, 22)}.{chars(rng, URLSAFE, 43)}",
    "pypi": of("pypi-AgEIcHlwaS5vcmc", URLSAFE, 155),
    "discord": discord,
    "telegram": lambda rng: f"{rng.randint(10**8, 10**10 - 1)}:AA{chars(rng, URLSAFE, 33)}",
    "jwt": jwt,
    "azure": lambda rng: base64.b64encode(rng.randbytes(64)).decode(),
    "key_block": block,
    "key_indented": lambda rng: block(rng).replace("\n", "\n    "),
    "key_escaped": lambda rng: block(rng).replace("\n", "\\n"),
    "basic": basic,
    "alnum40": of("", ALNUM, 40),
    "opaque": one_of(of("", ALNUM, 40), of("", HEX, 32), of("", ALNUM, 64)),
    "password": password,
    "url_password": one_of(
        of("", ALNUM, 16), of("v", ALNUM + "-_.", 11, "q7"), of("K", ALNUM, 6, "%40x%2F9")
    ),
    "passphrase": lambda rng: " ".join(rng.sample(WORDS, 4)),
    "dashed_phrase": lambda rng: "-".join([*rng.sample(WORDS, 4), chars(rng, DIGITS, 2)]),
}


def parts(value: str, maker: str) -> tuple[str, ...]:
    """What must be gone of a value. Pieces are named too, so that hiding half of it does not count."""
    if maker.startswith("key_"):
        rows = re.split(r"(?:\\n|\n) *", value)
        return tuple(row for row in rows if len(row) > 20 and not row.startswith("-----"))
    if maker == "jwt":
        return tuple(value.split(".")[1:])
    if maker in ("email", "email_escaped"):
        return value, re.split(r"@|%40|\+|%2B", value)[0]
    if maker in ("card", "amex", "iban"):
        return value, value[4:-4].strip(" -")
    return (value,)


def fill(template: str, rng: Random, harmless: Mapping[str, Maker]) -> tuple[str, tuple[str, ...]]:
    """Returns: the text, and its secrets, each of which occurs in it once.

    Raises: KeyError: the template names a maker that does not exist.
    """
    while True:
        secrets: list[str] = []

        def draw(match: re.Match[str], found: list[str] = secrets) -> str:
            if match[2]:
                return harmless[match[2]](rng)
            value = SECRETS[match[1]](rng)
            found.extend(parts(value, match[1]))
            return value

        text = MARKER.sub(draw, template)
        if all(text.count(secret) == 1 for secret in secrets):
            return text, tuple(secrets)


def wrap(text: str, rng: Random) -> str:
    """Puts one text in four into what a trace has around it: a tool's result, a log line, a conversation."""
    shape = rng.randrange(12)
    if shape == 0:
        return json.dumps({"role": "tool", "name": "read_ticket", "content": text}, ensure_ascii=False)
    if shape == 1:
        return f"[trace] turn={rng.randint(1, 9)} observation={json.dumps(text, ensure_ascii=False)}"
    if shape == 2:
        return f"user: {text}\nassistant: Thank you, I am looking into it."
    return text
