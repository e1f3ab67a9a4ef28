"""`coevolve experience judge`: rubrics of a TOML over the sessions of a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from coevolve import config as configuration
from coevolve.cli.driving import drive
from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import answering, table
from coevolve.cli.stores import FromStore, experience_at, heard_by_meaning
from coevolve.config import RunConfig
from coevolve.engines import engine_of
from coevolve.errors import ConfigError
from coevolve.feedback.judge import Opinion, Rubric
from coevolve.judging import judge_stored, rubrics, unjudged
from coevolve.live import score_live
from coevolve.models.protocol import LanguageModel
from coevolve.progress import progress
from coevolve.store import Store
from coevolve.store.query import Query
from coevolve.types import MEASURING, Split

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
        if split in MEASURING:
            raise ConfigError(
                f"{split.value} tasks measure, and nobody who tunes may look at them",
                fix="give --split live or train",
            )
        opinions = drive(_judged(opened, settings, query))
        # All that match: an earlier call may have been stopped between an opinion and its reward.
        heard = heard_by_meaning(settings.feedback)
        score_live(opened, heard, {row.session_id for row in opened.rows(query)})
        data = [_summary(rubric, opinions.get(rubric.name, [])) for rubric in asked]
        rows = [tuple(one.values()) for one in data]
        give({"rubrics": data}, table("judged", tuple(_summary(asked[0], [])), rows))


async def _judged(store: Store, settings: RunConfig, query: Query) -> dict[str, list[Opinion]]:
    """Opinions by rubric. No model is opened where nothing is left to judge."""
    given: dict[str, list[Opinion]] = {}
    model: LanguageModel | None = None
    try:
        for rubric in rubrics(settings.feedback):
            some = unjudged(store, rubric, query)
            if not some:
                continue
            if model is None:
                engine = engine_of(settings)
                model = await engine.open(None, engine.chat.open("You judge.", "Good?"))
            with progress(len(some), f"judge {rubric.name}", "sessions") as bar:
                given[rubric.name] = await judge_stored(
                    store, model, rubric, some, seed=settings.run.seed, on_done=bar.advance
                )
    finally:
        if model is not None:
            model.close()
    return given


def _summary(rubric: Rubric, opinions: Sequence[Opinion]) -> dict[str, Any]:
    counts = Counter(one.label for one in opinions)
    return {
        "rubric": rubric.name,
        **{label or "unknown": counts[label] for label in _LABELS},
        "seconds": round(sum(one.seconds for one in opinions), 1),
        "tokens": sum(one.tokens for one in opinions),
    }
