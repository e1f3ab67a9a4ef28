"""Whether a judge likes its own kind: judged and verified trajectories enter, alarms leave, one per judge.

A model may prefer what reads like its own (arXiv:2404.13076). Held against verified outcomes that shows as a
gap: the judge's score less the outcome, on average higher for versions of its own family than for others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from coevolve.feedback.traces import verification
from coevolve.feedback.watch import Alarm, WatchRule
from coevolve.types import Signal, SignalKind, SignalSource, Trajectory


@dataclass(frozen=True, slots=True)
class _Gap:
    """How far a judge's score of one trajectory is above its verified outcome."""

    gap: float  # [-2, 2]
    kin: bool  # the version is of the judge's family
    version: str
    trajectory: str


def favouritism(
    trajectories: Iterable[Trajectory], bases: Mapping[str, str], rule: WatchRule | None = None
) -> list[Alarm]:
    """One alarm for each judge that likes versions of its own family beyond their verified outcomes.

    It is dated to the first version of the judge's family.

    Args:
        trajectories: in the order in which they were; those that no model judged or nobody verified are
            left out.
        bases: version id -> its base model; a version that is not in it is named after its model.
        rule: its `least_episodes` hold for either side; `least_rise` is doubled, as scores are on [-1, 1].
    """
    rule = rule or WatchRule()
    gaps: dict[str, list[_Gap]] = defaultdict(list)  # by judge
    for one in trajectories:
        worth = verification(one)[1]
        if worth is None:
            continue
        scores: dict[str, list[float]] = defaultdict(list)
        for signal in one.signals:
            if signal.score is not None and (name := judge_of(signal)) is not None:
                scores[name].append(signal.score)
        for judge, said in scores.items():
            kin = family(bases.get(one.version, one.version)) == family(judge)
            gaps[judge].append(_Gap(float(np.mean(said)) - worth, kin, one.version, one.id))
    found = (_favoured(judge, some, rule) for judge, some in sorted(gaps.items()))
    return [alarm for alarm in found if alarm is not None]


def judge_of(signal: Signal) -> str | None:
    """The name of the model that judged an outcome; None where the signal is no judge's or does not say."""
    judged = signal.source is SignalSource.JUDGE and signal.kind is SignalKind.OUTCOME
    return signal.call.model if judged and signal.call is not None else None


def family(model: str) -> str:
    """The letters that a model's name begins with: "smollm" of "HuggingFaceTB/SmolLM2-135M-Instruct".

    What stands before it (a server's address, an organisation) and after it (size, hash) tells no family.
    """
    name = re.split(r"[/#]", model.partition("@")[0].rstrip("/#"))[-1]
    letters = re.match(r"[^\W\d_]+", name)
    return (letters[0] if letters else name).casefold()


def _favoured(judge: str, gaps: list[_Gap], rule: WatchRule) -> Alarm | None:
    own, others = ([one for one in gaps if one.kin is kin] for kin in (True, False))
    if min(len(own), len(others)) < rule.least_episodes:
        return None
    scores, usual = ([one.gap for one in side] for side in (own, others))
    p = float(stats.mannwhitneyu(scores, usual, alternative="greater").pvalue)
    before, after = float(np.mean(usual)), float(np.mean(scores))
    if p > rule.alpha or after - before < 2 * rule.least_rise:
        return None
    return Alarm(
        trace="own_kind",
        version=own[0].version,
        before=before,
        after=after,
        p=p,
        examples=tuple(one.trajectory for one in sorted(own, key=lambda one: -one.gap)[:3]),
        why=f"{judge} scores models of its kind {after - before:.2f} above others at equal verified outcomes",
        among=f"judge {judge}",
    )
