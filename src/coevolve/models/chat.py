"""A model's own chat template as an append-only token format.

The template is rendered once with marker texts to find the fixed pieces between messages; a template
that rewrites or drops earlier turns is refused by name, since training on recorded tokens would then
teach what the model never saw. Messages are encoded as plain text: a user who types a special token's
name writes letters, not control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2.exceptions import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from coevolve.errors import ModelError

_MARK = {
    "system": "@@system@@",
    "user": "@@user@@",
    "assistant": "<think>@@a@@</think>@@assistant@@",
    "tool": "@@tool@@",
}


@dataclass(frozen=True, slots=True)
class TokenChat:
    """A `ChatFormat` over a `tokenizers` tokenizer. Made by `load_chat`."""

    tokenizer: Tokenizer
    end_id: int  # ends an assistant's turn
    before_system: tuple[int, ...]
    before_user: tuple[int, ...]
    before_assistant: tuple[int, ...]  # from the end of the user's text
    after_assistant: dict[str, tuple[int, ...]]  # role -> ids between end_id and that role's text
    next_assistant: dict[str, tuple[int, ...]]  # role -> ids from the end of its text

    def open(self, system: str, user: str) -> tuple[int, ...]:
        """Ids of the whole first prompt, up to where the assistant speaks."""
        return (
            *self.before_system,
            *self._plain(system),
            *self.before_user,
            *self._plain(user),
            *self.before_assistant,
        )

    def extend(self, role: str, text: str) -> tuple[int, ...]:
        """Ids that follow an assistant's end-of-turn token: one message and the next opening."""
        return (*self.after_assistant[role], *self._plain(text), *self.next_assistant[role])

    def encode_output(self, text: str) -> tuple[int, ...]:
        """Ids of an assistant's words and the end-of-turn token."""
        return (*self._plain(text), self.end_id)

    def close(self, output_ids: Sequence[int]) -> tuple[int, ...]:
        """The end-of-turn token where a cut-off output lacks it."""
        return () if output_ids and output_ids[-1] == self.end_id else (self.end_id,)

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids without special tokens."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    def _plain(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


def load_chat(folder: Path) -> TokenChat:
    """The chat format of a model folder (tokenizer.json, chat_template.jinja, tokenizer_config.json).

    Raises: ModelError: files are missing, or the template rewrites earlier turns.
    """
    template_file, tokenizer_file = folder / "chat_template.jinja", folder / "tokenizer.json"
    for file in (template_file, tokenizer_file):
        if not file.is_file():
            raise ModelError(
                f"{file} is missing", fix="save the model's tokenizer there with its chat template"
            )
    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    return chat_of(tokenizer, template_file.read_text(encoding="utf-8"), name=folder.name)


def chat_of(tokenizer: Tokenizer, template: str, *, name: str) -> TokenChat:
    """The chat format of a tokenizer and its Jinja template.

    Raises: ModelError: the template rewrites or drops earlier turns, or has no end-of-turn token.
    """
    render = _renderer(template, name)
    opened = render("system", "user")
    head, rest = _cut(opened, "system", name)
    between, tail = _cut(rest, "user", name)
    pieces: dict[str, tuple[str, str]] = {}
    for role in ("user", "tool"):
        longer = render("system", "user", "assistant", role)
        if not longer.startswith(opened + _MARK["assistant"]):
            raise _rewrites(name)
        after, following = _cut(longer[len(opened + _MARK["assistant"]) :], role, name)
        if not render("system", "user", "assistant", role, "assistant", role).startswith(longer):
            raise _rewrites(name)
        pieces[role] = (after, following)
    special = _special(tokenizer)
    end_text, end_id = _end_of_turn(tokenizer, pieces["user"][0], name)
    chat = TokenChat(
        tokenizer=tokenizer,
        end_id=end_id,
        before_system=special(head),
        before_user=special(between),
        before_assistant=special(tail),
        after_assistant={role: special(after.removeprefix(end_text)) for role, (after, _) in pieces.items()},
        next_assistant={role: special(following) for role, (_, following) in pieces.items()},
    )
    tokenizer.encode_special_tokens = True  # from here on, texts are only ever plain
    return chat


def _renderer(template: str, name: str) -> Any:
    try:
        compiled = ImmutableSandboxedEnvironment().from_string(template)
    except TemplateError as error:
        raise ModelError(
            f"the chat template of {name} cannot be read: {error}", fix="restore its chat_template.jinja"
        ) from error

    def render(*roles: str) -> str:
        messages = [{"role": role, "content": _MARK[role]} for role in roles]
        try:
            return str(compiled.render(messages=messages, add_generation_prompt=True))
        except TemplateError as error:
            raise ModelError(
                f"the chat template of {name} cannot render the roles {roles}: {error}",
                fix="use a model whose template takes system, user, assistant and tool messages",
            ) from error

    return render


def _cut(text: str, role: str, name: str) -> tuple[str, str]:
    before, found, after = text.partition(_MARK[role])
    if not found:
        raise ModelError(
            f"the chat template of {name} drops the {role} message",
            fix="use a model whose template keeps every message",
        )
    return before, after


def _rewrites(name: str) -> ModelError:
    return ModelError(
        f"the chat template of {name} rewrites earlier turns, so recorded tokens would not be what it saw",
        fix="use a template that only appends, e.g. one that keeps earlier thoughts",
    )


def _special(tokenizer: Tokenizer) -> Any:
    def encode(text: str) -> tuple[int, ...]:
        tokenizer.encode_special_tokens = False
        return tuple(tokenizer.encode(text, add_special_tokens=False).ids)

    return encode


def _end_of_turn(tokenizer: Tokenizer, after: str, name: str) -> tuple[str, int]:
    """The special token with which an assistant's turn ends, by the template."""
    for token_id, token in tokenizer.get_added_tokens_decoder().items():
        if token.special and after.startswith(token.content):
            return token.content, token_id
    raise ModelError(
        f"the chat template of {name} ends an assistant's turn with {after[:20]!r}, not a special token",
        fix="use a model whose turns end with a special token",
    )
