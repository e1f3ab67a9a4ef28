# ruff: noqa: E501, RUF001, SIM905
"""Personal data that carry no national check digit: a random source enters, a value as people write it leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from random import Random

from benchmarks.seen_secrets.check_digits import icao, luhn
from benchmarks.seen_secrets.national_europe import birth
from benchmarks.seen_secrets.shapes import UPPER, shape

FIRST = (
    "ines jakub tjark sofia mehmet giulia paul rieke ana kenji lena dorota priya olu marek charlotte noah yuki carlos "
    "emma ivanka thandi xin fatma gustav orla bram hugo marta nils elif pilar"
).split()
LAST = (
    "moreau kowalczyk vandermeer lindqvist aydin ricci oconnor brandt figueira tanabe lopez vogt nowicka raman adeyemi "
    "petrov blanchard whitfield mendoza sorensen horvat naidoo zhao kaya schuh byrne visser olsson"
).split()
DOMAINS = (
    "gmail.com gmail.com outlook.com yahoo.co.uk icloud.com web.de gmx.net gmx.at t-online.de orange.fr laposte.net "
    "libero.it hotmail.es sapo.pt ziggo.nl wp.pl telia.com mynet.com docomo.ne.jp proton.me bluewin.ch uol.com.br "
    "seznam.cz fastmail.com krueger-metallbau.de studio-lagarde.fr oakhurstdental.co.uk mail.ru qq.com hey.com"
).split()
# `#` is a digit, `@` a digit from 2 to 9; (country, patterns as people write them)
PHONES: Mapping[str, tuple[str, ...]] = {
    "us": (
        "(415) @##-####",
        "+1 312-@##-####",
        "646.@##.####",
        "1-919-@##-####",
        "503 @## ####",
        "+1713@######",
    ),
    "ca": ("(604) @##-####", "+1 514 @## ####", "416-@##-####"),
    "gb": (
        "07@## ######",
        "+44 7@## ### ###",
        "0117 @## ####",
        "020 7@## ####",
        "+44 (0)7@##-######",
        "07@########",
    ),
    "de": (
        "0151 @#######",
        "+49 176 @#######",
        "0049 160 @######",
        "089/@######",
        "030 - @## ## ###",
        "+49 (0)40 @#######",
    ),
    "at": ("0664 @######", "+43 676 @## ## ##", "01/@######"),
    "ch": ("079 @## ## ##", "+41 78 @## ## ##", "044 @## ## ##"),
    "fr": ("06 @# ## ## ##", "+33 7 @# ## ## ##", "06.@#.##.##.##", "01 4@ ## ## ##", "+336@#######"),
    "es": ("6@# ## ## ##", "+34 6@# ### ###", "91 @## ## ##", "6@#######"),
    "it": ("347 @######", "+39 333 @### ###", "02 @### ####", "0039 348@######"),
    "pt": ("91@ ### ###", "+351 96@ ### ###", "21@ ### ###"),
    "nl": ("06-@#######", "+31 6 @### ####", "020-@## ####", "0031 6@#######"),
    "be": ("0475 @# ## ##", "+32 478 @# ## ##", "02 @## ## ##"),
    "pl": ("50@ ### ###", "+48 60@ ### ###", "22 @## ## ##", "+4851@######"),
    "se": ("070-@## ## ##", "+46 73 @## ## ##", "08-@## ### ##"),
    "no": ("4@# ## ###", "+47 9@ ## ## ##"),
    "dk": ("2@ ## ## ##", "+45 3@ ## ## ##"),
    "fi": ("040 @######", "+358 50 @## ####"),
    "tr": ("0532 @## ## ##", "+90 5@# ### ## ##", "0 (212) @## ## ##", "0544@######"),
    "gr": ("69@# ### ###", "+30 694 @######"),
    "cz": ("60@ ### ###", "+420 72@ ### ###"),
    "ro": ("072@ ### ###", "+40 74@ ### ###"),
    "ua": ("+380 67 @## ## ##", "050-@##-##-##"),
    "il": ("052-@######", "+972 54-@##-####"),
    "ae": ("050 @## ####", "+971 55 @## ####"),
    "za": ("082 @## ####", "+27 73 @## ####"),
    "ng": ("0803 @## ####", "+234 806 @## ####"),
    "in": ("98@## #####", "+91 99@## #####", "+91-97@#######"),
    "jp": ("090-@###-####", "080-@###-####", "03-@###-####", "+81 90-@###-####"),
    "kr": ("010-@###-####", "+82 10-@###-####"),
    "cn": ("138 @### ####", "+86 159@#######", "186@#######"),
    "au": ("0412 @## ###", "+61 4@# ### ###", "(02) 9@## ####"),
    "nz": ("021 @## ###", "+64 27 @## ####"),
    "br": ("(11) 9@###-####", "+55 21 9@###-####", "(41) 9 @###-####"),
    "mx": ("55 @### ####", "+52 33 @### ####"),
    "ar": ("11 @###-####", "+54 9 11 @###-####"),
    "sg": ("9@## ####", "+65 8@## ####"),
}


def dial(rng: Random, pattern: str) -> str:
    return "".join(
        rng.choice("23456789") if char == "@" else rng.choice("0123456789") if char == "#" else char
        for char in pattern
    )


def caller(patterns: tuple[str, ...]) -> Callable[[Random], str]:
    """Return a maker of numbers in these patterns."""
    return lambda rng: dial(rng, rng.choice(patterns))


def local_part(rng: Random) -> str:
    """The part before the @, as people choose it."""
    first, last, number = rng.choice(FIRST), rng.choice(LAST), rng.randint(2, 99)
    return rng.choice(
        (
            f"{first}.{last}",
            f"{first[0]}.{last}",
            f"{first}_{last}{number}",
            f"{last}{number}",
            f"{first}{last}",
            f"{first}-{last}",
            f"{first[0]}{last}{1900 + rng.randint(55, 99)}",
            f"{last}.{first}+shop",
            f"the.real.{first}",
        )
    )


def email(rng: Random) -> str:
    return f"{local_part(rng)}@{rng.choice(DOMAINS)}"


def email_idn(rng: Random) -> str:
    """An address with letters outside ASCII."""
    return f"{rng.choice(('jörg', 'zoë', 'søren', 'małgorzata'))}.{rng.choice(LAST)}@{rng.choice(('müller-gärten.de', 'café-lagarde.fr'))}"


def email_spelled(rng: Random) -> str:
    """An address that a person spells out against address collectors."""
    dot, at = rng.choice(((".", "(at)"), (".", " [at] "), (" dot ", " at ")))
    local = f"{rng.choice(FIRST)}.{rng.choice(LAST)}"
    return f"{local.replace('.', dot)}{at}{rng.choice(('gmail', 'outlook', 'proton'))}{dot}com"


def ipv4(rng: Random) -> str:
    """A public address of an access network."""
    return f"{rng.choice((24, 46, 62, 78, 81, 84, 91, 109, 151, 178, 188, 212, 217))}.{rng.randint(3, 250)}.{rng.randint(1, 254)}.{rng.randint(2, 254)}"


def ipv6(rng: Random) -> str:
    head = rng.choice(("2a02:8109", "2003:e7", "2a01:cb04", "2601:644", "2a00:23c7", "2804:14d"))
    return shape(rng, f"{head}:{{h3}}8:{{h4}}:{{h3}}1:{{h4}}:{{h4}}:{{h3}}c")


def mac(rng: Random, mark: str = ":") -> str:
    head = rng.choice(("a4:83:e7", "3c:22:fb", "f0:18:98", "dc:a6:32", "48:d6:d5", "7c:b2:7d"))
    return mark.join((head + shape(rng, ":{h2}:{h2}:{h2}")).split(":"))


def imei(rng: Random) -> str:
    body = rng.choice(("35332811", "35694210", "86412305", "35790012")) + shape(rng, "{d6}")
    return body + luhn(body)


def icao_line(rng: Random) -> str:
    """The second line of a German passport's machine-readable zone."""
    number, born = shape(rng, "C{g8}"), birth(rng)
    expires = f"{rng.randint(27, 35)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"
    a, b, c = number + icao(number), f"{born:%y%m%d}" + icao(f"{born:%y%m%d}"), expires + icao(expires)
    return f"{a}D<<{b}{rng.choice('FM')}{c}<<<<<<<<<<<<<<{'<'}{icao(a + b + c + '<' * 15)}"


def de_id_card(rng: Random) -> str:
    body = rng.choice("LMNPRTVWXYZ") + "".join(rng.choices("CFGHJKLMNPRTVWXYZ0123456789", k=8))
    return body + icao(body)


def gb_licence(rng: Random) -> str:
    born = birth(rng)
    name, month = "".join(rng.choices("ABCDEGHKLMNPRST", k=5)), born.month + rng.choice((0, 50))
    return f"{name}{born.year // 10 % 10}{month:02d}{born.day:02d}{born.year % 10}{rng.choice(UPPER)}{rng.choice('9A')}9{rng.choice(UPPER)}{rng.choice(UPPER)}"


def calendar(names: str) -> Callable[[Random], str]:
    """Return a maker of birth dates with the month in words."""

    def written(rng: Random) -> str:
        born: date = birth(rng)
        return f"{born.day} {names.split()[born.month - 1]} {born.year}"

    return written


MONTHS: Mapping[str, str] = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}
PERSONS: Mapping[str, Callable[[Random], str]] = {
    "email": email,
    "email_upper": lambda rng: email(rng).title(),
    "email_encoded": lambda rng: email(rng).replace("+", "%2B").replace("@", "%40"),
    "email_idn": email_idn,
    "email_spelled": email_spelled,
    **{f"phone_{land}": caller(patterns) for land, patterns in PHONES.items()},
    **{f"mobile_{land}": caller(patterns[:2]) for land, patterns in PHONES.items()},
    "phone_e164": lambda rng: dial(rng, rng.choice(("+4917@#######", "+336@#######", "+447@########", "+3469@######"))),
    "ipv4": ipv4,
    "ipv6": ipv6,
    "mac": mac,
    "mac_dash": lambda rng: mac(rng, "-").upper(),
    "imei": imei,
    "lat": lambda rng: f"{rng.uniform(47.6, 52.4):.6f}",
    "lng": lambda rng: f"{rng.uniform(8.1, 11.9):.6f}",
    "dms_lat": lambda rng: f"{rng.randint(48, 52)}°{rng.randint(10, 59)}'{rng.randint(10, 59)}.{rng.randint(1, 9)}\"N",
    "dms_lng": lambda rng: f"{rng.randint(8, 11)}°{rng.randint(10, 59)}'{rng.randint(10, 59)}.{rng.randint(1, 9)}\"E",
    "plus_code": lambda rng: "8FW" + "".join(rng.choices("23456789CFGHJMPQRVWX", k=5)) + "+" + "".join(rng.choices("23456789CFGHJMPQRVWX", k=2)),
    "born_iso": lambda rng: f"{birth(rng):%Y-%m-%d}",
    "born_de": lambda rng: f"{birth(rng):%d.%m.%Y}",
    "born_slash": lambda rng: f"{birth(rng):%d/%m/%Y}",
    "born_us": lambda rng: f"{birth(rng):%m/%d/%Y}",
    "born_dash": lambda rng: f"{birth(rng):%d-%m-%Y}",
    "born_jp": lambda rng: f"{(born := birth(rng)).year}年{born.month}月{born.day}日",
    "born_compact": lambda rng: f"{birth(rng):%Y%m%d}",
    "born_us_long": lambda rng: f"{birth(rng):%B %d, %Y}",
    **{f"born_{tongue}_long": calendar(names) for tongue, names in MONTHS.items()},
    "passport_us": lambda rng: shape(rng, rng.choice(("{n1}{d8}", "A{d8}"))),
    "passport_gb": lambda rng: shape(rng, "{n1}{d8}"),
    "passport_de": lambda rng: shape(rng, "C{g8}"),
    "passport_fr": lambda rng: shape(rng, "{d2}{U2}{d5}"),
    "passport_it": lambda rng: shape(rng, "Y{U1}{d7}"),
    "passport_es": lambda rng: shape(rng, "{U3}{d6}"),
    "passport_pl": lambda rng: shape(rng, "E{U1}{d7}"),
    "passport_nl": lambda rng: shape(rng, "N{U1}{u5}{U1}{d1}"),
    "passport_in": lambda rng: shape(rng, "{U1}{n1}{d6}"),
    "passport_jp": lambda rng: shape(rng, "T{U1}{d7}"),
    "passport_tr": lambda rng: shape(rng, "U{d8}"),
    "passport_cn": lambda rng: shape(rng, "E{U1}{d7}"),
    "passport_br": lambda rng: shape(rng, "F{U1}{d6}"),
    "mrz_line": icao_line,
    "de_id_card": de_id_card,
    "licence_gb": gb_licence,
    "licence_us_ca": lambda rng: shape(rng, "{U1}{d7}"),
    "licence_us_ny": lambda rng: shape(rng, "{d3} {d3} {d3}"),
    "licence_us_fl": lambda rng: shape(rng, "{U1}{d3}-{d3}-{d2}-{d3}-{d1}"),
    "licence_de": lambda rng: shape(rng, "B{d3}RRE{d2}I{u1}2"),
    "licence_fr": lambda rng: shape(rng, "{d2}{U2}{d5}"),
    "licence_it": lambda rng: shape(rng, "U1{u1}{d3}{u1}{d2}{U1}"),
    "licence_nl": lambda rng: shape(rng, "{n1}{d9}"),
    "licence_au": lambda rng: shape(rng, "{n1}{d7}"),
    "licence_in": lambda rng: shape(rng, "MH{d2} 20{d2}{d7}"),
    "licence_jp": lambda rng: shape(rng, "{n1}{d11}"),
    "health_us": lambda rng: shape(rng, "XEH{d9}"),
    "health_eu": lambda rng: shape(rng, "80276{d15}"),
    "health_ca": lambda rng: shape(rng, "{n1}{d3}-{d3}-{d3}-{U2}"),
    "health_nl": lambda rng: shape(rng, "{n1}{d8}"),
    "plate_de": lambda rng: shape(rng, rng.choice(("M-{U2} {n1}{d3}", "HH {U2} {n1}{d2}", "KA-{U1} {n1}{d3}", "B-{U2}{n1}{d3}"))),
    "plate_gb": lambda rng: shape(rng, rng.choice(("LK{d2} {U3}", "YE{d2}{U3}"))),
    "plate_fr": lambda rng: shape(rng, "{U2}-{d3}-{U2}"),
    "plate_it": lambda rng: shape(rng, "G{U1}{d3}{U2}"),
    "plate_es": lambda rng: "{}{} {}".format(rng.randint(1, 9), shape(rng, "{d3}"), "".join(rng.choices("BCDFGHJKLMNPRSTVWXYZ", k=3))),
    "plate_us": lambda rng: shape(rng, rng.choice(("{n1}{U3}{d3}", "{U3}-{d4}"))),
    "plate_pl": lambda rng: shape(rng, "WX {d4}{U1}"),
    "plate_nl": lambda rng: shape(rng, "{U1}-{d3}-{U2}"),
    "plate_jp": lambda rng: f"品川 {rng.randint(300, 599)} さ {rng.randint(10, 99)}-{rng.randint(10, 99)}",
    "vin": lambda rng: "WVWZZZ1K" + "".join(rng.choices("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", k=3)) + shape(rng, "{d6}"),
    "advertising_id": lambda rng: shape(rng, "{h8}-{h4}-4{h3}-b{h3}-{h12}"),
    "health_card_tw": lambda rng: shape(rng, "0000{d8}"),
}  # fmt: skip
