from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
import sqlalchemy as sa

import coevolve
from coevolve.database.tables import trajectories
from coevolve.store import Store
from coevolve.store.key import KEY_VARIABLE
from coevolve.store.redaction import Redactor, subject_of
from coevolve.tracing import recorded, trace
from coevolve.types import Action, Party, Split, StopReason, Trajectory


@recorded
def get_order(order_id: str, *, full: bool = False) -> dict[str, object]:
    if order_id == "0":
        raise KeyError("no such order")
    return {"order": order_id, "total": 12}


@recorded
async def look_up(word: str) -> str:
    await asyncio.sleep(0)
    return f"about {word}"


def test_a_block_is_a_trajectory_on_the_disk_when_it_ends(store: Store) -> None:
    with trace(store, task_type="refund", session_id="s-9", agent="clerk", version="v3") as episode:
        episode.user("I want my money back for 77.")
        assert get_order("77", full=True) == {"order": "77", "total": 12}
        episode.reply("You get 12 back.")
    (kept,) = store.find()
    assert (kept.session_id, kept.agent, kept.version, kept.stop) == ("s-9", "clerk", "v3", StopReason.DONE)
    assert (kept.task.type, kept.task.split, kept.task.opening) == (
        "refund",
        Split.LIVE,
        "I want my money back for 77.",
    )
    first, second = kept.turns
    assert first.action == Action("get_order", {"order_id": "77", "full": True})
    assert (first.observation, first.result) == (kept.task.opening, '{"order": "77", "total": 12}')
    assert (second.observation, second.action) == (
        first.result,
        Action("reply", {"message": "You get 12 back."}),
    )


def test_what_raises_is_recorded_and_raised_again(store: Store) -> None:
    with (
        pytest.raises(KeyError, match="no such order"),
        trace(store, task_type="refund") as episode,
    ):
        episode.user("Order 0?")
        get_order("0")
    (kept,) = store.find()
    assert kept.failure is not None
    assert (kept.failure.party, kept.stop) == (Party.AGENT, StopReason.FAILED)
    assert kept.turns[0].error == "KeyError: 'no such order'"


def test_blocks_inside_blocks_are_parent_and_child_of_one_session(store: Store) -> None:
    with trace(store, task_type="plan", agent="planner", session_id="s") as outer:
        with trace(store, task_type="check", agent="checker") as inner:
            inner.reply("fine")
        outer.reply("done")
    found = {one.agent: one for one in store.find()}
    assert found["checker"].parent == found["planner"].id == outer.id
    assert found["checker"].session_id == "s"
    assert len(found["planner"].turns) == 1  # the child's turns are its own


async def test_tasks_at_the_same_time_do_not_mix(store: Store) -> None:
    async def one(word: str) -> None:
        with trace(store, task_type="look", session_id=word) as episode:
            episode.user(word)
            await look_up(word)
            episode.reply(word)

    await asyncio.gather(*(one(f"word{k}") for k in range(20)))
    for kept in store.find():
        assert [turn.action for turn in kept.turns] == [
            Action("look_up", {"word": kept.session_id}),
            Action("reply", {"message": kept.session_id}),
        ]


def test_the_user_of_a_block_and_of_those_inside_it_is_known_by_a_keyed_hash_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "k")
    with trace(store, task_type="plan", user="ann") as outer:
        outer.reply("one")
        with trace(store, task_type="check") as inner:
            inner.reply("two")
        with trace(store, task_type="check", user="bob") as other:
            other.reply("three")
    with trace(store, task_type="plan") as nobodys:
        nobodys.reply("four")
    with store.database.read() as connection:
        query = sa.select(trajectories.c.id, trajectories.c.subject)
        found = {row.id: row.subject for row in connection.execute(query)}
    ann, bob = (subject_of(b"k", user) for user in ("ann", "bob"))
    assert found == {outer.id: ann, inner.id: ann, other.id: bob, nobodys.id: None}
    assert "ann" not in repr(store.find())


def test_outside_of_a_block_a_recorded_function_only_runs() -> None:
    assert get_order("5")["total"] == 12
    assert asyncio.run(look_up("x")) == "about x"


def test_a_trajectory_goes_through_keep_before_it_is_written(store: Store) -> None:
    def without_opening(one: Trajectory) -> Trajectory:
        return replace(one, task=replace(one.task, opening="(removed)"))

    with trace(store, task_type="x", keep=without_opening) as episode:
        episode.user("secret")
    assert store.find()[0].task.opening == "(removed)"


def test_the_package_itself_offers_both() -> None:
    assert (coevolve.trace, coevolve.recorded) == (trace, recorded)


def test_an_unknown_name_of_the_package_is_an_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        coevolve.nothing  # noqa: B018


def test_what_an_exception_says_goes_through_the_redactor_too(store: Store) -> None:
    key = "sk-proj-abcdEFGH1234567890xyzW"
    redactor = Redactor(b"k" * 32)
    with (
        pytest.raises(ValueError, match=key),
        trace(store, task_type="refund", keep=redactor.trajectory),
    ):
        raise ValueError(f"bad key {key}")
    (kept,) = store.find()
    assert kept.failure is not None and kept.failure.why.startswith("ValueError: bad key <")
    assert key not in repr(kept)
