"""The store's part of docs/benchmarks.md: the figures file enters, its tables leave.

A part that was not run, or could not be, leaves its table out or says why. Several seeds have a value each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from benchmarks.page_tables import one_line, table

Found: TypeAlias = Mapping[str, Any]
TITLES = {"ours": "coevolve", "mlflow": "MLflow", "phoenix": "Arize Phoenix"}
QUESTIONS = {
    "by_id": "one by its id, whole",
    "agent_failed": "an agent's failed ones, 100 at most",
    "last_100": "the last 100",
    "similar_to": "the 10 most alike",
}
BARS: Mapping[str, str] = {
    "ingest_ratio_vs_best_peer": ">= 5",
    "ingest_lost": "0",
    "lost_after_kill": "0",
    "query_p99_ms": "< 20",
    "postgres_1m_query_p99_ms": "< 50",
    "dedup_recall": ">= 0.95",
    "dedup_precision": ">= 0.95",
    "dedup_s": "< 60",
    "hack_alarm_rate": "1",
    "honest_alarm_rate": "<= 0.05",
    **{
        f"writers_{how}_{what}": "0"
        for how in ("threads", "processes")
        for what in ("errors", "lost", "doubled", "changed")
    },
}
LEGEND = """\
A row is one turn: one span of 2 KB of an agent's conversation, whose root is not counted. It counts once it
is in the product's database, whenever the answer came. All products get the same OTLP/HTTP bodies from the
same client on the same machine; how many senders, and how many episodes a request, was tried for each, and
it has its best. Ours redacts what it takes, the peers keep secrets as they come. A peer takes what it
manages within its time. A figure with several values has one for each seed; the others are of the first seed.
"""


def store_tables(data: Found) -> str:
    """All tables of one figures file."""
    parts: Found = data["parts"]
    made = [LEGEND, _figures(data["figures"])]
    for name, (title, tables) in SECTIONS.items():
        if name not in parts:
            continue
        part = parts[name]
        load = " to ".join(str(one) for one in part.get("load_average", ()))
        made.append(f"### {title}\n")
        made.append(f"Measured on {part.get('date', '?')} at a load average of {load or '?'}.\n")
        if "error" in part:
            made.append(f"Not measured: {one_line(part['error'])}.\n")
        else:
            made.append(tables(part) + _errors(part) + _dates(part))
    return "\n".join(made)


def _figures(figures: Found) -> str:
    rows = [[f"`{key}`", _number(value), BARS.get(key, "")] for key, value in figures.items()]
    return table(["figure", "value", "asked for"], rows)


def _disk(part: Found) -> str:
    rows = [
        ["fsyncs of 4 KB a second", _number(part["fsyncs_s"])],
        ["rows a second of bare SQLite, as durable as ours", _number(part["raw_sqlite_rows_s"])],
    ]
    return table(["what this disk manages", "value"], rows)


def _ingest(part: Found) -> str:
    columns = ["product", "rows a second", "rows", "of", "answered a second", "answer p50", "p99"]
    columns += ["lost", "refused", "pushed back", "senders x episodes"]
    rows = [
        [
            title,
            _number(one["rows_s"]),
            _number(one["rows"]),
            _number(one["offered"]),
            _number(one["answered_rows_s"]),
            _ms(one["answer_p50_ms"]),
            _ms(one["answer_p99_ms"]),
            _number(one["lost"]),
            _number(one["refused"]),
            _number(one["pushed_back"]),
            f"{one['senders']} x {one['per_request']}",
        ]
        for title, one in _products(part)
    ]
    trials = [
        [title, one_line(setting), _number(rate)]
        for title, one in _products(part)
        for setting, rate in one["trials_rows_s"].items()
    ]
    later = [
        f"Ours had made trajectories of all of it {_number(one['trajectories_s'])} s after the first "
        "request, 30 s of which it waits for late spans: "
        f"{_number(one['trajectories_rows_s'])} rows a second.\n"
        for _, one in _products(part)
        if "trajectories_s" in one
    ]
    made = [table(columns, rows), *later]
    if trials:
        made += [
            "What was tried first, on a small part:\n",
            table(["product", "setting", "rows a second"], trials),
        ]
    return "\n".join(made)


def _kill(part: Found) -> str:
    rows = [
        [title, _number(one["kills"]), _number(one["acknowledged"]), _number(one["lost"])]
        for title, one in _products(part)
    ]
    return table(["product", "kills", "acknowledged rows", "of them gone after the next start"], rows)


def _queries(part: Found) -> str:
    found = list(_products(part))
    columns = ["question"]
    for title, one in found:
        columns += [f"{title} of {_number(one['trajectories'])}: p50", "p99"]
    rows = []
    for key, question in QUESTIONS.items():
        row = [question]
        for _, one in found:
            asked = one["queries"].get(key)
            row += [_ms(asked["p50_ms"]), _ms(asked["p99_ms"])] if asked else ["not offered", "-"]
        rows.append(row)
    return (
        table(columns, rows)
        + "\nEach product is asked for what it took in; its number of trajectories is in the head. Ours is "
        "asked in Python, the peers over HTTP on a kept connection.\n"
    )


def _native(part: Found) -> str:
    tried = ", ".join(f"{size}: {_number(rate)}" for size, rate in part["append_trials_rows_s"].items())
    rows = [
        [f"`Store.append`, {part['append_batch']} trajectories at once", _number(part["append_rows_s"])],
        ["`coevolve.trace`, a commit for each trajectory", _number(part["trace_rows_s"])],
    ]
    return table(["redacted, without HTTP", "rows a second"], rows) + f"\nTrajectories at once: {tried}.\n"


def _writers(part: Found) -> str:
    keys = ("writers", "trajectories", "lost", "doubled", "changed", "errors", "appends_s")
    rows = [[how, *(_number(part[how][key]) for key in keys)] for how in ("threads", "processes")]
    return table(["at once on one SQLite file", *keys[:-1], "appends a second"], rows)


def _dedup(part: Found) -> str:
    keys = ("recall", "precision", "seconds", "alike", "near_misses", "near_misses_dropped")
    rows = [
        [f"{threshold}", "the pool's" if name == "ours" else "datasketch's MinHash and LSH alone"]
        + [_number(one[key]) for key in keys]
        for threshold, detectors in part["thresholds"].items()
        for name, one in detectors.items()
    ]
    columns = ["Jaccard from", "detector", "recall", "precision", "seconds", "pairs at or above"]
    columns += ["near misses", "of them dropped"]
    return table(columns, rows) + (
        f"\nOf {_number(part['texts'])} texts {_number(part['planted'])} are edited copies. The pool's own "
        "rule, that texts with other numbers are never one, is left out here.\n"
    )


def _postgres(part: Found) -> str:
    rows = [
        [question, _ms(found["p50_ms"]), _ms(found["p99_ms"]), one_line(part["plans"][key])]
        for key, question in QUESTIONS.items()
        for found in [part["queries"][key]]
    ]
    size = part["bytes"] / 2**30
    return table(["question", "p50", "p99", "read by"], rows) + (
        f"\n{_number(part['turns'])} turns in {_number(part['trajectories'])} trajectories, {size:.1f} GiB; "
        f"filled in {_number(part['fill_s'])} s, vectors (random directions) in "
        f"{_number(part['vectors_s'])} s.\n"
    )


def _detectors(part: Found) -> str:
    told = "The fresh sets count: no guard was changed by them. The others were looked at meanwhile.\n\n"
    rows = [*_guard_rows(part, ""), *_guard_rows(part, "_seen")]
    return told + table(["labelled set", "size", "found", "not as it should be"], rows)


def _guard_rows(part: Found, suffix: str) -> list[list[str]]:
    clean, hacks = part[f"redaction{suffix}"], part[f"hacking{suffix}"]
    late = [lag for lag in hacks["versions_late"].values() if lag is not None]
    kind = "seen" if suffix else "fresh"
    return [
        [
            f"secrets and personal data ({kind})",
            f"{clean['texts']} texts, {clean['look_alikes']} look-alikes",
            f"recall {_number(clean['recall'])}; precision {_number(clean['precision'])}",
            f"missed {_counts(clean['missed_by_kind'])}; harmed {_counts(clean['harmed_by_kind'])}",
        ],
        [
            f"hacked rewards ({kind})",
            f"{hacks['hacked_runs']} runs",
            f"alarm {_number(hacks['alarm_rate'])}; within one version {_number(hacks['in_time_rate'])}",
            f"at most {max(late, default='-')} versions late",
        ],
        [
            f"honest runs ({kind})",
            f"{hacks['honest_runs']} runs",
            f"false alarm {_number(hacks['honest_alarm_rate'])}",
            one_line(", ".join(hacks["false_alarms"])) or "none",
        ],
    ]


SECTIONS: Mapping[str, tuple[str, Callable[[Found], str]]] = {
    "ingest": ("Ingest through OTLP", _ingest),
    "kill": ("kill -9 in the middle of ingest", _kill),
    "queries": ("Questions", _queries),
    "native": ("Ingest without HTTP", _native),
    "disk": ("The disk", _disk),
    "writers": ("Many writers", _writers),
    "dedup": ("Near-duplicates", _dedup),
    "postgres": ("PostgreSQL", _postgres),
    "detectors": ("Guards", _detectors),
}


def _products(part: Found) -> Sequence[tuple[str, Any]]:
    there = [(title, part[name]) for name, title in TITLES.items() if name in part]
    return [(title, one) for title, one in there if "error" not in one]


def _errors(part: Found) -> str:
    """A line for each product that could not be measured."""
    wrong = [(title, part[name]) for name, title in TITLES.items() if "error" in part.get(name, {})]
    return "".join(f"\n{title} was not measured: {one_line(one['error'])}.\n" for title, one in wrong)


def _dates(part: Found) -> str:
    """A line for each product whose rows are of another run than the rest."""
    rows = [(title, one["date"]) for title, one in _products(part) if one.get("date")]
    return "".join(f"\n{title} was measured on {when}.\n" for title, when in rows)


def _counts(found: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in found.items()) or "none"


def _number(value: float | Sequence[float] | None) -> str:
    """A number, or one for each seed."""
    if isinstance(value, Sequence):
        return ", ".join(map(_number, value))
    if value is None:
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:.4g}"


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g} ms" if value < 1000 else f"{value:,.0f} ms"
