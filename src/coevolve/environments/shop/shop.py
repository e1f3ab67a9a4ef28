"""The shop as an environment: tasks, tools, episodes, teacher, review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coevolve.environments.protocol import ToolSpec
from coevolve.environments.shop.episode import ShopEpisode
from coevolve.environments.shop.expert import ShopExpert
from coevolve.environments.shop.review import review_trajectory
from coevolve.environments.shop.tasks import TYPES, make_task
from coevolve.environments.shop.tools import SPECS
from coevolve.environments.shop.wording import load_wording
from coevolve.errors import WorldError
from coevolve.types import Signal, Split, Task, Trajectory

BRIEFING = (
    "You serve the customers of an online shop. Never invent facts. "
    "For an order verify identity, then read it. Charge only a card on file. "
    "Ask for a missing order number, email or PIN. "
    "Refuse and say why: email and PIN do not match, a different customer's order "
    "(tell nothing of it), card not on file, already shipped, return window closed. "
    "Broken but covered: open a warranty return. Retry a timeout. Escalate danger. "
    "End with one short reply."
)
_SEEDS = 1_000_000  # tasks a seed can make before it would meet the next one's


class Shop:
    """An online shop's customer service."""

    name = "shop"
    briefing = BRIEFING

    def __init__(self, wording: Path | None = None) -> None:
        """`wording` is a folder with train.toml and so on; None: the package's own."""
        self._wording = wording

    def task_types(self) -> Mapping[str, bool]:
        """Every task type, and whether it is a refusal type."""
        return {name: kind.refusal for name, kind in TYPES.items()}

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools on offer."""
        return tuple(SPECS.values())

    def tasks(self, split: Split, types: Sequence[str], count: int, seed: int) -> list[Task]:
        """`count` tasks, round-robin over `types` (none: all of them).

        Raises: WorldError: an unknown type, or a count or seed out of range.
        """
        names = tuple(types) or tuple(TYPES)
        if not 0 <= count <= _SEEDS or seed < 0:
            raise WorldError(
                f"{count} tasks from seed {seed}", fix=f"ask for 0 to {_SEEDS} tasks and a seed of 0 or more"
            )
        return [
            self.task(split, names[i % len(names)], seed * _SEEDS + i // len(names)) for i in range(count)
        ]

    def task(self, split: Split, type_name: str, seed: int) -> Task:
        """One task, by its own seed (`Task.seed`).

        Raises: WorldError: an unknown type.
        """
        if type_name not in TYPES:
            raise WorldError(f"the shop has no task type {type_name!r}", fix=f"use one of {', '.join(TYPES)}")
        return make_task(load_wording(split, self._wording), split, type_name, seed)

    def start(self, task: Task) -> ShopEpisode:
        """A fresh episode of this task."""
        return ShopEpisode(task)

    def teacher(self) -> ShopExpert:
        """The scripted expert."""
        return ShopExpert()

    def review(self, trajectory: Trajectory) -> tuple[Signal, ...]:
        """Process signals by the shop's rules."""
        return review_trajectory(trajectory)
