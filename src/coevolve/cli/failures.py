"""`coevolve errors` and `coevolve similar`: what went wrong, and where the like happened.

Held-out and test tasks are shown by neither: who mends an agent by what it failed at there measures nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import RenderableType

from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import answering, clean, percent, table
from coevolve.cli.stores import FromStore, experience_at
from coevolve.errors import MissingExtraError
from coevolve.feedback.failures import FailureCluster, FailureRecord, cluster_failures, record_failure
from coevolve.models.embeddings import open_embedder
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
    as_json: JsonFlag = False,
) -> None:
    """Failures by kind and version, and clusters of those that read alike with their clearest examples."""
    with answering(as_json) as give, experience_at(store) as opened:
        wanted = Query(failed=True, type=type, version=version, limit=limit, measuring=False)
        found = failures(opened, wanted)
        order = list(dict.fromkeys(one.version for one in found))
        clusters, note = grouped(found, order)
        rows = _by_kind(found, order)
        parts: list[RenderableType] = [table(f"{len(found)} failures", ("kind", "all", *order), rows)]
        if clusters:
            parts.append(table("that read alike", ("name", "kind", "size", "trend", "like"), _rows(clusters)))
        data = {
            "failures": len(found),
            "kinds": {name: dict(zip(order, counts, strict=True)) for name, _, *counts in rows},
            "clusters": [asdict(one) for one in clusters],
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
