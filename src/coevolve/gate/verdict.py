"""Weighs paired results: better overall, worse nowhere that matters, or too few tasks to tell.

Enters: one PairedResult a task, with the draw it came in. Leaves: a Verdict, whose `why` a person can
check. The same results always give the same verdict, so a saved gate run can be weighed again. It does not
protect against tasks that were seen in training (see `fingerprints`) or against pairs that share a cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coevolve.gate.evidence import OVERALL, Evidence, figures, gather
from coevolve.gate.rule import GateRule, PairedResult
from coevolve.gate.statistics import (
    Crossing,
    Look,
    holm,
    pairs_needed,
    sequential_sign_test,
    sign_test,
)
from coevolve.types import Decision, TypeFigures, Verdict

_SUSPICION = 0.15  # unadjusted p of a fall beyond the margin from which fresh tasks are worth their time
_HOPE = 0.2  # chance to show a gain of the size seen by the last task, below which no more are drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """A verdict, and what more tasks could change about it."""

    verdict: Verdict
    more_overall: bool = False  # a gain is in sight, and the cap is not reached
    fresh_types: tuple[str, ...] = ()  # types whose fall must be checked on fresh tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    decision: Decision
    why: str
    lacking: int = 0
    more: bool = False
    fresh: tuple[str, ...] = ()


def decide(
    results: Sequence[PairedResult], rule: GateRule, seed: int, champion: str = "", candidate: str = ""
) -> Verdict:
    """Weigh a candidate against the champion on the results given; draws nothing.

    Args: results: one per task, all looks together. seed: recorded. champion, candidate: version ids.
    Returns: ACCEPT; REJECT where it is no better or harm is shown; else UNDECIDED, with `tasks_lacking`.
        `steps` holds mean turns on judged pairs ("champion", "candidate", "difference", "difference_low",
        "difference_high"), and the same per type under "TYPE/...".
    Raises: GateError: a task id twice, or one type both refusal and not.
    """
    return weigh(results, rule, seed, champion, candidate).verdict


def weigh(
    results: Sequence[PairedResult], rule: GateRule, seed: int, champion: str = "", candidate: str = ""
) -> Weighing:
    """`decide`, with what a further draw should ask for."""
    seen = gather(results)
    word = _unusable(seen, rule) or _harmful(seen, rule) or _too_few(seen, rule) or _gain(seen, rule)
    verdict = Verdict(
        champion=champion,
        candidate=candidate,
        decision=word.decision,
        why=f"{word.why} {_summary(seen.overall)}".strip(),
        overall=seen.overall,
        types=seen.types,
        steps=seen.steps,
        tasks_lacking=word.lacking,
        seed=seed,
    )
    return Weighing(verdict=verdict, more_overall=word.more, fresh_types=word.fresh)


def _unusable(seen: Evidence, rule: GateRule) -> _Word | None:
    if not seen.seen:
        return _Word(decision=Decision.UNDECIDED, why="No task was run.", lacking=rule.min_tasks)
    if seen.unknown <= rule.unknown_share * seen.seen:
        return None
    return _Word(
        decision=Decision.UNDECIDED,
        why=f"{seen.unknown} of {seen.seen} pairs could not be judged, more than the "
        f"{rule.unknown_share:.0%} allowed: mend the environment or the model and run the gate again.",
    )


def _harmful(seen: Evidence, rule: GateRule) -> _Word | None:
    adjusted = holm({fig.type: sign_test(fig.losses, fig.wins) for fig in seen.types})
    reasons: list[str] = []
    for fig in seen.types:
        margin = rule.margin_of(fig.type, refusal=fig.refusal)
        if fig.difference < -margin and adjusted[fig.type] <= rule.alpha:
            allowed = "no loss is allowed" if fig.refusal else f"the margin is {margin:.0%}"
            reasons.append(
                f"{fig.type} fell by {-fig.difference:.0%} (lost {fig.losses}, won {fig.wins} of {fig.tasks} "
                f"tasks, Holm-adjusted p = {adjusted[fig.type]:.2g}; {allowed})"
            )
        elif _lasting(fig, seen) and seen.fresh_draws[fig.type] >= rule.refusal_draws:
            reasons.append(
                f"the refusal type {fig.type} lost {fig.losses} and won {fig.wins} of {fig.tasks} tasks, and "
                f"that lasted over {_count(seen.fresh_draws[fig.type], 'fresh draw')}"
            )
    if not reasons:
        return None
    return _Word(decision=Decision.REJECT, why=f"Harm is shown: {'; '.join(reasons)}.")


def _too_few(seen: Evidence, rule: GateRule) -> _Word | None:
    lacking = rule.min_tasks - seen.overall.tasks
    if lacking <= 0:
        return None
    return _Word(
        decision=Decision.UNDECIDED,
        why=f"Too few tasks to tell: {seen.overall.tasks} judged where at least {rule.min_tasks} are asked "
        f"for, so about {lacking} are lacking.",
        lacking=lacking,
        more=len(seen.main) < rule.max_tasks,
    )


def _gain(seen: Evidence, rule: GateRule) -> _Word:
    crossing = _crossing(seen.main, rule)
    if not crossing.shown:
        return _not_shown(seen, crossing, rule)
    return _thin(seen, rule) or _hidden(seen, rule) or _doubtful(seen, rule) or _accepted(seen, crossing)


def _not_shown(seen: Evidence, crossing: Crossing, rule: GateRule) -> _Word:
    """No gain shown: hopeless, or short of tasks."""
    tasks, wins, losses = seen.overall.tasks, seen.overall.wins, seen.overall.losses
    hoped = pairs_needed(tasks, wins, losses, rule.alpha, power=_HOPE)
    likely = pairs_needed(tasks, wins, losses, rule.alpha)
    if hoped is None or likely is None:
        return _Word(
            decision=Decision.REJECT,
            why=f"Not better overall: the candidate won {wins} and lost {losses} of {tasks} tasks.",
        )
    lacking = max(1, likely - tasks)
    return _Word(
        decision=Decision.UNDECIDED,
        why=f"Too few tasks to tell: the candidate won {wins} and lost {losses} of {tasks} tasks (one-sided "
        f"exact p = {crossing.p:.2g}), and {crossing.wins_needed} wins among {wins + losses} differing tasks "
        f"were needed; about {lacking} more tasks would show a gain of this size.",
        lacking=lacking,
        more=len(seen.main) < rule.max_tasks and hoped <= rule.max_tasks,
    )


def _thin(seen: Evidence, rule: GateRule) -> _Word | None:
    """Better overall, but some type was hardly seen."""
    thin = {
        fig.type: rule.min_type_tasks - fig.tasks for fig in seen.types if fig.tasks < rule.min_type_tasks
    }
    if not thin:
        return None
    return _Word(
        decision=Decision.UNDECIDED,
        why=f"Better overall, but too few judged tasks of {', '.join(thin)} to see harm there: at least "
        f"{rule.min_type_tasks} of each type are asked for.",
        lacking=sum(thin.values()),
        fresh=tuple(name for name in thin if seen.fresh_draws[name] < rule.refusal_draws),
    )


def _hidden(seen: Evidence, rule: GateRule) -> _Word | None:
    """Better overall, but what could not be judged would be harm if it had failed: unknown is no pass."""
    hidden = {
        fig.type: seen.lone[fig.type]
        for fig in seen.types
        if seen.lone[fig.type]
        and fig.losses + seen.lone[fig.type] - fig.wins
        > rule.margin_of(fig.type, refusal=fig.refusal) * (fig.tasks + seen.lone[fig.type])
    }
    if not hidden:
        return None
    counts = ", ".join(f"{count} of {name}" for name, count in hidden.items())
    return _Word(
        decision=Decision.UNDECIDED,
        why=f"Better overall, but tasks that the champion solved could not be judged for the candidate "
        f"({counts}): look at its failed episodes, and mend the environment or the model.",
        lacking=sum(hidden.values()),
    )


def _doubtful(seen: Evidence, rule: GateRule) -> _Word | None:
    """Better overall, but some type fell and fresh tasks have not yet said whether that lasts."""
    doubtful = [
        fig
        for fig in seen.types
        if seen.fresh_draws[fig.type] < rule.refusal_draws and (_lasting(fig, seen) or _suspect(fig, rule))
    ]
    if not doubtful:
        return None
    losses = ", ".join(f"{fig.type} lost {fig.losses} and won {fig.wins} of {fig.tasks}" for fig in doubtful)
    return _Word(
        decision=Decision.UNDECIDED,
        why=f"Better overall, but {losses}: fresh tasks must show whether that lasts.",
        lacking=rule.type_draw_tasks * len(doubtful),
        fresh=tuple(fig.type for fig in doubtful),
    )


def _accepted(seen: Evidence, crossing: Crossing) -> _Word:
    overall = seen.overall
    drawn = [name for name, draws in sorted(seen.fresh_draws.items()) if draws]
    also = f" Fresh tasks of {', '.join(drawn)} were drawn and are counted for it." if drawn else ""
    lower = [fig for fig in seen.types if fig.losses > fig.wins]
    within = (
        f" Lower, but not shown to be worse beyond the margin: "
        f"{', '.join(f'{fig.type} ({fig.difference:+.0%})' for fig in lower)}."
        if lower
        else " No type fell."
    )
    return _Word(
        decision=Decision.ACCEPT,
        why=f"Better overall: the candidate won {overall.wins} and lost {overall.losses} of {overall.tasks} "
        f"tasks (one-sided exact p = {crossing.p:.2g}).{within}{also}",
    )


def _lasting(fig: TypeFigures, seen: Evidence) -> bool:
    """A refusal type's net loss, which lasts as long as fresh tasks show it again by themselves."""
    loss = seen.fresh_loss[fig.type] if seen.fresh_draws[fig.type] else fig.losses - fig.wins
    return fig.refusal and loss > 0


def _suspect(fig: TypeFigures, rule: GateRule) -> bool:
    beyond = fig.difference < -rule.margin_of(fig.type, refusal=fig.refusal)
    return not fig.refusal and beyond and sign_test(fig.losses, fig.wins) <= _SUSPICION


def _crossing(main: Sequence[PairedResult], rule: GateRule) -> Crossing:
    """The first look at which the gain was shown, else the latest."""
    looks: list[Look] = []
    for draw in sorted({result.draw for result in main}):
        so_far = [result for result in main if result.draw <= draw]
        fig = figures(OVERALL, False, so_far)
        looks.append(Look(fig.wins, fig.losses, len(so_far) / max(rule.max_tasks, len(so_far))))
    crossings = sequential_sign_test(looks, rule.alpha)
    return next((crossing for crossing in crossings if crossing.shown), crossings[-1])


def _summary(overall: TypeFigures) -> str:
    if not overall.tasks:
        return ""
    return (
        f"Success {overall.champion_rate:.1%} -> {overall.candidate_rate:.1%}, difference "
        f"{overall.difference * 100:+.1f} points (95% interval {overall.low * 100:+.1f} to "
        f"{overall.high * 100:+.1f}, n = {overall.tasks})."
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
