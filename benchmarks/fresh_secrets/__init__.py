"""Texts from places at random in the traffic of agents, with and without something to hide.

A seed enters; labelled texts leave. `planted` gives texts that each hold a secret or a personal datum and
says which substrings must not survive; `look_alikes` gives texts in which nothing may be touched. They are
written from `SITUATIONS` and not from a list of kinds, so that a datum turns up where it does in traffic:
unlabelled, misspelt, in a table, in a trace, in another language. Names of persons and street addresses are
in the texts and never among the secrets. A rate measured here holds for these situations and no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from benchmarks.fresh_secrets import (
    harmless_code,
    harmless_service,
    harmless_tools,
    texts_office,
    texts_service,
    texts_shell,
    texts_tools,
)
from benchmarks.fresh_secrets.fill import Filled, Template, fill, read
from benchmarks.fresh_secrets.keys import KEY_CHECKS, KEYS
from benchmarks.fresh_secrets.numbers import VALID
from benchmarks.fresh_secrets.people import PEOPLE, SHAM
from benchmarks.planted_secrets import Planted

PLANTED_COUNT = 700
LARGEST_SHARE = 0.06  # of the texts, that one kind may have
SHORTEST = 5  # characters of a secret; a shorter one would turn up by chance
SITUATIONS: tuple[str, ...] = (  # who; what is pasted, said or returned
    "German telecom chat: contract, SIM change, customer password, call-back",
    "English bank chat: declined card, disputed payment, mistaken transfer",
    "airline rebooking agent: passenger data, passport scan, travel documents",
    "French insurer's mailbox: claims, reimbursements, policy holders",
    "Spanish energy supplier: new contract, direct debit, change of holder",
    "US pharmacy voice agent: refill, insurance card, payment by voice",
    "British utility and surgery voice agent: account checks, call-backs",
    "Italian web shop: returns, refunds, invoices, couriers",
    "Brazilian fintech chat: blocked account, instant payment, onboarding",
    "Polish clinic and parcel service: appointments, deliveries, refunds",
    "Dutch and Flemish municipality: moving house, applications",
    "Nordic health and tax desks: identity, prescriptions, invoices",
    "Turkish telecom and bank: line transfer, refund, codes",
    "Japanese hotel and tax desk: bookings, donations, members",
    "Korean shop: delivery, refund, identity check",
    "Chinese app support: real-name check, new phone, refund",
    "Indian bank, wallet and recharge support: verification, failed payments",
    "Arabic and Hebrew telecom support: renewals, call-backs",
    "crypto exchange desk: withdrawals, lost wallets, two-factor reset",
    "internal IT helpdesk: locked accounts, resets, disk recovery",
    "telehealth intake: symptoms, insurance, prescriptions",
    "ride and food delivery app: pins, devices, promotion abuse",
    "coding agent opens configuration: .env and settings files",
    "coding agent reads a shell: history, environment, one-liners",
    "CI log handed to an agent: checkout, publish, deploy steps",
    "cluster work: kubectl, helm values, service account tokens",
    "infrastructure as code: plan, state, variables",
    "cloud consoles and their command lines: keys, tokens, accounts",
    "stack traces and driver errors, with what the driver was given",
    "diffs and code review: what is removed, what is added",
    "HTTP debugging: curl, recorded sessions, cookies",
    "containers: inspect, compose files, start commands",
    "notebooks: model clients, training runs, outputs",
    "SQL through a tool: users, sessions, schemas",
    "key files and dot files on a developer's machine",
    "package publishing: registries' tokens and manifests",
    "mobile apps: signing, property lists, build files",
    "a model's own reply about what it read or changed",
    "a team chat pasted into an agent",
    "server, login and mail logs",
    "browser agent: forms, cookies, page contents",
    "traces of agents themselves: tool calls in nested JSON",
    "CRM exports and command lines",
    "HR mails: starters, contracts, first-day data",
    "payroll sheets and payslip queries",
    "invoices, from PDF to text",
    "medical reports and registrations, from paper to text",
    "identity documents, from scan to text",
    "lawyers' letters and deeds",
    "schools and universities: lists, forms, notices",
    "travel agencies: manifests, guarantees, groups",
    "landlords and applicants: forms, deposits, viewings",
    "raw mail: headers, bounces, quoted replies, signatures",
    "ticket systems: webhooks, internal notes, metadata",
    "meetings: invitations, dial-in, minutes",
    "asset and device management: lists, network logs, returns",
    "fraud and compliance analysts' case notes",
    "marketing and event streams",
    "tax filings and notices in several countries",
    "an agent's memory: profiles, notes to itself",
)
PLANTED_TEXTS = (texts_service.TEXTS, texts_shell.TEXTS, texts_tools.TEXTS, texts_office.TEXTS)
HARMLESS_TEXTS = (harmless_service.TEXTS, harmless_code.TEXTS, harmless_tools.TEXTS)
MAKERS = {**PEOPLE, **KEYS, **SHAM}


def _templates(sources: Sequence[str]) -> list[Template]:
    return [template for source in sources for template in read(source)]


def _filled_planted(seed: int) -> list[tuple[Template, Filled]]:
    """Every template once, and a draw of them a second time."""
    templates = _templates(PLANTED_TEXTS)
    again = Random(f"fresh.again:{seed}").sample(templates, PLANTED_COUNT - len(templates))
    rounds = ((0, templates), (1, again))
    return [
        (template, fill(template, Random(f"fresh.planted:{number}:{template.text}:{seed}"), MAKERS))
        for number, chosen in rounds
        for template in chosen
    ]


def _filled_harmless(seed: int) -> list[tuple[Template, Filled]]:
    """Every template twice, or once where the second filling gives the same text."""
    texts: dict[str, tuple[Template, Filled]] = {}
    for number in range(2):
        for template in _templates(HARMLESS_TEXTS):
            filled = fill(template, Random(f"fresh.harmless:{number}:{template.text}:{seed}"), MAKERS)
            texts.setdefault(filled.text, (template, filled))
    return list(texts.values())


def _labelled(texts: Sequence[tuple[Template, Filled]]) -> list[Planted]:
    return [Planted(filled.text, filled.secrets, template.kind) for template, filled in texts]


def planted(seed: int) -> list[Planted]:
    """Texts with something to hide: 700, each with the substrings that must not survive.

    A key of several lines counts as two secrets, its first and its last full line; a phrase of eight words or
    more as its two halves. So it is not enough to hide a part.
    """
    return _labelled(_filled_planted(seed))


def look_alikes(seed: int) -> list[Planted]:
    """Texts with nothing to hide, over 400 of them; `secrets` is empty."""
    return _labelled(_filled_harmless(seed))


def check(seed: int) -> dict[str, int]:
    """Assert what is promised of the texts of a seed.

    Returns: the kinds of `planted` with their counts, the most frequent first.
    Raises: AssertionError: a secret is missing from its text or too short, a kind is too frequent, a text
        occurs twice, a value fails its check, or a situation has no text.
    """
    holders, harmless = _filled_planted(seed), _filled_harmless(seed)
    assert len(holders) == PLANTED_COUNT and len(harmless) >= 400
    assert planted(seed) == planted(seed), "the same seed gave other texts"
    texts = [filled.text for _, filled in (*holders, *harmless)]
    assert len(set(texts)) == len(texts), "a text occurs twice"
    for template, filled in (*holders, *harmless):
        assert not set(filled.text) & set("⟦⟧⟨⟩"), f"a place was left open: {filled.text!r}"
        assert 1 <= template.situation <= len(SITUATIONS), template
    for template, filled in holders:
        assert filled.secrets, f"nothing to hide: {template.text!r}"
        for secret in filled.secrets:
            assert secret in filled.text and len(secret) >= SHORTEST, (secret, template.text)
        for maker, value in filled.drawn:
            holds = VALID.get(maker) or KEY_CHECKS.get(maker)
            assert holds is None or holds(value), f"{maker} gave {value!r}, which fails its check"
    assert not any(filled.secrets for _, filled in harmless)
    assert {template.situation for template, _ in holders} == set(range(1, len(SITUATIONS) + 1))
    kinds = Counter(template.kind for template, _ in holders)
    assert max(kinds.values()) <= LARGEST_SHARE * len(holders), kinds.most_common(3)
    assert max(Counter(template.text for template, _ in holders).values()) <= 3
    return dict(kinds.most_common())
