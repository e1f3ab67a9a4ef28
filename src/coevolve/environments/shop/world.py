"""The shop's state: products, customers, orders, payments, returns, coupons.

A world is a few dicts of frozen records, so a copy is shallow and cheap. It is built from a task's
JSON and never reads a clock or a random number. It enforces nothing: who may do what is the
agent's job, and the tools only record what went against the shop's policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from coevolve.errors import WorldError
from coevolve.types import JsonObject

Status: TypeAlias = Literal["placed", "paid", "packed", "shipped", "delivered", "cancelled"]
GatewayMode: TypeAlias = Literal["ok", "timeout", "confirm", "declined"]

_Record = TypeVar("_Record")
_PLAIN: Mapping[str, type] = {"str": str, "int": int, "bool": bool, "tuple[str, ...]": tuple, "Status": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Something for sale."""

    name: str
    category: str
    price: int  # whole dollars
    stock: int  # pieces
    weight: int  # grams
    battery: int  # hours


@dataclass(frozen=True, slots=True)
class Customer:
    """An account; `email` identifies it."""

    name: str
    email: str
    pin: str  # 4 digits
    cards: tuple[str, ...]  # last four digits of the cards on file


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One order of one product."""

    id: str
    email: str  # of the account it belongs to
    product: str
    quantity: int
    total: int  # whole dollars, after a coupon
    status: Status
    arrives: str = ""  # "14 July", once known
    window_days: int = 0  # days left to return it; negative: closed that many days ago
    condition: Literal["unused", "used"] = "unused"  # a used article is not taken back as unwanted
    warranty_until: str = ""  # "14 July 2027"
    covered: bool = False  # the warranty still runs
    card: str = ""  # that paid it
    coupon: str = ""
    rma: str = ""
    rma_reason: str = ""


@dataclass(frozen=True, slots=True)
class Coupon:
    """A code that takes `off` whole dollars from an order, once."""

    code: str
    off: int
    expired: bool = False


@dataclass(slots=True, kw_only=True)
class World:
    """Everything the back office knows. Records are replaced, never changed in place."""

    products: dict[str, Product]  # by name in lower case
    customers: dict[str, Customer]  # by email in lower case
    orders: dict[str, Order]
    coupons: dict[str, Coupon]  # by code in upper case
    gateway: GatewayMode = "ok"
    code: str = ""  # what the customer's phone shows when the gateway demands confirmation
    attempts: int = 0  # payments tried so far
    next_order: int = 0
    next_rma: int = 0
    next_ticket: int = 0
    tickets: dict[str, str] = field(default_factory=dict)  # escalations: number -> reason

    def copy(self) -> World:
        """An independent world in the same state."""
        return World(
            products=dict(self.products),
            customers=dict(self.customers),
            orders=dict(self.orders),
            coupons=dict(self.coupons),
            gateway=self.gateway,
            code=self.code,
            attempts=self.attempts,
            next_order=self.next_order,
            next_rma=self.next_rma,
            next_ticket=self.next_ticket,
            tickets=dict(self.tickets),
        )


def number_class(number: int) -> int:
    """The sum of the digits modulo 4: what keeps the numbers of two splits apart."""
    return sum(map(int, str(number))) % 4


def number_after(number: int) -> int:
    """The next larger number of the same class."""
    following = number + 1
    while number_class(following) != number_class(number):
        following += 1
    return following


def dollars(amount: int) -> str:
    """A price as the shop writes it: "$249"."""
    return f"${amount}"


def last_digits(card: str) -> str:
    """What a card is known by."""
    return card.strip()[-4:]


def return_window(order: Order) -> str:
    """What the back office shows about returning an order."""
    if order.status != "delivered":
        return "not delivered yet"
    if order.condition == "used":
        return "none, article is used"
    if order.window_days >= 0:
        return f"open, {order.window_days} days left"
    return f"closed {-order.window_days} days ago"


def world_to_json(world: World) -> dict[str, Any]:
    """The world as JSON, the inverse of `world_from_json`."""
    return {
        "products": [asdict(product) for product in world.products.values()],
        "customers": [
            {"name": c.name, "email": c.email, "pin": c.pin, "cards": list(c.cards)}
            for c in world.customers.values()
        ],
        "orders": [_without_defaults(order) for order in world.orders.values()],
        "coupons": [asdict(coupon) for coupon in world.coupons.values()],
        "gateway": world.gateway,
        "code": world.code,
        "next_order": world.next_order,
        "next_rma": world.next_rma,
        "next_ticket": world.next_ticket,
    }


def world_from_json(data: JsonObject) -> World:
    """Build a world from JSON.

    Raises: WorldError: a field is missing, unknown or of the wrong kind.
    """
    try:
        products = [_record(Product, row) for row in data["products"]]
        customers = [_record(Customer, row | {"cards": tuple(row["cards"])}) for row in data["customers"]]
        orders = [_record(Order, row) for row in data["orders"]]
        coupons = [_record(Coupon, row) for row in data["coupons"]]
        for name in ("next_order", "next_rma", "next_ticket"):
            if not isinstance(data[name], int):
                raise TypeError(f"{name} must be int")
        return World(
            products={product.name.lower(): product for product in products},
            customers={customer.email.lower(): customer for customer in customers},
            orders={order.id: order for order in orders},
            coupons={coupon.code.upper(): coupon for coupon in coupons},
            gateway=data["gateway"],
            code=data["code"],
            next_order=data["next_order"],
            next_rma=data["next_rma"],
            next_ticket=data["next_ticket"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise WorldError(
            f"the task's world cannot be built: {type(error).__name__}: {error}",
            fix="use a task made by Shop.tasks, or post {type, split, seed} instead of a spec",
        ) from error


def differences(before: World, after: World) -> dict[str, str | int]:
    """What changed between two states of one world, as flat `thing.id.field` keys."""
    changes: dict[str, str | int] = {}
    for number, order in after.orders.items():
        known = before.orders.get(number)
        if order is known:
            continue
        for name in (
            "status",
            "total",
            "card",
            "coupon",
            "rma",
            "rma_reason",
            "product",
            "quantity",
            "email",
        ):
            value = getattr(order, name)
            if value != (getattr(known, name) if known else ""):
                changes[f"order.{number}.{name}"] = value
    for key, product in after.products.items():
        if product is not before.products[key] and product.stock != before.products[key].stock:
            changes[f"stock.{product.name}"] = product.stock
    for number in after.tickets:
        if number not in before.tickets:
            changes[f"ticket.{number}"] = "open"
    return changes


def _without_defaults(order: Order) -> Mapping[str, Any]:
    plain = asdict(order)
    return {name: value for name, value in plain.items() if value not in ("", 0, False)}


def _record(kind: type[_Record], row: Mapping[str, Any]) -> _Record:
    """A record whose plain fields have the declared types."""
    record = kind(**row)
    for name, declared in kind.__annotations__.items():
        wanted = _PLAIN.get(declared)
        if wanted is not None and not isinstance(getattr(record, name), wanted):
            raise TypeError(f"{kind.__name__}.{name} must be {declared}")
    return record
