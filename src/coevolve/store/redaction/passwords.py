"""Secrets that a name beside them gives away, in configuration, in programs and in headers."""

from __future__ import annotations

import re

from coevolve.store.redaction.checks import assigned, given, made, no_dummy, random
from coevolve.store.redaction.rule import LINE, RedactionRule, literals, one_of, rule

_OF_KEYS = one_of(
    r"""
    api access auth private encryption signing account shared secret license licence subscription master
    service admin client consumer write ingest app application bot webhook hmac jwt session cookie crypt
    deploy storage sas fernet root server integration project personal functions? host instrumentation
    vapid fcm rest read search user management org team global
    """
)
_PARTS = "|".join(  # of a name that makes its value a secret
    (
        "pass(?:(?:word|wd|wort|phrase|code)s?)?",
        "(?:require|store|key|root|db|ftp|smtp|mail|admin|login|master)(?:pass|pw)",
        one_of(
            r"""
            kennwort pwd pw(?![A-Za-z]) psk mot~de~passe mdp senha contrase[nñ]a wachtwoord has[lł]o
            l[oö]senord
            """
        ),
        one_of(
            r"""
            passord adgangskode salasana [sş]ifre heslo parola clave~(?:acceso|secreta|privada) парол[ья]
            """
        ),
        one_of(
            r"""
            パスワード 密码 비밀번호 identified_by pragma_key pre-?shared~key
            secret(?:~(?:access~)?key)?(?:~base)?
            """
        ),
        rf"(?:{_OF_KEYS})[ _-]?(?:key|token|secret)(?:[ _-]?base)?",
        one_of(r"token credentials? client~secret connection~string secret~value"),
    )
)
_CAPITALS = (  # parts of the names of variables of the environment
    rf"(?<=[A-Z0-9])_(?:KEY|PAT|PASS|PW|AUTH|SALT|DSN|SID|COOKIE|SEED|PIN|CREDS?)|(?:(?<![A-Za-z])|{LINE})"
    r"(?:KEY|PAT)"
)
NAME = rf"(?:(?:(?<![A-Za-z])|{LINE}|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z]{{3}}))(?i:{_PARTS})|{_CAPITALS})"
_STARTS = tuple(  # literals near which one begins: of a key it may be what the key is of
    start
    for start in literals(f"{_PARTS}|key|_pat|pat=|pat:|_auth|_salt|_dsn|_sid|_cookie|_seed|_pin|_cred")
    if start not in ("", "pre", "client")
)
_NARROWER = {  # of those that many other words begin with
    "pass": "pass(?:[^a-z]|w|ph|c)",
    "key": "key(?:[^a-z]|s)",
    "pw": "pw[^a-z]",
}
_ANY = f"(?i)(?:{'|'.join(_STARTS)})"
_WORD = f"(?i)(?:{'|'.join(_NARROWER.get(start, start) for start in _STARTS)})"
_CLOSED = r"(?:[\"'`\]\)\\]{0,9}|[ ]\[[^\]\n]{0,20}\])"  # what ends a name, or shows what it was before
_VALUE = (  # in quotes up to the same quote, else up to what ends it in a sentence, in JSON or an address
    r"\\{0,8}(?P<quote>[\"'`])?(?P<value>(?(quote)(?:(?!(?P=quote))[^\n\\]|"
    r"\\(?![nrt\"'`\\])){1,2000}|"
    r"[^\s\"'`,;\\&]{1,2000}(?:&(?![\w.-]{1,40}=)[^\s\"'`,;\\&]{0,200}){0,8}(?<![)}\].])))"
)
_NAMED_IN = r"(?i:name|key|id|property|field|secret_name)\\{0,4}[\"']?\s*[=:]\s*\\{0,4}[\"']"

_CONFIGURED = (
    rule(
        "PASSWORD",
        rf"{NAME}{_CLOSED}(?:\s*(?:=>|:=|\|\|=|\?\?=|==?)[ \t]{{0,3}}|\s*:\s{{0,3}}|"
        rf"(?<=[\"'`])\s*,\s*(?=\\{{0,4}}[\"'`])|(?<![Pp]ass)[ \t](?=[\"'`])){_VALUE}",
        *_STARTS,
        words=(_WORD,),
        telling=(
            rf"{_ANY}[^\s\"'=:]*[\"'`\]\)\\]*\s*(?:[=:]|\|\|=|\?\?=|[ \t][\"'`]|\[)",
            rf"{_ANY}[^\s\"'=:]*[\"'`]\s*,",
            "(?i)identified by|pragma key",
        ),
        reach=16,
        group="value",
        check=assigned,
    ),
    rule(  # set -gx NAME value, login x password y
        "PASSWORD",
        rf"{NAME}{_CLOSED}[ \t]{{1,3}}(?P<quote>[\"'`])?(?P<value>[^\s\"'`,;<>]{{6,2000}})",
        *_STARTS,
        words=(_WORD,),
        telling=(rf"{_ANY}[^\s\"'=:]*[\"'`\]\)\\]*[ \t]*\S*[0-9]", "(?i)identified by"),
        reach=16,
        group="value",
        check=made,
    ),
    rule(  # <dbPassword>x</dbPassword>, <property name="db.password">x</property>
        "PASSWORD",
        r"<[^<>\n]{0,200}(?i:pass|pwd|secret|token|api-?key|credential|privatekey|accesskey)[^<>\n]{0,200}>"
        r"(?P<value>[^<>\s]{4,2000})</",
        words=(_WORD,),
        telling=(r"(?i)(?:pass|pwd|secret|token|key|credential)[^<>\n]*>[^<>\s]+</",),
        group="value",
        check=given,
    ),
    rule(  # {"name": "DB_PASSWORD", "value": "x"}, <property name="password" value="x"/>
        "PASSWORD",
        rf"{_NAMED_IN}[\w.-]{{0,40}}{NAME}[\w-]{{0,24}}\\{{0,4}}[\"'],?\s*\\{{0,4}}[\"']?(?i:value|content|secret_value|"
        rf"text|string)"
        r"\\{0,4}[\"']?\s*[=:]\s*\\{0,4}(?P<quote>[\"'])(?P<value>[^\"'\n\\]{4,2000})",
        words=(_WORD,),
        telling=(
            r"(?i)(?:pass|pwd|secret|token|key|credential)[\w-]*\\*[\"'][\s,\\\"']*(?:value|content|"
            r"secret_value|text|string)",
        ),
        group="value",
        check=assigned,
    ),
    rule(  # {"selector": "input[type=password]", "text": "x"}: what an agent types into a browser
        "PASSWORD",
        r"(?i:type|name|id)=\\{0,4}[\"']?(?i:password|passwd|pwd|passcode|otp)"
        r"\b[^\n]{0,12}?[\"'],\s*\\{0,4}[\"'](?i:text|value)"
        r"\\{0,4}[\"']\s*:\s*\\{0,4}[\"'](?P<value>[^\"'\n\\]{3,200})",
        words=(r"(?i)=\\*[\"']?(?:password|passwd|pwd|passcode|otp)",),
        group="value",
        check=given,
    ),
    rule("PASSWORD", r"://[^\s:/?#@\"\\]{0,100}:([^\s/?#@\"'\\<>,]{3,100})@", "://", group=1, check=no_dummy),
    rule(
        "PASSWORD",
        r"(?i)jdbc:oracle:\w+:[\w-]{1,60}/([^\s/@\"\\]{3,100})@",
        "jdbc:oracle",
        group=1,
        check=no_dummy,
    ),
    rule(  # a line of ~/.pgpass
        "PASSWORD",
        r"(?m:^|[\"'\s])[\w.*-]{1,80}:(?:\d{2,5}|\*)"
        r":[\w*-]{1,60}:[\w*@.-]{1,60}:(?P<value>[^\s:\"'\\]{4,100})",
        words=(r"[\w.*-]:(?:[0-9]{4,5}|\*):[\w*-]+:[\w*@.-]+:",),
        group="value",
        check=given,
    ),
)

_SESSIONS = (
    r"(?:[\w.-]{0,24}sess(?:ion)?(?:[_-]?(?:id|key|token))?|sid|connect\.sid|[\w-]{0,24}csrf[\w-]{0,24}|xsrf-token|"
    r"remember[_-]?(?:me|token)|auth|[\w-]{0,24}logged_in|__(?:secure|host)-[\w-]{1,40})"
)
_COOKIES = re.compile(r"(?i)cookie2?\\*[\"']?\s*[:=][^\n]{0,8000}")
_COOKIE = re.compile(r"[\w.-]{1,60}=([^;\s\"',\\]{20,4000})")
_made_up = random(1, 20)


def _cookies(text: str) -> list[tuple[int, int, str]]:
    """Values of cookies that no person wrote, whatever their names."""
    pairs = (
        one
        for header in _COOKIES.finditer(text)
        for one in _COOKIE.finditer(text, header.start(), header.end())
    )
    return [(*one.span(1), "TOKEN") for one in pairs if _made_up(one)]


_HEADERS = (
    rule("TOKEN", r"\b[Bb]earer\s+([A-Za-z0-9._~+/=-]{16,4000})", "bearer", group=1, check=random(1)),
    rule("TOKEN", r"\b[Bb]asic\s+([A-Za-z0-9+/]{16,400}={0,2})", "basic", group=1, check=random(1)),
    rule(
        "TOKEN",
        r"(?i)\bauthorization[\"'\]\\]*\s*(?:[:=,]|=>)\s*[\"'\\]*(?:[A-Za-z-]{2,20}\s+)?"
        r"([A-Za-z0-9._~+/=:-]{12,4000})",
        "authorization",
        group=1,
        check=random(1),
    ),
    rule(
        "TOKEN",
        r"(?i)(?<![\w-])(?:x-[\w-]{0,24}(?:key|auth|token|secret|signature|session)[\w-]{0,24}|api-?key|"
        r"[\w-]{0,24}subscription-key)"
        r"[\"'\]\\]*\s*[:=,]\s*[\"'\\]*([A-Za-z0-9._~+/=:-]{12,4000})",
        words=(
            r"(?i)(?:x-[\w-]*(?:key|auth|token|secret|sign|session)|api-?key|subscription-key)"
            r"[\w-]*[\"'\]\\]*\s*[:=,]",
        ),
        group=1,
        check=random(1),
    ),
    rule(
        "TOKEN",
        rf"(?i)(?:\b|{LINE}){_SESSIONS}[\"']?\s*(?:=|:|\t|\\+t|[\"'],\s*[\"']value[\"']\s*:)"
        rf"\s*[\"']?"
        r"([^;\s\"',\\]{8,2000})",
        words=("(?i)(?:sid|sess|csrf|xsrf|auth|remember|logged_in|__secure|__host)",),
        telling=(
            r"(?i)(?:sid|sess|csrf|xsrf|auth|remember|logged_in|__secure|__host)[\w.-]*[\"']?(?:\s*[:=]|,|"
            r"\t|\\+t)",
        ),
        group=1,
        check=random(1),
    ),
    rule("TOKEN", "", find=_cookies, words=("(?i)cookie",)),
    rule(
        "TOKEN",
        r"[\"']auth\\*[\"']\s*:\s*\\*[\"']([A-Za-z0-9+/]{12,400}={0,2})\\*[\"']",
        "auth",
        group=1,
        check=random(1),
    ),
    rule(  # the private part of a JSON Web Key
        "TOKEN",
        r"\"(?:d|k|dp|dq|p|q|qi)\\*\"\s*:\s*\\*\"([A-Za-z0-9_-]{22,700})\\*\"",
        '"kty',
        'kty\\"',
        group=1,
        check=random(1),
    ),
)

# Headers first: what they know is more than that something is a password.
PASSWORDS: tuple[RedactionRule, ...] = (*_HEADERS, *_CONFIGURED)
