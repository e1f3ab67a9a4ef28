"""The values that travel between stages, and the protocols two stages share.

Everything here is frozen: a stage returns a new value. Nothing here imports another module of the
package, and nothing loads torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

JsonObject: TypeAlias = Mapping[str, Any]


class Split(StrEnum):
    """Who may see a task."""

    TRAIN = "train"
    VALIDATION = "validation"
    HELD_OUT = "held_out"
    TEST = "test"
    LIVE = "live"


MEASURING = frozenset({Split.VALIDATION, Split.HELD_OUT, Split.TEST})  # pool and learners refuse these


class Party(StrEnum):
    """Who failed, when something failed."""

    AGENT = "agent"
    ENVIRONMENT = "environment"
    MODEL = "model"
    JUDGE = "judge"


class StopReason(StrEnum):
    """Why an episode ended."""

    DONE = "done"  # the environment says the conversation is over
    TURN_BUDGET = "turn_budget"
    TOKEN_BUDGET = "token_budget"
    TIME_BUDGET = "time_budget"
    LEFT = "left"  # a live user went away before the end
    FAILED = "failed"  # see Trajectory.failure


class SignalKind(StrEnum):
    """What a signal speaks of."""

    OUTCOME = "outcome"
    PROCESS = "process"
    EXPLANATORY = "explanatory"


class SignalSource(StrEnum):
    """Where a signal comes from."""

    RULE = "rule"
    CHECK = "check"
    JUDGE = "judge"
    USER = "user"
    BEHAVIOUR = "behaviour"
    BUSINESS = "business"
    TEACHER = "teacher"
    REVIEWER = "reviewer"


class Outcome(StrEnum):
    """How an episode ended for the user; None on a reward means it could not be judged."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One job for the agent. `spec` is the environment's own and must be JSON."""

    id: str
    type: str
    split: Split
    seed: int
    difficulty: int  # 1 easy, 2 medium, 3 hard
    opening: str  # the user's first message
    refusal: bool = False  # success means declining: no margin at the gate
    spec: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Action:
    """One decision of an agent: a tool call; `ask` and `reply` are tools of every environment."""

    tool: str
    args: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One decision of an agent and what came of it.

    The model's prompt at turn k is the concatenation, for j < k, of context_ids[j] + output_ids[j],
    followed by context_ids[k]: what the model really saw, kept once.
    """

    index: int
    observation: str  # what is new since the last decision: a message or a tool's result
    raw: str  # the text the actor produced, whole
    thought: str = ""
    action: Action | None = None  # None: the text held no action
    result: str = ""  # what the environment answered
    error: str | None = None  # why the text was no legal action, or the tool refused
    available: tuple[str, ...] = ()  # names of the tools on offer
    events: tuple[str, ...] = ()  # milestones and violations the environment saw, e.g. "identity_verified"
    by: str = "agent"  # or "teacher"
    explored: bool = False  # the tool was forced by exploration
    context_ids: tuple[int, ...] = ()
    output_ids: tuple[int, ...] = ()  # with the end-of-turn token where the actor produced it
    logprobs: tuple[float, ...] = ()  # of output_ids under the sampling model; empty for a teacher


INTERRUPTED = "interrupted"  # the event of a turn whose answer the user cut short
RETRIEVAL = "retrieval_score:"  # begins the event that holds the best score of a look-up
WRONG_AT = 0.3  # a process signal at or below -WRONG_AT marks its turn as wrong, which is never imitated


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCall:
    """What a language model was asked for a signal, and what its answer cost."""

    rubric: str  # its name and a hash of what it asks, "kind@5f0c2a17": an edited rubric is another one
    model: str  # the judge's name
    seconds: float  # that all votes took together
    tokens: int  # read and written, over all votes
    deadline_s: float  # that all votes had together
    late: int = 0  # votes that did not come in time
    texts: int = 0  # free texts of users that it read


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason for a reward."""

    name: str  # "refund_without_identity"
    score: float | None  # [-1, 1]; None = could not be judged, which is never 0
    why: str  # checkable by a person
    kind: SignalKind = SignalKind.PROCESS
    source: SignalSource = SignalSource.RULE
    turn: int | None = None  # the turn it speaks of; None = the whole trajectory
    weight: float = 1.0
    sureness: float = 1.0  # [0, 1]: of a judge, the share of its votes; of what is certain, 1
    call: JudgeCall | None = None  # of a judge


def check_signal(name: str, passed: bool | None, why: str = "", turn: int | None = None) -> Signal:
    """What a check found: tests, a schema, a database's state. On a turn it judges that turn alone."""
    score = None if passed is None else 1.0 if passed else -1.0
    words = {None: "could not tell", True: "passed", False: "failed"}[passed]
    kind = SignalKind.OUTCOME if turn is None else SignalKind.PROCESS
    reason = f"{name} {words}{f': {why}' if why else ''}"
    return Signal(f"check.{name}", score, reason, kind, SignalSource.CHECK, turn)


class StatementKind(StrEnum):
    """The form in which somebody said how a session went."""

    STARS = "stars"  # 1 to 5
    THUMB = "thumb"  # true = up
    SOLVED = "solved"  # "did that solve it": true or false
    TEXT = "text"  # free words, which only a judge can score
    EDIT = "edit"  # how the agent's answer should have read
    FIGURE = "figure"  # {"name": "follow_up_ticket", "value": 1}, of a business system
    CHECK = "check"  # {"name": "tests", "passed": true, "why": text}; passed null = it could not tell
    LABEL = (
        "label"  # a reviewer's word: {"score": -1, "why": text}, of one "signal" or failure "class" by name
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a user, a reviewer or a business system said about a session; it may come days later."""

    id: str  # given by who sends it, so that sending it twice keeps it once
    session_id: str
    kind: StatementKind
    value: Any  # JSON; see StatementKind
    turn: int | None = None  # index of the turn it speaks of; None = the whole session
    trajectory: str | None = None  # the one that is meant, where a session has several; None = all
    by: str = ""  # who said it, as a pseudonym
    given_s: float = 0.0  # seconds since 1970, UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Reward:
    """What a trajectory was worth, and why."""

    total: float | None  # [-1, 1]; None = unknown
    outcome: Outcome | None
    turns: tuple[float, ...]  # credit per turn, [-1, 1] before shaping
    first_wrong: int | None  # index of the first wrong turn
    why: str
    confidence: float = 1.0  # [0, 1]: how much of the weight was really heard; the rest is a prior


@dataclass(frozen=True, slots=True)
class Failure:
    """Who broke an episode and how; an episode that merely ended badly has none."""

    party: Party
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """The record of one episode."""

    id: str
    session_id: str
    task: Task
    version: str  # id of the version that acted; "teacher" for a demonstration
    seed: int
    turns: tuple[Turn, ...]
    stop: StopReason
    failure: Failure | None = None
    agent: str = "solo"
    parent: str | None = None  # the trajectory that spawned or seeded this one
    checks: tuple[Signal, ...] = ()  # what the world, or the program around the agent, verified; raw
    signals: tuple[Signal, ...] = ()  # all signals, once scored
    reward: Reward | None = None
    wall_s: float = 0.0
    read_tokens: int | None = None  # over all calls of a model that acted elsewhere; None = not told
    written_tokens: int | None = None


class Operation(StrEnum):
    """What made a pool entry."""

    DEMONSTRATION = "demonstration"
    OWN_SUCCESS = "own_success"
    TEACHER_COMPLETION = "teacher_completion"
    OWN_FAILURE = "own_failure"  # kept for pairs and statistics, never imitated


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolEntry:
    """One admitted piece of experience with its lineage."""

    id: str
    operation: Operation
    trajectory: Trajectory
    sources: tuple[str, ...]  # ids of the trajectories it was made from
    synthetic: bool  # not the agent's own
    executed: bool  # ran in the environment and passed
    round: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolVersion:
    """An immutable set of entries. `id` is the hash of its manifest."""

    id: str
    parent: str | None
    entries: tuple[PoolEntry, ...]
    rejected: Mapping[str, int] = field(default_factory=dict)  # reason -> count
    refusals: Mapping[str, str] = field(default_factory=dict)  # trajectory id -> why this version lacks it
    recipe: JsonObject = field(default_factory=dict)  # seed, round and rule that made this version


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An immutable agent: base model, adapters by module, harness. `id` is the manifest's hash."""

    id: str
    base: str  # model id, with the hash of its weights
    adapters: Mapping[str, str]  # module -> blob hash of a folder in PEFT's layout; empty = base
    harness: JsonObject  # system prompt and budgets
    parent: str | None = None
    pool: str | None = None  # pool version it learned from
    learner: str | None = None
    notes: JsonObject = field(default_factory=dict)  # seeds, losses, package versions


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a learner hands over: an adapter folder and how it came about."""

    adapter_dir: str
    learner: str
    notes: JsonObject


class Standing(StrEnum):
    """Where a version stands in its release."""

    CANDIDATE = "candidate"
    SHADOW = "shadow"
    CANARY = "canary"
    CHAMPION = "champion"
    RETIRED = "retired"


class Decision(StrEnum):
    """What the gate decided. UNDECIDED: too few tasks to tell; the champion stays."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFigures:
    """Paired figures for one task type (or overall)."""

    type: str
    refusal: bool
    tasks: int  # pairs in which both sides could be judged
    champion_rate: float
    candidate_rate: float
    difference: float  # candidate - champion
    low: float  # interval of the difference
    high: float
    wins: int  # candidate succeeded, champion failed
    losses: int
    unknown: int = 0  # pairs left out because a side could not be judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gate's word on one candidate."""

    champion: str
    candidate: str
    decision: Decision
    why: str  # one paragraph
    overall: TypeFigures
    types: tuple[TypeFigures, ...]
    steps: Mapping[str, float]  # mean turns of champion and candidate
    tasks_lacking: int = 0  # how many more would be needed, where known
    seed: int = 0
