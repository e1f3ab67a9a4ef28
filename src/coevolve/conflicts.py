"""Settings that are each fine and cannot hold together: a run's settings enter, what conflicts leaves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from coevolve.sections import RunConfig

Conflict: TypeAlias = tuple[bool, str, str]  # whether it is there, what it is, and its fix


def conflicts(config: RunConfig, run: bool = True) -> Iterator[tuple[str, str]]:
    """What cannot hold together in these settings, each with its fix.

    Args: run: whether a run is to be made by them.
    """
    whole = (_training(config), _acting(config), _gate(config)) if run else ()
    for broken, what, fix in chain(_model(config), _feedback(config), *whole):
        if broken:
            yield what, fix


def _model(config: RunConfig) -> Iterator[Conflict]:
    """What no model can serve by."""
    yield (
        config.model.engine == "endpoint" and not config.model.base_url,
        'model.engine = "endpoint" has no model.base_url',
        'add base_url = "http://host:port/v1" under [model]',
    )


def _training(config: RunConfig) -> Iterator[Conflict]:
    """What a model cannot do as an agent, or its trainer."""
    yield (
        config.model.engine == "endpoint" and config.opening.demonstrations > 0,
        "a model behind an endpoint learns nothing here, but opening.demonstrations is not 0",
        "set opening.demonstrations = 0, and run.max_rounds = 0 to measure it",
    )
    yield (
        config.model.engine == "endpoint"
        and config.agent.constrained
        and not config.model.endpoint.grammar_field,
        "no field of the endpoint takes a grammar, but agent.constrained is true",
        "set agent.constrained = false, or model.endpoint.grammar_field where the server has one",
    )
    yield (
        config.model.engine == "transformers" and config.agent.constrained,
        'model.engine = "transformers" knows no grammar, but agent.constrained is true',
        "set agent.constrained = false",
    )
    yield (
        config.model.trainer == "trl" and config.learn.error_weight > 0,
        'model.trainer = "trl" weights all tokens alike, but learn.error_weight is not 0',
        'set learn.error_weight = 0, or model.trainer = "own"',
    )


def _acting(config: RunConfig) -> Iterator[Conflict]:
    """Of tasks, episodes and their budgets."""
    yield (
        config.agent.tools_prompt == "names" and not config.agent.constrained,
        'agent.tools_prompt = "names" tells no arguments, and agent.constrained = false allows any',
        'set agent.tools_prompt = "signatures"',
    )
    yield (
        config.agent.max_tokens >= config.agent.max_episode_tokens,
        "agent.max_tokens of one turn fill agent.max_episode_tokens, the whole episode's budget",
        "raise agent.max_episode_tokens",
    )
    yield (
        config.collect.attempts > config.collect.episodes,
        "collect.attempts at one task are more than collect.episodes in all",
        "raise collect.episodes or lower collect.attempts",
    )
    yield (
        len(set(config.environment.types)) < len(config.environment.types),
        "environment.types names a type twice",
        "name each type once",
    )


def _feedback(config: RunConfig) -> Iterator[Conflict]:
    """Of who is heard."""
    yield (
        config.feedback.live.user + config.feedback.live.behaviour <= 0,
        "feedback.live.user and feedback.live.behaviour are both 0, which hears nobody",
        "raise one of them",
    )
    yield (
        config.feedback.live.failure_at >= config.feedback.live.success_at,
        "feedback.live.failure_at is not below feedback.live.success_at",
        "raise success_at or lower failure_at",
    )
    yield (
        len({one.name for one in config.feedback.rubrics}) < len(config.feedback.rubrics),
        "two of feedback.rubrics have the same name, by which their opinions are kept",
        "name each rubric once",
    )
    yield (
        any(one.about == "step" and one.examples for one in config.feedback.rubrics),
        "a rubric of feedback.rubrics is about a step, and examples are judged good or bad as a whole",
        "leave its examples out",
    )
    yield (
        any(figure.good == figure.bad for figure in config.feedback.figures.values()),
        "one of feedback.figures has equal good and bad values, which says nothing",
        "give it a good and a bad value that differ",
    )


def _gate(config: RunConfig) -> Iterator[Conflict]:
    """Of how many tasks decide."""
    yield (
        config.gate.max_tasks < config.gate.min_tasks,
        "gate.max_tasks is less than gate.min_tasks, below which nothing is ever decided",
        "raise gate.max_tasks to at least gate.min_tasks",
    )
    yield (
        config.gate.max_tasks < config.gate.tasks,
        "gate.max_tasks is less than gate.tasks, the first draw",
        "raise gate.max_tasks to at least gate.tasks",
    )
