"""What learners eat: recorded ids only, the mask on good turns only, pairs at the deciding turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from coevolve.errors import PoolError
from coevolve.examples import (
    IMITATED,
    REPLAY,
    Example,
    build_examples,
    build_pairs,
    choose_examples,
    replay_places,
    surprise,
)
from coevolve.types import (
    Action,
    Operation,
    Outcome,
    PoolEntry,
    PoolVersion,
    Reward,
    Signal,
    Split,
    StopReason,
    Task,
    Trajectory,
    Turn,
)

TASK = Task(id="t", type="price", split=Split.TRAIN, seed=0, difficulty=1, opening="hello")


def turn(index: int, *output: int, tool: str = "", by: str = "agent", **other: object) -> Turn:
    """A turn whose action is told apart by its output ids, after a context of two ids."""
    blank = Turn(
        index=index,
        observation="",
        raw="x",
        action=Action(tool or f"tool{output[0]}", {"n": output[0]}),
        by=by,
        context_ids=(100 + index, 200 + index),
        output_ids=output,
    )
    return replace(blank, **other)  # type: ignore[arg-type]


def entry(
    name: str,
    *turns: Turn,
    operation: Operation = Operation.OWN_SUCCESS,
    sources: tuple[str, ...] = (),
    signals: tuple[Signal, ...] = (),
    task: Task = TASK,
) -> PoolEntry:
    good = operation is not Operation.OWN_FAILURE
    outcome = Outcome.SUCCESS if good else Outcome.FAILURE
    return PoolEntry(
        id=f"e-{name}",
        operation=operation,
        trajectory=Trajectory(
            id=name,
            session_id=name,
            task=task,
            version="teacher" if operation is Operation.DEMONSTRATION else "v",
            seed=0,
            turns=turns,
            stop=StopReason.DONE,
            signals=signals,
            reward=Reward(total=1.0 if good else -1.0, outcome=outcome, turns=(), first_wrong=None, why=""),
        ),
        sources=sources or (name,),
        synthetic=False,
        executed=good,
    )


def pool(*entries: PoolEntry) -> PoolVersion:
    return PoolVersion(id="p", parent=None, entries=entries)


def learned(*entries: PoolEntry) -> list[int]:
    (example,) = build_examples(pool(*entries))
    assert len(example.ids) == len(example.mask)
    return [token for token, on in zip(example.ids, example.mask, strict=True) if on]


def test_an_example_is_the_recorded_ids_in_their_order_with_the_mask_on_the_actors_own() -> None:
    (example,) = build_examples(pool(entry("a", turn(0, 1, 2), turn(1, 3))))
    assert example.ids == (100, 200, 1, 2, 101, 201, 3)
    assert example.mask == (False, False, True, True, False, False, True)
    assert (example.task_type, example.entry) == ("price", "e-a")


def test_failures_are_never_imitated() -> None:
    good, bad = entry("a", turn(0, 1)), entry("b", turn(0, 2), operation=Operation.OWN_FAILURE)
    assert [example.entry for example in build_examples(pool(good, bad))] == ["e-a"]


def test_a_turn_without_an_action_is_seen_but_not_imitated() -> None:
    broken = turn(1, 2, action=None, error="cut off")
    assert learned(entry("a", turn(0, 1), broken, turn(2, 3))) == [1, 3]


def test_text_that_had_to_be_mended_is_not_imitated() -> None:
    assert learned(entry("a", turn(0, 1, events=("repaired: missing last brace",)), turn(1, 2))) == [2]


def test_a_refused_call_that_was_corrected_later_is_not_imitated() -> None:
    refused = turn(0, 1, tool="get_order", error="no order 7")
    assert learned(entry("a", refused, turn(1, 2, tool="get_order"))) == [2]


def test_a_refusal_worth_hearing_leaves_its_turn_good() -> None:
    expired = turn(0, 1, tool="apply_coupon", error="coupon expired")
    assert learned(entry("a", expired, turn(1, 2, tool="reply"))) == [1, 2]


def test_a_turn_with_a_grave_fault_is_not_imitated_even_in_a_success() -> None:
    fault = Signal("acted_before_reading", -0.5, "unread", turn=0)
    slight = Signal("slight", -0.1, "slight", turn=1)
    assert learned(entry("a", turn(0, 1), turn(1, 2), signals=(fault, slight))) == [2]


def test_an_explored_turn_is_imitated_only_where_it_helped() -> None:
    harm = Signal("detour", -0.2, "led nowhere", turn=0)
    help_ = Signal("milestone", 0.2, "order read", turn=0)
    explored = turn(0, 1, explored=True)
    assert learned(entry("a", explored, turn(1, 2), signals=(harm,))) == [2]
    assert learned(entry("a", explored, turn(1, 2))) == [2]
    assert learned(entry("a", explored, turn(1, 2), signals=(help_,))) == [1, 2]


def test_a_teachers_turns_are_imitated_whatever_the_tool_answered() -> None:
    declined = turn(0, 1, by="teacher", error="declined")
    shown = entry("a", declined, turn(1, 2, by="teacher"), operation=Operation.DEMONSTRATION)
    assert learned(shown) == [1, 2]


def test_of_a_completion_the_good_turns_before_the_teachers_are_imitated_too() -> None:
    wrong = turn(1, 2, action=None, error="malformed")
    mended = entry("c", turn(0, 1), wrong, turn(2, 3, by="teacher"), operation=Operation.TEACHER_COMPLETION)
    assert learned(mended) == [1, 3]


def test_what_follows_the_last_good_turn_is_cut_off() -> None:
    (example,) = build_examples(pool(entry("a", turn(0, 1), turn(1, 2, action=None))))
    assert example.ids == (100, 200, 1)


def test_an_entry_without_ids_is_named() -> None:
    with pytest.raises(PoolError, match=r"e-a .*turn 1"):
        build_examples(pool(entry("a", turn(0, 1), replace(turn(1, 2), output_ids=()))))
    with pytest.raises(PoolError, match="e-a"):
        build_examples(pool(entry("a", replace(turn(0, 1), context_ids=()))))


def test_a_pool_with_nothing_to_imitate_is_an_error_with_a_fix() -> None:
    for empty in (pool(), pool(entry("b", turn(0, 2), operation=Operation.OWN_FAILURE))):
        with pytest.raises(PoolError, match="nothing to imitate") as raised:
            build_examples(empty)
        assert raised.value.fix


@pytest.mark.parametrize("split", [Split.HELD_OUT, Split.TEST, Split.VALIDATION])
def test_tasks_of_a_split_that_measures_are_never_learned_from(split: Split) -> None:
    leaked = pool(entry("a", turn(0, 1)), entry("b", turn(0, 1), task=replace(TASK, split=split)))
    for build in (build_examples, build_pairs):
        with pytest.raises(PoolError, match=f"e-b .* {split.value} task"):
            build(leaked)


def failure(name: str, *turns: Turn, task: Task = TASK) -> PoolEntry:
    return entry(name, *turns, operation=Operation.OWN_FAILURE, task=task)


def test_success_and_failure_part_at_the_first_turn_that_differs() -> None:
    (pair,) = build_pairs(pool(entry("a", turn(0, 1), turn(1, 2)), failure("b", turn(0, 1), turn(1, 3, 4))))
    assert pair.prompt_ids == (100, 200, 1, 101, 201)
    assert (pair.chosen_ids, pair.rejected_ids) == ((2,), (3, 4))
    assert (pair.task_type, pair.entry) == ("price", "e-a")


def test_other_tasks_and_other_worlds_answers_make_no_pair() -> None:
    good = entry("a", turn(0, 1), turn(1, 2))
    elsewhere = failure("b", turn(0, 3), task=replace(TASK, id="other"))
    answered = failure("c", turn(0, 1), replace(turn(1, 3), context_ids=(7, 7)))
    assert build_pairs(pool(good, elsewhere, answered)) == []


def test_the_same_action_in_other_words_makes_no_pair() -> None:
    reworded = replace(turn(0, 9), action=turn(0, 1).action)
    assert build_pairs(pool(entry("a", turn(0, 1)), failure("b", reworded, turn(1, 3)))) == []


def test_a_chosen_turn_that_was_wrong_itself_makes_no_pair() -> None:
    fault = Signal("wrong", -0.8, "wrong", turn=0)
    good = entry("a", turn(0, 1), turn(1, 2), signals=(fault,))
    assert build_pairs(pool(good, failure("b", turn(0, 3)))) == []


def test_a_malformed_turn_can_be_the_rejected_side() -> None:
    broken = turn(0, 3, action=None, error="malformed")
    (pair,) = build_pairs(pool(entry("a", turn(0, 1)), failure("b", broken)))
    assert pair.rejected_ids == (3,)


def test_a_completion_is_paired_with_the_failure_it_mends() -> None:
    mended = entry(
        "c", turn(0, 1), turn(1, 2, by="teacher"), operation=Operation.TEACHER_COMPLETION, sources=("b",)
    )
    (pair,) = build_pairs(pool(mended, failure("b", turn(0, 1), turn(1, 3))))
    assert (pair.chosen_ids, pair.rejected_ids, pair.entry) == ((2,), (3,), "e-c")


def test_a_teachers_thought_before_the_same_action_makes_a_pair_too() -> None:
    act = turn(1, 2).action
    mended = entry(
        "c", turn(0, 1), turn(1, 2, by="teacher"), operation=Operation.TEACHER_COMPLETION, sources=("b",)
    )
    (pair,) = build_pairs(pool(mended, failure("b", turn(0, 1), turn(1, 3, action=act))))
    assert (pair.chosen_ids, pair.rejected_ids) == ((2,), (3,))
    own = entry("o", turn(0, 1), turn(1, 2))
    assert build_pairs(pool(own, failure("b", turn(0, 1), turn(1, 3, action=act)))) == []


def test_a_failure_is_paired_with_the_success_that_goes_along_with_it_longest() -> None:
    early = entry("a", turn(0, 5), turn(1, 6))
    late = entry("b", turn(0, 1), turn(1, 2))
    pairs = build_pairs(pool(early, late, failure("c", turn(0, 1), turn(1, 3))))
    assert [pair.entry for pair in pairs] == ["e-b"]


def test_a_short_success_is_preferred_to_a_long_one() -> None:
    short = entry("a", turn(0, 1), turn(1, 2))
    long = entry("b", turn(0, 1), turn(1, 3), turn(2, 2))
    (pair,) = build_pairs(pool(long, short))
    assert (pair.chosen_ids, pair.rejected_ids, pair.entry) == ((2,), (3,), "e-a")
    assert build_pairs(pool(short, entry("c", turn(0, 4), turn(1, 5)))) == []


def test_the_same_pair_is_given_once() -> None:
    good = entry("a", turn(0, 1))
    assert len(build_pairs(pool(good, failure("b", turn(0, 3)), failure("c", turn(0, 3))))) == 1


def test_a_pool_without_pairs_gives_none_and_no_error() -> None:
    assert build_pairs(pool()) == []


def test_chosen_examples_are_as_many_of_each_type_and_leave_room_for_replay() -> None:
    def made(kind: str, count: int) -> list[Example]:
        return [
            Example(ids=(1, 2), mask=(False, True), task_type=kind, entry=f"{kind}{k}") for k in range(count)
        ]

    def chosen(count: int, seed: int, places: Mapping[str, float] = MappingProxyType({})) -> list[Example]:
        return choose_examples(examples, fresh, places, count, seed)

    examples = [*made("weak", 60), *made("strong", 40), *made("rare", 4)]
    fresh = {f"weak{k}" for k in range(40)} | {"strong0", "strong1"}
    counts = Counter(one.task_type for one in chosen(44, 1))
    assert counts == {"weak": 20, "strong": 20, "rare": 4}
    replayed = [one.entry for one in chosen(44, 1) if one.task_type == "weak" and one.entry not in fresh]
    assert 3 <= len(replayed) <= 5  # a quarter of an equal share of 15
    assert {"strong0", "strong1"} <= {one.entry for one in chosen(44, 1)}
    assert chosen(44, 1) == chosen(44, 1) != chosen(44, 2)
    assert chosen(104, 1) == examples
    later = {f"strong{k}": 1 for k in range(20, 40)}
    assert not [one for one in chosen(44, 1, later) if one.entry in later]
    assert set(REPLAY) == IMITATED  # every kind that is imitated has its place


def test_replay_takes_corrections_first_then_what_surprised_the_agent_and_demonstrations_last() -> None:
    def own(name: str, *logprobs: float) -> PoolEntry:
        made = entry(name, turn(0, 1))
        turns = tuple(replace(one, logprobs=logprobs) for one in made.trajectory.turns)
        return replace(
            made, operation=Operation.OWN_SUCCESS, trajectory=replace(made.trajectory, turns=turns)
        )

    easy, hard, unknown = own("easy", -0.1), own("hard", -4.1), own("unknown")
    shown = replace(entry("shown", turn(0, 1)), operation=Operation.DEMONSTRATION)
    mended = replace(entry("mended", turn(0, 1)), operation=Operation.TEACHER_COMPLETION)
    places = replay_places(pool(easy, shown, hard, mended, unknown, failure("bad", turn(0, 3))))
    assert sorted(places, key=places.__getitem__) == ["e-mended", "e-hard", "e-unknown", "e-easy", "e-shown"]
    assert surprise(hard.trajectory) == pytest.approx(4.1)
    assert surprise(unknown.trajectory) is None
