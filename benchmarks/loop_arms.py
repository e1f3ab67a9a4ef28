"""Arms of the loop's benchmark that were measured at another time or on another machine.

A figures file and the one it is to replace enter; the one that is written leaves. A whole benchmark takes
most of a day, so its arms need not be of one call; each says where and when it was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_ABOUT = ("machine", "command", "date")


def arm_of(key: str) -> str:
    """The arm that a figure's key belongs to."""
    if key.endswith("_long"):
        return "long"
    return "none" if "without_teacher" in key else "teacher"


def with_earlier(made: Mapping[str, Any], earlier: Mapping[str, Any] | None) -> dict[str, Any]:
    """What was made now, and of arms of which nothing was, what the earlier file holds.

    Returns: `made` with `measured`: arm -> machine, command and date; lists have a place for each seed of
    either file, null where it was not run.
    """
    kept = dict(earlier or {})
    arms = [arm for arm in kept.get("types", {}) if arm not in made["types"]]
    sources = {arm: kept for arm in arms} | dict.fromkeys(made["types"], made)
    seeds = sorted({seed for source in sources.values() for seed in source["seeds"]} | {*made["seeds"]})

    def placed(key: str, part: str) -> list[Any]:
        source = sources.get(arm_of(key), made)
        values = dict(zip(source["seeds"], source[part].get(key, []), strict=False))
        return [values.get(seed) for seed in seeds]

    about = {arm: kept.get("measured", {}).get(arm) or {name: kept[name] for name in _ABOUT} for arm in arms}
    about |= {arm: {name: made[name] for name in _ABOUT} for arm in made["types"]}
    return {
        **made,
        "seeds": seeds,
        "measured": about,
        **{part: {key: placed(key, part) for key in made[part]} for part in ("figures", "intervals")},
        **{
            part: {arm: source[part][arm] for arm, source in sources.items()} for part in ("types", "stage_s")
        },
        "runs": [*(run for run in kept.get("runs", []) if run["arm"] in arms), *made["runs"]],
    }
