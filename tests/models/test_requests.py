"""Requests wait, run together, and end: answered, failed, or told that the model is closed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from coevolve.errors import ModelError
from coevolve.models.protocol import Completion, Sampling
from coevolve.models.requests import Request, RequestQueue

SAID = Completion(ids=(1,), logprobs=(0.0,), text="x", finished=True)


@dataclass
class Driver:
    """Answers what it takes, `at_most` at a time; `stuck` answers nothing."""

    at_most: int | None = None
    stuck: bool = False
    batches: list[list[int]] = field(default_factory=list)
    queue: RequestQueue = field(init=False)

    def __post_init__(self) -> None:
        self.queue = RequestQueue("scripted", self.drive)

    async def drive(self) -> None:
        while self.queue.waiting and not self.stuck:
            await self.queue.settle()
            taken = self.queue.take(self.at_most)
            self.batches.append([request.ids[0] for request in taken])
            await self.queue.in_thread(len, taken)
            for request in taken:
                self.queue.finish(request, SAID)

    async def ask(self, number: int, deadline_s: float = 5.0) -> Completion:
        return await self.queue.ask([number], Sampling(deadline_s=deadline_s))


async def test_what_is_asked_at_one_moment_runs_together_and_in_order() -> None:
    driver = Driver()
    assert await asyncio.gather(*(driver.ask(k) for k in range(3))) == [SAID] * 3
    assert driver.batches == [[0, 1, 2]]
    await driver.ask(7)  # the driver had ended
    assert driver.batches == [[0, 1, 2], [7]]
    driver.queue.close()


async def test_no_more_are_taken_than_asked_for() -> None:
    driver = Driver(at_most=2)
    await asyncio.gather(*(driver.ask(k) for k in range(5)))
    assert driver.batches == [[0, 1], [2, 3], [4]]
    driver.queue.close()


async def test_a_missed_deadline_is_an_error_and_the_request_is_not_served_later() -> None:
    driver = Driver(stuck=True)
    with pytest.raises(ModelError, match="no completion within") as missed:
        await driver.ask(1, deadline_s=0.01)
    assert "turn_timeout_s" in missed.value.fix
    driver.stuck = False
    await driver.ask(2)
    assert driver.batches == [[2]]
    driver.queue.close()


async def test_who_waits_when_the_model_is_closed_is_told_and_so_is_who_asks_later() -> None:
    driver = Driver(stuck=True)
    waiting = asyncio.create_task(driver.ask(1))
    while not driver.queue.waiting:
        await asyncio.sleep(0)
    driver.queue.close()
    driver.queue.close()
    with pytest.raises(ModelError, match="closed"):
        await waiting
    with pytest.raises(ModelError, match="closed"):
        await driver.ask(2)


async def test_failing_and_finishing_leave_what_has_ended_as_it_is() -> None:
    queue = RequestQueue("scripted", Driver().drive)
    loop = asyncio.get_running_loop()
    ended, open_ = (Request([k], Sampling(), loop.create_future()) for k in range(2))
    queue.finish(ended, SAID)
    queue.fail([ended, open_], ModelError("broken", fix="mend it"))
    queue.finish(open_, SAID)
    assert await ended.done == SAID
    with pytest.raises(ModelError, match="broken"):
        await open_.done
