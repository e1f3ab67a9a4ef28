"""What tells a secret from what looks like it: check digits, randomness, dummies, the words before it."""

from __future__ import annotations

import importlib
import ipaddress
import math
import re
import string
from collections import Counter

from coevolve.store.redaction.rule import Check, Match

# Numbers


def digits(match: Match, group: int | str = 0) -> str:
    """The digits of a match, or of one of its groups."""
    return re.sub(r"\D", "", match.group(group))


_ISSUED = re.compile(  # by networks: the first digits and the length; no year begins so
    r"4\d{12}(?:\d{3}){0,2}|[56]\d{15,18}|2(?:20|2[2-9]|[3-6]\d|7[0-2])\d{13}|"
    r"3[47]\d{13}|3[0689]\d{12}|35\d{14}"
)


def card(match: Match) -> bool:
    """A number as networks issue them, with its check digit."""
    number = digits(match)
    if not _ISSUED.fullmatch(number) or len(set(number)) < 2:
        return False
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


_AMONG = 40  # characters around a card in which what hangs on it by hyphens is looked at
_BEFORE = re.compile(r"(?<![A-Za-z0-9_.-])[\d-]*$")
_AFTER = re.compile(rf"[\d-]{{0,{_AMONG}}}(?![A-Za-z0-9_-]|\.\d)")


def card_among_numbers(match: Match) -> bool:
    """As `card`, and what hangs on it by hyphens are numbers, and no name."""
    if not card(match):
        return False
    before = match.string[max(0, match.start() - _AMONG) : match.start()]
    return bool(_BEFORE.search(before) and _AFTER.match(match.string, match.end()))


_LETTERS = {ord(letter): str(int(letter, 36)) for letter in string.ascii_uppercase}


def iban(match: Match) -> bool:
    """ISO 13616: letters as numbers, the first four characters last, remainder 1 by 97."""
    text = match.group().replace(" ", "").upper()
    return 15 <= len(text) <= 34 and int((text[4:] + text[:4]).translate(_LETTERS)) % 97 == 1


_OTHER = re.compile(  # what a number is said to be that is no person's
    r"(?i)(?:(?<![^\W_])(?:part|teil\w*|sku|awb|lot\w*|batch|charge|ref\w*|order\w*|bestell\w*|commande|pedido|ordine|"
    r"zam[oó]wieni\w*|art(?:ikel\w*|icle|[ií]culo)?|serial|serien\w*|tracking|track|parcel|sendung\w*|colis|"
    r"env[ií]o|isbn|ean|gtin|upc|invoice|rechnung\w*|facture|factura|fattura|container|version|release|build|"
    r"model\w*|case|ticket|item|produ[ck]t\w*|po|rma)(?![^\W_])|#)[\W_]{0,8}(?:[^\W\d_]{1,9}[\W_]{1,8})?$"
)


def of_nobody(match: Match, group: int | str = 0) -> bool:
    """Just before it, the text says that the number is an order's, a part's, a parcel's."""
    start = match.start(group)
    return _OTHER.search(match.string[max(0, start - 40) : start]) is not None


_DAY = re.compile(r"(?:19|20)\d\d[-./ ]\d{1,2}[-./ ]\d{1,2}\b|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d\d\b")


_LISTED = re.compile(r"\((?:19|20)\d\d\)")  # the year of what is cited


def _in_a_state(match: Match) -> bool:
    """A postal code of the United States."""
    state = re.search(r"\b[A-Z]{2}\s+$", match.string[max(0, match.start() - 5) : match.start()])
    return state is not None and re.fullmatch(r"\d{5}-\d{4}", match.group()) is not None


def phone(match: Match) -> bool:
    """Long enough, and not said to be something else; a country's code before it says enough."""
    number = match.group()
    abroad = number[0] in "+("
    long = (8 if abroad else 9) <= len(digits(match)) <= 15
    padded = re.match(r"00\d{5}", number)  # dialled abroad, or a number filled up with zeros
    told = abroad or not (of_nobody(match) or _in_a_state(match) or padded)
    return long and told and not _LISTED.match(number) and not _DAY.match(number)


def said_phone(match: Match) -> bool:
    """What stands after "phone": no day, and as many digits as a number has somewhere."""
    number = match.group("value")
    long = (8 if number.isdigit() else 7) <= len(digits(match, "value")) <= 15
    return long and not _DAY.match(number) and not of_nobody(match, "value")


def social(match: Match) -> bool:
    """A social security number of the United States."""
    area, group, serial = match.group().split("-")
    issued = area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"
    return issued and not of_nobody(match)


def public_ip(match: Match) -> bool:
    """A global address that reads as one: version numbers have small or leading-zero parts."""
    before = match.string[max(0, match.start() - 12) : match.start()].lower()
    if re.search(
        r"(version|release|build|firmware|than|oid|section|table|\bv\d*)\s*:?\s*(to|from)?\s*$|[a-z]/$",
        before,
    ):
        return False
    address = _address(match.group())
    small = (
        address is not None and address.version == 4 and all(int(n) < 32 for n in match.group().split("."))
    )
    return address is not None and address.is_global and not address.is_multicast and not small


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def device(match: Match) -> bool:
    """A device's own address: no group's, no documentation's (RFC 7042), no dummy."""
    plain = match.group().lower().replace("-", ":")
    octets = plain.split(":")
    return len(set(octets)) > 2 and not int(octets[0], 16) & 1 and not plain.startswith("00:00:5e")


def valid(match: Match, *modules: str) -> bool:
    """The check digits of one of python-stdnum's numbers ("es.dni"), not said to be something else."""
    number = match.group()
    return not of_nobody(match) and any(
        importlib.import_module(f"stdnum.{one}").is_valid(number) for one in modules
    )


def enough_digits(least: int) -> Check:
    """The value holds at least so many digits, and is no day."""

    return lambda match: len(digits(match, "value")) >= least and not _DAY.match(match.group("value"))


# Words

_DUMMIES = re.compile(
    r"(#[0-9a-f]{3,8}|include|same-origin|omit|x+|\*+|\.+|-+|_+|<.*|\$.*|%.*|\{.*|\[.*|!\w+|@.*|none|null|nil|true|false|undefined|"
    r"redacted|hidden|"
    r"change[_-]?me\d*|replace[_-]?(?:me|with.*)|(?:insert|enter|put|paste|add)[_-].*|your[_-]?.*|my[_-].*|"
    r"example.*|dummy.*|placeholder.*|todo|tbd|n/a|string|str|text|bytes|int|required|optional|missing|"
    r"invalid|"
    r"wrong|incorrect|expired|reset|changed|unknown|empty|default|secret|password|token|value|input|prompt|"
    r"(?:os|process|deno|import\.meta)\.env.*|getenv.*|env[.:].*|settings\..*|config\..*|self\..*|args\..*|"
    r"[a-z_]*(?:token|password|passwd|secret|passphrase|credential|_key)s?[a-z_]*|request\..*|file:.*|"
    r"vault:.*|arn:.*|secrets?[.:/].*|op://.*|ref\+.*|data\..*|var\..*|local\..*|module\..*)",
    re.I,
)
_MASKED = re.compile(r"[*•●]{3,}|[xX]{4,}|\.{3}|…|<[\w -]+>|\{\{|\$\{|\$\(|%\(|#\{|REDACTED|MASKED", re.ASCII)
_CODE = re.compile(
    r"(?:[A-Z]?[a-z_]+(?:[A-Z][a-z]+)*\d?)(?:\.[A-Z]?[a-z_]+(?:[A-Z][a-z]+)*\d{0,3})+(?:[\[(].*)?|"
    r"[A-Za-z_]\w*[\[(].*|[a-z_]+\)[.\[].*|[a-z_]{3,}=.*|.*:|"
    r"/(?:[a-z][\w.-]*/)+.*|--?[a-z][a-z-]*\d?=?|x-[a-z-]+\d*"
)
_TECHNICAL = re.compile(  # names with digits that stand beside passwords and keys
    r"(?:sha-?\d+|md[45]|utf-?\d+|base\d+\w*|oauth-?\d|[rehp]s\d{3}|ed\d+|x\d+|bcrypt|pbkdf2|argon2\w*|"
    r"(?:rsa|ecdsa|gpt|aes)-?\d[\w.-]*|v\d+(?:\.\d+)*|https?\S*|ipv\d|\d+(?:st|nd|rd|th)|\w+\.[a-z]{2,4}|s3|"
    r"ec2|k8s|i18n|2fa|h264)",
    re.I,
)


def _value(match: Match) -> str:
    return match.group("value").strip("\"'`,;.)")


def dummy(value: str) -> bool:
    """A placeholder, a mask, or a piece of a program that stands where a secret would."""
    return bool(_DUMMIES.fullmatch(value) or _MASKED.search(value) or "(" in value)


def _kinds(value: str) -> int:
    """How many kinds of characters; a capital at the beginning of a word is none of its own."""
    if re.fullmatch(r"[A-Z]?[a-z]+(?:[-'’][A-Za-z]?[a-z]+)?", value):
        return 1
    return sum(bool(re.search(kind, value)) for kind in (r"[a-z]", r"[A-Z]", r"\d", r"[^\w\s]|_"))


def _counted(value: str) -> bool:
    return value.replace("_", "").replace(".", "").replace(",", "").isdigit()  # a count, a limit, a port


# Names of much else, too.
_LOUD = re.compile("_?(?:KEY|PAT|AUTH|SALT|DSN|SID|COOKIE|SEED|PIN|CREDS?)|(?i:token)")


def assigned(match: Match) -> bool:
    """A value that looks made, not written: digits or marks among letters, both cases, or all of a line."""
    value = _value(match)
    before = match.string[match.start() : match.start("value")]
    if " " in value or _LOUD.match(before) or not re.search(r"[=:：>][\s\"'`\\]*$", before):
        return made(match)
    if len(value) < 5 or dummy(value) or _counted(value) or _CODE.fullmatch(value):
        return False
    after = match.string[match.end() : match.end() + 2]
    alone = match.group("quote") is not None or not after.strip(" \t") or after[0] in "\"'\\,;}]&\n<"
    return _kinds(value) >= 2 or (alone and len(value) >= 6)


def made(match: Match) -> bool:
    """Stricter, for running text: letters with digits or marks among them, and no name of technology."""
    value = _value(match)
    if (
        len(value) < 5
        or dummy(value)
        or _counted(value)
        or _TECHNICAL.fullmatch(value)
        or _CODE.fullmatch(value)
    ):
        return False
    letters, inner = re.search(r"[^\W\d_]", value), re.search(r"\d|[^\w\s.,:;'’/=-]", value[1:])
    return bool(letters and inner) or value.count("-") >= 3


def given(match: Match) -> bool:
    """What a program is given as a password may be any word but a dummy, a variable or a file."""
    value = _value(match)
    return len(value) >= 3 and not dummy(value) and value[0] not in "-$/@|&<>~%" and not _counted(value)


def random(group: int | str = 0, least: int = 0) -> Check:
    """Enough different characters for the length of what is replaced to be no word and no counter.

    Args: least: characters of it.
    """

    def check(match: Match) -> bool:
        value = match.group(group) or ""
        counts = Counter(value)
        bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
        mixed = (bits >= 4.0 and value.lower() != value != value.upper()) or (bits >= 3.2 and value.isupper())
        plain = len(value) >= least and bits >= 3.0 and (mixed or any(char.isdigit() for char in value))
        return plain and not _MASKED.search(value) and not _CODE.fullmatch(value)

    return check


def no_dummy(match: Match) -> bool:
    """What stands between a colon and an @ in an address is a password, if it is anything."""
    return not dummy(match.group(1)) and not re.fullmatch("[A-Z_]+", match.group(1))


def phrase(match: Match) -> bool:
    """As many words as a wallet's seed has (BIP 39), few of them twice."""
    words = re.findall(r"[a-z]{3,8}", match.group("value"))
    return len(words) in (12, 15, 18, 21, 24) and len(set(words)) > len(words) * 0.7
