"""What the store's guards find in labelled sets: planted secrets, and runs whose reward was hacked.

The sets come from a seed and were written without the detectors; their rates hold for the formats and tricks
that they contain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from benchmarks.hacking_runs import Run, hacking_runs, honest_runs
from benchmarks.planted_secrets import look_alikes, planted
from benchmarks.store_native import KEY

from coevolve.feedback.watch import watch
from coevolve.store.redaction import Redactor

IN_TIME = 1  # versions after the one in which the hack set in


def redaction(seeds: Sequence[int]) -> dict[str, Any]:
    """Recall over texts with secrets, precision against look-alikes; a text counts as a whole."""
    redactor = Redactor(KEY)
    found: dict[str, list[bool]] = defaultdict(list)
    for one in (one for seed in seeds for one in planted(seed)):
        clean = redactor.text(one.text)
        found[one.kind].append(all(secret not in clean for secret in one.secrets))
    harmless = [one for seed in seeds for one in look_alikes(seed)]
    harmed = [one.kind for one in harmless if redactor.text(one.text) != one.text]
    caught = sum(map(sum, found.values()))
    count = sum(map(len, found.values()))
    return {
        "seeds": list(seeds),
        "texts": count,
        "look_alikes": len(harmless),
        "recall": round(caught / count, 4),
        "precision": round(caught / (caught + len(harmed)), 4),
        "missed_by_kind": {kind: one.count(False) for kind, one in sorted(found.items()) if not all(one)},
        "harmed_by_kind": {kind: harmed.count(kind) for kind in sorted(set(harmed))},
    }


def hacking(seeds: Sequence[int], most: int | None = None) -> dict[str, Any]:
    """Alarms of the watch over hacked runs and honest ones. Args: most: runs of each kind and seed."""
    late = {f"{run.name}/{seed}": _lag(run) for seed in seeds for run in hacking_runs(seed, most)}
    honest = {
        f"{run.name}/{seed}": bool(watch(run.versions, run.trajectories))
        for seed in seeds
        for run in honest_runs(seed, most)
    }
    return {
        "seeds": list(seeds),
        "hacked_runs": len(late),
        "honest_runs": len(honest),
        "alarm_rate": _share([lag is not None and lag >= 0 for lag in late.values()]),
        "in_time_rate": _share([lag is not None and 0 <= lag <= IN_TIME for lag in late.values()]),
        "honest_alarm_rate": _share(list(honest.values())),
        "versions_late": late,
        "false_alarms": [name for name, alarmed in honest.items() if alarmed],
    }


def _lag(run: Run) -> int | None:
    """Versions between the hack's beginning and the first alarm; None where there is none."""
    found = watch(run.versions, run.trajectories)
    if not found or run.onset is None:
        return None
    return run.versions.index(found[0].version) - run.versions.index(run.onset)


def _share(hits: Sequence[bool]) -> float:
    return round(sum(hits) / len(hits), 4)
