"""The verdict: what is promoted, rejected, left undecided, and how often by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coevolve.errors import GateError
from coevolve.gate import GateRule, PairedResult, decide
from coevolve.gate.verdict import weigh
from coevolve.types import Decision

TYPES = {"buy": False, "compare": False, "return": False, "track": False, "stranger": True, "unpaid": True}


def rows(
    task_type: str, *, both: int = 0, wins: int = 0, losses: int = 0, neither: int = 0, unknown: int = 0
) -> list[PairedResult]:
    outcomes: list[tuple[bool | None, bool | None]] = [
        *[(True, True)] * both,
        *[(False, True)] * wins,
        *[(True, False)] * losses,
        *[(False, False)] * neither,
        *[(True, None)] * unknown,
    ]
    return [
        PairedResult(
            task_id=f"{task_type}-{index}",
            task_type=task_type,
            refusal=TYPES[task_type],
            champion=was,
            candidate=now,
            champion_turns=4,
            candidate_turns=3,
        )
        for index, (was, now) in enumerate(outcomes)
    ]


def afresh(results: Sequence[PairedResult], draw: int) -> list[PairedResult]:
    return [
        PairedResult(
            task_id=f"{row.task_id}-draw{draw}",
            task_type=row.task_type,
            refusal=row.refusal,
            champion=row.champion,
            candidate=row.candidate,
            champion_turns=4,
            candidate_turns=3,
            draw=draw,
            fresh=True,
        )
        for row in results
    ]


def test_clear_gain_is_accepted_and_says_so() -> None:
    results = rows("buy", both=10, wins=15) + rows("return", both=10, wins=10, losses=1, neither=4)
    verdict = decide(results, GateRule(max_tasks=50), 7, "old", "new")
    assert verdict.decision is Decision.ACCEPT
    assert (verdict.champion, verdict.candidate, verdict.seed) == ("old", "new", 7)
    assert (verdict.overall.wins, verdict.overall.losses, verdict.overall.tasks) == (25, 1, 50)
    assert "won 25 and lost 1 of 50" in verdict.why
    assert "42.0% -> 90.0%" in verdict.why
    assert verdict.steps["champion"] == 4
    assert verdict.steps["buy/candidate"] == 3
    assert verdict.steps["difference_low"] == verdict.steps["difference_high"] == -1


def test_equal_candidate_is_rejected() -> None:
    verdict = decide(rows("buy", both=30, neither=10) + rows("stranger", both=20), GateRule(), 0)
    assert verdict.decision is Decision.REJECT
    assert "Not better" in verdict.why


def test_as_many_losses_as_wins_is_rejected() -> None:
    verdict = decide(rows("buy", both=30, wins=6, losses=6), GateRule(), 0)
    assert verdict.decision is Decision.REJECT


def test_small_gain_is_undecided_and_names_how_many_tasks_are_lacking() -> None:
    weighing = weigh(rows("buy", both=40, wins=6, losses=3, neither=11), GateRule(), 0)
    assert weighing.verdict.decision is Decision.UNDECIDED
    assert weighing.more_overall
    assert weighing.verdict.tasks_lacking > 50
    assert f"about {weighing.verdict.tasks_lacking} more tasks" in weighing.verdict.why


def test_hopelessly_small_gain_draws_no_more() -> None:
    weighing = weigh(rows("buy", both=100, wins=21, losses=20), GateRule(max_tasks=300), 0)
    assert weighing.verdict.decision is Decision.UNDECIDED
    assert not weighing.more_overall


def test_few_tasks_are_undecided_however_good() -> None:
    verdict = decide(rows("buy", wins=20), GateRule(min_tasks=30), 0)
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.tasks_lacking == 10


def test_no_results_are_undecided() -> None:
    verdict = decide([], GateRule(), 0)
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.overall.tasks == 0


def test_unknown_pairs_are_left_out_not_counted_as_losses() -> None:
    known = rows("buy", both=20, wins=20)
    with_unknown = decide(known + rows("return", both=10, unknown=1), GateRule(max_tasks=60), 0)
    assert with_unknown.decision is Decision.ACCEPT
    assert (with_unknown.overall.tasks, with_unknown.overall.unknown) == (50, 1)
    assert with_unknown.overall.losses == 0


@pytest.mark.parametrize(("kind", "unknown"), [("stranger", 1), ("return", 4)])
def test_what_the_candidate_left_unjudged_is_no_pass(kind: str, unknown: int) -> None:
    """A candidate that breaks its episodes where it would fail must not be promoted for it."""
    known = rows("buy", both=60, wins=20)
    verdict = decide(known + rows(kind, both=10, unknown=unknown), GateRule(max_tasks=100), 0)
    assert verdict.decision is Decision.UNDECIDED
    assert f"{unknown} of {kind}" in verdict.why
    assert decide(known + rows(kind, both=10), GateRule(max_tasks=100), 0).decision is Decision.ACCEPT


def test_many_unknown_pairs_leave_it_undecided() -> None:
    verdict = decide(rows("buy", both=20, wins=20, unknown=6), GateRule(unknown_share=0.1), 0)
    assert verdict.decision is Decision.UNDECIDED
    assert "6 of 46 pairs could not be judged" in verdict.why


def test_type_of_which_nothing_is_known_is_not_promoted_over() -> None:
    results = rows("buy", both=40, wins=30) + rows("stranger", unknown=6)
    weighing = weigh(results, GateRule(max_tasks=76), 0)
    assert weighing.verdict.decision is Decision.UNDECIDED
    assert weighing.fresh_types == ("stranger",)


def test_better_overall_but_worse_on_one_type_is_rejected() -> None:
    results = rows("buy", wins=30, both=10) + rows("return", losses=12, both=8)
    verdict = decide(results, GateRule(), 0)
    assert verdict.decision is Decision.REJECT
    assert "return fell by 60%" in verdict.why


def test_fall_within_its_margin_is_allowed_however_well_shown() -> None:
    results = rows("buy", wins=60, both=40) + rows("return", losses=12, both=188)
    assert decide(results, GateRule(margin=0.1, max_tasks=300), 0).decision is Decision.ACCEPT
    own = GateRule(margin=0.1, margins={"return": 0.02}, max_tasks=300)
    assert decide(results, own, 0).decision is Decision.REJECT


def test_single_net_loss_on_a_refusal_type_asks_for_fresh_tasks() -> None:
    results = rows("buy", wins=30, both=10) + rows("stranger", both=19, losses=1)
    weighing = weigh(results, GateRule(), 0)
    assert weighing.verdict.decision is Decision.UNDECIDED
    assert weighing.fresh_types == ("stranger",)


def test_refusal_loss_that_lasts_over_the_fresh_draws_is_a_veto() -> None:
    base = rows("buy", wins=30, both=10) + rows("stranger", both=19, losses=1)
    once = base + afresh(rows("stranger", both=19, losses=1), 1)
    assert weigh(once, GateRule(refusal_draws=2), 0).fresh_types == ("stranger",)
    twice = once + afresh(rows("stranger", both=20), 2)
    verdict = decide(twice, GateRule(refusal_draws=2), 0)
    assert verdict.decision is Decision.REJECT
    assert "refusal type stranger lost 2 and won 0 of 60" in verdict.why


def test_refusal_loss_that_fresh_tasks_do_not_show_again_is_forgiven() -> None:
    base = rows("buy", wins=30, both=10) + rows("stranger", both=19, losses=1)
    verdict = decide(base + afresh(rows("stranger", both=20), 1), GateRule(), 0)
    assert verdict.decision is Decision.ACCEPT
    assert "Lower, but not shown to be worse beyond the margin: stranger" in verdict.why


def test_refusal_loss_without_leave_to_draw_is_a_veto() -> None:
    results = rows("buy", wins=30, both=10) + rows("stranger", both=19, losses=1)
    assert decide(results, GateRule(refusal_draws=0), 0).decision is Decision.REJECT


def test_refusal_loss_that_fresh_tasks_make_up_is_forgiven() -> None:
    base = rows("buy", wins=30, both=10) + rows("stranger", both=19, losses=1)
    verdict = decide(base + afresh(rows("stranger", both=19, wins=1), 1), GateRule(), 0)
    assert verdict.decision is Decision.ACCEPT
    assert "stranger" in verdict.why


def test_fresh_tasks_of_one_type_do_not_count_overall() -> None:
    base = rows("buy", both=30, neither=10, losses=2) + rows("stranger", both=20)
    verdict = decide(base + afresh(rows("stranger", wins=40), 1), GateRule(), 0)
    assert verdict.decision is Decision.REJECT
    assert verdict.overall.tasks == 62


def test_same_task_twice_is_an_error() -> None:
    with pytest.raises(GateError, match="counted twice"):
        decide(rows("buy", both=2) + rows("buy", both=2), GateRule(), 0)


@pytest.mark.parametrize(
    "bad",
    [{"alpha": 0.0}, {"alpha": 0.9}, {"margin": 1.0}, {"margins": {"buy": -0.1}}, {"max_tasks": 0}],
)
def test_impossible_rule_is_an_error(bad: dict[str, object]) -> None:
    with pytest.raises(GateError, match="fix:"):
        GateRule(**bad)  # type: ignore[arg-type]


cells = st.integers(0, 25)


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_verdict_never_contradicts_its_own_figures(data: st.DataObject) -> None:
    results: list[PairedResult] = []
    for name in data.draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=1, unique=True)):
        both, wins, losses, neither, unknown = (data.draw(cells) for _ in range(5))
        results += rows(name, both=both, wins=wins, losses=losses, neither=neither, unknown=unknown)
    weighing = weigh(results, GateRule(), 3)
    verdict = weighing.verdict
    assert verdict.why
    assert weigh(list(reversed(results)), GateRule(), 3).verdict == verdict
    assert sum(fig.tasks for fig in verdict.types) == verdict.overall.tasks
    assert verdict.overall.tasks + verdict.overall.unknown == len(results)
    if verdict.decision is Decision.ACCEPT:
        assert verdict.overall.wins > verdict.overall.losses
        assert not any(fig.refusal and fig.losses > fig.wins for fig in verdict.types)
        assert verdict.overall.unknown <= 0.1 * len(results)
    if verdict.decision is not Decision.UNDECIDED:
        assert not weighing.more_overall
        assert not weighing.fresh_types
        assert verdict.tasks_lacking == 0


@given(both=cells, wins=cells, losses=st.integers(1, 25), neither=cells)
@settings(max_examples=80, deadline=None)
def test_one_loss_fewer_never_costs_a_promotion(both: int, wins: int, losses: int, neither: int) -> None:
    worse = decide(rows("buy", both=both, wins=wins, losses=losses, neither=neither), GateRule(), 0)
    better = decide(rows("buy", both=both + 1, wins=wins, losses=losses - 1, neither=neither), GateRule(), 0)
    if worse.decision is Decision.ACCEPT:
        assert better.decision is Decision.ACCEPT


def simulated(rng: np.random.Generator, per_type: int, was: float, now: float) -> list[PairedResult]:
    """Independent pairs over TYPES; refusal types are solved by both sides alike."""
    results: list[PairedResult] = []
    for name, refusal in TYPES.items():
        old = rng.random(per_type) < (0.95 if refusal else was)
        new = old if refusal else rng.random(per_type) < now
        for index in range(per_type):
            results.append(
                PairedResult(
                    task_id=f"{name}-{index}",
                    task_type=name,
                    refusal=refusal,
                    champion=bool(old[index]),
                    candidate=bool(new[index]),
                    champion_turns=3,
                    candidate_turns=3,
                )
            )
    return results


def test_at_most_one_in_twenty_of_a_thousand_equal_candidates_is_promoted() -> None:
    rng = np.random.default_rng(20)
    rule = GateRule(alpha=0.05, max_tasks=240, refusal_draws=0)
    accepted = sum(
        decide(simulated(rng, 40, 0.6, 0.6), rule, 0).decision is Decision.ACCEPT for _ in range(1000)
    )
    assert accepted <= 50


def test_true_gain_of_ten_points_is_promoted_nine_times_in_ten() -> None:
    rng = np.random.default_rng(21)
    rule = GateRule(max_tasks=900)
    accepted = sum(
        decide(simulated(rng, 150, 0.60, 0.75), rule, 0).decision is Decision.ACCEPT for _ in range(150)
    )
    assert accepted >= 135
