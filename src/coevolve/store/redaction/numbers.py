"""What its own form gives away: cards, accounts, phones, addresses of machines and of people's mail."""

from __future__ import annotations

from coevolve.store.redaction.checks import (
    card,
    card_among_numbers,
    device,
    iban,
    phone,
    public_ip,
    social,
)
from coevolve.store.redaction.rule import END, FREE, LINE, RedactionRule, rule

_LETTER = "A-Za-z0-9_\u00c0-\u024f\u0370-\u04ff"  # of names in addresses: Latin, Greek, Cyrillic
_FILES = r"(?:png|jpe?g|gif|svg|webp|ico|pdf|css|m?js|tsx?|jsx|py|md|json|html?|xml|txt|csv|ya?ml)"
_AT = r"(?:@|[ \t]?[\[({<][ \t]?(?:at|@|ät|arroba|chez|bei)[ \t]?[\])}>][ \t]?)"
_DOT = r"(?:\.|[ \t]?[\[({<][ \t]?(?:dot|\.|punkt|point|punto|ponto)[ \t]?[\])}>][ \t]?)"

MACHINES: tuple[RedactionRule, ...] = (
    rule(
        "IP",
        r"(?<![A-Za-z0-9_:.])[23][0-9A-Fa-f]{3}:(?:[0-9A-Fa-f]{0,4}:){1,6}[0-9A-Fa-f]{0,4}(?![A-Za-z0-9_:])",
        words=(r"[23][0-9A-Fa-f]{3}:[0-9A-Fa-f]{0,4}:",),
        check=public_ip,
    ),
    rule(
        "MAC",
        r"(?<![A-Za-z0-9_:-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![A-Za-z0-9_:-])",
        words=(r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",),
        check=device,
    ),
)

ADDRESSES: tuple[RedactionRule, ...] = (
    rule(
        "EMAIL",
        rf"(?:(?<![{_LETTER}.+@-])|{LINE})(?!git@|(?:name|user|email|you|your[._]?name|someone|foo)"
        rf"@example\.)[{_LETTER}][{_LETTER}.%+'-]{{0,63}}@(?:[{_LETTER}-]{{1,63}}\.){{1,5}}"
        rf"(?!{_FILES}(?![{_LETTER}]))(?:xn--[A-Za-z0-9-]{{2,30}}|"
        rf"[A-Za-z\u00c0-\u024f\u0370-\u04ff]{{2,24}})(?![{_LETTER}-])",
        "@",
    ),
    rule(
        "EMAIL", rf"(?<![\w\"])\"[\w .+-]{{1,64}}\"@(?:[{_LETTER}-]{{1,63}}\.){{1,5}}[A-Za-z]{{2,24}}", '"@'
    ),
    rule(  # against harvesters: name (at) example [dot] org
        "EMAIL",
        rf"(?i)(?<![{_LETTER}.+-])"
        rf"[{_LETTER}][{_LETTER}.+-]{{1,63}}{_AT}[{_LETTER}-]{{1,63}}(?:{_DOT}[{_LETTER}-]{{1,63}}){{1,4}}",
        words=(r"(?i)[\[({<][ \t]?(?:at|@|ät|arroba|chez|bei|dot|punkt|point|punto|ponto)[ \t]?[\])}>]",),
        check=lambda match: any(sign in match.group() for sign in "[({<"),
    ),
    rule(
        "EMAIL",
        rf"(?i)(?<![{_LETTER}.+-])[{_LETTER}.+-]{{2,64}}[ \t](?:at|arroba|ät)"
        rf"[ \t][{_LETTER}-]{{2,63}}[ \t](?:dot|punto|punkt)[ \t]"
        rf"(?:[{_LETTER}-]{{2,63}}[ \t](?:dot|punto|punkt)[ \t])?(?:com|org|net|info|edu|app|dev|io|ai|"
        rf"[a-z]{{2}})(?![{_LETTER}])",
        words=("(?i)[ \t](?:dot|punto|punkt)[ \t]",),
        telling=(r"(?i)[ \t](?:at|arroba|ät)[ \t]\S+[ \t](?:dot|punto|punkt)[ \t]",),
    ),
    rule("EMAIL", r"(?<![\w.+%-])[\w.+%-]{1,64}%40(?:[\w-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])", "%40"),
    rule(
        "IBAN",
        r"(?<![A-Za-z0-9])[a-z]{2}\d{2}[a-z0-9]{11,30}(?![A-Za-z0-9])",
        words=("[a-z]{2}[0-9]{2}[a-z0-9]{4}[0-9]{4}",),
        check=iban,
    ),
    rule(
        "IBAN",
        r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b",
        check=iban,
        words=(r"[A-Z]{2}\d{2} ?[A-Z0-9]{4} ?[A-Z0-9]{4}",),
        in_groups=True,
    ),
)

DIGITS: tuple[RedactionRule, ...] = (  # without anything to look for but digits: tried around runs of them
    rule(  # as cards are printed
        "CARD",
        rf"(?:(?<![A-Za-z0-9_.])|{LINE})"
        r"\d{4}(?:\d{9,15}|(?P<gap>[ -])"
        r"(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{4}(?:(?P=gap)\d{1,3})?|\d{6}(?P=gap)\d{4,5}))(?![A-Za-z0-9_]|\.\d)",
        check=card_among_numbers,
        in_groups=True,
        least=13,
    ),
    rule("CARD", rf"{FREE}(?:\d[ -]?){{12,18}}\d{END}", check=card, least=13),  # in any groups, alone
    rule(
        "SSN",
        rf"(?:(?<![A-Za-z0-9_-])|{LINE})" r"\d{3}-\d{2}-\d{4}(?![A-Za-z0-9_-])",
        check=social,
        least=11,
    ),
    rule(
        "PHONE",
        rf"(?:(?<![A-Za-z0-9_.+/-])|{LINE})"
        r"(?:(?:\+|(?<!\d )00)[1-9]\d{0,2}[ .-]?(?:\(0?\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,4}"
        r"|\(0?\d{2,4}\) ?\d{3,4}[ .-]?\d{3,4}|(?:1[ .-])?[2-9]\d{2}[.-][2-9]\d{2}[.-]\d{4}"
        r"|(?<!\d )0\d{1,4}[ /.-]\d{2,4}(?:[ .-]?\d{2,4}){1,3}|[2-9]\d{2}[.-][2-9]\d{2}[.-]\d{4})"
        rf"{END}",
        check=phone,
    ),
    rule("IP", rf"{FREE}(?:\d{{1,3}}\.){{3}}\d{{1,3}}{END}(?!\.in-addr)", check=public_ip),
)
