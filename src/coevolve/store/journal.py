"""The journal of a durable run: which steps are finished, and what each of them gave.

A step's name and JSON value enter; after kill -9 the same run asks `get` first and repeats no finished
step. Each step must be safe to repeat from its beginning: what it wrote before its `done` may be there
already. Committing both together is possible by `with store.database.write():` around them.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa

from coevolve.codec import canonical_json
from coevolve.database.tables import steps
from coevolve.errors import StoreError
from coevolve.store.experience import Store

Json: TypeAlias = Any


@dataclass(frozen=True, slots=True)
class Step:
    """One finished step."""

    name: str
    value: Json
    wall_s: float  # from `start` (or the step before) to its `done`
    finished_s: float  # seconds since 1970, UTC


class Journal:
    """The finished steps of one run. Holds nothing but the store and the clock of the running step."""

    def __init__(self, store: Store, run_id: str) -> None:
        self.run_id = run_id
        self._database = store.database
        self._since_s = time.monotonic()

    def get(self, step: str) -> Json | None:
        """The value of a finished step; None where it is not finished."""
        query = sa.select(steps.c.value).where(steps.c.run == self.run_id, steps.c.step == step)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else row.value

    def start(self) -> None:
        """The next step to finish begins now."""
        self._since_s = time.monotonic()

    @property
    def running_s(self) -> float:
        """Seconds since the running step began."""
        return time.monotonic() - self._since_s

    def done(self, step: str, value: Json) -> None:
        """Finish a step, durably. The same value again is passed over.

        Args: value: JSON, and not null, which would look like an unfinished step.
        Raises: StoreError: the step is finished with another value, or the disk refuses.
        """
        if value is None:
            raise StoreError(
                f"step {step!r} of run {self.run_id} has no value", fix="finish it with a value such as {}"
            )
        said = canonical_json(value)
        query = sa.select(steps.c.value).where(steps.c.run == self.run_id, steps.c.step == step)
        now = time.monotonic()
        with self._database.write() as connection:
            row = connection.execute(query).one_or_none()
            if row is not None:
                if canonical_json(row.value) != said:
                    raise StoreError(
                        f"step {step!r} of run {self.run_id} is already finished with another value",
                        fix="ask get(step) before running it; start a new run id to run it anew",
                    )
                return
            connection.execute(
                sa.insert(steps),
                {
                    "run": self.run_id,
                    "step": step,
                    "value": value,
                    "wall_s": now - self._since_s,
                    "created_s": time.time(),
                },
            )
        self._since_s = now

    def steps(self) -> list[Step]:
        """All finished steps of this run, in the order in which they finished."""
        query = sa.select(steps).where(steps.c.run == self.run_id).order_by(steps.c.seq)
        with self._database.read() as connection:
            return [Step(row.step, row.value, row.wall_s, row.created_s) for row in connection.execute(query)]
