"""What must not be written: secrets and personal data, as patterns with the checks that tell look-alikes.

A rule names the literals without which it cannot match, so that most texts are passed over at the speed of a
substring search. The token formats are those of detect-secrets and of newer vendors beside them. Names and
street addresses are not found: no pattern knows them; use field rules for the fields that hold them.
"""

from __future__ import annotations

import importlib
import ipaddress
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionRule:
    """One kind of secret or personal data."""

    kind: str  # of the placeholder: "EMAIL"
    pattern: re.Pattern[str]
    needles: tuple[str, ...]  # without one of them in the text, in any case where it is written in lower case
    #                           here and as it stands otherwise, the pattern is not tried
    reach: int = 0  # letters before a needle at which a match may begin; 0 = unknown, anywhere
    group: int = 0  # of the pattern: what is replaced
    check: Callable[[re.Match[str]], bool] = lambda match: True
    telling: tuple[str, ...] = ()  # patterns in RE2's language, in the place of needles
    in_groups: bool = False  # other numbers may stand beside it in the same form: see `tried`
    least: int = 0  # characters from its first digit to its last, of a rule of digits


_GROUP = re.compile(r"[^\W_]+")
_GAP = re.compile(r"[ -]")


def tried(rule: RedactionRule, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Matches between two places that the rule's check takes, none inside another.

    One that it refuses may hold a number and the next one's beginning: it is tried without its last groups,
    and then from its second one on.
    """
    while (match := rule.pattern.search(text, start, end)) is not None:
        gaps = [one.start() for one in _GAP.finditer(text, match.start(), match.end())]
        shorter = (rule.pattern.fullmatch(text, match.start(), gap) for gap in reversed(gaps))
        found = next((one for one in (match, *shorter) if one is not None and rule.check(one)), None)
        if found is not None:
            yield found
            start = found.end()
        else:
            first = _GROUP.search(text, match.start())
            start = first.end() if first else match.end()


def _digits(match: re.Match[str]) -> str:
    return re.sub(r"\D", "", match.group())


def _luhn(match: re.Match[str]) -> bool:
    """A card number: its check digit, its length, and a first digit that some network issues."""
    number = _digits(match)
    if not 13 <= len(number) <= 19 or number[0] not in "23456" or len(set(number)) < 2:
        return False
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


_ISSUED = re.compile(  # by networks: the first digits and the length; no year begins so
    r"4\d{12}(?:\d{3}){0,2}|[56]\d{15,18}|2(?:20|2[2-9]|[3-6]\d|7[0-2])\d{13}|"
    r"3[47]\d{13}|3[0689]\d{12}|35\d{14}"
)
_AMONG = 40  # characters around a card in which what hangs on it by hyphens is looked at
_BEFORE = re.compile(r"(?<![\w.-])[\d-]*$")
_AFTER = re.compile(rf"[\d-]{{0,{_AMONG}}}(?![\w-]|\.\d)")


def _card_among_numbers(match: re.Match[str]) -> bool:
    """As `_luhn`, of what networks issue; what hangs on it by hyphens are numbers, and no name."""
    if not _luhn(match) or not _ISSUED.fullmatch(_digits(match)):
        return False
    before = match.string[max(0, match.start() - _AMONG) : match.start()]
    return bool(_BEFORE.search(before) and _AFTER.match(match.string, match.end()))


_LETTERS = {ord(letter): str(int(letter, 36)) for letter in string.ascii_uppercase}


def _iban(match: re.Match[str]) -> bool:
    """ISO 13616: letters as numbers, the first four characters last, remainder 1 by 97."""
    text = match.group().replace(" ", "")
    return 15 <= len(text) <= 34 and int((text[4:] + text[:4]).translate(_LETTERS)) % 97 == 1


def _phone(match: re.Match[str]) -> bool:
    return (8 if match.group()[0] in "+(" else 9) <= len(_digits(match)) <= 15


def _social(match: re.Match[str]) -> bool:
    area, group, serial = match.group().split("-")
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def _public_ip(match: re.Match[str]) -> bool:
    """A global address that reads as one: version numbers have small or leading-zero parts."""
    before = match.string[max(0, match.start() - 12) : match.start()].lower()
    if re.search(r"(version|release|build|v)\s*:?\s*$", before):
        return False
    try:
        address = ipaddress.ip_address(match.group())
    except ValueError:
        return False
    return address.is_global and any(int(part) > 31 for part in match.group().split("."))


_DUMMIES = re.compile(
    r"(x+|\*+|\.+|-+|_+|<.*|\$.*|%.*|\{.*|\[.*|none|null|nil|true|false|undefined|redacted|hidden|changeme|"
    r"your[_-].*|example.*|string|str|text|bytes|int|required|optional|missing|invalid|wrong|incorrect|expired|"
    r"reset|changed|unknown|empty|default|secret|password|token|value|input|os\.environ.*|getenv.*|process\.env.*|"
    r"env\..*|settings\..*|config\..*|self\..*|args\..*|request\..*|file:.*|vault:.*|arn:.*)",
    re.I,
)


def _assigned(match: re.Match[str]) -> bool:
    """A value that looks made, not written: digits or marks among letters, both cases, or all of a line."""
    value = match.group("value").strip("\"'`,;.)")
    if len(value) < 5 or _DUMMIES.fullmatch(value) or "(" in value:
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s]|_"))
    if value.replace("_", "").replace(".", "").isdigit():
        return False  # a count, a limit, a port
    after = match.string[match.end() : match.end() + 2]
    alone = match.group("quote") is not None or not after.strip(" \t") or after[0] in "\"'\\,;}]&\n"
    assigned = re.search(r"[=:][\s\"'`\\]*$", match.string[match.start() : match.start("value")]) is not None
    return kinds >= 2 or (assigned and alone and len(value) >= 6 and " " not in value)


def _random(group: int) -> Callable[[re.Match[str]], bool]:
    """Enough different characters for the length of what is replaced to be no word and no counter."""

    def check(match: re.Match[str]) -> bool:
        value = match.group(group) or ""
        counts = Counter(value)
        bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
        return bits >= 3.0 and any(char.isdigit() for char in value)

    return check


def _rule(
    kind: str,
    pattern: str,
    *needles: str,
    group: int = 0,
    check: Callable[[re.Match[str]], bool] = lambda match: True,
    **more: Any,
) -> RedactionRule:
    return RedactionRule(
        kind=kind, pattern=re.compile(pattern), needles=needles, group=group, check=check, **more
    )


_KEYWORDS = (
    r"pass(?:word|wd|phrase|code)?|pwd|secret(?:[_-]?(?:access)?[_-]?key)?|"
    r"(?:api|access|auth|private|encryption|signing|account|shared)[_-]?(?:key|token|secret)|token|"
    r"credentials?|client[_-]?secret|passwort|kennwort|contrase[nñ]a|mot de passe|senha|salasana|l[oö]senord|"
    r"wachtwoord|has[lł]o|пароль"
)
_NAMED = (
    r"(?:\s+(?:for|of|to|on|at|the|my|your|our|new|old|temporary|account|user|server|database|"
    r"[\w.@-]{2,40})){0,4}"
)
_SESSIONS = (
    r"(?:[\w.-]*sess(?:ion)?(?:[_-]?(?:id|key|token))?|sid|connect\.sid|[\w-]*csrf[\w-]*|xsrf-token|"
    r"remember[_-]?(?:me|token)|auth|__(?:secure|host)-[\w-]+)"
)
_OWN: tuple[RedactionRule, ...] = (
    _rule(
        "PRIVATE_KEY",
        r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]{0,8000}?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)",
        "private key",
    ),
    _rule(
        "TOKEN", r"\bsk-(?:ant-|proj-|live-|or-v1-|svcacct-)?[A-Za-z0-9_-]{20,200}", "sk-", check=_random(0)
    ),
    _rule("TOKEN", r"\bgithub_pat_[A-Za-z0-9_]{22,120}", "github_pat_"),
    _rule("TOKEN", r"\bhf_[A-Za-z0-9]{30,60}\b", "hf_"),
    _rule("TOKEN", r"\bAIza[0-9A-Za-z_-]{35}", "aiza"),
    _rule("TOKEN", r"\bya29\.[0-9A-Za-z_-]{20,300}", "ya29."),
    _rule("TOKEN", r"\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+", "xapp-"),
    _rule("TOKEN", r"\b(?:dop|doo|dor)_v1_[a-f0-9]{64}", "_v1_"),
    _rule("TOKEN", r"\b(?:rk|sk|pk)_(?:live|test)_[0-9a-zA-Z]{16,120}", "_live_", "_test_"),
    _rule("TOKEN", r"\bwhsec_[0-9a-zA-Z+/=]{24,80}", "whsec_"),
    _rule("TOKEN", r"\bnpm_[A-Za-z0-9]{36}\b", "npm_"),
    _rule("TOKEN", r"\bglpat-[A-Za-z0-9_-]{20,60}", "glpat-"),
    _rule("TOKEN", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{0,1000}", "eyj"),
    _rule(
        "TOKEN",
        r"\b[Bb]earer\s+([A-Za-z0-9._~+/=-]{16,1000})",
        "bearer",
        group=1,
        check=_random(1),
    ),
    _rule("TOKEN", r"\b[Bb]asic\s+([A-Za-z0-9+/]{16,400}={0,2})", "basic", group=1, check=_random(1)),
    _rule("TOKEN", r"\bGOCSPX-[A-Za-z0-9_-]{20,40}", "gocspx-"),
    _rule(
        "TOKEN",
        r"(?i)\bauthorization[\"'\\]*\s*[:=]\s*[\"'\\]*(?:[A-Za-z-]{2,20}\s+)?([A-Za-z0-9._~+/=:-]{12,1000})",
        "authorization",
        group=1,
        check=_random(1),
    ),
    _rule(
        "TOKEN",
        rf"(?i)\b{_SESSIONS}\s*=\s*([^;\s\"',]{{8,400}})",
        "sid",
        "sess",
        "csrf",
        "xsrf",
        "auth",
        "remember",
        "__",
        group=1,
        check=_random(1),
    ),
    _rule("PASSWORD", r"://[^\s:/?#@]{0,100}:([^\s/?#@]{3,100})@", "://", group=1),
    _rule(
        "CVV",
        r"(?i)\b(?:cvv2?|cvc2?|csc|card verification (?:code|value|number))"
        r"\W{0,4}(?:code|number|is|=|:)?\W{0,4}(\d{3,4})\b",
        "cvv",
        "cvc",
        "csc",
        "verification",
        group=1,
    ),
    _rule(
        "PASSWORD",
        rf"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))(?i:{_KEYWORDS})[\"'\\]*"
        rf"(?:{_NAMED}\s*(?:=>|:=|=|:|\b(?i:is|was|ist|es|est|on|är|jest)\b:?)\s{{0,3}}|\s(?=[\"'`]))\\?"
        r"(?P<quote>[\"'`])?(?P<value>(?(quote)[^\"'`\n\\]{1,200}|[^\s\"'`,;\\]{1,200}))",
        "pass",
        "pwd",
        "secret",
        "key",
        "token",
        "credential",
        "kennwort",
        "contrase",
        "senha",
        "salasana",
        "senord",
        "wachtwoord",
        "hasł",
        "haslo",
        "пароль",
        group=2,
        check=_assigned,
        reach=16,
    ),
    _rule(
        "EMAIL",
        r"(?<![\w.+-])\w[\w.%+'-]{0,63}@(?:[\w-]{1,63}\.){1,5}[^\W\d_]{2,24}(?![\w-])",
        "@",
    ),
    _rule(
        "IBAN",
        r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b",
        check=_iban,
        telling=(r"[A-Z]{2}\p{Nd}{2} ?[A-Z0-9]{4} ?[A-Z0-9]{4}",),
        in_groups=True,
    ),
    _rule(  # as cards are printed
        "CARD",
        r"(?<![\w.])\d{4}(?:\d{9,15}|(?P<gap>[ -])"
        r"(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{1,3})?|\d{6}(?P=gap)\d{4,5}))(?!\w|\.\d)",
        check=_card_among_numbers,
        in_groups=True,
        least=13,
    ),
    _rule(  # in any groups, alone
        "CARD", r"(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)", check=_luhn, least=13
    ),
    _rule(
        "SSN",
        r"(?i)\b(?:ssn|social security)\D{0,20}(\d{3}[ -]?\d{2}[ -]?\d{4})\b",
        "ssn",
        "social",
        group=1,
    ),
    _rule("SSN", r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])", check=_social, least=11),
    _rule(
        "PHONE",
        r"(?<![\w.+-])(?:(?:\+|00)[1-9]\d{0,2}[ .-]?(?:\(0?\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}"
        r"|\(0?\d{2,4}\) ?\d{3,4}[ .-]?\d{3,4}|(?:1[ .-])?[2-9]\d{2}[.-][2-9]\d{2}[.-]\d{4}"
        r"|0\d{1,4}[ /.-]\d{2,4}(?:[ .-]?\d{2,4}){1,3}|[2-9]\d{2}[.-][2-9]\d{2}[.-]\d{4})(?![\w-]|\.\d)",
        check=_phone,
    ),
    _rule("IP", r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)", check=_public_ip),
)

_LIBRARY: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("artifactory", "ArtifactoryDetector", ("AKC", "AP")),
    ("aws", "AWSKeyDetector", ("akia", "asia", "abia", "a3t", "aws")),
    ("azure_storage_key", "AzureStorageKeyDetector", ("accountkey=",)),
    ("cloudant", "CloudantDetector", ("cloudant",)),
    ("discord", "DiscordBotTokenDetector", ("discord",)),
    ("github_token", "GitHubTokenDetector", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    (
        "gitlab_token",
        "GitLabTokenDetector",
        ("gldt-", "glft-", "glsoat-", "glrt-", "gr1348941", "glcbt-", "glimt-"),
    ),
    ("mailchimp", "MailchimpDetector", ("-us",)),
    ("npm", "NpmDetector", ("_authtoken",)),
    ("pypi_token", "PypiTokenDetector", ("pypi-ag",)),
    ("sendgrid", "SendGridDetector", ("sg.",)),
    ("slack", "SlackDetector", ("xox", "hooks.slack.com")),
    ("square_oauth", "SquareOAuthDetector", ("sq0csp-",)),
    ("telegram_token", "TelegramBotTokenDetector", (":aa",)),
    ("twilio", "TwilioKeyDetector", ("twilio", "AC", "SK")),
)


def rules() -> tuple[RedactionRule, ...]:
    """All rules, the most telling first: what one has replaced, a later one no longer sees."""
    return (*_OWN[:13], *_of_library(), *_OWN[13:])


def _of_library() -> Iterator[RedactionRule]:
    """The token formats that detect-secrets knows; its entropy and keyword guesses are left out."""
    for module, name, needles in _LIBRARY:
        detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
        for pattern in detector.denylist:
            group = 1 if pattern.groups and pattern.pattern.startswith("aws") else 0
            yield RedactionRule(
                kind="TOKEN", pattern=pattern, needles=needles, group=group, check=_random(group)
            )
