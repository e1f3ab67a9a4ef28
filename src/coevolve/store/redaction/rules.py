"""All rules, the most telling first: what one has replaced, a later one no longer sees."""

from __future__ import annotations

from coevolve.store.redaction.commands import command_rules
from coevolve.store.redaction.numbers import ADDRESSES, DIGITS, MACHINES
from coevolve.store.redaction.passwords import password_rules
from coevolve.store.redaction.persons import person_rules
from coevolve.store.redaction.rule import RedactionRule
from coevolve.store.redaction.spoken import spoken_rules
from coevolve.store.redaction.tables import table_rules
from coevolve.store.redaction.tokens import token_rules


def rules() -> tuple[RedactionRule, ...]:
    """In the order in which they are tried."""
    return (
        *token_rules(),
        *MACHINES,
        *password_rules(),
        *command_rules(),
        *spoken_rules(),
        *table_rules(),
        *ADDRESSES,
        *person_rules(),
        *DIGITS,
    )
