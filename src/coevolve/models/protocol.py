"""What a language model offers to an agent: token ids in, token ids and log-probabilities out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How to draw one completion. Each attempt needs its own seed."""

    temperature: float = 0.0  # 0 = greedy
    max_tokens: int = 128
    seed: int = 0
    grammar: str | None = None  # EBNF; None = free text
    deadline_s: float = 120.0  # from the moment of asking


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What came back."""

    ids: tuple[int, ...]  # the end-of-turn token included where it was drawn
    logprobs: tuple[float, ...]  # natural log, one per id; empty where the source gives none
    text: str  # ids decoded without special tokens
    finished: bool  # False: cut off by max_tokens


class ChatFormat(Protocol):
    """Turns messages into token ids, append-only, so that what was seen is never re-tokenised."""

    def open(self, system: str, user: str) -> tuple[int, ...]:
        """Ids of the whole first prompt, up to where the assistant speaks."""
        ...

    def extend(self, role: str, text: str) -> tuple[int, ...]:
        """Ids to append after an assistant's turn: its missing end, one message, the next opening.

        `role` is "user" or "tool". Text is never read as special tokens.
        """
        ...

    def encode_output(self, text: str) -> tuple[int, ...]:
        """Ids of an assistant's words with the end-of-turn token, for a teacher's turn."""
        ...

    def close(self, output_ids: Sequence[int]) -> tuple[int, ...]:
        """Ids that end an assistant's turn which was cut off; empty where it ended itself."""
        ...


class LanguageModel(Protocol):
    """A model that answers many prompts at once. Held resource: close it."""

    name: str
    chat: ChatFormat

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        """One completion. Raises ModelError on a missed deadline or a broken engine."""
        ...

    def close(self) -> None:
        """Free memory. Idempotent."""
        ...
