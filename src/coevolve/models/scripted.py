"""A language model without a model: a function from transcript to text, over byte-level ids.

With it the whole loop runs in a test or on a machine without weights. Ids are UTF-8 bytes plus one id
per role and one for the end of a turn. It ignores grammars and temperature.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coevolve.errors import ModelError
from coevolve.models.protocol import ChatFormat, Completion, Sampling

_ROLES = ("system", "user", "tool", "assistant")
_ROLE_IDS = {role: 256 + k for k, role in enumerate(_ROLES)}
END = 260  # the end-of-turn id


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: str  # "system", "user", "tool" or "assistant"
    text: str


class ByteChat:
    """A ChatFormat whose ids can be read back into messages without loss."""

    def open(self, system: str, user: str) -> tuple[int, ...]:
        """Ids of the first prompt, up to where the assistant speaks."""
        return (*self._message("system", system), *self._message("user", user), _ROLE_IDS["assistant"])

    def extend(self, role: str, text: str) -> tuple[int, ...]:
        """Ids of one more message and the assistant's next opening."""
        return (*self._message(role, text), _ROLE_IDS["assistant"])

    def encode_output(self, text: str) -> tuple[int, ...]:
        """An assistant's words with the end-of-turn id."""
        return (*text.encode("utf-8", "replace"), END)

    def close(self, output_ids: Sequence[int]) -> tuple[int, ...]:
        """The end-of-turn id, where the output lacks it."""
        return () if output_ids and output_ids[-1] == END else (END,)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some ids, without special ones; a torn character becomes U+FFFD."""
        return bytes(one for one in ids if one < 256).decode("utf-8", "replace")

    def messages(self, ids: Sequence[int]) -> tuple[Message, ...]:
        """The conversation that these ids are; an assistant about to speak is no message yet."""
        found: list[Message] = []
        role, start = "", 0
        for at, one in enumerate([*ids, END]):
            if one >= 256 and role and (at > start or role != "assistant"):
                found.append(Message(role, self.decode(ids[start:at])))
            if one >= 256:
                role = _ROLES[one - 256] if one != END else ""
                start = at + 1
        return tuple(found)

    def _message(self, role: str, text: str) -> tuple[int, ...]:
        if role not in _ROLE_IDS:
            raise ModelError(f"unknown role {role!r}", fix=f"use one of {', '.join(_ROLES)}")
        return (_ROLE_IDS[role], *text.encode("utf-8", "replace"), END)


class ScriptedModel:
    """A LanguageModel that answers with `fn(transcript)`.

    The transcript has one `role: text` paragraph per message, the newest last. Log-probabilities are 0:
    what it says, it says with certainty. An output longer than `max_tokens` bytes is cut off.
    """

    def __init__(self, fn: Callable[[str], str], name: str = "scripted") -> None:
        self.name = name
        self._bytes = ByteChat()
        self.chat: ChatFormat = self._bytes
        self._fn = fn
        self._closed = False

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        """The function's answer as ids. Raises ModelError once closed."""
        if self._closed:
            raise ModelError(f"the model {self.name} is closed", fix="build a new ScriptedModel")
        text = self._fn(transcript(self._bytes.messages(prompt_ids)))
        ids = self.chat.encode_output(text)
        finished = len(ids) <= sampling.max_tokens
        ids = ids[: sampling.max_tokens]
        return Completion(
            ids=ids, logprobs=(0.0,) * len(ids), text=self._bytes.decode(ids), finished=finished
        )

    def close(self) -> None:
        """Answer no more. Idempotent."""
        self._closed = True


def transcript(messages: Sequence[Message]) -> str:
    """A conversation as text, one `role: text` paragraph per message."""
    return "\n".join(f"{message.role}: {message.text}" for message in messages)
