"""Runs of the loop's benchmark that were measured at another time or on another machine.

A figures file and the one it is to replace enter; the one that is written leaves. A whole benchmark takes
most of a day, so its runs need not be of one call; each says where and when it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from benchmarks.loop_figures import ARMS

_NOTHING: Mapping[str, Any] = {"runs": [], "types": {}, "stage_s": {}}
Run: TypeAlias = tuple[str, int]  # arm and seed


def arm_of(key: str) -> str:
    """The arm that a figure's key belongs to."""
    if key.endswith("_long"):
        return "long"
    return "none" if "without_teacher" in key else "teacher"


def with_earlier(made: Mapping[str, Any], earlier: Mapping[str, Any] | None) -> dict[str, Any]:
    """What was made now, and of runs that were not, what the earlier file holds.

    Returns: `made`, whose lists have a place for each seed of either file, null where it was not run.
    """
    kept = {**_NOTHING, **(earlier or {})}
    finished = {_run(one) for one in made["runs"] if one["finished"]}
    left = [one for one in kept["runs"] if one["finished"] and _run(one) not in finished]
    sources = dict.fromkeys(map(_run, left), kept) | dict.fromkeys(finished, made)
    before = {(_run(one), one["champion"], one["work_s"]): one["machine"] for one in kept["runs"]}
    fresh = [
        {**one, "machine": one["machine"] or before.get((_run(one), one["champion"], one["work_s"]))}
        for one in made["runs"]
        if sources.get(_run(one)) is not kept
    ]
    seeds = sorted({*made["seeds"], *(seed for _, seed in sources)})

    def value(part: str, key: str, seed: int) -> Any:
        source = sources.get((arm_of(key), seed))
        if source is None:
            return None
        return dict(zip(source["seeds"], source[part].get(key, []), strict=False)).get(seed)

    def tables(part: str) -> dict[str, dict[str, Any]]:
        arms = dict.fromkeys([*made[part], *kept[part]])
        found = {arm: _by_seed(part, arm, sources) for arm in arms}
        return {arm: by_seed for arm, by_seed in found.items() if by_seed}

    return {
        **made,
        "seeds": seeds,
        **{
            part: {key: [value(part, key, seed) for seed in seeds] for key in made[part]}
            for part in ("figures", "intervals")
        },
        **{part: tables(part) for part in ("types", "stage_s")},
        "runs": sorted([*left, *fresh], key=_place),
    }


def _by_seed(part: str, arm: str, sources: Mapping[Run, Mapping[str, Any]]) -> dict[str, Any]:
    seeds = sorted(seed for name, seed in sources if name == arm)
    found = {str(seed): sources[arm, seed][part].get(arm, {}).get(str(seed)) for seed in seeds}
    return {seed: table for seed, table in found.items() if table is not None}


def _run(one: Mapping[str, Any]) -> Run:
    return one["arm"], one["seed"]


def _place(one: Mapping[str, Any]) -> tuple[int, int]:
    return ARMS.index(one["arm"]), one["seed"]
