"""The boundary to an environment: its crash, its silence and its nonsense end one episode, and are kept.

A call into the world enters, its answer leaves, or `Broken` that says who failed. It does not protect
against an environment that blocks while `isolate_steps` is off, since such a call runs on the event loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from coevolve.agents.harness import Harness
from coevolve.environments.protocol import StepResult
from coevolve.types import Failure, Party

T = TypeVar("T")


class Broken(Exception):
    """An episode cannot go on; who failed is known."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.why)
        self.failure = failure


async def of_env(call: Callable[[], T], harness: Harness) -> T:
    """An environment's answer. Raises Broken where it crashes or, isolated, hangs."""
    try:
        if not harness.isolate_steps:
            return call()
        return await asyncio.wait_for(_in_thread(call), harness.step_timeout_s)
    except TimeoutError as error:
        why = f"no answer within {harness.step_timeout_s:g} s" if harness.isolate_steps else describe(error)
        raise Broken(Failure(Party.ENVIRONMENT, why)) from error
    except Exception as error:  # the boundary to a world: its crash ends one episode, and is kept
        raise Broken(Failure(Party.ENVIRONMENT, describe(error))) from error


async def _in_thread(call: Callable[[], T]) -> T:
    """Run in a daemon thread: unlike an executor's, a hanging one does not hold up the exit."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(act: Callable[[], None]) -> None:
        def unless_over() -> None:
            if not future.done():
                act()

        if not loop.is_closed():
            loop.call_soon_threadsafe(unless_over)

    def work() -> None:
        try:
            value = call()
        except StopIteration as error:  # a future takes any exception but this one
            failed: Exception = RuntimeError(f"StopIteration: {error}")
            settle(lambda: future.set_exception(failed))
        except Exception as error:  # carried over to the awaiting side
            failed = error
            settle(lambda: future.set_exception(failed))
        else:
            settle(lambda: future.set_result(value))

    threading.Thread(target=work, name="environment-step", daemon=True).start()
    return await future


def describe(error: BaseException) -> str:
    """Type, message and innermost place of an exception, for a person."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        place = f" at {code.co_qualname}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{place}"[:500]


def sound(step: StepResult) -> StepResult:
    """The step, if it is one. Raises TypeError: a user's world answered with something else."""
    if not isinstance(step, StepResult):
        raise TypeError(f"step() gave {type(step).__name__}, not StepResult")
    if not isinstance(step.observation, str) or not isinstance(step.error, str | None):
        raise TypeError(f"an observation and an error are text, not {step.observation!r} and {step.error!r}")
    if not isinstance(step.events, tuple) or not all(isinstance(event, str) for event in step.events):
        raise TypeError(f"events are a tuple of texts, not {step.events!r}")
    return step
