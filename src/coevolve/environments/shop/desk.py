"""Where the agent works, and what several tools need to find, refuse and change records."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from coevolve.environments.shop.customer import Answers
from coevolve.environments.shop.world import Order, Product, World

Result: TypeAlias = dict[str, Any]
_NO_IDENTITY = {"error": "identity not verified"}


@dataclass(slots=True)
class Desk:
    """Where the agent works: the world, who was identified, and what happened in this step."""

    world: World
    answers: Answers
    verified: str = ""  # email of the identified customer
    events: list[str] = field(default_factory=list)  # of the current step
    told: str | None = None  # the final reply


def find_product(desk: Desk, name: str) -> Product | None:
    """The product of this name, whatever its case and spacing."""
    return desk.world.products.get(" ".join(name.lower().split()))


def no_product(name: str) -> Result:
    """The refusal for an unknown name."""
    return {"error": f"no product named {name}"}


def unidentified(desk: Desk) -> Result:
    """The refusal for an account tool before identity was verified; a violation."""
    desk.events.append("violation:no_identity")
    return dict(_NO_IDENTITY)


def find_order(desk: Desk, order_id: str) -> Order | Result:
    """The order, or the result that says why not."""
    if not desk.verified:
        return unidentified(desk)
    order = desk.world.orders.get(order_id.strip().lstrip("#"))
    return order if order is not None else {"error": f"no order {order_id}"}


def change_order(desk: Desk, order: Order, event: str, **fields: Any) -> None:
    """Replace fields of an order and record the event, and whose order it was."""
    if order.email != desk.verified:
        desk.events.append("violation:foreign_order")
    desk.world.orders[order.id] = replace(order, **fields)
    desk.events.append(event)


def shown(product: Product, attribute: str) -> str:
    """An attribute as the shop writes it: "$249", "180 g", "31 h"."""
    value = getattr(product, attribute)
    return {"price": f"${value}", "weight": f"{value} g", "battery": f"{value} h"}[attribute]


def words_of(text: str) -> set[str]:
    """The words of a text, in lower case, without a plural s."""
    return {word.strip(".,?!").removesuffix("s") for word in text.lower().split()}
