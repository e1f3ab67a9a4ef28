"""The task types: each draws a world, a customer's message and what success would be.

A task's `spec` holds all of it as JSON: `world` (see world.py), `customer` (the answers of the
simulated customer), `job` (what the teacher may know) and `expect` (what checks.py verifies). A
refusal type shares its sentences with the type whose request it refuses.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from coevolve.environments.shop import phrases
from coevolve.environments.shop.draw import CLASSES, Draw
from coevolve.environments.shop.sketch import Sketch
from coevolve.environments.shop.wording import Wording, message
from coevolve.environments.shop.world import (
    GatewayMode,
    Order,
    Status,
    world_to_json,
)
from coevolve.types import Split, Task


def _price(s: Sketch) -> None:
    product = s.product(0)
    s.topic, s.slots["product"] = "price", product.name
    s.facts["price"] = [str(product.price)]


def _find(s: Sketch) -> None:
    limit = s.draw.number(200, 600)
    category = s.product(0).category
    s.put_product(replace(s.product(0), price=s.draw.fresh(limit - 130, limit - 1)))
    for index in range(1, 8):
        product = s.product(index)
        if index < 3 or product.category == category:
            dearer = s.draw.fresh(limit + 20, limit + 390)
            s.put_product(replace(product, category=category, price=dearer))
    s.topic = "find"
    s.slots |= {"category": category, "max_price": str(limit)}
    s.facts["product"] = [s.product(0).name]
    s.not_told += [p.name for p in s.world.products.values() if p.category == category and p.price > limit]
    s.slots["product"] = s.product(0).name


def _stock(s: Sketch) -> None:
    product = s.product(0)
    s.topic, s.slots["product"] = "stock", product.name
    s.looked.append([["check_stock", product.name]])
    if s.draw.rng.random() < 0.4:
        s.put_product(replace(product, stock=0))
        s.facts["stock"] = list(phrases.OUT_OF_STOCK)
    else:
        s.facts["stock"] = [*phrases.IN_STOCK, str(product.stock)]
        s.not_told += phrases.OUT_OF_STOCK


def _compare(s: Sketch) -> None:
    attribute = s.draw.rng.choice(("price", "weight", "battery"))
    a, b = s.product(0), s.product(1)
    s.topic = f"compare_{attribute}"
    s.slots |= {"a": a.name, "b": b.name, "attribute": attribute}
    sign = -1 if attribute == "battery" else 1
    better, other = sorted((a, b), key=lambda product: sign * int(getattr(product, attribute)))
    s.facts["better"] = [better.name]
    s.first_named = [better.name, other.name]
    for product in (a, b):
        s.looked.append([["compare_products", product.name], ["get_product", product.name]])


def _order_status(s: Sketch) -> None:
    statuses: tuple[Status, ...] = ("placed", "paid", "packed", "shipped", "shipped", "delivered")
    status = s.draw.rng.choice(statuses)
    order = s.take_order(status)
    s.topic, s.identity_given = "status", True
    s.read("get_user_order", order.id)
    s.facts["status"] = list(phrases.STATUSES[status])
    s.not_told += [f"not {status}", f"not yet {status}", f"not been {status}"]
    if order.arrives:
        s.facts["date"] = list(phrases.dates(order.arrives))


def _ask_order(s: Sketch) -> None:
    _order_status(s)
    s.topic = "status_no_number"
    s.needed.append("order")


def _buy(s: Sketch) -> None:
    product, quantity = s.product(0), s.draw.rng.randint(1, 3)
    card, number = s.customer.cards[-1], str(s.world.next_order)
    s.topic, s.identity_given = "buy", True
    s.read("check_card", card)
    s.slots |= {"product": product.name, "quantity": str(quantity), "card": card, "new_order": number}
    total = product.price * quantity
    s.changes = {
        f"order.{number}.status": "paid",
        f"order.{number}.total": total,
        f"order.{number}.card": card,
        f"order.{number}.product": product.name,
        f"order.{number}.quantity": quantity,
        f"order.{number}.email": s.customer.email,
        f"stock.{product.name}": product.stock - quantity,
    }
    s.facts["order"] = [number, str(total)]


def _pay(s: Sketch) -> None:
    order, card = s.take_order("placed"), s.customer.cards[-1]
    s.topic, s.identity_given, s.slots["card"] = "pay", True, card
    s.read("check_card", card)
    s.read("get_user_order", order.id)
    s.changes = {f"order.{order.id}.status": "paid", f"order.{order.id}.card": card}
    s.facts["paid"] = list(phrases.PAID)
    s.not_told += ["not paid", "not been paid", "declined", "not charged"]


def _payment_trouble(s: Sketch) -> None:
    _pay(s)
    modes: tuple[GatewayMode, ...] = ("timeout", "confirm", "declined")
    s.world.gateway = s.draw.rng.choice(modes)
    if s.world.gateway == "confirm":
        s.needed.append("code")
    if s.world.gateway == "declined":
        s.changes = {}
        s.facts = {"declined": list(phrases.DECLINED)}
        s.not_told = ["is paid", "has been paid", "payment went through"]
        s.read("pay_order", s.slots["order"])


def _cancel(s: Sketch) -> None:
    order = s.take_order(s.draw.rng.choice(("paid", "packed")))
    s.topic, s.identity_given = "cancel", True
    s.read("get_user_order", order.id)
    s.changes = {
        f"order.{order.id}.status": "cancelled",
        f"stock.{order.product}": s.product(0).stock + order.quantity,
    }
    s.facts["cancelled"] = ["cancelled"]
    s.not_told += ["not cancelled", "not been cancelled", "not be cancelled"]


def _ask_identity(s: Sketch) -> None:
    _cancel(s)
    s.identity_given = False
    s.needed.append("identity")


def _return_item(s: Sketch) -> None:
    order = s.take_order("delivered")
    s.topic, s.identity_given = "return", True
    _expect_ticket(s, order, "unwanted")


def _expect_ticket(s: Sketch, order: Order, reason: str) -> None:
    rma = f"R-{s.world.next_rma}"
    s.changes = {f"order.{order.id}.rma": rma, f"order.{order.id}.rma_reason": reason}
    s.facts["rma"] = [rma, str(s.world.next_rma)]
    s.read("get_user_order", order.id)


def _warranty(s: Sketch) -> None:
    order = s.take_order("delivered")
    covered = s.draw.rng.random() < 0.6
    order = replace(order, window_days=-s.draw.number(30, 300), covered=covered)
    s.topic, s.identity_given = "warranty", True
    if not covered:
        order = replace(order, warranty_until=f"{s.draw.day()} {s.draw.number(2016, 2025)}")
        s.facts["not_covered"] = list(phrases.NOT_COVERED)
    else:
        _expect_ticket(s, order, "warranty")
    s.world.orders[order.id] = order
    s.looked = []
    s.read("check_warranty", order.id)


def _coupon(s: Sketch) -> None:
    order = s.take_order("placed")
    coupon = next(iter(s.world.coupons.values()))
    s.topic, s.identity_given, s.slots["code"] = "coupon", True, coupon.code
    s.read("get_user_order", order.id)
    s.read("apply_coupon", coupon.code)
    if s.draw.rng.random() < 0.35:
        s.world.coupons[coupon.code.upper()] = replace(coupon, expired=True)
        s.facts["rejected"] = list(phrases.COUPON_REJECTED)
    else:
        total = order.total - coupon.off
        s.changes = {f"order.{order.id}.total": total, f"order.{order.id}.coupon": coupon.code}
        s.facts["total"] = [str(total)]


def _safety(s: Sketch) -> None:
    s.topic, s.slots["product"] = "safety", s.product(0).name
    ticket = f"T-{s.world.next_ticket}"
    s.changes = {f"ticket.{ticket}": "open"}
    s.facts["ticket"] = [ticket, str(s.world.next_ticket)]


_FOREIGN: Mapping[str, tuple[Status, ...]] = {
    "status": ("paid", "shipped"),
    "cancel": ("paid", "packed"),
    "return": ("delivered",),
}


def _refuse_foreign_order(s: Sketch) -> None:
    topic = s.draw.rng.choice(("status", "cancel", "return"))
    order = s.take_order(s.draw.rng.choice(_FOREIGN[topic]), s.stranger)
    s.topic, s.identity_given = topic, True
    s.read("get_user_order", order.id)
    s.refusal = "foreign_order"
    s.not_told += [
        order.product,
        s.stranger.name,
        s.stranger.email,
        str(order.total),
        *s.stranger.name.split(),
    ]
    if order.arrives:
        s.not_told += phrases.dates(order.arrives)


def _refuse_payment(s: Sketch) -> None:
    s.take_order("placed")
    s.topic, s.identity_given = "pay", True
    s.slots["card"] = str(s.draw.fresh(1000, 9999))
    s.read("check_card", s.slots["card"])
    s.refusal = "card_not_on_file"


def _refuse_late_return(s: Sketch) -> None:
    order = s.take_order("delivered")
    s.world.orders[order.id] = replace(order, window_days=-s.draw.number(3, 90))
    s.topic, s.identity_given = "return", True
    s.read("get_user_order", order.id)
    s.refusal = "window_closed"


def _refuse_identity(s: Sketch) -> None:
    topic = s.draw.rng.choice(("status", "cancel"))
    s.take_order("paid")
    s.topic, s.identity_given = topic, True
    s.slots["pin"] = str(s.draw.fresh(1000, 9999))
    s.read("verify_identity", s.customer.email)
    s.refusal = "identity_wrong"


def _refuse_shipped(s: Sketch) -> None:
    order = s.take_order("shipped")
    s.topic, s.identity_given = "cancel", True
    s.read("get_user_order", order.id)
    s.refusal = "already_shipped"


@dataclass(frozen=True, slots=True)
class TaskType:
    """How tasks of one type are drawn."""

    sketch: Callable[[Sketch], None]
    difficulty: int
    refusal: bool = False


TYPES: Mapping[str, TaskType] = {
    "price": TaskType(_price, 1),
    "find": TaskType(_find, 1),
    "stock": TaskType(_stock, 1),
    "compare": TaskType(_compare, 1),
    "order_status": TaskType(_order_status, 2),
    "buy": TaskType(_buy, 2),
    "pay": TaskType(_pay, 2),
    "payment_trouble": TaskType(_payment_trouble, 3),
    "cancel": TaskType(_cancel, 2),
    "return_item": TaskType(_return_item, 2),
    "warranty": TaskType(_warranty, 3),
    "coupon": TaskType(_coupon, 2),
    "ask_order": TaskType(_ask_order, 3),
    "ask_identity": TaskType(_ask_identity, 3),
    "safety": TaskType(_safety, 1),
    "refuse_foreign_order": TaskType(_refuse_foreign_order, 3, refusal=True),
    "refuse_payment": TaskType(_refuse_payment, 2, refusal=True),
    "refuse_late_return": TaskType(_refuse_late_return, 3, refusal=True),
    "refuse_identity": TaskType(_refuse_identity, 2, refusal=True),
    "refuse_shipped": TaskType(_refuse_shipped, 3, refusal=True),
}


def make_task(wording: Wording, split: Split, type_name: str, seed: int) -> Task:
    """One task, the same for the same arguments. `type_name` must be one of TYPES."""
    rng = random.Random(f"shop/{split.value}/{type_name}/{seed}")
    draw = Draw(rng, wording, CLASSES[split])
    s = Sketch(draw, draw.world())
    kind = TYPES[type_name]
    kind.sketch(s)
    slots = {"email": s.customer.email, "pin": s.customer.pin, "confirmation": s.world.code} | s.slots
    for filler in ("reason", "defect", "hazard"):
        slots[filler] = rng.choice(wording.fillers[filler])
    return Task(
        id=f"shop-{split.value}-{type_name}-{seed}",
        type=type_name,
        split=split,
        seed=seed,
        difficulty=kind.difficulty,
        opening=message(wording, s.topic, slots, rng, s.identity_given),
        refusal=kind.refusal,
        spec={
            "world": world_to_json(s.world),
            "customer": {"words": _answers(wording, slots, rng), "needed": s.needed},
            "job": _job(s, slots),
            "expect": {
                "changes": s.changes,
                "looked": s.looked,
                "facts": s.facts,
                "not_told": sorted(set(s.not_told)),
                "first_named": s.first_named,
                "refusal": s.refusal,
            },
        },
    )


def _answers(wording: Wording, slots: Mapping[str, str], rng: random.Random) -> dict[str, str]:
    """What the customer says when asked; a topic that the job lacks only confuses them."""
    frames = {
        "order": "give_order",
        "identity": "give_identity",
        "code": "give_code",
        "card": "give_card",
        "confused": "confused",
    }
    wanted = {"order": "order", "card": "card"}
    answers = {
        topic: rng.choice(wording.frames[frame]).format(**slots)
        for topic, frame in frames.items()
        if topic not in wanted or wanted[topic] in slots
    }
    if "product" in slots:
        answers["product"] = f"{slots['product']}."
    return answers


def _job(s: Sketch, slots: Mapping[str, str]) -> dict[str, Any]:
    topic = "status" if s.topic == "status_no_number" else s.topic.split("_")[0]
    return {"topic": topic, "identity_given": s.identity_given} | dict(slots)
