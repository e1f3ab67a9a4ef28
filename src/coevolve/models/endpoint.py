"""A model behind an OpenAI-compatible HTTP endpoint: messages out, text and tool calls in.

Retries with backoff what may pass (429, 5xx, lost connections), gives up at the deadline, and says what
to mend otherwise. As a `LanguageModel` it speaks byte-level ids that stand for the transport's messages:
they are not the model's own tokens, carry no log-probabilities and must not be trained on. Needs the
extra `openai`.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coevolve.environments.protocol import ToolSpec
from coevolve.errors import ModelError
from coevolve.models.protocol import ChatFormat, Completion, Sampling
from coevolve.models.scripted import ByteChat, Message
from coevolve.need import need
from coevolve.types import JsonObject

_FIXES: Mapping[int, str] = {
    400: "set max_tokens_field and grammar_field of [model.endpoint] to what this server takes",
    401: "set the key in the environment variable that model.api_key_env names",
    403: "use a key that may call this model",
    404: "check model.base_url (it usually ends in /v1) and model.name",
}


BYTES_PER_TOKEN = 4  # of English text; not every server says how many tokens it counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the model is and how patiently it is asked."""

    model: str
    base_url: str | None = None  # None = OpenAI's own
    api_key_env: str = "OPENAI_API_KEY"  # a base_url of one's own may do without a key
    retries: int = 4  # after the first try
    backoff_s: float = 0.5  # before the first retry; doubles each time
    stream: bool = False
    max_tokens_field: str = "max_tokens"  # OpenAI's newer models want "max_completion_tokens"
    grammar_field: str | None = None  # "structured_outputs.grammar" for vLLM; None = grammars are dropped


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the model asked for. `args` is None where its arguments were no JSON object."""

    id: str
    name: str
    args: JsonObject | None
    raw: str  # the arguments as they came


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    finished: bool  # False: cut off by the token limit


class _Passing(Exception):
    """A failure that another try may not meet."""

    def __init__(self, why: str, wait_s: float | None = None) -> None:
        super().__init__(why)
        self.wait_s = wait_s


class EndpointModel:
    """A LanguageModel over HTTP. Held resource: `await aclose()`, or `close()` from sync code."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.model
        self.chat: ChatFormat = ByteChat()
        self._bytes = ByteChat()
        self._endpoint = endpoint
        self._openai: Any = need("openai", "openai")
        self._client: Any = None
        self._scope: AsyncGenerator[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def complete(self, prompt_ids: Sequence[int], sampling: Sampling) -> Completion:
        """One completion of the conversation that the ids stand for.

        Raises: ModelError: the deadline passed, the retries are spent or the answer is no chat reply.
        """
        messages = [_as_openai(message) for message in self._bytes.messages(prompt_ids)]
        reply = await self.converse(messages, sampling=sampling)
        ids = self.chat.encode_output(reply.text)
        return Completion(
            ids=ids if reply.finished else ids[:-1], logprobs=(), text=reply.text, finished=reply.finished
        )

    async def converse(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        sampling: Sampling | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """One assistant message, with its tool calls.

        Args:
            messages: in OpenAI's form.
            on_text: called with each piece of text as it streams in; then a broken stream is not retried
                once a piece was handed over.

        Raises: ModelError: as `complete`.
        """
        sampling = sampling or Sampling()
        request = self._request(messages, tools, sampling)
        stream = self._endpoint.stream or on_text is not None
        try:
            async with asyncio.timeout(sampling.deadline_s):
                return await self._patiently(request, stream, on_text)
        except TimeoutError:
            raise ModelError(
                f"{self.name} gave no answer within {sampling.deadline_s:g} s",
                fix="raise the deadline, lower concurrency, or check the server",
            ) from None

    async def aclose(self) -> None:
        """Close the connections. Idempotent."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def close(self) -> None:
        """Answer no more; the connections close as soon as their event loop runs, or with it. Idempotent."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None and self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(client.close(), self._loop)

    async def _connected(self) -> Any:
        """The client of the running event loop; connections cannot move between loops."""
        if self._closed:
            raise ModelError(f"the model {self.name} is closed", fix="build a new EndpointModel")
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            key = os.environ.get(self._endpoint.api_key_env)
            if not key and self._endpoint.base_url is None:
                raise ModelError(
                    f"no key for {self.name}: {self._endpoint.api_key_env} is not set",
                    fix=f"export {self._endpoint.api_key_env}, or set base_url to a server of your own",
                )
            self._client = self._openai.AsyncOpenAI(
                api_key=key or "none", base_url=self._endpoint.base_url, max_retries=0, timeout=None
            )
            self._loop, self._scope = loop, _closed_with_its_loop(self._client)
            await anext(self._scope)
        return self._client

    def _request(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[ToolSpec], sampling: Sampling
    ) -> dict[str, Any]:
        extra: dict[str, Any] = {self._endpoint.max_tokens_field: sampling.max_tokens}
        if sampling.grammar is not None and self._endpoint.grammar_field is not None:
            outer, dot, inner = self._endpoint.grammar_field.partition(".")
            extra[outer] = {inner: sampling.grammar} if dot else sampling.grammar
        request: dict[str, Any] = {
            "model": self.name,
            "messages": list(messages),
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "extra_body": extra,
        }
        if tools:
            request["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": dict(tool.parameters),
                    },
                }
                for tool in tools
            ]
        return request

    async def _patiently(
        self, request: dict[str, Any], stream: bool, on_text: Callable[[str], None] | None
    ) -> Reply:
        handed_over = False

        def hand_over(piece: str) -> None:
            nonlocal handed_over
            if on_text is not None:
                handed_over = True
                on_text(piece)

        for tried in range(self._endpoint.retries + 1):
            try:
                return await self._once(request, stream, hand_over)
            except _Passing as passing:
                if tried == self._endpoint.retries or handed_over:
                    raise ModelError(
                        f"{self.name} failed {tried + 1} times, last: {passing}",
                        fix="check the server and its limits, or raise model.endpoint.retries",
                    ) from passing
                backoff = self._endpoint.backoff_s * 2**tried * random.uniform(0.5, 1.0)
                await asyncio.sleep(backoff if passing.wait_s is None else passing.wait_s)
        raise AssertionError("unreachable")

    async def _once(self, request: dict[str, Any], stream: bool, hand_over: Callable[[str], None]) -> Reply:
        """One try. Raises _Passing or ModelError."""
        create = (await self._connected()).chat.completions.create
        try:
            if not stream:
                return _whole_reply(await create(**request))
            async with await create(**request, stream=True) as pieces:
                return await _streamed_reply(pieces, hand_over)
        except self._openai.APIConnectionError as error:
            raise _Passing(f"no connection ({error})") from error
        except self._openai.APIStatusError as error:
            if error.status_code in (408, 409, 429) or error.status_code >= 500:
                wait = _seconds(error.response.headers.get("retry-after"))
                raise _Passing(f"HTTP {error.status_code}", wait) from error
            raise ModelError(
                f"{self.name} answered HTTP {error.status_code}: {error.message[:200]}",
                fix=_FIXES.get(error.status_code, "read the server's message above"),
            ) from error
        except (self._openai.OpenAIError, ValueError, TypeError, AttributeError, LookupError) as error:
            raise ModelError(
                f"{self.name} answered outside the chat completions contract ({error!r:.200})",
                fix="check that base_url is an OpenAI-compatible /v1 endpoint",
            ) from error


async def _closed_with_its_loop(client: Any) -> AsyncGenerator[None]:
    """Closes the client at the latest when its event loop shuts its generators down, before it closes."""
    try:
        yield
    finally:
        await client.close()


def _whole_reply(answer: Any) -> Reply:
    choice = answer.choices[0]
    calls = tuple(
        _call(call.id, call.function.name, call.function.arguments)
        for call in choice.message.tool_calls or ()
    )
    return Reply(choice.message.content or "", calls, choice.finish_reason != "length")


async def _streamed_reply(pieces: AsyncIterator[Any], hand_over: Callable[[str], None]) -> Reply:
    """Put a stream together; tool calls come in fragments, told apart by their index."""
    text: list[str] = []
    calls: dict[int, list[str]] = {}
    reason: str | None = None
    async for piece in pieces:
        if not piece.choices:
            continue  # usage figures come in a piece of their own
        choice = piece.choices[0]
        if choice.delta.content:
            text.append(choice.delta.content)
            hand_over(choice.delta.content)
        for part in choice.delta.tool_calls or ():
            call = calls.setdefault(part.index, ["", "", ""])
            call[0] = part.id or call[0]
            if part.function is not None:
                call[1] = part.function.name or call[1]
                call[2] += part.function.arguments or ""
        reason = choice.finish_reason or reason
    if reason is None:
        raise _Passing("the stream broke off")
    return Reply("".join(text), tuple(_call(*calls[k]) for k in sorted(calls)), reason != "length")


def _call(identity: str, name: str, arguments: str) -> ToolCall:
    try:
        args = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        args = None
    return ToolCall(identity, name, args if isinstance(args, dict) else None, arguments)


def _as_openai(message: Message) -> dict[str, str]:
    # The agent's tool calls are plain text, so a result has no call id to answer with role "tool".
    if message.role == "tool":
        return {"role": "user", "content": f"Tool result: {message.text}"}
    return {"role": message.role, "content": message.text}


def _seconds(value: str | None) -> float | None:
    """A Retry-After in seconds; its form as a date is left to the backoff."""
    try:
        return max(0.0, float(value)) if value is not None else None
    except ValueError:
        return None
