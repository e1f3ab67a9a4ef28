"""Runs both versions on the same held-out tasks, and draws more tasks while that can change the verdict.

Enters: two version ids, held-out tasks, a way to evaluate and a way to draw. Leaves: a Verdict. It trusts
`evaluate` to use the same seeds for both versions, and keeps no text of a task.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from coevolve.errors import GateError
from coevolve.gate.rule import GateRule, PairedResult
from coevolve.gate.verdict import weigh
from coevolve.types import Split, Task, Verdict

Evaluate: TypeAlias = Callable[[str, Sequence[Task]], Awaitable[Mapping[str, tuple[bool | None, int]]]]
Fresh: TypeAlias = Callable[[Sequence[str], int, int], list[Task]]


async def gate(
    evaluate: Evaluate,
    champion_id: str,
    candidate_id: str,
    tasks: Sequence[Task],
    fresh: Fresh,
    rule: GateRule,
    seed: int,
) -> Verdict:
    """Compare a candidate with the champion, and say whether it may replace it.

    Looks once at `tasks`. Where a gain is in sight but not shown, `rule.draw_tasks` more over all types
    are drawn, up to `rule.max_tasks`; the error of all looks together stays within `rule.alpha` by
    spending it as tasks come in (see `sequential_sign_test`). Once the gain is shown, each refusal type
    with a net loss, and each other type that seems to have fallen beyond its margin, gets
    `rule.type_draw_tasks` fresh tasks, up to `rule.refusal_draws` times: old and fresh count together
    for that type, and only the balanced draws count overall. A refusal type whose fresh tasks are at a net
    loss as well, after the last draw, is a veto.

    Args:
        evaluate: (version id, tasks) -> by task id, whether it succeeded (None = could not be judged,
            as is a task left out) and how many turns it took. Called for the champion, then the candidate.
        fresh: (types, count, draw) -> `count` held-out tasks over these types that no earlier draw gave;
            draw counts from 1. May return fewer, or none when there are no more.
        seed: recorded in the verdict.

    Raises: GateError: no tasks, a task of another split, a task drawn twice, a draw of other types, or one
        version compared with itself.
    """
    if not tasks:
        raise GateError("the gate was given no tasks", fix="raise the number of held-out tasks in [gate]")
    if champion_id == candidate_id:
        raise GateError(
            f"candidate and champion are the same version {champion_id}", fix="name two different versions"
        )
    types = sorted({task.type for task in tasks})
    seen: set[str] = set()
    results = await _pairs(evaluate, (champion_id, candidate_id), tasks, seen, draw=0, single=False)
    draw = 0
    while True:
        weighing = weigh(results, rule, seed, champion_id, candidate_id)
        count = min(rule.draw_tasks, rule.max_tasks - sum(not result.fresh for result in results))
        single = not (weighing.more_overall and count > 0)
        wanted = list(weighing.fresh_types) if single else types
        if not wanted:
            return weighing.verdict
        draw += 1
        drawn = fresh(wanted, rule.type_draw_tasks * len(wanted) if single else count, draw)
        more = [task for task in drawn if task.id not in seen]  # a world may have no others
        if not more:
            return weighing.verdict
        strangers = {task.type for task in more} - set(wanted)
        if strangers:
            raise GateError(
                f"asked for tasks of {', '.join(wanted)}, the draw gave {', '.join(sorted(strangers))}",
                fix="let `fresh` draw from the types it is handed",
            )
        results += await _pairs(evaluate, (champion_id, candidate_id), more, seen, draw=draw, single=single)


async def _pairs(
    evaluate: Evaluate,
    versions: tuple[str, str],
    tasks: Sequence[Task],
    seen: set[str],
    *,
    draw: int,
    single: bool,
) -> list[PairedResult]:
    for task in tasks:
        if task.split is not Split.HELD_OUT:
            raise GateError(
                f"task {task.id} is of split {task.split.value}, and the gate takes held_out alone",
                fix="draw the gate's tasks with Split.HELD_OUT",
            )
        if task.id in seen:
            raise GateError(
                f"task {task.id} was drawn twice", fix="give each draw a seed of its own when drawing tasks"
            )
        seen.add(task.id)
    champion = await evaluate(versions[0], tasks)
    candidate = await evaluate(versions[1], tasks)
    missing: tuple[bool | None, int] = (None, 0)
    pairs: list[PairedResult] = []
    for task in tasks:
        was, was_turns = champion.get(task.id, missing)
        now, now_turns = candidate.get(task.id, missing)
        pairs.append(
            PairedResult(
                task_id=task.id,
                task_type=task.type,
                refusal=task.refusal,
                champion=was,
                candidate=now,
                champion_turns=was_turns,
                candidate_turns=now_turns,
                draw=draw,
                fresh=single,
            )
        )
    return pairs
