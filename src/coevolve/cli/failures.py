"""`coevolve errors` and `coevolve similar`: what went wrong, and where the like happened.

Held-out and test tasks are shown by neither: who mends an agent by what it failed at there measures nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType

from coevolve import config as configuration
from coevolve.cli.driving import drive
from coevolve.cli.judging import judging_model
from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import answering, clean, percent, table
from coevolve.cli.stores import FromStore, experience_at
from coevolve.config import RunConfig
from coevolve.engines import engine_of
from coevolve.errors import MissingExtraError
from coevolve.feedback.failures import FailureCluster, FailureRecord, cluster_failures, record_failure
from coevolve.feedback.judge import Opinion
from coevolve.judging import classify_stored, unclassified
from coevolve.models.embeddings import open_embedder
from coevolve.progress import progress
from coevolve.similar import about, similar
from coevolve.store import Store
from coevolve.store.query import Query

TypeOption = Annotated[str | None, typer.Option("--type", help="Only of this task type.")]
VersionOption = Annotated[str | None, typer.Option("--version", help="Only by this version of the agent.")]


def errors(
    store: FromStore = "experience.db",
    type: TypeOption = None,
    version: VersionOption = None,
    limit: Annotated[int, typer.Option(min=1, help="The newest failures that are looked at.")] = 2000,
    judge: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="Its [model] says what kind those are that no rule knows."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Failures by kind and version, and clusters of those that read alike with their clearest examples."""
    with answering(as_json) as give, experience_at(store) as opened:
        wanted = Query(failed=True, type=type, version=version, limit=limit, measuring=False)
        settings = None if judge is None else configuration.load(judge, run=False)
        given = [] if settings is None else drive(_classified(opened, settings, wanted))
        asked = {
            "asked": len(given),
            "unknown": sum(one.label is None for one in given),
            "seconds": round(sum(one.seconds for one in given), 1),
            "tokens": sum(one.tokens for one in given),
            "late_votes": sum(one.late for one in given),
        }
        found = failures(opened, wanted)
        order = list(dict.fromkeys(one.version for one in found))
        clusters, note = grouped(found, order)
        rows = _by_kind(found, order)
        parts: list[RenderableType] = [table(f"{len(found)} failures", ("kind", "all", *order), rows)]
        if judge is not None:
            parts.append(table("judged", tuple(asked), [tuple(asked.values())]))
        if clusters:
            parts.append(table("that read alike", ("name", "kind", "size", "trend", "like"), _rows(clusters)))
        data = {
            "failures": len(found),
            "kinds": {name: dict(zip(order, counts, strict=True)) for name, _, *counts in rows},
            "clusters": [asdict(one) for one in clusters],
            "judge": None if judge is None else asked,
        }
        give(data, *parts, *([note] if note else []))


def similar_to(
    text: Annotated[str, typer.Argument(help='What it was about, as in "return window unclear".')],
    store: FromStore = "experience.db",
    failed: Annotated[bool, typer.Option("--failed", help="Only what failed.")] = False,
    type: TypeOption = None,
    version: VersionOption = None,
    count: Annotated[int, typer.Option(min=1, max=1000)] = 10,
    as_json: JsonFlag = False,
) -> None:
    """Trajectories that are about what a text says, the nearest first."""
    with answering(as_json) as give, experience_at(store) as opened:
        query = Query(failed=failed, type=type, version=version, measuring=False)
        near = similar(opened, open_embedder().embed, text, count, query)
        known = opened.known(identity for identity, _ in near)
        rows, data = [], []
        for identity, likeness in near:
            if (one := known.get(identity)) is None:
                continue  # forgotten meanwhile
            outcome = one.reward.outcome.value if one.reward and one.reward.outcome else "unknown"
            why = one.reward.why if one.reward else ""
            rows.append(
                (f"{likeness:.2f}", identity, one.task.type, outcome, _short(about(one)), _short(why))
            )
            data.append({"trajectory": identity, "similarity": likeness, "outcome": outcome, "why": why})
        columns = ("like", "trajectory", "type", "outcome", "about", "why")
        give({"similar": data}, table(f"like {clean(text)!r}", columns, rows))


async def _classified(store: Store, settings: RunConfig, query: Query) -> list[Opinion]:
    """A judge's words on the failures of unknown kind. No local model is loaded where there is none left."""
    engine = engine_of(settings)
    if not unclassified(store, query, engine.base):
        return []
    async with judging_model(engine) as model:
        some = unclassified(store, query, model.name)
        with progress(len(some), "judge failures", "failures") as bar:
            return await classify_stored(store, model, some, seed=settings.run.seed, on_done=bar.advance)


def failures(store: Store, query: Query) -> list[FailureRecord]:
    """The failures that match, classified, in order of arrival."""
    return [record for one in store.find(query) if (record := record_failure(one)) is not None]


def grouped(found: list[FailureRecord], order: list[str]) -> tuple[list[FailureCluster], str]:
    """Clusters of failures, and why there are none where the sentence encoder is missing."""
    try:
        return cluster_failures(found, lambda texts: open_embedder().embed(texts), order), ""
    except MissingExtraError as error:
        return [], f"no clusters: {error.what}; {error.fix}"


def _by_kind(found: list[FailureRecord], order: list[str]) -> list[tuple[str, int, *tuple[int, ...]]]:
    kinds = Counter(one.kind.value for one in found)
    cells = Counter((one.kind.value, one.version) for one in found)
    return [
        (kind, total, *(cells[kind, version] for version in order)) for kind, total in kinds.most_common()
    ]


def _rows(clusters: list[FailureCluster]) -> list[tuple[object, ...]]:
    return [
        (
            one.name,
            one.kind.value,
            one.size,
            " ".join(percent(share) for share in one.trend.values()),
            "\n".join(one.examples),
        )
        for one in clusters
    ]


def _short(text: str, most: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
