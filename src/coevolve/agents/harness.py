"""What surrounds the model: prompt, budgets, exploration, and the ids between two outputs.

Values only; the solo agent, the teacher and the modules of a larger agent share them, so that all write
the same prompts token by token.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from coevolve.environments.protocol import Environment, ToolSpec
from coevolve.errors import ConfigError
from coevolve.models.protocol import ChatFormat
from coevolve.sections import ToolsPrompt
from coevolve.types import JsonObject, Task

_FORM = 'Answer with one short thought, then on a new line {"tool":"NAME","ARGUMENT":" VALUE"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Harness:
    """What surrounds the model: its prompt and its budgets. Part of a version."""

    system: str | None = None  # None = built from the environment by `system_prompt`
    constrained: bool = True  # decode under the action grammar
    grounded: bool = True  # hold arguments that must have been said to what was said
    max_thought_words: int = 32  # bound of the thought under the grammar; 0 = no thought
    max_turns: int = 8
    max_tokens: int = 110  # drawn per turn
    max_episode_tokens: int = 4096  # prompt and outputs together
    seconds: float = 90.0  # no new turn begins after this long
    turn_timeout_s: float = 60.0  # for one completion
    step_timeout_s: float = 5.0  # for one step of an isolated environment
    isolate_steps: bool = False  # run the environment in a thread with that deadline
    malformed_limit: int = 3  # consecutive texts without an action before the episode ends
    repeat_limit: int = 3  # the same call with the same answer, in a row, before the episode ends


@dataclass(frozen=True, slots=True)
class Exploration:
    """Epsilon-greedy over tools: how often a random tool is forced through the grammar."""

    epsilon_tool: float = 0.0  # probability per turn
    seed: int = 0

    def tool(self, tools: tuple[ToolSpec, ...], seed: int, turn: int) -> str | None:
        """The tool to force at this turn of the episode with this seed, or None."""
        if self.epsilon_tool <= 0.0:
            return None
        rng = random.Random(f"explore:{self.seed}:{seed}:{turn}")
        return rng.choice(tools).name if rng.random() < self.epsilon_tool else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """What earlier attempts at a task said first, none of which solved it: this one says something else."""

    parent: str  # id of the first of them
    tried: frozenset[str]  # texts of their first turns
    draws: int = 8  # of the first turn, at once; the likeliest that was not tried is said
    temperature: float = 1.0  # of those draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try at a task: who acts, and every source of chance in it."""

    version: str
    seed: int
    temperature: float = 0.0
    tag: str = "0"  # tells apart attempts of one version at one task with one seed
    explore: Exploration = field(default_factory=Exploration)
    retry: Retry | None = None  # None where the task was not failed before
    deadline_s: float = 120.0  # for the whole episode


def harness_to_json(harness: Harness) -> dict[str, Any]:
    """The harness as it is kept in a version's manifest."""
    return asdict(harness)


def harness_from_json(value: JsonObject) -> Harness:
    """The harness of a version's manifest. Raises ConfigError on an unknown field."""
    known = {one.name for one in fields(Harness)}
    unknown = sorted(set(value) - known)
    if unknown:
        raise ConfigError(
            f"unknown harness field {', '.join(unknown)}", fix=f"use one of {', '.join(sorted(known))}"
        )
    return Harness(**value)


def system_prompt(env: Environment, tools: ToolsPrompt = "signatures") -> str:
    """Briefing, the tools, and the form of an answer.

    Args: tools: what is said of each: its name, also its arguments, or also what it does. An agent that
        learns from experience needs the least, and every token is paid for in every training step.
    """
    if tools == "names":
        listed = "Tools: " + ", ".join(tool.name for tool in env.tools())
    else:
        described = tools == "descriptions"
        lines = (f"{t.signature} - {t.description}" if described else t.signature for t in env.tools())
        listed = "Tools:\n" + "\n".join(lines)
    return f"{env.briefing.strip()}\n\n{listed}\n\n{_FORM}"


def trajectory_id(version: str, task: Task, seed: int, tag: str) -> str:
    """32 hex digits, the same for the same attempt in any process."""
    key = "\x1f".join([version, task.type, task.id, str(seed), tag])
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def derive_seed(*parts: object) -> int:
    """A seed in [0, 2**31) from any printable parts, independent of process and order of calls."""
    key = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") >> 1


def opening_ids(chat: ChatFormat, env: Environment, task: Task, harness: Harness) -> tuple[int, ...]:
    """Ids of the first prompt of an episode."""
    return chat.open(harness.system if harness.system is not None else system_prompt(env), task.opening)


def following_ids(chat: ChatFormat, output_ids: tuple[int, ...], speaker: str, text: str) -> tuple[int, ...]:
    """Ids between one output and the next: the end of a cut-off turn, then the observation."""
    return chat.close(output_ids) + chat.extend("user" if speaker == "user" else "tool", text)


def malformed_notice(error: str) -> str:
    """What the agent is told when its text held no legal action."""
    return f"Not a valid action: {error}; send one JSON action"
