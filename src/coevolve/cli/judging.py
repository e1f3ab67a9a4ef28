"""`coevolve experience judge`: rubrics of a TOML over the sessions of a store."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from coevolve import config as configuration
from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import answering, table
from coevolve.cli.stores import FromStore, experience_at
from coevolve.config import RunConfig
from coevolve.engines import engine_of
from coevolve.errors import ConfigError
from coevolve.feedback.judge import Opinion, Rubric
from coevolve.judging import judge_stored, rubrics, unjudged
from coevolve.live import listening, score_live
from coevolve.models.protocol import LanguageModel
from coevolve.progress import progress
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.types import Split

_LABELS = ("good", "bad", None)


def judge(
    config: Annotated[
        Path, typer.Argument(metavar="CONFIG", help="Its [[feedback.rubrics]] ask, its [model] answers.")
    ],
    store: FromStore = "experience.db",
    split: Annotated[Split, typer.Option(help="The trajectories that are judged.")] = Split.LIVE,
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 1000,
    as_json: JsonFlag = False,
) -> None:
    """Let a language model judge sessions by rubrics, and compute their rewards anew."""
    with answering(as_json) as give, experience_at(store) as opened:
        settings = configuration.load(config)
        asked = rubrics(settings.feedback)
        if not asked:
            raise ConfigError(
                f"{config} has no rubric",
                fix='add [[feedback.rubrics]] with name = "kind" and question = "Is the last answer kind?"',
            )
        query = Query(split=split, limit=limit, measuring=False)
        opinions, sessions = asyncio.run(_judged(opened, settings, query))
        if sessions:
            score_live(opened, listening(settings.feedback), sessions)
        data = [_summary(rubric, opinions.get(rubric.name, [])) for rubric in asked]
        rows = [tuple(one.values()) for one in data]
        give({"rubrics": data}, table("judged", tuple(_summary(asked[0], [])), rows))


async def _judged(
    store: Store, settings: RunConfig, query: Query
) -> tuple[dict[str, list[Opinion]], list[str]]:
    """Opinions by rubric, and the sessions they are on. No model is opened where nothing is left to judge."""
    given: dict[str, list[Opinion]] = {}
    sessions: set[str] = set()
    model: LanguageModel | None = None
    try:
        for rubric in rubrics(settings.feedback):
            some = unjudged(store, rubric, query)
            if not some:
                continue
            if model is None:
                engine = engine_of(settings)
                model = await engine.open(None, engine.chat.open("You judge.", "Good?"))
            sessions |= {one.session_id for one in some}
            with progress(len(some), f"judge {rubric.name}", "sessions") as bar:
                given[rubric.name] = await judge_stored(
                    store, model, rubric, some, seed=settings.run.seed, on_done=bar.advance
                )
    finally:
        if model is not None:
            model.close()
    return given, sorted(sessions)


def _summary(rubric: Rubric, opinions: Sequence[Opinion]) -> dict[str, Any]:
    counts = Counter(one.label for one in opinions)
    return {
        "rubric": rubric.name,
        **{label or "unknown": counts[label] for label in _LABELS},
        "seconds": round(sum(one.seconds for one in opinions), 1),
        "tokens": sum(one.tokens for one in opinions),
    }
