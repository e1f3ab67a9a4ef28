"""What a run can be told: one frozen section per stage, composed into `RunConfig`.

A field is one line with its unit in the name and its default; adding a field is adding that line. The
ranges are in the types and hold where a TOML file enters (`coevolve.config.load`); a section built in
Python is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

Share: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Amount: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Rate: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Weight: TypeAlias = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Potential: TypeAlias = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Margin: TypeAlias = Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False)]
Finite: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Positive: TypeAlias = Annotated[int, Field(ge=1)]
ToolsPrompt: TypeAlias = Literal["names", "signatures", "descriptions"]
Name: TypeAlias = Annotated[str, Field(min_length=1)]
FieldName: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSection:
    """[run]: what the whole loop is held to."""

    name: Name = "shop"  # the run's folder inside out_dir
    out_dir: Name = "runs"  # relative to where the command is started
    seed: Count = 0  # every other seed is derived from it
    minutes_budget: Rate = 25.0  # of finished steps, the opening and the test included
    max_rounds: Count = 8  # rounds after the opening; 0 = the opening alone
    patience: Positive = 3  # rounds without improvement before the loop pauses
    target: Share = 0.99  # the champion's rate at the gate at which the loop stops early
    teacher: Literal["scripted", "none"] = "scripted"  # none: only its own successes and pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentSection:
    """[environment]: the world and the jobs in it."""

    name: Name = "shop"  # a built-in name, or "path/to/file.py:ClassOrFunction"
    types: tuple[Name, ...] = ()  # task types; empty = all the environment has


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSection:
    """[model.endpoint]: how a server is asked; used by engine "endpoint"."""

    retries: Count = 4  # after the first try, of what may pass: 429, 5xx, lost connections
    backoff_s: Amount = 0.5  # before the first retry; doubles each time
    stream: bool = False  # take the answer as it is written, which some proxies need to keep a line open
    max_tokens_field: Name = "max_tokens"  # newer models of OpenAI's want "max_completion_tokens"
    grammar_field: str = ""  # takes an EBNF grammar: vLLM's "structured_outputs.grammar"; empty = none does


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSection:
    """[model]: the language model, the engine that runs it and the trainer that teaches it."""

    engine: Literal["openvino", "transformers", "endpoint"] = (
        "openvino"  # transformers: slow, any architecture
    )
    trainer: Literal["own", "trl"] = "own"  # trl: TRL's trainers, made for a GPU; needs the extra trl
    name: Name = "smollm2-135m"  # or a path, from the TOML or from where it is started; the endpoint's name
    base_url: str = ""  # endpoint only, e.g. "http://localhost:8000/v1"
    api_key_env: str = "OPENAI_API_KEY"  # the variable that holds the key; the key is never stored
    precision: Literal["f32", "f16", "bf16"] = "f32"  # of inference; f32 equals the training side
    concurrency: Positive = 64  # requests in flight
    cache_dir: str = ""  # converted weights; empty = the user's cache folder
    endpoint: EndpointSection = field(default_factory=EndpointSection)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSection:
    """[agent]: how it writes, and the budgets of one episode. Measuring is greedy; collecting is not."""

    tools_prompt: ToolsPrompt = "signatures"  # what the prompt says of each tool
    constrained: bool = True  # the grammar of the tools binds what it writes
    grounded: bool = True  # values that must have been said are held to what was said
    max_thought_words: Count = 24  # of the thought before an action; 0 = no thought
    max_turns: Positive = 8
    max_tokens: Positive = 110  # written in one turn
    max_episode_tokens: Positive = 4096  # prompt and outputs together; at an endpoint, 4 bytes count as one
    seconds: Rate = 300.0  # no new turn begins after this long
    turn_timeout_s: Rate = 120.0  # for one completion
    step_timeout_s: Rate = 5.0  # for one step of an environment
    repeat_limit: Positive = 3  # the same call with the same answer in a row before the episode ends
    malformed_limit: Positive = 2  # texts in a row without a legal action before the episode ends


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectSection:
    """[collect]: the experience of one round."""

    episodes: Positive = 192  # per round, all attempts counted; with retries, at most
    attempts: Positive = 1  # at one task, each with its own seed
    retries: Count = 2  # more attempts at a task that failed, until it is solved; only where no teacher helps
    temperature: Amount = 0.9
    epsilon_tool: Share = 0.03  # share of turns whose tool is forced at random
    replay_failed_share: Share = 0.2  # share of tasks that were failed in the round before
    even_share: Share = 0.4  # share of tasks spread evenly over types; the rest goes to weak types


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSection:
    """[feedback.live]: what a live session was worth; relative weights of sources, values on [0, 1]."""

    user: Weight = 0.7  # what users said; where nobody spoke, a neutral prior takes its place
    behaviour: Weight = 0.3  # what their behaviour tells
    business: Weight = 1.0  # figures joined later; this and the next three count only where they were heard
    check: Weight = 1.0  # what was verified: tests, a schema, a database's state
    judge: Weight = 0.5  # once it was measured, or where its rubric is trusted:
    judge_floor: Share = 0.4  # of the lower end of its kappa with people (Cohen); below it, it is not counted
    judge_least: Positive = 10  # people's labels on what it judged; with fewer it is not measured
    reviewer: Weight = 2.0
    prior_confidence: Share = 0.1  # of what a silent user would have said
    success_at: Share = 0.65  # value from which it is a success
    failure_at: Share = 0.35  # value up to which it is a failure
    least_confidence: Share = 0.5  # below which the outcome is unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSection:
    """[feedback.figures.NAME]: what a business figure means; between the two values it is linear."""

    good: Finite = 1.0  # best for the user and the business
    bad: Finite = 0.0  # worst
    weight: Weight = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricExampleSection:
    """[[feedback.rubrics.examples]]: a text that a person judged."""

    text: Name
    label: Literal["good", "bad"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricSection:
    """[[feedback.rubrics]]: what a judge is asked of each session, how often, and how sure it must be."""

    name: Name
    question: Name  # "Does the last answer give the date on which the order arrives?"
    examples: tuple[RubricExampleSection, ...] = ()
    votes: Positive = 3
    agreed: Annotated[float, Field(gt=0.5, le=1)] = 2 / 3  # share of the votes that must be for one label
    temperature: Amount = 0.7  # of the votes; a single vote is greedy
    max_tokens: Positive = 160
    deadline_s: Rate = 30.0  # for all votes on one session together
    weight: Weight = 1.0  # of the signal
    about: Literal["session", "step"] = "session"  # "step": which step of the agent was the first wrong one
    trusted: bool = False  # counted in rewards until people's labels have measured it


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackSection:
    """[feedback]: what a trajectory is worth; shares of the largest sum they can reach, a total of 1."""

    outcome_weight: Weight = 1.0  # of the checks of the end state
    process_weight: Weight = 0.3  # of rules and business checks along the way
    milestone_reward: Weight = 0.1  # per milestone reached
    question_reward: Weight = 0.1  # once, for asking the question that was needed
    hard_task_bonus: Weight = 0.3  # rare: a task of difficulty 3 solved
    turn_cost: Weight = 0.01  # per turn beyond the first
    discount: Share = 0.95  # of the outcome's credit, per turn backwards
    weights: Mapping[str, Weight] = field(default_factory=dict)  # factor by signal, "user.thumb" = 0.5
    shaping: Mapping[str, Potential] = field(default_factory=dict)  # of turns' credits: potential by event
    live: LiveSection = field(default_factory=LiveSection)
    figures: Mapping[str, FigureSection] = field(default_factory=dict)
    rubrics: tuple[RubricSection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionSection:
    """[redaction]: what `serve` and `import` replace in what they take in, beside what rules find."""

    fields: tuple[FieldName, ...] = ()  # "full_name", "customer.street": their whole value goes


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSection:
    """[pool]: what is kept to learn from. Shares are of the entries to imitate."""

    max_size: Positive = 1500  # entries of all kinds
    per_type: Positive = 120  # own successes of one task type
    failures_per_type: Count = 60  # kept for pairs and statistics, never imitated; 0 keeps none
    unverified_share: Share = 0.2  # cap of synthetic entries that were not executed; the loop makes none
    executed_share: Share = 0.85  # cap of synthetic entries that were executed and passed
    completions: Count = 128  # failures handed to the teacher in one round, at most
    near_duplicate: Annotated[float, Field(gt=0, le=1)] = 0.9  # Jaccard similarity that makes two one


@dataclass(frozen=True, slots=True, kw_only=True)
class DpoSection:
    """[learn.dpo]: preference pairs at the deciding turn; used by method "sft+dpo"."""

    beta: Rate = 0.1
    learning_rate: Rate = 5e-5
    epochs: Positive = 1
    max_pairs: Positive = 256
    sft_weight: Amount = 0.2  # of the chosen side's likelihood, against drift


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnSection:
    """[learn]: how a pool becomes a candidate's adapter."""

    method: Literal["sft", "sft+dpo"] = "sft"
    start: Literal["latest", "champion"] = "latest"  # who learns; latest: the last candidate unless behind
    rank: Positive = 16  # of the LoRA
    alpha: Rate = 32.0  # LoRA scale is alpha / rank
    learning_rate: Rate = 3e-4  # of a round; larger ones unlearn what is not in the lesson
    epochs: Positive = 1  # over the chosen examples, in a round
    batch_tokens: Positive = 1024  # of one pack, beside the prompt that all share
    accumulate: Positive = 1  # packs per optimiser step
    max_examples: Positive = 192  # of the pool in one round, this round's first; half without a teacher
    weight_decay: Amount = 0.01
    error_weight: Amount = 0.0  # extra weight of tokens the model gets wrong; 0 = plain loss
    dpo: DpoSection = field(default_factory=DpoSection)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningSection:
    """[opening]: the demonstrations before the first round."""

    demonstrations: Annotated[int, Field(ge=0, le=48)] = 48
    epochs: Positive = 6  # at most; validation decides earlier
    patience: Positive = 2  # epochs without a rise on validation
    learning_rate: Rate = 1e-3  # a fresh adapter's; `learn.learning_rate` is that of the rounds
    batch_tokens: Positive = 1024  # as learn.batch_tokens; few examples want small packs, so many steps
    validation: Positive = 24  # demonstrated validation tasks that tell when to stop; never trained on


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSection:
    """[gate]: what a candidate must show on held-out tasks. Shares are 0 to 1."""

    tasks: Positive = 192  # pairs of the first look
    draw_tasks: Positive = 96  # added at each further look
    max_tasks: Positive = 384  # pairs of all looks, without the fresh ones of single types
    min_tasks: Positive = 30  # judged pairs of all looks, below which nothing is decided
    min_type_tasks: Positive = 5  # judged pairs of each type, below which nothing is promoted
    alpha: Annotated[float, Field(gt=0, le=0.5)] = 0.1  # one-sided error of the verdict, over all looks
    margin: Margin = 0.1  # loss borne on one type; refusal types bear none
    margins: Mapping[str, Margin] = field(default_factory=dict)  # of single types, where not `margin`
    type_draw_tasks: Positive = 24  # fresh tasks of a doubtful type at each fresh draw
    refusal_draws: Count = 2  # fresh draws of a doubtful type; a refusal type's loss after them is a veto
    unknown_share: Annotated[float, Field(ge=0, lt=1)] = 0.1  # more unjudged pairs and nothing is decided


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSection:
    """[test]: the final measurement, on a split that nothing else opens."""

    __test__ = False  # not a test case, whatever pytest thinks of the name

    tasks: Positive = 240
    open: bool = True  # false: the run ends without its test figure
    reserve_s: Amount = (
        0.0  # of the budget, kept back for it at least; the pace of the episodes so far may say more
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything a run needs to know; saved with it as TOML."""

    run: RunSection = field(default_factory=RunSection)
    environment: EnvironmentSection = field(default_factory=EnvironmentSection)
    model: ModelSection = field(default_factory=ModelSection)
    agent: AgentSection = field(default_factory=AgentSection)
    collect: CollectSection = field(default_factory=CollectSection)
    feedback: FeedbackSection = field(default_factory=FeedbackSection)
    redaction: RedactionSection = field(default_factory=RedactionSection)
    pool: PoolSection = field(default_factory=PoolSection)
    learn: LearnSection = field(default_factory=LearnSection)
    opening: OpeningSection = field(default_factory=OpeningSection)
    gate: GateSection = field(default_factory=GateSection)
    test: TestSection = field(default_factory=TestSection)
