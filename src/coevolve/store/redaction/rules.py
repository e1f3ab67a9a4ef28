"""All rules, the most telling first: what one has replaced, a later one no longer sees."""

from __future__ import annotations

from coevolve.store.redaction.commands import COMMANDS
from coevolve.store.redaction.numbers import ADDRESSES, DIGITS, MACHINES
from coevolve.store.redaction.passwords import PASSWORDS
from coevolve.store.redaction.persons import person_rules
from coevolve.store.redaction.rule import RedactionRule
from coevolve.store.redaction.spoken import SPOKEN
from coevolve.store.redaction.tables import TABLES
from coevolve.store.redaction.tokens import token_rules


def rules() -> tuple[RedactionRule, ...]:
    """In the order in which they are tried."""
    return (
        *token_rules(),
        *MACHINES,
        *PASSWORDS,
        *COMMANDS,
        *SPOKEN,
        TABLES,
        *ADDRESSES,
        *person_rules(),
        *DIGITS,
    )
