"""What a person is known by: numbers of the state, of banks and of cards, days of birth, homes.

Most are mere numbers, and only what stands before them tells; see `forms` for those that tell by themselves.
Names and street addresses are not found: no pattern knows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from coevolve.store.redaction.checks import enough_digits, of_nobody, said_phone
from coevolve.store.redaction.forms import form_rules
from coevolve.store.redaction.labels import (
    ACCOUNT,
    BORN,
    CODE,
    IDS,
    LOGGED_IDS,
    ONCE,
    PHONES,
    PIN,
    PLATES,
    SHORT_IDS,
)
from coevolve.store.redaction.rule import END, LINE, Match, RedactionRule, literals, rule, words

_FIELD_IDS = (
    r"[\"'](?:[\w.-]{0,30}(?<![A-Za-z]))?(?i:passport|ssn|national_?id|tax_?id|tax_?number|identity_?(?:number|no)|personal_?(?:id|"
    r"number)|nhs|"
    r"medicare|licen[cs]e_?(?:no|number|plate)|health_?(?:id|number)|insurance_?(?:no|number)|cpf|dni|nif|"
    r"bsn|pesel|"
    r"aadhaar|personnummer|member_?id|steuer_?id|codice_?fiscale|plate)(?![a-z])[\w.-]{0,30}[\"']"
)
_FIELDS = (  # what the looks ask of these
    r"(?i)(?:passport|ssn|national|tax|identity|personal|nhs|medicare|licen[cs]e|health|insurance|cpf|dni|nif|"
    r"bsn|pesel|aadhaar|personnummer|member|steuer|codice|plate)[\w.-]*[\"']"
)
_LINK = (  # what may stand between a name and its number
    r"(?:[ \t_]*(?:\([^)\n]{1,24}\)|[n№]°|nº|№|#|(?i:number|num|no|n|nr|nummer|numer|numar\w*|n[úu]mero|"
    r"num[ée]ro|code|codice|"
    r"as|is|ist|lautet|est|es|é|è|är|er|on|jest|to|se|für|for|my|the|of|on|file|card)\b[.:]?|"
    r"[\"'=:：\-–,.#\\]{1,4}+)){0,6}+[ \t]*[\"']?"
)
_CARRIED = r"(?:[ \t\"'=:：\-–,.#\\]|[^\W\d]{1,12}[ \t]+){0,8}?"  # "of my car is"
_ID = r"(?P<value>[A-Z0-9](?:[A-Z0-9]|[ ./-](?=[A-Z0-9]{0,6}\d)){3,26})(?![a-z])"
_FAR = r"[^\x00-\x7f]{0,8}[ \t:：]{0,2}"  # the same in scripts without spaces

_MONTH = r"[^\W\d_]{3,12}\.?"
_DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.|º|er)?(?:[ \t]de|[ \t]of)?[ \t]{_MONTH},?(?:[ \t]de)?[ \t]\d{{4}}|"
    rf"{_MONTH}[ \t]\d{{1,2}}(?:st|nd|rd|th)?,?[ \t]\d{{4}}|"
    r"\d{4}[年년]\s?\d{1,2}[月월]\s?\d{1,2}[日일]|"
    r"\d{1,4}[ ]?[./-][ ]?\d{1,2}[ ]?[./-][ ]?\d{2,4}|(?:19|20)\d{6})(?!\d)"
)
_IS = "as|is|ist|lautet|est|es|è|é|jest|to|är|er|on|was|war|sont|são"
_DIGITS_OF_A_CODE = r"(?P<value>[A-Z]-\d{4,8}|\d{3}[ -]\d{3}|\d{4,8}|[A-Z0-9]{6,10})(?![\w-]|\.\d)"
_HOME = re.compile(
    r"(?i)(?<![^\W_])(?:home|house|live[sd]?|living|my (?:place|flat|apartment|address)|residen\w+|wohn\w*|"
    r"zuhause|daheim|"
    r"chez (?:moi|elle|lui)|domicile|habit\w*|casa|viv[oe]\w*|abit[oa]\w*|mor[oa]|thuis|woon\w*|mieszka\w*|"
    r"dom(?:u|em)?|hemma|"
    r"bor|evim\w*|our farm|unser haus|notre maison|nuestra casa|pick me up|meet me|geo|(?:customer|user|"
    r"client|patient|driver|rider)['’]?s?[ _](?:loc\w+|pos\w+|address|geo))"
    r"(?![^\W_])|自宅|住所|집"
)
_NEAR = 80  # characters before a place in which it may be said to be somebody's


_RUNS_OUT = "exp|valid|g[üu]ltig|l[äa]uft ab|caduca|vencimiento|scade|geldig|有効期限"
_CARD = re.compile(
    r"(?i)\bcards?\b|karte|carte|tarjeta|carta|cart[ãa]o|kaart|カード|\bpan\b|cvv|cvc|security code|"
    r"cryptogramme|pr[üu]fziffer|"
    r"c[óo]digo de seg|codice di sic|<C(?:ARD|VV)_|\d{4}[ -]?\d{4}[ -]?\d{4}|\d{4}[ -]\d{6}[ -]\d{5}"
)


def _of_a_card(match: Match) -> bool:
    """A card, or its code, is spoken of within a line or two."""
    return _CARD.search(match.string, max(0, match.start() - _NEAR), match.end() + _NEAR) is not None


def _somebodys(match: Match) -> bool:
    gap = match.group("gap")
    pair = re.search(r"l(?:on|ng)", gap, re.I) or not re.search(r"\w", gap.strip("NSns° "))
    return (
        bool(pair)
        and _HOME.search(match.string, max(0, match.start() - _NEAR), match.end() + _NEAR) is not None
    )


def _named(kind: str, names: str, value: str, gap: str, **more: object) -> RedactionRule:
    """A value after one of the names; the first look asks for a name and, behind it on the line, a digit."""
    return rule(
        kind,
        rf"(?:(?<![^\W_])|{LINE}|(?<=[a-z])(?=[A-Z]))(?i:{names})(?![^\W\d_])(?:{gap}){value}",
        *literals(names),
        words=(words(names),),
        telling=(rf"{words(names)}[^0-9]*[0-9]",),
        reach=1,
        group="value",
        **more,
    )


_ONE_OF_MANY = r"(?=[A-Za-z-]{0,24}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){0,3}"
_UPTO = r"[^\w\n]{0,6}(?:[^\W\d]{1,20}[^\w\n]{1,4}){0,4}?"  # a few words without digits
_ONE_DATE = rf"(?P<value>{_DATE})"


def _births() -> Iterator[RedactionRule]:
    """Days of birth."""
    yield _named("BIRTH", BORN, _ONE_DATE, rf"(?:{_UPTO}|[^\d]{{0,30}}?[^\w\n])")
    yield rule(
        "BIRTH",
        rf"(?P<value>{_DATE})[ \t]?(?:生まれ|生(?![^\W\d])|geboren|nacid[oa]|doğumlu|출생|-?(?:i|án|"
        rf"én)? született|[ \t]?г\.? ?р\.)",
        words=("生|geboren|nacid|doğumlu|출생|született|р",),
        telling=(r"[0-9][^\n]{0,12}(?:生|geboren|nacid|doğumlu|출생|született|г\.? ?р)",),
        group="value",
    )


def _cards() -> Iterator[RedactionRule]:
    """What stands beside a card's number."""
    yield _named(
        "CVV",
        CODE,
        r"(?P<value>(?<!\d)\d{3,4}(?![A-Za-z0-9_-]|\.\d| \d))",
        r"[^\d\n<]{0,24}?[^A-Za-z0-9\n<_]",
    )
    yield rule(
        "EXPIRY",
        r"(?i:exp(?:iry|iration|ires?|dt|date|\.)?|valid (?:thru|until|to)|g[üu]ltig bis|l[äa]uft ab|caduca|"
        r"vencimiento|validade|scade\w*|expire|"
        r"geldig tot|有効期限)"
        r"[\"'\\]*[^\d\n]{0,24}?(?<!\d)(?P<value>(?:0[1-9]|1[0-2])[ ]?[/.-][ ]?(?:20)?\d\d|"
        r"(?:0[1-9]|1[0-2])[2-4]\d)(?![\w/.-])",
        *literals(_RUNS_OUT),
        words=(f"(?i)(?:{_RUNS_OUT})",),
        telling=(
            rf"(?i)(?:{_RUNS_OUT})"
            r"[^0-9\n]*(?:0[1-9]|1[0-2])[ ]?[/.-]?[ ]?(?:20)?[2-4][0-9]",
        ),
        reach=1,
        group="value",
        check=_of_a_card,
    )
    yield rule(
        "CVV",
        r"(?<![\w.-])(?P<value>\d{3,4})[ \t]*(?:\((?i:cvv2?|cvc2?|csc|cid)\)|(?i:is the (?:cvv2?|cvc2?|csc|"
        r"security code)))",
        words=(words("cvv2?|cvc2?|csc|cid|security code"),),
        telling=(r"(?i)[0-9].{0,8}(?:cvv|cvc|csc|cid|security code)",),
        group="value",
    )


def _codes() -> Iterator[RedactionRule]:
    """Codes that let in."""
    yield _named(  # "the code to confirm order 346142 is 425201"
        "CODE",
        ONCE,
        _DIGITS_OF_A_CODE,
        rf"[^\n<]{{0,60}}?[ \t](?:{_IS})[ \t:]{{1,3}}",
        check=enough_digits(3),
    )
    yield _named(
        "CODE",
        ONCE,
        _DIGITS_OF_A_CODE,
        r"[^\d\n<]{0,24}?[^A-Za-z0-9\n<_]",
        check=lambda match: enough_digits(2)(match) and not of_nobody(match, "value"),
    )
    yield rule(
        "CODE",
        rf"(?<![\w.-])(?P<value>[A-Z]-\d{{4,8}}|\d{{4,8}}|\d{{3}} \d{{3}})[\"']?[ \t]+(?:(?:{_IS})[ \t]+"
        r"(?:\w+[ \t]+){0,4}?(?i:codes?|otp|tan|pin|passcode|code de)\b|by sms|per sms|par sms|por sms|"
        r"via sms)",
        words=("(?i)(?:code|otp|tan|pin|sms)",),
        telling=(r"(?i)[0-9]{3}[\"']?[ \t]+(?:\S+[ \t]+){0,5}(?:code|otp|tan|pin|passcode|sms)",),
        group="value",
    )
    yield rule(  # with what lets in: "password x, code 385422"
        "CODE",
        r"(?i:passwor[dt]|passwört\w*|mot de passe|contraseña|senha|wachtwoord|hasło|login|wlan|wifi)"
        r"\b[^\n]{4,60}?[,;/][ \t]*"
        r"(?i:code|pin|wlan|wifi|wi-fi|tan)[ \t:]{1,3}(?P<value>\d{4,24})(?![\w-])",
        words=(r"(?i)(?:code|pin|wlan|wifi|wi-fi|tan)[ :]+[0-9]{4}",),
        group="value",
    )
    yield rule(
        "CODE",
        r"(?i:(?:backup|recovery|wiederherstellungs?)[ _-]?codes?|codes? de secours|"
        r"códigos? de recuperaci[óo]n)[^\n]{0,60}?[\s:\"'\[\\]+(?P<value>"
        rf"(?:(?:\d{{1,2}}[.)][ \t]*)?{_ONE_OF_MANY}[\s,;|/]{{1,4}}){{0,15}}{_ONE_OF_MANY})(?![A-Za-z0-9-])",
        words=(
            r"(?i)(?:(?:backup|recovery|wiederherstellungs?)[ _-]?code|codes? de secours|códigos? de recup)",
        ),
        group="value",
        check=enough_digits(4),
    )
    yield rule(
        "CODE",
        r"\bTAN\b[^\n<]{0,60}?[ \t:](?P<value>\d{6})(?![\w-]|\.\d)",
        words=(r"\bTAN\b",),
        telling=(r"\bTAN\b[^\n]*[0-9]{6}",),
        group="value",
    )
    yield _named(
        "PIN",
        PIN,
        r"(?P<value>\d{4,8})(?![\w-]|\.\d)",
        rf"[ \t]*(?:[:=：]|[^\d\n,;<]{{0,40}}?(?:{_IS})\b)[ \t:\"']*|[^\d\n,;.<]{{12,40}}[ \t]",
    )


def _numbers() -> Iterator[RedactionRule]:
    """Numbers of states, banks and telephones, by what they are called."""
    yield _named("ID", IDS, _ID, rf"(?:{_LINK}|{_FAR})", check=enough_digits(5))
    yield rule(
        "ID",
        rf"(?<![^\W_])(?:{SHORT_IDS})(?![A-Za-z0-9])(?:-(?i:nr|nummer|no|number))?{_LINK}{_ID}",
        words=(rf"(?-i:\b(?:{SHORT_IDS})\b)",),
        telling=(rf"(?-i:\b(?:{SHORT_IDS})\b[^\n]*[0-9])",),
        group="value",
        check=enough_digits(6),
    )
    yield rule(
        "ID",
        rf"(?<![^\W_])(?i:{LOGGED_IDS})\\*[\"']?(?:\s{{0,2}}[=:]\s{{0,2}}\\*[\"']?|[ \t](?=\d{{9}})){_ID}",
        words=(rf"(?i)\b(?:{LOGGED_IDS})\b",),
        telling=(rf"(?i)(?:{LOGGED_IDS})\\*[\"']?\s*(?:[=:]|[0-9]{{9}})",),
        group="value",
        check=enough_digits(5),
    )
    yield rule(
        "ID",
        rf"{_FIELD_IDS}\s*:\s*[\"']?{_ID}",
        group="value",
        check=enough_digits(4),
        words=(_FIELDS,),
        telling=(rf"{_FIELDS}\s*:",),
    )
    yield _named("ACCOUNT", ACCOUNT, rf"(?P<value>\d(?:[ -]?\d){{5,27}}){END}", rf"(?:{_LINK}|{_FAR})")
    yield rule(
        "ACCOUNT",
        r"\b(?i:account|acc|full number is|普通|当座)[ \t:#]{1,3}(?P<value>\d{7,12})(?![\w-]|\.\d)",
        words=(r"(?i)(?:\bacc |\baccount |full number is|普通|当座)",),
        telling=(r"[0-9]{7}",),
        group="value",
    )
    yield _named(
        "PHONE",
        PHONES,
        r"(?P<value>[+(]?\d(?:[ ./()-]{0,2}\d){6,14})(?![\w-])",
        rf"(?:{_UPTO}|{_FAR})",
        check=said_phone,
    )


def _places_and_things() -> Iterator[RedactionRule]:
    """Homes, cars, passports' printed lines and devices."""
    yield rule(
        "LOCATION",
        r"(?<![\w.])-?\d{1,2}\.\d{4,}(?P<gap>\D{1,28}?)-?\d{1,3}\.\d{4,}(?:°?[ ]?[EWO]\b)?",
        words=(r"[0-9]\.[0-9]{4}[0-9]*[^0-9]",),
        telling=(r"[0-9]\.[0-9]{4,}[^0-9]{1,28}[0-9]{1,3}\.[0-9]{4}",),
        check=_somebodys,
    )
    yield rule(
        "LOCATION",
        r"\d{1,3}°[ ]?\d{1,2}['′][ ]?[\d.]{1,6}(?:\\*[\"″]|'')?[ ]?[NS](?P<gap>[,; ]{1,3})"
        r"\d{1,3}°[ ]?\d{1,2}['′][ ]?[\d.]{1,6}(?:\\*[\"″]|'')?[ ]?[EWO]\b",
        "°",
        check=_somebodys,
    )
    yield rule(
        "LOCATION",
        r"(?<![A-Z0-9+])(?P<gap>)[23456789CFGHJMPQRVWX]{4,8}\+[23456789CFGHJMPQRVWX]{2,3}(?![A-Z0-9])",
        words=(r"[23456789CFGHJMPQRVWX]{4}\+[23456789CFGHJMPQRVWX]{2}",),
        check=_somebodys,
    )
    yield _named(
        "PLATE",
        PLATES,
        r"(?P<value>(?=[A-Z0-9ÄÖÜ -]{0,9}\d)[A-Z0-9ÄÖÜ]{1,4}(?:[ -]?[A-Z0-9ÄÖÜ]{1,4}){1,3})(?![\w-])",
        _CARRIED,
        check=lambda match: (
            any(char.isalpha() for char in match.group("value")) and len(match.group("value")) >= 5
        ),
    )
    yield rule(  # what is printed for machines in a passport (ICAO 9303)
        "PASSPORT",
        r"(?<![A-Z0-9<])(?=[A-Z0-9<]*<<)(?=[A-Z0-9<]*\d)[A-Z0-9<]{30,44}(?![A-Z0-9<])",
        "<<",
    )
    yield rule(
        "DEVICE",
        r"(?i:idfa|idfv|gaid|aaid|adid|android_?id|advertising_?id|device_?id)"
        r"\\*[\"']?\s*[:=]?\s*\\*[\"']?(?P<value>[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|"
        r"[0-9a-f]{16})(?![\w-])",
        words=("(?i)(?:idfa|idfv|gaid|aaid|adid|android_?id|advertising_?id|device_?id)",),
        group="value",
    )


def person_rules() -> Iterator[RedactionRule]:
    """The rules of this file, those that a name tells first."""
    for some in (_births, _cards, _codes, _numbers, _places_and_things, form_rules):
        yield from some()
