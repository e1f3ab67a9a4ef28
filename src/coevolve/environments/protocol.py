"""What a world offers: tasks, tools, episodes, and (optionally) a teacher.

The agent's text enters as an `Action`; what the world answers leaves as a `StepResult`. Isolation is
not provided: tool functions run in this process and are trusted code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from coevolve.types import Action, Signal, Split, Task, Trajectory


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the agent sees it. `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    @property
    def signature(self) -> str:
        """One compact line for a prompt: `search_products(query, max_price?: integer)`; text is untyped."""
        required = set(self.parameters.get("required", ()))
        args = []
        for name, schema in self.parameters.get("properties", {}).items():
            kind = schema.get("type", "any")
            typed = "" if kind == "string" else f": {kind}"
            args.append(f"{name}{'' if name in required else '?'}{typed}")
        return f"{self.name}({', '.join(args)})"


@dataclass(frozen=True, slots=True)
class StepResult:
    """What the world answered to one action."""

    observation: str  # a tool's result as compact JSON, or the user's words
    speaker: str  # "tool" or "user": whose words the observation is
    done: bool = False
    error: str | None = None  # the tool refused or failed, and why
    events: tuple[str, ...] = ()  # milestones and violations, e.g. "identity_verified"


class Episode(Protocol):
    """One running episode. Deterministic: the same task and actions give the same results."""

    def step(self, action: Action) -> StepResult:
        """Carry out one action. A refused call is a StepResult with `error`, not an exception."""
        ...

    def snapshot(self) -> object:
        """An opaque, immutable picture of the whole state."""
        ...

    def restore(self, picture: object) -> None:
        """Return to a snapshot."""
        ...

    def checks(self) -> tuple[Signal, ...]:
        """Verify the end state and the facts told. OUTCOME signals from CHECK, score 1 or -1.

        The episode succeeded when every OUTCOME check scores 1; some, PARTIAL.
        """
        ...


class Teacher(Protocol):
    """An expert that knows the task's hidden solution."""

    def act(self, episode: Episode, task: Task) -> tuple[str, Action]:
        """The thought and the action an expert would take in the episode's current state."""
        ...


class Environment(Protocol):
    """A world."""

    name: str
    briefing: str  # the system prompt's text on the job and its policy; tools are added by the agent

    def task_types(self) -> Mapping[str, bool]:
        """Every task type, and whether it is a refusal type."""
        ...

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools on offer, `ask` and `reply` among them."""
        ...

    def tasks(self, split: Split, types: Sequence[str], count: int, seed: int) -> list[Task]:
        """`count` tasks, balanced over `types`, distinct for distinct seeds.

        Raises: WorldError: an unknown type.
        """
        ...

    def start(self, task: Task) -> Episode:
        """A fresh episode of this task."""
        ...

    def teacher(self) -> Teacher | None:
        """The scripted expert, where the world has one."""
        ...

    def review(self, trajectory: Trajectory) -> tuple[Signal, ...]:
        """Process signals by this world's rules, per turn; see `coevolve.feedback`."""
        ...
