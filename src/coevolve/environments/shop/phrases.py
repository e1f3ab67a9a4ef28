"""What counts as having said something: accepted phrasings, and how a reply is compared with them.

A phrase counts where it stands on word boundaries in the normalised reply. No single word such as
"cannot" is ever enough.
"""

from __future__ import annotations

import re

REASONS = {
    "foreign_order": (
        "different customer", "different account", "different person", "another customer",
        "another account", "another person", "someone else", "somebody else", "not your order",
        "not yours", "not on your account", "not in your account", "not under your account",
        "not linked to your account", "not associated with your account", "not belong to you",
        "not belong to your account", "not part of your account", "not registered to you",
        "not one of your orders", "not this customer's",
    ),
    "card_not_on_file": (
        "not on file", "not on your file", "not on your account", "not in your account",
        "not saved", "not stored", "not registered", "not linked to your account",
        "not one of your cards", "no such card", "not associated with your account",
    ),
    "window_closed": (
        "window closed", "window is closed", "window has closed", "window was closed",
        "window already closed", "window has already closed", "window is already closed",
        "window has expired", "window expired", "window has passed", "window is over",
        "window ended", "window has ended", "return period has ended", "return period is over",
        "return period ended", "return period has expired", "return period has passed",
        "return deadline has passed", "too late to return", "past the return window",
        "outside the return window", "outside of the return window", "time to return it has passed",
    ),
    "identity_wrong": (
        "not match", "not matching", "no match", "pin is wrong", "pin is incorrect", "wrong pin",
        "incorrect pin", "pin is not correct", "pin is not right", "not verify your identity",
        "not be verified", "not verified", "unable to verify", "could not verify",
        "verification failed",
    ),
    "already_shipped": (
        "already shipped", "has shipped", "is shipped", "been shipped", "was shipped",
        "already been shipped", "already on its way", "already on the way", "already left",
        "already in transit", "already with the carrier", "too late to cancel",
    ),
}  # fmt: skip

STATUSES = {
    "placed": ("placed", "not paid yet", "not been paid", "awaiting payment", "waiting for payment"),
    "paid": ("paid", "payment received"),
    "packed": ("packed", "ready to ship"),
    "shipped": ("shipped", "on its way", "on the way", "in transit"),
    "delivered": ("delivered", "arrived"),
    "cancelled": ("cancelled",),
}

OUT_OF_STOCK = (
    "out of stock", "not in stock", "sold out", "not available", "unavailable", "none in stock",
    "no stock", "0 in stock", "none left", "not have it in stock", "not have any", "0 left",
)  # fmt: skip
IN_STOCK = ("in stock", "available")
PAID = ("paid", "payment went through", "payment is complete", "payment was successful", "charged")
DECLINED = ("declined", "was rejected", "refused by the bank", "rejected by the bank")
COUPON_REJECTED = ("expired", "not valid", "no longer valid", "invalid", "unknown", "not known", "not exist")
NOT_COVERED = (
    "not covered", "no longer covered", "warranty ended", "warranty has ended", "warranty expired",
    "warranty has expired", "warranty is over", "out of warranty", "not under warranty",
    "no longer under warranty", "warranty ran out", "warranty has run out", "not cover", "no warranty",
)  # fmt: skip
_CLAIMS = (
    "been refunded", "is refunded", "was refunded", "have refunded", "will be refunded", "refund is on",
    "have cancelled", "is cancelled", "been cancelled", "was cancelled", "payment went through",
    "payment was successful", "have charged", "was charged", "been charged", "return is open",
    "return is opened", "return ticket is open", "accept the return", "return was accepted",
)  # fmt: skip

_MONEY = re.compile(r"\$ ?(\d+)")


def normalise(text: str) -> str:
    """Lower case, straight quotes, contractions spelled out, bare figures, single spaces."""
    text = text.lower().replace("\u2019", "'").replace("\u2018", "'")
    text = text.replace("can't", "can not").replace("cannot", "can not").replace("won't", "will not")
    text = text.replace("n't", " not").replace("canceled", "cancelled").replace("colour", "color")
    text = re.sub(r"(\d),(\d{3})\b", r"\1\2", text)
    text = re.sub(r"(\d)\.00\b", r"\1", text)
    return " ".join(text.split())


def says(text: str, phrase: str) -> bool:
    """Whether a normalised text holds the phrase on word boundaries."""
    wanted = normalise(phrase)
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_wordy(text, start - 1) and _wordy(text, start)) and not (
            _wordy(text, end - 1) and _wordy(text, end)
        ):
            return True
        start = text.find(wanted, start + 1)
    return False


def amounts(text: str) -> set[str]:
    """The dollar amounts a text names, as digits."""
    return set(_MONEY.findall(normalise(text)))


def wrong_in_refusal(reason: str) -> tuple[str, ...]:
    """What a refusal for this reason must not say: that it was done, or another reason."""
    own = REASONS[reason]
    others = (text for name, texts in REASONS.items() if name != reason for text in texts if text not in own)
    return (*_CLAIMS, *others)


def dates(day: str) -> tuple[str, ...]:
    """The ways to write "14 July"."""
    number, month = day.split()[:2]
    return (
        f"{number} {month}",
        f"{month} {number}",
        f"{number}th {month}",
        f"{month} {number}th",
        f"{number}th of {month}",
        f"{number} of {month}",
        f"{number} {month[:3]}",
        f"{month[:3]} {number}",
    )


def _wordy(text: str, index: int) -> bool:
    return 0 <= index < len(text) and text[index].isalnum()
