"""Secrets and personal data out, stable placeholders in, before anything is written."""

from coevolve.store.redaction.redactor import FIELDS, Redactor, subject_of

__all__ = ["FIELDS", "Redactor", "subject_of"]
