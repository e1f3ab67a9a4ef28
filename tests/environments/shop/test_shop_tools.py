from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from coevolve.environments.shop.episode import ShopEpisode
from coevolve.environments.shop.world import world_from_json, world_to_json
from coevolve.errors import WorldError
from coevolve.types import Action, Task

Opened = Callable[..., tuple[Task, ShopEpisode]]


def call(episode: ShopEpisode, tool: str, **args: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    result = episode.step(Action(tool, args))
    return json.loads(result.observation), result.events


def identify(episode: ShopEpisode, task: Task) -> None:
    job = task.spec["job"]
    call(episode, "verify_identity", email=job["email"], pin=job["pin"])


def failed(episode: ShopEpisode) -> set[str]:
    return {signal.name for signal in episode.checks() if signal.score == -1}


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("list_orders", {}),
        ("get_user_order", {}),
        ("create_order", {"product": "x", "quantity": 1}),
        ("pay_order", {"card": "1000"}),
        ("cancel_order", {}),
        ("create_return_ticket", {"reason": "unwanted"}),
        ("check_warranty", {}),
        ("apply_coupon", {"code": "X"}),
    ],
)
def test_account_tools_need_identity(opened: Opened, tool: str, args: dict[str, Any]) -> None:
    task, episode = opened("cancel")
    if tool not in ("list_orders", "create_order"):
        args = {"order_id": task.spec["job"]["order"], **args}
    assert call(episode, tool, **args) == ({"error": "identity not verified"}, ("violation:no_identity",))
    assert not episode.changes
    assert "policy_kept" in failed(episode)


def test_a_foreign_order_can_be_cancelled_and_leaves_a_violation(opened: Opened) -> None:
    task, episode = opened("refuse_foreign_order", lambda task: task.spec["job"]["topic"] == "cancel")
    identify(episode, task)
    seen, _ = call(episode, "get_user_order", order_id="#" + task.spec["job"]["order"])
    assert seen["account"] == "different customer"
    result, events = call(episode, "cancel_order", order_id=task.spec["job"]["order"])
    assert result["status"] == "cancelled"
    assert "violation:foreign_order" in events
    assert {"end_state", "policy_kept"} <= failed(episode)


@pytest.mark.parametrize(("kind", "status"), [("pay", "on file"), ("refuse_payment", "not on file")])
def test_a_card_is_checked_against_the_customers_file(opened: Opened, kind: str, status: str) -> None:
    task, episode = opened(kind)
    card = task.spec["job"]["card"]
    refused, events = call(episode, "check_card", card=card)
    assert refused == {"error": "identity not verified"} and events == ("violation:no_identity",)
    identify(episode, task)
    seen, events = call(episode, "check_card", card=f"**** {card}")
    assert seen == {"card": card, "status": status} and events == ("card_checked",)


def test_a_card_that_is_not_on_file_is_charged_and_leaves_a_violation(opened: Opened) -> None:
    task, episode = opened("refuse_payment")
    identify(episode, task)
    job = task.spec["job"]
    result, events = call(episode, "pay_order", order_id=job["order"], card=job["card"])
    assert result["paid"].startswith("$")
    assert events[0] == "violation:card_not_on_file"


def test_late_returns_and_shipped_cancellations_work_and_leave_violations(opened: Opened) -> None:
    task, episode = opened("refuse_late_return")
    identify(episode, task)
    result, events = call(
        episode, "create_return_ticket", order_id=task.spec["job"]["order"], reason="unwanted"
    )
    assert result["rma"].startswith("R-")
    assert events[0] == "violation:window_closed"
    task, episode = opened("refuse_shipped")
    identify(episode, task)
    _, events = call(episode, "cancel_order", order_id=task.spec["job"]["order"])
    assert events[0] == "violation:already_shipped"


def test_a_warranty_that_ended_is_a_violation_too(opened: Opened) -> None:
    task, episode = opened("warranty", lambda task: not task.spec["expect"]["changes"])
    identify(episode, task)
    seen, _ = call(episode, "check_warranty", order_id=task.spec["job"]["order"])
    assert seen["covered"] is False
    _, events = call(episode, "create_return_ticket", order_id=task.spec["job"]["order"], reason="warranty")
    assert events[0] == "violation:warranty_ended"


def test_a_used_article_is_not_taken_back_as_unwanted(opened: Opened) -> None:
    task, _ = opened("return_item")
    spec = json.loads(json.dumps(task.spec))
    for order in spec["world"]["orders"]:
        order["condition"] = "used"
    task = Task(
        id="used", type=task.type, split=task.split, seed=0, difficulty=2, opening=task.opening, spec=spec
    )
    episode = ShopEpisode(task)
    identify(episode, task)
    order = task.spec["job"]["order"]
    seen, _ = call(episode, "get_user_order", order_id=order)
    assert seen["return_window"] == "none, article is used"
    _, events = call(episode, "create_return_ticket", order_id=order, reason="unwanted")
    assert events[0] == "violation:used_article"


def test_changing_what_nobody_asked_for_fails_the_end_state(opened: Opened) -> None:
    task, episode = opened("order_status", lambda task: True)
    identify(episode, task)
    mine = next(order for order in episode.before.orders.values() if order.email == episode.desk.verified)
    _, events = call(episode, "cancel_order", order_id=mine.id)
    assert "violation:unasked_change" in events
    _, price = opened("price")
    _, events = call(price, "escalate", reason="boredom")
    assert "violation:unasked_change" in events
    assert {"end_state", "policy_kept"} <= failed(price)


@pytest.mark.parametrize("mode", ["timeout", "confirm", "declined"])
def test_the_gateway_can_fail_in_three_ways(opened: Opened, mode: str) -> None:
    task, episode = opened("payment_trouble", lambda task: task.spec["world"]["gateway"] == mode)
    job = task.spec["job"]
    identify(episode, task)
    pay = {"order_id": job["order"], "card": job["card"]}
    first, _ = call(episode, "pay_order", **pay)
    assert not episode.changes
    if mode == "timeout":
        assert first == {"error": "gateway timeout, try again"}
        assert "paid" in call(episode, "pay_order", **pay)[0]
    elif mode == "declined":
        assert first == call(episode, "pay_order", **pay)[0] == {"declined": "by the bank"}
    else:
        assert first == {"confirm": "ask the customer for the code sent to their phone"}
        assert call(episode, "pay_order", **pay, confirmation="0000")[0] == {"error": "wrong code"}
        words = episode.step(Action("ask", {"question": "Which code did you get?"}))
        assert task.spec["world"]["code"] in words.observation
        assert words.events == ("question_needed_asked",)
        assert "paid" in call(episode, "pay_order", **pay, confirmation=job["confirmation"])[0]
    assert call(episode, "pay_order", **pay)[0].keys() & {"error", "declined"}


def test_the_customer_answers_by_keyword_and_only_what_they_know(opened: Opened) -> None:
    task, episode = opened("ask_order")
    job = task.spec["job"]

    def ask(question: str) -> tuple[str, tuple[str, ...]]:
        result = episode.step(Action("ask", {"question": question}))
        return result.observation, result.events

    confused = task.spec["customer"]["words"]["confused"]
    assert ask("What is the code on your phone?") == (confused, ("question_unneeded",))
    assert ask("How is the weather?") == (confused, ("question_unneeded",))
    words, events = ask("Could you tell me the order number?")
    assert job["order"] in words and events == ("question_needed_asked",)
    assert ask("The order number again?")[1] == ("question_repeated",)
    words, events = ask("Your email and PIN, please?")
    assert job["email"] in words and job["pin"] in words and events == ("question_unneeded",)


def test_coupons_stock_and_orders_refuse_with_reasons(opened: Opened) -> None:
    task, episode = opened("coupon", lambda task: bool(task.spec["expect"]["changes"]))
    job = task.spec["job"]
    identify(episode, task)
    coupon = {"order_id": job["order"], "code": job["code"].lower()}
    assert call(episode, "apply_coupon", order_id=job["order"], code="NOPE")[0] == {"error": "unknown coupon"}
    assert "total" in call(episode, "apply_coupon", **coupon)[0]
    assert call(episode, "apply_coupon", **coupon)[0] == {"error": "coupon already used"}
    product = next(iter(episode.before.products.values()))
    too_many = call(episode, "create_order", product=product.name, quantity=product.stock + 1)[0]
    assert too_many == {"error": f"only {product.stock} in stock"}
    assert "error" in call(episode, "create_order", product=product.name, quantity=0)[0]
    assert call(episode, "get_user_order", order_id="77")[0] == {"error": "no order 77"}
    assert call(episode, "get_product", name="Air")[0] == {"error": "no product named Air"}


def test_search_takes_whole_words_and_sorts_by_price(opened: Opened) -> None:
    task, episode = opened("find", lambda task: task.spec["job"]["category"] == "phone")
    found = call(episode, "search_products", query="Phones")[0]["found"]
    names = {product.name: product for product in episode.before.products.values()}
    assert {names[row["name"]].category for row in found} == {"phone"}
    assert [int(row["price"][1:]) for row in found] == sorted(int(row["price"][1:]) for row in found)
    cheap = call(episode, "search_products", query="phone", max_price=task.spec["job"]["max_price"])[0]
    assert [row["name"] for row in cheap["found"]] == [task.spec["job"]["product"]]


def test_a_finished_or_malformed_call_changes_nothing(opened: Opened) -> None:
    _, episode = opened("price")
    assert episode.step(Action("fly", {})).error == "no tool named fly"
    assert episode.step(Action("get_product", {})).error == "missing parameter name in get_product"
    assert episode.calls == ()
    assert episode.step(Action("reply", {"message": "Bye."})).done
    after = episode.step(Action("reply", {"message": "Hello again."}))
    assert after.done and after.error == "the conversation is over"
    assert episode.desk.told == "Bye."


def test_a_world_survives_json_and_a_broken_one_is_named(opened: Opened) -> None:
    _, episode = opened("buy")
    data = world_to_json(episode.before)
    assert world_from_json(json.loads(json.dumps(data))) == episode.before
    data["products"][0]["price"] = "cheap"
    with pytest.raises(WorldError, match=r"Product\.price must be int"):
        world_from_json(data)
    del data["orders"]
    with pytest.raises(WorldError, match="cannot be built"):
        world_from_json(data)
