"""`coevolve experience judge`: rubrics of a TOML over the sessions of a store, or over two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from coevolve import config as configuration
from coevolve.cli.driving import drive
from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import Give, answering, percent, table
from coevolve.cli.stores import FromStore, experience_at, heard_by_meaning
from coevolve.config import RunConfig
from coevolve.engines import Engine, engine_of
from coevolve.errors import ConfigError, ModelError
from coevolve.feedback.judge import Opinion, Rubric
from coevolve.feedback.steps import ALL_RIGHT
from coevolve.feedback.trust import Fared
from coevolve.judging import Case, cases, judge_pair_stored, judge_stored, rubrics, unjudged
from coevolve.live import fared, judge_floor, score_live
from coevolve.models.protocol import LanguageModel
from coevolve.progress import progress
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.types import MEASURING, Split

_LABELS = ("good", "bad", None)
_RECENT = 2_000  # trajectories whose judges are listed though nobody labelled them


def judge(
    config: Annotated[
        Path, typer.Argument(metavar="CONFIG", help="Its [[feedback.rubrics]] ask, its [model] answers.")
    ],
    store: FromStore = "experience.db",
    split: Annotated[Split, typer.Option(help="The trajectories that are judged.")] = Split.LIVE,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 1000,
    pair: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Which of two trajectories is better, asked in both orders."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Let a language model judge sessions by rubrics, and compute their rewards anew."""
    with answering(as_json) as give, experience_at(store) as opened:
        settings = configuration.load(config, run=False)
        asked = rubrics(settings.feedback)
        if not asked:
            raise ConfigError(
                f"{config} has no rubric",
                fix='add [[feedback.rubrics]] with name = "kind" and question = "Is the last answer kind?"',
            )
        if split in MEASURING:
            raise _measures(split, "give --split live or train")
        if pair is not None:
            whole = [rubric for rubric in asked if rubric.about == "session"]
            if not whole:
                raise ConfigError(
                    f"{config} asks only which step was wrong, and a pair is compared as a whole",
                    fix='add [[feedback.rubrics]] with about = "session"',
                )
            _compare(opened, settings, whole, pair, give)
            return
        query = Query(split=split, limit=limit, measuring=False)
        opinions = drive(_judged(opened, settings, query))
        given = [one for some in opinions.values() for one in some]
        if given and not any(one.asked for one in given):
            raise ModelError(
                f"{given[0].judge} could not be asked: {given[0].reason}",
                fix="check [model] of that file, its base_url, name and api_key_env; nothing was kept",
            )
        # All that match: an earlier call may have been stopped between an opinion and its reward.
        heard = heard_by_meaning(settings.feedback)
        score_live(opened, heard, {row.session_id for row in opened.rows(query)})
        recent = opened.find(Query(limit=_RECENT, measuring=False))
        known = fared(opened, judge_floor(settings.feedback), recent)
        data = [_summary(rubric, opinions.get(rubric.name, []), known) for rubric in asked]
        give({"rubrics": data}, table("judged", tuple(data[0]), [tuple(one.values()) for one in data]))


@asynccontextmanager
async def judging_model(engine: Engine) -> AsyncIterator[LanguageModel]:
    """The base model of an engine, for as long as it judges."""
    model = await engine.open(None, engine.chat.open("You judge.", "Good?"))
    try:
        yield model
    finally:
        model.close()


async def _judged(store: Store, settings: RunConfig, query: Query) -> dict[str, list[Opinion]]:
    """Opinions by rubric. No local model is loaded where nothing is left to judge."""
    given: dict[str, list[Opinion]] = {}
    found, asked = cases(store, store.find(query)), rubrics(settings.feedback)
    engine = engine_of(settings)
    if not any(unjudged(found, rubric, engine.base) for rubric in asked):
        return given
    async with judging_model(engine) as model:
        for rubric in asked:
            if not (some := unjudged(found, rubric, model.name)):
                continue
            with progress(len(some), f"judge {rubric.name}", "sessions") as bar:
                given[rubric.name] = await judge_stored(
                    store, model, rubric, some, seed=settings.run.seed, on_done=bar.advance
                )
    return given


def _compare(
    store: Store, settings: RunConfig, asked: Sequence[Rubric], pair: tuple[str, str], give: Give
) -> None:
    """Which of two trajectories is better by each rubric."""
    first, second = cases(store, [store.get(store.resolve(one)) for one in pair])
    if first.trajectory.id == second.trajectory.id:
        raise ConfigError(f"{pair[0]} and {pair[1]} are one trajectory", fix="name two after --pair")
    for one in (first, second):
        if one.trajectory.task.split in MEASURING:
            raise _measures(one.trajectory.task.split, "name live or train trajectories after --pair")
    opinions = drive(_paired(store, settings, asked, (first, second)))
    ids = {"A": first.trajectory.id, "B": second.trajectory.id}
    data = [_comparison(rubric, one, ids) for rubric, one in zip(asked, opinions, strict=True)]
    shown = [
        (
            one["rubric"],
            one["better"],
            percent(one["agreement"]),
            " ".join(vote or "-" for vote in one["a_first"]),
            " ".join(vote or "-" for vote in one["b_first"]),
            one["why"],
        )
        for one in data
    ]
    columns = ("rubric", "better", "agreement", "votes, A first", "votes, B first", "why")
    give({"pairs": data}, table(f"A: {ids['A']}, B: {ids['B']}", columns, shown))


async def _paired(
    store: Store, settings: RunConfig, asked: Sequence[Rubric], pair: tuple[Case, Case]
) -> list[Opinion]:
    async with judging_model(engine_of(settings)) as model:
        return [await judge_pair_stored(store, model, one, pair, settings.run.seed) for one in asked]


def _comparison(rubric: Rubric, opinion: Opinion, ids: dict[str, str]) -> dict[str, Any]:
    return {
        "rubric": rubric.name,
        "better": opinion.label if opinion.label is None else ids.get(opinion.label, opinion.label),
        "agreement": opinion.agreement,
        "a_first": opinion.votes[: rubric.votes],
        "b_first": opinion.votes[rubric.votes :],
        "why": opinion.why,
        **_cost(rubric, [opinion]),
    }


def _summary(rubric: Rubric, opinions: Sequence[Opinion], measured: Sequence[Fared]) -> dict[str, Any]:
    counts = Counter(_word(rubric, one.label) for one in opinions)
    known = [one for one in measured if one.rubric == rubric.id and one.name == f"judge.{rubric.name}"]
    return {
        "rubric": rubric.name,
        **{label or "unknown": counts[label] for label in _LABELS},
        **_cost(rubric, opinions),
        "counted": "; ".join(f"{'no' if one.muted else 'yes'}: {one.model}, {one.why}" for one in known),
    }


def _word(rubric: Rubric, label: str | None) -> str | None:
    """An opinion on steps is bad where it names one."""
    if rubric.about == "session" or label is None:
        return label
    return "good" if label == ALL_RIGHT else "bad"


def _cost(rubric: Rubric, opinions: Sequence[Opinion]) -> dict[str, Any]:
    return {
        "seconds": round(sum(one.seconds for one in opinions), 1),
        "tokens": sum(one.tokens for one in opinions),
        "deadline_s": rubric.deadline_s,
        "late_votes": sum(one.late for one in opinions),
    }


def _measures(split: Split, fix: str) -> ConfigError:
    return ConfigError(f"{split.value} tasks measure, and nobody who tunes may look at them", fix=fix)
