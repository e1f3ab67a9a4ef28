"""Trajectories from plain Python: what an agent heard, called and said inside a `with` block.

    with trace(store, task_type="refund", session_id="s-9") as episode:
        episode.user("I want my money back for 77.")
        order = get_order("77")        # a function under @recorded: its call is a turn
        episode.reply(f"You get {order['total']} back.")

The trajectory is on the disk when the block ends, also where it raises. Blocks inside blocks are linked as
parent and child, across threads and tasks as far as `contextvars` reach. Nothing is redacted unless the
store's redactor is handed in; of the user's id a keyed hash alone is kept.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar, cast

from coevolve.store import Store
from coevolve.store.key import redaction_key
from coevolve.store.redaction import subject_of
from coevolve.store.rows import Origin
from coevolve.types import Action, Failure, Party, Split, StopReason, Task, Trajectory, Turn

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
    _heard: list[str] = field(default_factory=list)

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

    def _add(self, action: Action, result: str, error: str | None) -> None:
        before = self.turns[-1].result if self.turns else ""
        heard, self._heard = self._heard, []
        self.turns.append(
            Turn(
                index=len(self.turns),
                observation="\n".join(heard) or before,
                raw=json.dumps({"tool": action.tool, **action.args}, ensure_ascii=False),
                action=action,
                result=result,
                error=error,
            )
        )

    def trajectory(self, failure: Failure | None, wall_s: float) -> Trajectory:
        """The record as it stands."""
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
            turns=tuple(self.turns),
            stop=StopReason.FAILED if failure else StopReason.DONE,
            failure=failure,
            agent=self.agent,
            parent=self.parent,
            wall_s=wall_s,
        )


@contextmanager
def trace(
    store: Store,
    *,
    task_type: str,
    session_id: str | None = None,
    user: str | None = None,
    agent: str = "agent",
    version: str = "live",
    keep: Callable[[Trajectory], Trajectory] = lambda trajectory: trajectory,
) -> Iterator[Episode]:
    """Record an episode and keep it when the block ends.

    Args:
        session_id: to join later feedback by; that of the block around it, or a fresh one.
        user: id of the user, by which `forget` finds the session; that of the block around it, or nobody's.
        keep: what the trajectory goes through before it is written, such as `Redactor.trajectory`.

    Raises: StoreError: it could not be written; ConfigError: a user is given and the store has no key; and
    whatever the block raises, after it was written.
    """
    above = _CURRENT.get()
    subject = above.subject if above is not None else None
    if user:
        subject = subject_of(redaction_key(store.database.engine.url), user)
    episode = Episode(
        id=uuid.uuid4().hex,
        session_id=session_id or (above.session_id if above is not None else uuid.uuid4().hex),
        task_type=task_type,
        agent=agent,
        version=version,
        parent=above.id if above is not None else None,
        subject=subject,
    )
    began, failure = time.monotonic(), None
    token = _CURRENT.set(episode)
    try:
        yield episode
    except BaseException as error:
        failure = Failure(Party.AGENT, f"{type(error).__name__}: {error}"[:500])
        raise
    finally:
        _CURRENT.reset(token)
        kept = keep(episode.trajectory(failure, time.monotonic() - began))
        store.append([kept], origins={kept.id: Origin(subject)})


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
