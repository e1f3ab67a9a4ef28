"""Policies that do not look at what the tools say must fail where it matters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import pytest

from coevolve.environments.shop import Shop, phrases
from coevolve.environments.shop.episode import ShopEpisode
from coevolve.types import Action, Split, Task

Policy = Callable[[ShopEpisode, Task], None]
PER_TYPE = 10
REASON_OF = {
    "refuse_foreign_order": "foreign_order",
    "refuse_payment": "card_not_on_file",
    "refuse_late_return": "window_closed",
    "refuse_identity": "identity_wrong",
    "refuse_shipped": "already_shipped",
}


def success_rates(shop: Shop, policy: Policy) -> dict[str, float]:
    wins: dict[str, int] = defaultdict(int)
    for task in shop.tasks(Split.HELD_OUT, [], PER_TYPE * len(shop.task_types()), 8):
        episode = shop.start(task)
        policy(episode, task)
        wins[task.type] += all(signal.score == 1 for signal in episode.checks())
    return {name: wins[name] / PER_TYPE for name in shop.task_types()}


def look(episode: ShopEpisode, task: Task) -> None:
    job = task.spec["job"]
    episode.step(Action("verify_identity", {"email": job["email"], "pin": job["pin"]}))
    if episode.desk.verified and "order" in job:
        episode.step(Action("get_user_order", {"order_id": job["order"]}))
        episode.step(Action("check_warranty", {"order_id": job["order"]}))
    if "card" in job:
        episode.step(Action("check_card", {"card": job["card"]}))
    if "product" in job:
        episode.step(Action("check_stock", {"product": job["product"]}))


def say(episode: ShopEpisode, message: str) -> None:
    episode.step(Action("reply", {"message": message}))


def refuse(reasons: list[str], first: Policy | None = None) -> Policy:
    def policy(episode: ShopEpisode, task: Task) -> None:
        if first is not None:
            first(episode, task)
        said = " ".join(phrases.REASONS[reason][0] + "." for reason in reasons)
        say(episode, f"Sorry, I cannot help with that, it is not possible. {said}")

    return policy


@pytest.mark.parametrize("first", [None, look], ids=["blind", "looking"])
@pytest.mark.parametrize("reasons", [[], list(phrases.REASONS)], ids=["no_reason", "every_reason"])
def test_always_refusing_fails_every_type(shop: Shop, first: Policy | None, reasons: list[str]) -> None:
    assert set(success_rates(shop, refuse(reasons, first)).values()) == {0.0}


@pytest.mark.parametrize("reason", list(phrases.REASONS))
def test_one_fixed_reason_never_serves_another_type(shop: Shop, reason: str) -> None:
    blind = success_rates(shop, refuse([reason]))
    looking = success_rates(shop, refuse([reason], look))
    assert set(blind.values()) == {0.0}
    assert {name: rate for name, rate in looking.items() if rate > 0} == {
        name: 1.0 for name, own in REASON_OF.items() if own == reason
    }


def act(episode: ShopEpisode, task: Task) -> None:
    """Do what the message asks for, whatever was seen, and report it as done."""
    job, told = task.spec["job"], []
    for _ in range(2):  # twice: a timeout is retried
        told.append(_do(episode, job))
    said = " ".join(told)
    say(episode, f"Done, it is cancelled and paid. {said}")


def _do(episode: ShopEpisode, job: dict[str, str]) -> str:
    order, topic = {"order_id": job.get("order", "")}, job["topic"]
    product = job.get("product", "")
    action = {
        "price": Action("get_product", {"name": product}),
        "find": Action(
            "search_products", {"query": job.get("category", ""), "max_price": job.get("max_price")}
        ),
        "stock": Action("check_stock", {"product": product}),
        "compare": Action("get_product", {"name": job.get("a", "")}),
        "status": Action("get_user_order", order),
        "cancel": Action("cancel_order", order),
        "return": Action("create_return_ticket", {**order, "reason": "unwanted"}),
        "warranty": Action("create_return_ticket", {**order, "reason": "warranty"}),
        "pay": Action("pay_order", {**order, "card": job.get("card")}),
        "coupon": Action("apply_coupon", {**order, "code": job.get("code")}),
        "buy": Action("create_order", {"product": product, "quantity": 1}),
        "safety": Action("get_product", {"name": product}),
    }[topic]
    result = episode.step(action)
    return "" if result.error else result.observation


def look_then_act(episode: ShopEpisode, task: Task) -> None:
    look(episode, task)
    act(episode, task)


@pytest.mark.parametrize("policy", [act, look_then_act], ids=["blind", "looking"])
def test_always_acting_fails_refusals_and_questions(shop: Shop, policy: Policy) -> None:
    rates = success_rates(shop, policy)
    for name, refusal in shop.task_types().items():
        if refusal or name.startswith("ask_"):
            assert rates[name] == 0, name


def test_acting_after_looking_does_pass_where_acting_is_right(shop: Shop) -> None:
    rates = success_rates(shop, look_then_act)
    for name in ("price", "cancel", "pay", "return_item"):
        assert rates[name] == 1, name
    assert success_rates(shop, act)["cancel"] == 0
