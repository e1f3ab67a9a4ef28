"""Numbers of persons that their own form and their check digits give away (python-stdnum)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from coevolve.store.redaction.checks import of_nobody, valid
from coevolve.store.redaction.rule import END, FREE, Match, RedactionRule, rule

_FORMS: tuple[tuple[str, tuple[str, ...]], ...] = (  # the form, and whose check digits it may have
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", ("br.cpf",)),
    (r"\d{2}\.\d{3}\.\d{3}-[\dkK]|\d{7,8}-[\dkK]", ("cl.rut",)),
    (r"\d{2}-\d{8}-\d", ("ar.cuit",)),
    (r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d", ("mx.curp",)),
    (r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", ("it.codicefiscale",)),
    (r"[XYZ]?\d{7,8}-?[A-HJ-NP-TV-Z]", ("es.dni", "es.nie")),
    (r"[12] \d{2} (?:0[1-9]|1[0-2]|[2-9]\d) (?:\d{2}|2[AB]) \d{3} \d{3} \d{2}", ("fr.nir",)),
    (r"756\.\d{4}\.\d{4}\.\d{2}", ("ch.ssn",)),
    (r"\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}", ("be.nn",)),
    (r"(?:19|20)?\d{6}[-+]\d{4}", ("se.personnummer", "is_.kennitala")),
    (r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]", ("fi.hetu",)),
    (r"(?:0[1-9]|[12]\d|3[01]|[4-7]\d)(?:0[1-9]|1[0-2])\d{2} ?\d{5}", ("no.fodselsnummer",)),
    (r"\d{6}/\d{3,4}", ("cz.rc",)),
    (r"[1-8]\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{6}", ("ro.cnp",)),
    (r"[1-6]\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}", ("ee.ik", "lt.asmens")),
    (r"\d{6}-[1-8]\d{6}", ("kr.rrn",)),
    (r"[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]", ("cn.ric",)),
    (r"(?<!\d )[2-9]\d{3} \d{4} \d{4}(?! \d)", ("in_.aadhaar",)),
    (r"[A-Z]{3}P[A-Z]\d{4}[A-Z]", ("in_.pan",)),
    (r"\d-\d{4}-\d{5}-\d{2}-\d", ("th.pin",)),
    (r"\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}[01][89]\d", ("za.idnr",)),
)
_ALONE: tuple[str, ...] = (  # forms without a check digit that is anything else hardly ever
    r"(?:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]) \d{2} \d{2} \d{2} [A-D]",  # United Kingdom
    r"[A-Z]\d{6}\([0-9A]\)",  # Hong Kong
)

_LOOKING = re.compile(r"\(\?<?[!=][^)]*\)")  # what the second look cannot do


def _valid_form(match: Match) -> bool:
    """The check digits of the country whose form it has; a form may be that of several."""
    named = match.lastgroup or ""
    return valid(match, *_FORMS[int(named[1:])][1])


def form_rules() -> Iterator[RedactionRule]:
    """What no name has to tell: check digits, and forms that nothing else has."""
    forms = "|".join(f"(?P<f{at}>{form})" for at, (form, _) in enumerate(_FORMS))
    yield rule(
        "ID",
        rf"{FREE}(?:{forms}){END}",
        words=(r"(?:[0-9][ ./-]?){9}", r"[A-Z]{4}[0-9]{2}", "[0-9]{7}[A-Z-]", "[0-9]{6}[/A-Z+-]"),
        telling=tuple(rf"(?-i:\b(?:{_LOOKING.sub('', form)})\b)" for form, _ in _FORMS),
        check=_valid_form,
    )
    yield rule(
        "ID",
        rf"{FREE}(?:{'|'.join(_ALONE)})(?![A-Za-z0-9_-])",
        words=("[A-Z]{2} [0-9]{2} [0-9]{2}", r"[A-Z][0-9]{6}\("),
        telling=tuple(rf"(?-i:\b{one})" for one in _ALONE),
        check=lambda match: not of_nobody(match),
    )
