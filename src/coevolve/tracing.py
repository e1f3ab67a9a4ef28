"""Trajectories from plain Python: what an agent heard, called and said inside a `with` block.

    with trace(store, task_type="refund", session_id="s-9") as episode:
        episode.user("I want my money back for 77.")
        order = get_order("77")        # a function under @recorded: its call is a turn
        episode.reply(f"You get {order['total']} back.")
        episode.check("refunded", ledger.holds("77"))

The trajectory is on the disk when the block ends, also where it raises. In async code write `async with`:
then a thread waits for the disk, and the event loop goes on. Blocks inside blocks are linked as parent and
child, across threads and tasks as far as `contextvars` reach. Secrets and personal data are redacted under
the store's key, as at its other doors, unless `keep=in_clear` says otherwise; of the user's id a keyed hash
alone is kept.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import math
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from coevolve.store import Store
from coevolve.store.key import redaction_key
from coevolve.store.redaction import Redactor, subject_of
from coevolve.store.rows import Origin
from coevolve.types import (
    INTERRUPTED,
    RETRIEVAL,
    Action,
    Failure,
    Party,
    Signal,
    Split,
    StopReason,
    Task,
    Trajectory,
    Turn,
    check_signal,
)

P = ParamSpec("P")
R = TypeVar("R")
_CURRENT: ContextVar[Episode | None] = ContextVar("coevolve_episode", default=None)
_MOST_SHOWN = 20_000  # characters of a result


@dataclass(slots=True)
class Episode:
    """An episode being recorded. Made by `trace`."""

    id: str
    session_id: str
    task_type: str
    agent: str
    version: str
    parent: str | None
    subject: str | None = None  # keyed hash of the user's id
    opening: str = ""
    turns: list[Turn] = field(default_factory=list)
    checks: list[Signal] = field(default_factory=list)
    _heard: list[str] = field(default_factory=list)
    _events: list[str] = field(default_factory=list)  # of the turn to come
    _left: bool = False

    def user(self, text: str) -> None:
        """What the user said."""
        if not self.opening:
            self.opening = text
        self._heard.append(text)

    def call(self, tool: str, args: Mapping[str, Any], result: Any = "", error: str | None = None) -> None:
        """One tool call and what it brought."""
        self._add(Action(tool, json.loads(json.dumps(args, default=str))), _shown(result), error)

    def reply(self, text: str) -> None:
        """What the agent said to the user."""
        self._add(Action("reply", {"message": text}), "", None)

    def retrieved(self, score: float) -> None:
        """The best score of a look-up, on the retriever's own scale; it belongs to the next turn."""
        if math.isfinite(score):
            self._events.append(f"{RETRIEVAL}{score:.4g}")

    def interrupted(self) -> None:
        """The user cut the last answer short."""
        if self.turns:
            last = self.turns[-1]
            self.turns[-1] = replace(last, events=tuple(dict.fromkeys([*last.events, INTERRUPTED])))

    def left(self) -> None:
        """The user went away before the end."""
        self._left = True

    def check(self, name: str, passed: bool | None, why: str = "") -> None:
        """What was verified of this episode: tests, a schema, a database's state; None = it could not tell.

        What is verified later comes to `/v1/feedback` as a statement of kind "check".
        """
        self.checks.append(check_signal(name, passed, why))

    def _add(self, action: Action, result: str, error: str | None) -> None:
        before = self.turns[-1].result if self.turns else ""
        heard, self._heard = self._heard, []
        events, self._events = self._events, []
        self.turns.append(
            Turn(
                index=len(self.turns),
                observation="\n".join(heard) or before,
                raw=json.dumps({"tool": action.tool, **action.args}, ensure_ascii=False),
                action=action,
                result=result,
                error=error,
                events=tuple(events),
            )
        )

    def trajectory(self, failure: Failure | None, wall_s: float) -> Trajectory:
        """The record as it stands. Who spoke last and was not answered has left with these words."""
        left = self._left or bool(self._heard)
        return Trajectory(
            id=self.id,
            session_id=self.session_id,
            task=Task(
                id=self.session_id,
                type=self.task_type,
                split=Split.LIVE,
                seed=0,
                difficulty=1,
                opening=self.opening,
            ),
            version=self.version,
            seed=0,
            turns=self._ended(),
            stop=StopReason.FAILED if failure else StopReason.LEFT if left else StopReason.DONE,
            failure=failure,
            agent=self.agent,
            parent=self.parent,
            checks=tuple(self.checks),
            wall_s=wall_s,
        )

    def _ended(self) -> tuple[Turn, ...]:
        """The turns, the last one with what came after it."""
        if not self.turns:
            return ()
        last = self.turns[-1]
        result = "\n".join(filter(None, [last.result, *self._heard]))
        return (*self.turns[:-1], replace(last, result=result, events=(*last.events, *self._events)))


def in_clear(trajectory: Trajectory) -> Trajectory:
    """The trajectory as it is: what `keep` is where nothing shall be redacted."""
    return trajectory


class Recording:
    """A block that is recorded. Made by `trace`, entered once with `with` or `async with`."""

    def __init__(
        self,
        store: Store,
        episode: Callable[[], Episode],
        keep: Callable[[Trajectory], Trajectory] | None,
    ) -> None:
        """`episode` makes it when the block begins: under its key, and below the block around it."""
        self._store, self._make, self._asked = store, episode, keep
        self._keep: Callable[[Trajectory], Trajectory]
        self._episode: Episode
        self._token: Token[Episode | None]
        self._began_s = 0.0

    def __enter__(self) -> Episode:
        self._prepare()
        return self._begin()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._write(self._end(error))

    async def __aenter__(self) -> Episode:
        await asyncio.to_thread(self._prepare)
        return self._begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        # Who is cancelled meanwhile goes at once; what was recorded is written all the same.
        await asyncio.shield(asyncio.to_thread(self._write, self._end(error)))

    def _prepare(self) -> None:
        """What may wait for the disk, or refuse, before the block runs."""
        self._keep = self._asked or _redactor(redaction_key(self._store.database.engine.url)).trajectory
        self._episode = self._make()

    def _begin(self) -> Episode:
        self._began_s = time.monotonic()
        self._token = _CURRENT.set(self._episode)
        return self._episode

    def _end(self, error: BaseException | None) -> Trajectory:
        _CURRENT.reset(self._token)
        failure = None
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            self._episode.left()  # nobody waits for the answer any more, which is no fault of the agent
        elif error is not None:
            failure = Failure(Party.AGENT, f"{type(error).__name__}: {error}"[:500])
        return self._episode.trajectory(failure, time.monotonic() - self._began_s)

    def _write(self, trajectory: Trajectory) -> None:
        kept = self._keep(trajectory)
        self._store.append([kept], origins={kept.id: Origin(self._episode.subject)})


@lru_cache(maxsize=8)
def _redactor(key: bytes) -> Redactor:
    """One for each store, which remembers what it has cleaned."""
    return Redactor(key)


def trace(
    store: Store,
    *,
    task_type: str,
    session_id: str | None = None,
    user: str | None = None,
    agent: str = "agent",
    version: str = "live",
    keep: Callable[[Trajectory], Trajectory] | None = None,
) -> Recording:
    """Record an episode and keep it when the block ends.

    Args:
        session_id: to join later feedback by; that of the block around it, or a fresh one.
        user: id of the user, by which `forget` finds the session; that of the block around it, or nobody's.
        keep: what the trajectory goes through before it is written; the store's redactor, unless another
            function is given. `in_clear` redacts nothing.

    Raises: StoreError: it could not be written; ConfigError, before the block runs: the store has no key, and
    a user is given or `keep` is not; and whatever the block raises, after it was written.
    """

    def begun() -> Episode:
        above = _CURRENT.get()
        subject = above.subject if above is not None else None
        if user:
            subject = subject_of(redaction_key(store.database.engine.url), user)
        return Episode(
            id=uuid.uuid4().hex,
            session_id=session_id or (above.session_id if above is not None else uuid.uuid4().hex),
            task_type=task_type,
            agent=agent,
            version=version,
            parent=above.id if above is not None else None,
            subject=subject,
        )

    return Recording(store, begun, keep)


def recorded(function: Callable[P, R]) -> Callable[P, R]:
    """Make each call of a function a turn of the episode around it; outside of one it only runs.

    Works on plain and async functions. An exception is recorded as the turn's error, and raised again.
    """
    names = inspect.signature(function)

    @contextmanager
    def turn(*args: P.args, **kwargs: P.kwargs) -> Iterator[list[R]]:
        """Around one call, whose result is put into the list."""
        episode, brought = _CURRENT.get(), list[R]()

        def note(result: Any, error: str | None) -> None:
            if episode is not None:
                episode.call(function.__name__, names.bind(*args, **kwargs).arguments, result, error)

        try:
            yield brought
        except Exception as error:
            note("", f"{type(error).__name__}: {error}")
            raise
        note(brought[0], None)

    if asyncio.iscoroutinefunction(function):
        waiting = cast(Callable[P, Awaitable[Any]], function)

        @functools.wraps(function)
        async def later(*args: P.args, **kwargs: P.kwargs) -> Any:
            with turn(*args, **kwargs) as brought:
                brought.append(await waiting(*args, **kwargs))
            return brought[0]

        return cast(Callable[P, R], later)

    @functools.wraps(function)
    def now(*args: P.args, **kwargs: P.kwargs) -> R:
        with turn(*args, **kwargs) as brought:
            brought.append(function(*args, **kwargs))
        return brought[0]

    return now


def _shown(result: Any) -> str:
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
