"""Made-up contacts, addresses, places and passwords, and how values are put into the fresh set's templates.

A `random.Random` enters a maker; a value leaves. `fill` takes a template and returns a text with the
substrings of it that have to go. Telephone numbers are in their country's writing, and in a range for fiction
where the country has one; whether another one's block is assigned is not looked at.
"""
# ruff: noqa: RUF001 - Japanese keyboards write numbers in signs of their own

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from random import Random

from benchmarks.fresh_numbers import BBANS, CARDS, NUMBERS, born, card, iban, nino, person
from benchmarks.planted_values import ALNUM, DIGITS, LOWER, MARKER, Maker, chars, of, pattern, ssn

WIDE = "０１２３４５６７８９"
SHORTEST_SPLIT = 16  # a value this long must not survive in its middle either
# Coarser forms of these (a network, a year, a town, a maker of devices) may stay.
WHOLE_ONLY = re.compile("ip|ipv6|born_.|lat|lon|mac.*")

FIRST = [
    "anneliese",
    "benoit",
    "chiara",
    "dariusz",
    "eluned",
    "ferhat",
    "gudrun",
    "haruka",
    "ignacio",
    "jolanta",
]
LAST = [
    "abernathy",
    "bielska",
    "carvalho",
    "demirkan",
    "eichhorn",
    "fontaine",
    "gallardo",
    "hashimoto",
    "ivarsen",
]
DOMAINS = [
    "fjordpost",
    "nordlicht-mail",
    "cartaviva",
    "boitelettre",
    "tulipbox",
    "poczta-kowal",
    "kutucuk",
    "webhamn",
]
ENDS = [
    "com",
    "de",
    "fr",
    "it",
    "es",
    "pl",
    "com.tr",
    "co.jp",
    "nl",
    "org.uk",
    "at",
    "ch",
    "se",
    "io",
    "email",
]
HUMAN = [
    "Sommer",
    "Juventus",
    "dragon",
    "Bosphorus",
    "Croissant",
    "monkey",
    "Sakura",
    "Pierogi",
    "Valencia",
    "letmein",
]
PHRASE = [
    "anvil",
    "biscuit",
    "copper",
    "dolphin",
    "easel",
    "fiddle",
    "gazebo",
    "hammock",
    "inkwell",
    "juniper",
]
BIRTHS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %B %Y", "%Y年%m月%d日", "%B %d, %Y")
ODD_EMAILS = (  # in the language of `odd_email`
    "F.L+orders9@D99.E",
    "o'L.F@D9.E",
    "F@mail.post.D9.E",
    "F.L@müller-9D.de",
    "F_L--9@D9.E",
    '"F L"@D9.E',
    "bounce+F.L=D9.E@mx.tulipbox.io",
    "x@D99.E",
    "F.L99 [at] D9 [dot] E",
    "F.L9(at)D.E",
)
STREETS = {  # language -> forms, separated by |
    "de": "Lindenstraße #|Am Alten Markt 1#|Goethestr. 4#b",
    "fr": "1# rue des Lilas|#4 avenue Jean Moulin|7# bd Voltaire",
    "en": "2# Larkspur Lane|11# Willow Creek Rd|#8 Orchard Terrace, Flat 2",
    "es": "Calle de los Olmos 3#|Avda. del Puerto 1#, 2º B",
    "it": "Via dei Tigli 5#|Corso Garibaldi 1#",
    "pl": "ul. Lipowa 1#/4|ul. Kwiatowa #3 m. 7",
    "tr": "Çınar Sokak No: 1#|Lale Caddesi 4# Daire 5",
    "ja": "桜丘町2丁目#番1#号|本町4-#-1#",
    "nl": "Kastanjelaan 2#|Prinsengracht 4##-hs",
}
PHONES = {  # country -> national forms, international forms, separated by |
    "US": ("(617) 555-01##|303-555-01##", "+1 617 555 01##|+1-303-555-01##|+1303555 01##"),
    "GB": ("07700 900###|020 7946 0###", "+44 7700 900###|+44 (0)20 7946 0###|0044 113 496 0###"),
    "DE": ("0152 289545##|(089) 99998-4##", "+49 152 289545##|+49-30-23125-4##|0049 89 99998 4##"),
    "FR": ("06 39 98 4# ##|02.61.91.4#.##", "+33 6 39 98 4# ##|+33 (0)2 61 91 4# ##|0033 199004###"),
    "ES": ("6#2 4# 1# ##|9#4 11# 2##", "+34 6#2 4# 1# ##|+34-9#4-11#-2##"),
    "IT": ("347 41#2 ###|06 6982 4###", "+39 347 41#2###|0039 06 6982 4###"),
    "PL": ("512 4## ###|22 5## 1# ##", "+48 512 4## ###|+48 22 5## 1# ##"),
    "TR": ("0532 4## 1# ##|(0212) 5## 4# ##", "+90 532 4## 1# ##|+90 (212) 5## 4# ##"),
    "JP": ("090-4#12-5###|03-5#41-2###", "+81 90-4#12-5###|+81-3-5#41-2###"),
    "NL": ("06-4#1#2###|020 5## 4###", "+31 6 4#1#2###|+31 (0)20 5## 4###"),
    "BE": ("0470 1# 4# ##|02 5## 4# ##", "+32 470 1# 4# ##|+32 2 5## 4# ##"),
    "AT": ("0664 4#1 2###|01 5#4 12##", "+43 664 4#12###|+43 1 5#4 12##"),
    "CH": ("079 4#1 2# ##|044 5#1 4# ##", "+41 79 4#1 2# ##|0041 44 5#1 4# ##"),
    "SE": ("070-174 06 ##|08-465 004 ##", "+46 70 174 06 ##|+46 8 465 004 ##"),
    "BR": ("(11) 9#41#-2###|(21) 2#41-2###", "+55 11 9#41#-2###|+55 (21) 2#41-2###"),
    "IN": ("098#4# 12###|080-2#41 2###", "+91 98#4# 12###|+91-80-2#41-2###"),
    "AU": ("0491 57# ###|(02) 5550 4###", "+61 491 57# ###|+61 2 5550 4###"),
    "CN": ("138 4#12 5###|010-8#41 2###", "+86 138 4#12 5###|+86-10-8#41-2###"),
    "PT": ("91# 4#1 2##|21# 4#1 2##", "+351 91# 4#1 2##|00351 21# 4#1 2##"),
    "CZ": ("60# 4#1 2##|2#4 1#1 2##", "+420 60# 4#1 2##|00420 2#4 1#1 2##"),
}


def email(rng: Random) -> str:
    first, last, number = rng.choice(FIRST), rng.choice(LAST), rng.randint(51, 99)
    local = rng.choice(
        [f"{first}.{last}", f"{first[0]}{last}{number}", f"{last}_{first}", f"{first}{number}"]
    )
    return f"{local}@{rng.choice(DOMAINS)}{rng.randint(2, 9)}.{rng.choice(ENDS)}"


def odd_email(form: str) -> Maker:
    """A maker of a form in which F, L, D and E stand for names, a domain and its end, and 9 for a digit."""

    def make(rng: Random) -> str:
        lists = {"F": FIRST, "L": LAST, "D": DOMAINS, "E": ENDS, "9": DIGITS}
        return "".join(rng.choice(lists.get(c, c)) for c in form)

    return make


def ip(rng: Random) -> str:
    while not (address := ipaddress.IPv4Address(rng.getrandbits(32))).is_global or address.is_multicast:
        pass
    return str(address)


def ipv6(rng: Random) -> str:
    low = rng.choice([rng.getrandbits(64), rng.getrandbits(16)])  # a whole half, or a short one behind a ::
    block = rng.choice([0x2A02, 0x2600, 0x240B, 0x2804])
    address = ipaddress.IPv6Address((block << 112) + (rng.getrandbits(48) << 64) + low)
    return rng.choice([address.compressed, address.compressed, address.exploded])


def mac(separators: str) -> Maker:
    """A maker of addresses whose first byte says that they are a single device's and its maker's."""

    def make(rng: Random) -> str:
        octets = (rng.randrange(4, 252, 4), *rng.randbytes(5))
        return rng.choice(separators).join(f"{octet:02x}" for octet in octets)

    return make


def birth(form: str) -> Maker:
    return lambda rng: born(rng).strftime(form)


def password(symbols: str) -> Maker:
    """A maker of passwords as people and managers make them, with the symbols that a context can bear."""

    def make(rng: Random) -> str:
        word, mark = rng.choice(HUMAN), rng.choice(symbols)
        strong = (
            chars(rng, LOWER, 4) + chars(rng, DIGITS + symbols, 4) + chars(rng, ALNUM, rng.randint(3, 11))
        )
        spelled = word.replace("a", "4").replace("e", "3").replace("o", "0") + mark + chars(rng, DIGITS, 3)
        dated = f"{word}{rng.randint(1900, 2025)}{mark}{rng.choice(ALNUM)}"
        phrase = mark.join([*rng.sample(PHRASE, 3), chars(rng, DIGITS, 2)])
        simple = f"{word.lower()}{rng.randint(10, 9999)}"
        return rng.choice([strong, strong, dated, spelled, simple, phrase])

    return make


def parts(value: str, maker: str) -> tuple[str, ...]:
    """What must be gone of a value: it, and its middle where hiding an end would leave most of it."""
    if maker.startswith("key_"):
        rows = re.split(r"\\n|\n *", value)
        return tuple(row for row in rows if len(row) > 20 and "-----" not in row)
    if maker == "jwt":
        return value, *value.split(".")[1:]
    if maker == "email":
        return value, value.split("@")[0]
    if maker.startswith("street_"):
        words = re.findall(r"[^\W\d_]+", value)
        return value, max(words, key=len)  # a street without its number still tells much
    if len(value) < SHORTEST_SPLIT or WHOLE_ONLY.fullmatch(maker):
        return (value,)
    return value, value[4:-4].strip(" -./")


def fill(
    template: str, rng: Random, secrets: Mapping[str, Maker], harmless: Mapping[str, Maker]
) -> tuple[str, tuple[str, ...]]:
    """Puts values into a template: `<<name>>` draws a secret, `{{name}}` a harmless value.

    Returns: the text, and its secrets, each of which occurs in it once.
    Raises: KeyError: the template names a maker that does not exist.
    """
    while True:
        text, end = "", 0
        found: list[str] = []
        for match in MARKER.finditer(template):
            value = secrets[match[1]](rng) if match[1] else harmless[match[2]](rng)
            found.extend(parts(value, match[1]) if match[1] else ())
            text, end = text + template[end : match.start()] + value, match.end()
        text += template[end:]
        if all(text.count(secret) == 1 for secret in found):
            return text, tuple(found)


PERSONAL: Mapping[str, Maker] = {
    "email": email,
    **{f"email_{i}": odd_email(form) for i, form in enumerate(ODD_EMAILS)},
    **{f"phone_{country}": pattern(*home.split("|")) for country, (home, _) in PHONES.items()},
    **{f"phone_{country}_abroad": pattern(*abroad.split("|")) for country, (_, abroad) in PHONES.items()},
    "phone_wide": lambda rng: "０９０－" + chars(rng, WIDE, 4) + "－" + chars(rng, WIDE, 4),
    **{f"card_{issuer}": card(issuer) for issuer in CARDS},
    "cvv": of("", DIGITS, 3),
    "cid": of("", DIGITS, 4),
    **{f"iban_{country}": iban(country) for country in BBANS},
    "account": pattern("4#1#2#7#", "2#3#1#8#4#"),
    **{kind: person(kind, form) for kind, form in NUMBERS.items()},
    "ssn": ssn,
    "nino": nino,
    "passport": pattern("C4@X1#2#@", "5#3#1#4#2", "@@#######", "1#@@2####"),
    "licence": pattern("@@###1#7@2#", "D#4#-#1##-2#3#"),
    **{f"born_{i}": birth(form) for i, form in enumerate(BIRTHS)},
    **{f"street_{language}": pattern(*forms.split("|")) for language, forms in STREETS.items()},
    "lat": pattern("4#.1#2#4", "5#.4#1#73"),
    "lon": pattern("1#.2#1#8", "9.8#3#41"),
    "ip": ip,
    "ipv6": ipv6,
    "mac": lambda rng: mac(":-")(rng).upper(),
    "mac_lower": mac(":"),
    "password": password("!#%*+-_?@^~"),
    "plain": password("-_"),
    "passphrase": lambda rng: " ".join(rng.sample(PHRASE, 5)),
}
