"""Values that belong to a person: addresses, numbers, dates, accounts, devices and places.

A generator enters; one value leaves, random, in the form and with the check digits of a real one. Names of
persons are here too, to be written around the values; they are not among what has to be hidden.
"""
# ruff: noqa: E501, RUF001

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from random import Random

from benchmarks.fresh_secrets.fill import Maker, complete, pattern
from benchmarks.fresh_secrets.numbers import BBAN, DIGITS, DNI, VALID, seven_three_one, with_check

NAMES: Mapping[str, tuple[str, str]] = {
    "en": ("Olivia Marcus Priya Declan Hannah Tobias Joanne Curtis", "Whitfield Okafor Brennan Castillo Pruitt Lindqvist Marsh Delaney"),
    "de": ("Annika Jörg Sabine Lukas Heike Matthias Svenja Uwe", "Brandt Köhler Wiesner Hofmann Petersen Zielke Grünwald Ahrens"),
    "fr": ("Camille Thierry Élodie Bastien Nathalie Yanis Margaux Hugo", "Lefèvre Moreau Garnier Benoît Chauvin Perrot Delmas Faure"),
    "es": ("Lucía Álvaro Marisol Joaquín Pilar Rubén Noelia Iker", "Ortega Villalba Peña Cortés Zamora Iglesias Prieto Salas"),
    "it": ("Giulia Matteo Chiara Lorenzo Silvia Davide Elisa Fabio", "Bianchi Ferrari Marino Greco Conti Galli Rizzo Serra"),
    "pt": ("Beatriz Thiago Larissa Rafael Camila Otávio Renata Caio", "Nogueira Teixeira Barros Pacheco Moura Siqueira Freitas Prado"),
    "nl": ("Sanne Joost Femke Bram Marieke Thijs Lotte Daan", "Visser Dekker Mulder Postma Hoekstra Kuiper Brouwer Smit"),
    "pl": ("Agnieszka Tomasz Karolina Paweł Magdalena Wojciech Zofia Rafał", "Kowalczyk Wrona Zając Sikora Malinowska Duda Pawlak Bąk"),
    "sv": ("Elin Oskar Maja Anders Ingrid Henrik Tuva Lars", "Bergström Nyström Holm Sandberg Lund Åkesson Forsberg Dahl"),
    "tr": ("Elif Murat Zeynep Emre Ayşe Burak Selin Kerem", "Yıldız Demir Aksoy Kaplan Şahin Polat Erdem Koç"),
}  # fmt: skip
PLAIN = str.maketrans("äöüåéèêëîïçñáíóúşığłąęćńźżÖÄÜÅÉŞİŁ", "aouaeeeeiicnaiousiglaecnzzOAUAESIL")
MAIL = {
    "en": "gmail.com outlook.com icloud.com yahoo.co.uk proton.me fastmail.com northbeam-logistics.com hollowaydental.co.uk",
    "de": "gmx.de web.de t-online.de posteo.de freenet.de kanzlei-steinbrink.de mueller-bau-gmbh.de",
    "fr": "orange.fr free.fr laposte.net wanadoo.fr sfr.fr cabinet-delorme.fr",
    "es": "hotmail.es gmail.com telefonica.net yahoo.es talleresbaeza.es",
    "it": "libero.it virgilio.it tiscali.it pec.studioferri.it gmail.com",
    "pt": "uol.com.br bol.com.br terra.com.br sapo.pt hotmail.com",
    "nl": "ziggo.nl kpnmail.nl xs4all.nl hetnet.nl gmail.com",
    "pl": "wp.pl onet.pl o2.pl interia.pl gazeta.pl",
    "sv": "telia.com bredband.net hotmail.se live.se",
    "tr": "hotmail.com.tr gmail.com mynet.com superonline.com",
}
PHONES: Mapping[str, str] = {
    "us": "(415) N3d-dddd;646-N6d-dddd;+1 312 N4d dddd;713.N2d.dddd;1-206-N7d-dddd;617N8ddddd;+1 (404) N3d-dddd",
    "uk": "07Ndd dddddd;+44 77dd dddddd;0161 Ndd dddd;07d*9;+44 (0)20 8Ndd dddd;07Ndd ddd ddd",
    "de": "0176 d*8;0151/d*8;+49 170 ddddddd;0049 160 ddddddd;030 Nddddddd;+49 (0)89 Nddddd-dd;0157-d*8",
    "fr": "06 dd dd dd dd;07.dd.dd.dd.dd;+33 6 dd dd dd dd;01 4d dd dd dd;06d*8;+33 (0)7 dd dd dd dd",
    "es": "6dd dd dd dd;+34 6dd ddd ddd;6d*8;91 Ndd dd dd;722 ddd ddd",
    "it": "347 ddd dddd;+39 33d ddddddd;328-ddddddd;02 Nddd dddd;3924d*6",
    "pt": "91d ddd ddd;+351 93d ddd ddd;96d*7",
    "br": "(11) 9Nddd-dddd;+55 21 9Nddd-dddd;11 9Nddddddd;(31) 98ddd-dddd;55119Nddddddd",
    "nl": "06-d*8;06 dd dd dd dd;+31 6 dddddddd;020-Ndd dddd;0031 6 d*8",
    "be": "0475 dd dd dd;+32 48d dd dd dd;0496/dd.dd.dd",
    "ch": "079 ddd dd dd;+41 78 ddd dd dd;044 Ndd dd dd",
    "at": "0664 d*7;+43 676 ddd dd dd;0650/ddddddd",
    "pl": "50d ddd ddd;+48 69d ddd ddd;88d-ddd-ddd;22 Ndd dd dd",
    "sv": "070-ddd dd dd;+46 73 ddd dd dd;0761d*6",
    "no": "4dd dd ddd;+47 9dd dd ddd;9dddd ddd",
    "dk": "2d dd dd dd;+45 4d dd dd dd",
    "fi": "040 ddd dddd;+358 50 ddd dddd",
    "tr": "0532 ddd dd dd;+90 555 ddd dd dd;0(542) ddd dd dd;05d*9",
    "in": "98dddddddd;+91 97ddd ddddd;+91-9ddddddddd;088ddd ddddd",
    "jp": "090-Dddd-dddd;080-Dddd-dddd;03-Nddd-dddd;+81 90 Dddd dddd",
    "kr": "010-Nddd-dddd;+82 10 Nddd dddd;010Nddddddd",
    "cn": "138dddddddd;+86 159 dddd dddd;186-dddd-dddd",
    "ae": "050 ddd dddd;+971 55 ddd dddd;00971 52 ddddddd",
    "il": "054-ddddddd;+972 52 ddd dddd",
    "au": "04dd ddd ddd;+61 4dd ddd ddd;(02) 9ddd dddd",
    "za": "082 ddd dddd;+27 83 ddd dddd",
    "mx": "55 Nddd dddd;+52 33 Nddd dddd;(81) Nddd-dddd",
    "ar": "11 Nddd-dddd;+54 9 351 Ndd dddd;15-Nddd-dddd",
    "co": "310 ddd dddd;+57 32d ddddddd",
    "ua": "067 ddd dd dd;+380 50 ddd dd dd",
    "sg": "9ddd dddd;+65 8ddd dddd",
    "gr": "69dd ddd ddd;+30 697 ddd dddd",
    "cz": "60d ddd ddd;+420 77d ddd ddd",
}
MONTHS: Mapping[str, str] = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
}
HOMES = ((52.49, 13.38), (48.87, 2.35), (51.46, -0.11), (40.69, -73.96), (37.76, -122.44), (-23.56, -46.66),
         (19.38, -99.17), (28.56, 77.21), (41.02, 28.97), (59.32, 18.05), (35.67, 139.70), (-33.89, 151.19))  # fmt: skip
CARDS = (
    "4dddddddddddddd",
    "4dddddddddddddd",
    "51ddddddddddddd",
    "54ddddddddddddd",
    "2223ddddddddddd",
    "6011ddddddddddd",
)


def _born(rng: Random) -> date:
    return date(1942, 1, 1) + timedelta(days=rng.randrange(365 * 57))


def _child(rng: Random) -> date:
    return date(2012, 1, 1) + timedelta(days=rng.randrange(365 * 12))


def _birth(form: str) -> Maker:
    return lambda rng: _born(rng).strftime(form)


def _birth_words(language: str, form: str) -> Maker:
    def make(rng: Random) -> str:
        day = _born(rng)
        return form.format(day=day.day, month=MONTHS[language].split()[day.month - 1], year=day.year)

    return make


def _name(language: str) -> Maker:
    def make(rng: Random) -> str:
        first, last = NAMES[language]
        return f"{rng.choice(first.split())} {rng.choice(last.split())}"

    return make


def _email(language: str) -> Maker:
    def make(rng: Random) -> str:
        first, last = _name(language)(rng).translate(PLAIN).lower().split()
        number = rng.randrange(3, 99)
        local = rng.choice([f"{first}.{last}{number}", f"{first[0]}.{last}{number}", f"{last}_{first}{number}",
                            f"{first}{last}{1940 + number}", f"{first}-{last}.{number}", f"{last}{number}", f"{first}.{last}+{number}x"])  # fmt: skip
        return f"{local}@{rng.choice(MAIL[language].split())}"

    return make


def _phone(country: str) -> Maker:
    return lambda rng: pattern(rng, rng.choice(PHONES[country].split(";")))


def _of(name: str, *patterns: str, last: str = DIGITS) -> Maker:
    """Draw a body by a pattern; `Y` is a birth date as yymmdd, `E` as ddmmyy, `F` as yyyymmdd, `?` a check sign."""

    def draw(rng: Random) -> str:
        body, day = rng.choice(patterns), _born(rng)
        for sign, form in (("Y", "%y%m%d"), ("E", "%d%m%y"), ("F", "%Y%m%d")):
            body = body.replace(sign, f"[{day.strftime(form)}]")
        parts = body.replace("]", "[").split("[")
        text = "".join(part if place % 2 else pattern(rng, part) for place, part in enumerate(parts))
        return "".join(rng.choice(last) if sign == "?" else sign for sign in text)

    return complete(draw, VALID[name])


def _iban(country: str, bank: str, rest: str) -> Maker:
    account = complete(lambda rng: bank + pattern(rng, rest), BBAN.get(country, str.isalnum))
    return lambda rng: with_check(country, account(rng))


def _steuer_id(rng: Random) -> str:
    signs = rng.sample(DIGITS, 9)
    signs.append(signs[rng.randrange(9)])
    rng.shuffle(signs)
    return "".join(signs) + rng.choice(DIGITS)


def _mrz(rng: Random) -> str:
    """The second line of a British passport's machine-readable zone, with its five check digits."""

    def checked(value: str) -> str:
        return value + next(digit for digit in DIGITS if seven_three_one(value + digit))

    number, born = checked(pattern(rng, "ddddddddd")), checked(_born(rng).strftime("%y%m%d"))
    ends, free = checked(pattern(rng, "2D0Ddd")), checked("<" * 14)
    whole = checked(number + born + ends + free)[-1]
    return f"{number}GBR{born}{rng.choice('MF')}{ends}{free}{whole}"


def _home(rng: Random) -> tuple[float, float]:
    north, east = rng.choice(HOMES)
    return north + rng.uniform(-0.04, 0.04), east + rng.uniform(-0.04, 0.04)


def _coordinates(form: str) -> Maker:
    return lambda rng: form.format(*_home(rng))


def _vin(rng: Random) -> str:
    letters = "ABCDEFGHJKLMNPRSTUVWXYZ"
    ranks = dict(
        zip(letters, (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
    )
    signs = [rng.choice(letters.replace("U", "").replace("Z", "") + DIGITS) for _ in range(11)] + list(
        pattern(rng, "d*6")
    )
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    rest = sum(w * (ranks[s] if s in ranks else int(s)) for w, s in zip(weights, signs, strict=True)) % 11
    signs[8] = "0123456789X"[rest]
    return "".join(signs)


def _ipv4(rng: Random) -> str:
    return f"{rng.choice((24, 31, 46, 62, 73, 78, 81, 84, 91, 109, 151, 177, 187, 212))}." + ".".join(
        str(rng.randrange(2, 254)) for _ in range(3)
    )


def _codice_fiscale(rng: Random) -> str:
    stem = "".join(rng.choice("BCDFGLMNPRSTV") for _ in range(6))
    return f"{stem}{pattern(rng, '8d')}{rng.choice('BCEHLMPRST')}{pattern(rng, '1d')}{rng.choice('FHL')}{pattern(rng, 'NddA')}"


MBI = "ACDEFGHJKMNPQRTUVWXY"
STEMS = ("OEVL", "PACR", "ZAMJ")
PEOPLE: Mapping[str, Maker] = {
    **{f"name_{language}": _name(language) for language in NAMES},
    **{f"email_{language}": _email(language) for language in NAMES},
    **{f"phone_{country}": _phone(country) for country in PHONES},
    "dob_iso": _birth("%Y-%m-%d"), "dob_dots": _birth("%d.%m.%Y"), "dob_us": _birth("%m/%d/%Y"), "dob_slash": _birth("%d/%m/%Y"),
    "dob_short": _birth("%d.%m.%y"), "dob_cjk": lambda r: "{0.year}年{0.month}月{0.day}日".format(_born(r)),
    "dob_en": _birth_words("en", "{month} {day}, {year}"), "dob_uk": _birth_words("en", "{day} {month} {year}"),
    "dob_de": _birth_words("de", "{day}. {month} {year}"), "dob_fr": _birth_words("fr", "{day} {month} {year}"),
    "dob_es": _birth_words("es", "{day} de {month} de {year}"), "dob_it": _birth_words("it", "{day} {month} {year}"),
    "dob_pl": _birth_words("pl", "{day} {month} {year}"), "dob_compact": _birth("%Y%m%d"), "dob_kr": _birth("%Y.%m.%d"),
    "dob_child_dash": lambda r: _child(r).strftime("%d-%m-%Y"), "dob_child_slash": lambda r: _child(r).strftime("%d/%m/%Y"), "dob_child_uk": lambda r: _child(r).strftime("%d %B %Y"),
    "steuer_id": complete(_steuer_id, VALID["steuer_id"]), "kvnr": _of("kvnr", "Addddddddd"),
    "rvnr": _of("rvnr", "15 E ? 12d", "65 E ? 50d", last="ABCFGHKLMNPRSTVW"), "ausweis_de": _of("ausweis_de", "L????????d", last="CFGHJKLMNPRTVWXYZ" + DIGITS),
    "nir": _of("nir", "1 79 0D 75 1dd 0dd dd", "2 91 11 13 0dd 1dd dd", "285067510dddddd"), "spi": _of("spi", "0ddddddddd0dd", "1ddddddddd1dd", "3ddddddddd2dd"),
    "codice_fiscale": complete(_codice_fiscale, VALID["codice_fiscale"]),
    "dni": _of("dni", "dddddddd?", "dd.ddd.ddd-?", last=DNI), "nie": _of("nie", "Xddddddd?", "Zddddddd-?", last=DNI),
    "bsn": _of("bsn", "1dddddddd", "2dddddddd"), "rijksregister": _of("rijksregister", "80.0D.1d-ddd.dd", "79052dddddd"),
    "pesel": _of("pesel", "Yddddd"), "personnummer": _of("personnummer", "Y-dddd"), "fodselsnummer": _of("fodselsnummer", "E ddddd", "Eddddd"),
    "hetu": _of("hetu", "E-ddd?", last="0123456789ABCDEFHJKLMNPRSTUVWXY"), "cpr": lambda r: _born(r).strftime("%d%m%y") + pattern(r, "-dddd"),
    "cpf": _of("cpf", "ddd.ddd.ddd-dd", "ddddddddddd"), "rg_br": lambda r: pattern(r, "3d.ddd.ddd-d"),
    "curp": complete(lambda r: f"{r.choice(STEMS)}{_born(r):%y%m%d}{r.choice('HM')}{r.choice(('DFRVC', 'JCLRN', 'NLSNP'))}{pattern(r, '0d')}", VALID["curp"]),
    "rfc": complete(lambda r: f"{r.choice(STEMS)}{_born(r):%y%m%d}{pattern(r, 'AAd')}", VALID["rfc"]),
    "rut": _of("rut", "1d.ddd.ddd-?", "1ddddddd-?", last=DIGITS + "K"), "cuil": _of("cuil", "20-3ddddddd-?", "27-2ddddddd-?"), "cedula_co": lambda r: pattern(r, "1.0dd.ddd.ddd"),
    "aadhaar": _of("aadhaar", "Nddd dddd dddd", "Nddddddddddd"), "pan": lambda r: pattern(r, "AAA") + "P" + pattern(r, "AddddA"),
    "rrn": _of("rrn", "Y-1dddddd", "Y-2dddddd"), "my_number": _of("my_number", "dddd dddd dddd", "dddddddddddd"),
    "cn_id": _of("cn_id", "310104Fddd?", "440305Fddd?", last=DIGITS + "X"), "tc_kimlik": _of("tc_kimlik", "Dddddddddd?"), "nif_pt": _of("nif_pt", "2dddddddd", "1dd ddd ddd"),
    "cnp": _of("cnp", "1Y40dddd", "2Y12dddd"), "rodne": _of("rodne", "Y/dddd"), "utr": _of("utr", "dddddddddd", "ddddd ddddd"),
    "tfn": _of("tfn", "Ddd ddd ddd"), "medicare_au": _of("medicare_au", "2ddd ddddd 1"), "sin": _of("sin", "Ddd ddd ddd", "5dd-ddd-ddd"), "za_id": _of("za_id", "Y5ddd08d"),
    "nhs": _of("nhs", "4dd ddd dddd", "6ddddddddd"), "il_id": _of("il_id", "0dddddddd", "3dddddddd"), "amka": _of("amka", "Eddddd"), "thai_id": _of("thai_id", "1-dddd-ddddd-dd-d"),
    "nric": _of("nric", "S7dddddd?", "S8dddddd?", last="JZIHGFEDCBA"), "ahv": _of("ahv", "756.dddd.dddd.dd"), "svnr": _of("svnr", "Dddd E"), "inn": _of("inn", "7dddddddddd?"),
    "emirates_id": _of("emirates_id", "784-19Nd-ddddddd-d"), "snils": _of("snils", "1dd-ddd-ddd dd"), "rnokpp": _of("rnokpp", "Nddddddddd"), "nik": lambda r: "3174" + pattern(r, "0d") + _born(r).strftime("%d%m%y") + pattern(r, "000d"),
    "ssn": lambda r: pattern(r, f"{r.randrange(100, 665)}-Dd-Dddd"), "itin": lambda r: pattern(r, "9dd-7d-dddd"), "nino": lambda r: f"{r.choice(('JK', 'NX', 'PB', 'SH', 'CE'))} {pattern(r, 'dd dd dd')} {r.choice('ABCD')}",
    "mbi": lambda r: "".join(r.choice({"n": DIGITS, "a": MBI, "x": MBI + DIGITS}.get(s, s)) for s in r.choice(("2axn-axn-aann", "5axnaxnaann"))),
    "passport_us": lambda r: pattern(r, "Adddddddd"), "passport_uk": lambda r: pattern(r, "5dddddddd"), "passport_fr": lambda r: pattern(r, "NdAAddddd"), "passport_in": lambda r: r.choice("JKLMNPRSTUVW") + pattern(r, "Dddddddd"),
    "passport_de": lambda r: "C" + "".join(r.choice("CFGHJKLMNPRTVWXYZ0123456789") for _ in range(8)), "passport_jp": lambda r: "T" + r.choice("KRSZ") + pattern(r, "ddddddd"), "mrz": _mrz,
    "licence_uk": lambda r: f"{r.choice(('MARSH', 'PRUIT', 'DELAN'))}{pattern(r, 'd')}{r.choice(('01', '11', '55', '60', '07'))}{pattern(r, '1ddAA9AA')}", "licence_ca": lambda r: pattern(r, "Addddddd"),
    "licence_fl": lambda r: pattern(r, "Addd-ddd-dd-ddd-d"), "licence_in": lambda r: "MH12 20" + pattern(r, "1d00ddddd"), "licence_de": lambda r: "B072" + pattern(r, "uuuuudu"), "licence_fr": lambda r: pattern(r, "dd0D75d*6"), "licence_au": lambda r: pattern(r, "Nddddddd"),
    "card": _of("card", *(f"{each}d" for each in CARDS)), "amex": _of("amex", "37ddddddddddddd", "34ddddddddddddd"), "unionpay": _of("card", "622202d*13"), "expiry": lambda r: f"{r.randrange(1, 13):02d}/{r.randrange(27, 33)}",
    "iban_de": _iban("DE", "", "d*18"), "iban_fr": _iban("FR", "30004", "d*18"), "iban_nl": _iban("NL", "INGB", "0d*9"), "iban_es": _iban("ES", "2100", "d*16"), "iban_it": _iban("IT", "", "A05428d*17"), "iban_gb": _iban("GB", "LOYD", "3096d*10"),
    "iban_pl": _iban("PL", "1140", "d*20"), "iban_be": _iban("BE", "", "d*12"), "iban_at": _iban("AT", "20111", "d*11"), "iban_ch": _iban("CH", "00762", "d*12"), "iban_se": _iban("SE", "5000", "d*16"), "iban_ae": _iban("AE", "033", "d*16"), "iban_tr": _iban("TR", "000620", "d*16"), "iban_pt": _iban("PT", "0035", "d*17"),
    "routing_us": _of("routing_us", "0210ddddd", "1210ddddd", "0260ddddd"), "clabe": _of("clabe", "012180d*12", "002320d*12"), "ifsc": lambda r: r.choice(("HDFC0", "ICIC0", "SBIN0")) + pattern(r, "00dddd"),
    "imei": _of("imei", "35ddddddddddddd", "86ddddddddddddd"), "iccid": _of("iccid", "8949dddddddddddddddd", "8901dddddddddddddddd"), "mac": lambda r: ":".join([r.choice(("3c", "a4", "f0", "d8")), *(pattern(r, "hh") for _ in range(5))]), "vin": _vin,
    "udid": lambda r: pattern(r, "00008030-00HHHHHHHHHHHHHH"), "android_id": lambda r: pattern(r, "h*16"), "idfa": lambda r: pattern(r, "HHHHHHHH-HHHH-4HHH-8HHH-H*12"), "gaid": lambda r: pattern(r, "h*8-hhhh-4hhh-9hhh-h*12"), "serial_apple": lambda r: "C02" + pattern(r, "uuuuuuuuu"),
    "imsi": lambda r: "26201" + pattern(r, "d*10"), "ipv4": _ipv4, "ipv6": lambda r: f"{r.choice(('2a02:8109', '2003:e7', '2601:646', '2a01:cb08'))}:" + pattern(r, "Nhhh:hhh:hhhh:Nhhh:hhh:hhhh".replace(":h", ":N")),
    "home": _coordinates("{:.6f},{:.6f}"), "home5": _coordinates("{:.5f},{:.5f}"),
}  # fmt: skip


def _failing(name: str, *patterns: str) -> Maker:
    """A number of the same form that fails the check of `name`."""
    holds = VALID[name]
    return complete(lambda rng: pattern(rng, rng.choice(patterns)), lambda value: not holds(value))


def _ean(value: str) -> bool:
    return sum(int(sign) * (1, 3)[place % 2] for place, sign in enumerate(value.replace("-", ""))) % 10 == 0


SHAM: Mapping[str, Maker] = {  # what looks like a person's number, and is none
    "not_card": _failing("card", "9ddd dddd dddd dddd", "8d*15", "7ddd-dddd-dddd-dddd"),
    "not_pesel": _failing("pesel", "9dddddddddd"),
    "not_imei": _failing("imei", "35ddddddddddddd"),
    "not_iban": complete(
        lambda r: "DE99 " + pattern(r, "dddd dddd dddd dddd dd"), lambda value: not VALID["iban_de"](value)
    ),
    "ean": complete(lambda rng: pattern(rng, "4006d*9"), _ean),
    "isbn": complete(lambda rng: pattern(rng, "978-3-16-d*6-d"), _ean),
}
