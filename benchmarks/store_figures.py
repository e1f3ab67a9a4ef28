"""The figures of the store's benchmark, from what its parts found: under each key a number, a list with one
number for each seed where several were run, or null.

A key is there whether or not its part was run. Seconds, milliseconds and rows per second are in the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

PRODUCTS = ("ours", "mlflow", "phoenix")
Figure: TypeAlias = float | list[float] | None


def figures_of(parts: Mapping[str, Any]) -> dict[str, Figure]:
    """All figures; `postgres_turns` says how many turns those of PostgreSQL are really of."""
    rates = {name: _at(parts, "ingest", name, "rows_s") for name in PRODUCTS}
    rivals = [rate for name, rate in rates.items() if name != "ours" and rate]
    best = max(rivals, default=None)
    ratio = round(rates["ours"] / best, 2) if rates["ours"] and best else None
    native, raw = _at(parts, "native", "append_rows_s"), _at(parts, "disk", "raw_sqlite_rows_s")
    found: dict[str, Figure] = {
        **{f"ingest_rows_s_{name}": rate for name, rate in rates.items()},
        "ingest_ratio_vs_best_peer": ratio,
        "ingest_rows_s_ours_to_trajectories": _at(parts, "ingest", "ours", "trajectories_rows_s"),
        "ingest_rows_s_ours_append": native,
        "ingest_rows_s_ours_trace": _at(parts, "native", "trace_rows_s"),
        "raw_sqlite_rows_s": raw,
        "append_share_of_raw_sqlite": round(native / raw, 3) if native and raw else None,
        "fsyncs_s": _at(parts, "disk", "fsyncs_s"),
        "ingest_lost": _at(parts, "ingest", "ours", "lost"),
        "lost_after_kill": _at(parts, "kill", "ours", "lost"),
        "lost_after_kill_mlflow": _at(parts, "kill", "mlflow", "lost"),
        "lost_after_kill_phoenix": _at(parts, "kill", "phoenix", "lost"),
        "query_p99_ms": _slowest(_at(parts, "queries", "ours", "queries")),
        "query_p99_ms_mlflow": _slowest(_at(parts, "queries", "mlflow", "queries")),
        "query_p99_ms_phoenix": _slowest(_at(parts, "queries", "phoenix", "queries")),
        "postgres_1m_query_p99_ms": _slowest(_at(parts, "postgres", "queries")),
        "postgres_turns": _at(parts, "postgres", "turns"),
    }
    for how in ("threads", "processes"):
        for what in ("errors", "lost", "doubled", "changed"):
            found[f"writers_{how}_{what}"] = _at(parts, "writers", how, what)
    for name, end in (("ours", ""), ("datasketch", "_datasketch")):
        for key, what, worst in (
            ("recall", "recall", min),
            ("precision", "precision", min),
            ("s", "seconds", max),
        ):
            found[f"dedup_{key}{end}"] = worst(_of_thresholds(parts, name, what), default=None)
    return found | {
        "hack_alarm_rate": _at(parts, "detectors", "hacking", "in_time_rate"),
        "hack_alarm_rate_ever": _at(parts, "detectors", "hacking", "alarm_rate"),
        "honest_alarm_rate": _at(parts, "detectors", "hacking", "honest_alarm_rate"),
        "redaction_recall": _at(parts, "detectors", "redaction", "recall"),
        "redaction_precision": _at(parts, "detectors", "redaction", "precision"),
    }


def readable(data: Mapping[str, Any]) -> str:
    """One line a figure."""
    return "\n".join(f"{key:<40}{_shown(value):>12}" for key, value in data["figures"].items())


def _shown(value: Figure) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return "-" if value is None else f"{value:g}"


def _at(found: Any, *path: str) -> Any:
    """What lies under a path of keys; None where it ends early."""
    for key in path:
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return found


def _of_thresholds(parts: Mapping[str, Any], name: str, what: str) -> list[float]:
    """What a detector had at each threshold; the figures hold the worst."""
    rows = (_at(parts, "dedup", "thresholds") or {}).values()
    return [one[name][what] for one in rows if one[name][what] is not None]


def _slowest(queries: Mapping[str, Any] | None) -> float | None:
    """The highest p99 of all questions."""
    return max((one["p99_ms"] for one in queries.values()), default=None) if queries else None
