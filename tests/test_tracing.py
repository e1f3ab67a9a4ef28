from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import coevolve
from coevolve.database.tables import trajectories
from coevolve.errors import ConfigError
from coevolve.feedback import RewardRule, score
from coevolve.feedback.behaviour import user_messages
from coevolve.feedback.verification import fits
from coevolve.feedback.watch import watch
from coevolve.live import Listening, score_live
from coevolve.store import Store, open_store
from coevolve.store.key import KEY_VARIABLE
from coevolve.store.redaction import Redactor, subject_of
from coevolve.tracing import in_clear, recorded, trace
from coevolve.types import Action, Outcome, Party, Split, StopReason, Trajectory
from heartbeat import until_the_loop_turned

SECRET = "sk-proj-abcdEFGH1234567890xyzW"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "k" * 32)  # which a store on PostgreSQL needs


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Store]:
    """A store of which the database does not matter."""
    opened = open_store(f"sqlite:///{tmp_path / 'x.db'}")
    yield opened
    opened.close()


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
    with pytest.raises(ValueError, match=SECRET), trace(store, task_type="refund"):
        raise ValueError(f"bad key {SECRET}")
    (kept,) = store.find()
    assert kept.failure is not None and kept.failure.why.startswith("ValueError: bad key <")
    assert SECRET not in repr(kept)


def test_secrets_do_not_reach_the_disk_and_have_the_placeholders_of_the_other_doors(
    file: Store, tmp_path: Path
) -> None:
    with trace(file, task_type="refund") as episode:
        episode.user(f"Write to ann.lee@example.org, the key is {SECRET}.")
        episode.call("mail", {"to": "ann.lee@example.org"}, "sent to ann.lee@example.org")
        episode.reply("Done.")
        episode.check("sent", True, "ann.lee@example.org has it")
    (kept,) = file.find()
    assert kept.turns[0].action is not None
    placeholder = Redactor(b"k" * 32).text("ann.lee@example.org")
    assert kept.turns[0].action.args == {"to": placeholder}
    assert kept.id == episode.id  # by which feedback means it
    file.close()
    held = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert b"ann.lee" not in held and SECRET.encode() not in held


def test_nothing_is_redacted_where_that_is_asked_for(store: Store) -> None:
    with trace(store, task_type="x", keep=in_clear) as episode:
        episode.user("I am ann.lee@example.org.")
    assert store.find()[0].task.opening == "I am ann.lee@example.org."


def test_a_store_without_a_key_is_told_before_the_block_runs(
    file: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = file.database.engine.url.set(drivername="postgresql")
    monkeypatch.delenv(KEY_VARIABLE)
    monkeypatch.setattr(file.database.engine, "url", elsewhere)
    with pytest.raises(ConfigError, match="needs a key"), trace(file, task_type="x"):
        pytest.fail("the block ran")
    with trace(file, task_type="x", keep=in_clear) as episode:
        episode.reply("fine")


def test_the_users_last_words_are_kept_as_what_came_of_the_last_reply(file: Store) -> None:
    with trace(file, task_type="refund") as episode:
        episode.user("Where is my order?")
        episode.reply("On its way.")
        episode.user("You said that yesterday.")
        episode.user("That did not help.")
    (kept,) = file.find()
    assert user_messages(kept)[-1] == (1, "You said that yesterday.\nThat did not help.")
    assert kept.stop is StopReason.LEFT


def test_what_a_user_does_becomes_a_sign_in_the_reward(file: Store) -> None:
    with trace(file, task_type="refund") as episode:
        episode.user("Where is my order?")
        episode.reply("Well, let me tell you about our history first.")
        episode.interrupted()
        episode.user("No. Where is it?")
        episode.reply("I do not know.")
        episode.left()
    (scored,) = score_live(file, Listening()).scored
    assert [(one.name, one.turn) for one in scored.signals if one.name.startswith("behaviour")] == [
        ("behaviour.interruption", 0),
        ("behaviour.abandonment", None),
    ]


def test_a_look_up_that_found_little_is_a_sign_where_better_ones_are_usual(file: Store) -> None:
    for k in range(25):
        with trace(file, task_type="docs", session_id=f"s{k}") as episode:
            episode.user(f"How do I mend part {k}?")
            episode.retrieved(0.8 + k / 1000 if k else 0.123456789)
            episode.reply("As the manual says.")
    scored = {one.session_id: one for one in score_live(file, Listening()).scored}
    low = [name for name, one in scored.items() if "behaviour.low_retrieval" in {s.name for s in one.signals}]
    assert low == ["s0"]
    assert scored["s0"].turns[0].events == ("retrieval_score:0.1235",)


def test_what_was_verified_in_a_block_decides_its_outcome_and_reaches_the_watch(file: Store) -> None:
    for k in range(80):
        with trace(file, task_type="code", version=f"v{k // 40}") as episode:
            episode.user("Give me a list of numbers.")
            answer = "[1, 2]" if k < 40 else '["one"]'
            episode.reply(answer)
            episode.check("schema", *fits(answer, list[int]))
    raw = file.find()
    scored = [score(one, lambda _: (), RewardRule()) for one in raw]
    assert {(one.version, one.reward.outcome) for one in scored if one.reward is not None} == {
        ("v0", Outcome.SUCCESS),
        ("v1", Outcome.FAILURE),
    }
    paid = [replace(one, reward=replace(one.reward, total=0.9)) for one in scored if one.reward is not None]
    alarms = watch(["v0", "v1"], paid)
    assert [(one.trace, one.version) for one in alarms if one.trace == "rewarded_failure"] == [
        ("rewarded_failure", "v1")
    ]


async def test_an_async_block_leaves_the_event_loop_free_while_it_is_written(
    file: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, loop = file.append, asyncio.get_running_loop()

    def slow(*given: Any, **more: Any) -> None:
        until_the_loop_turned(loop)
        real(*given, **more)

    monkeypatch.setattr(file, "append", slow)
    async with trace(file, task_type="plan", session_id="s") as outer:
        async with trace(file, task_type="look") as inner:
            await look_up("x")
            inner.reply("x")
        outer.reply("done")
    found = {one.id: one for one in file.find()}
    assert found[inner.id].parent == outer.id
    assert found[inner.id].turns[0].action == Action("look_up", {"word": "x"})


async def test_a_cancelled_block_is_written_and_its_user_has_left(file: Store) -> None:
    began = asyncio.Event()

    async def served() -> None:
        async with trace(file, task_type="plan") as episode:
            episode.user("Take your time.")
            began.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(served())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (kept,) = file.find()
    assert (kept.stop, kept.failure) == (StopReason.LEFT, None)


async def test_who_is_cancelled_while_a_block_is_written_loses_nothing(
    file: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, began, go, done = file.append, asyncio.Event(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(*given: Any, **more: Any) -> None:
        loop.call_soon_threadsafe(began.set)
        assert go.wait(10)
        real(*given, **more)
        loop.call_soon_threadsafe(done.set)

    async def served() -> None:
        async with trace(file, task_type="plan") as episode:
            episode.reply("done")

    monkeypatch.setattr(file, "append", slow)
    task = asyncio.create_task(served())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go.set()
    await asyncio.wait_for(done.wait(), 10)
    assert len(file.find()) == 1
