"""A task in the making: what the type's drawing function fills in."""

from __future__ import annotations

from dataclasses import dataclass, field

from coevolve.environments.shop.draw import Draw
from coevolve.environments.shop.world import Customer, Order, Product, Status, World


@dataclass(slots=True)
class Sketch:
    """A task in the making."""

    draw: Draw
    world: World
    topic: str = ""
    slots: dict[str, str] = field(default_factory=dict)
    identity_given: bool = False
    needed: list[str] = field(default_factory=list)  # questions without which it cannot be done
    changes: dict[str, str | int] = field(default_factory=dict)
    looked: list[list[list[str]]] = field(default_factory=list)  # groups; one [tool, value] of each
    facts: dict[str, list[str]] = field(default_factory=dict)  # name -> phrases, one of them
    not_told: list[str] = field(default_factory=list)
    first_named: list[str] = field(default_factory=list)  # [this, before that]
    refusal: str = ""  # the reason to decline for, a key of phrases.REASONS

    @property
    def customer(self) -> Customer:
        """Who writes."""
        return next(iter(self.world.customers.values()))

    @property
    def stranger(self) -> Customer:
        """Somebody else."""
        return list(self.world.customers.values())[1]

    def product(self, index: int) -> Product:
        """The product at a position."""
        return list(self.world.products.values())[index]

    def put_product(self, product: Product) -> None:
        """Replace a product under its name."""
        self.world.products[product.name.lower()] = product

    def take_order(self, status: Status, owner: Customer | None = None) -> Order:
        """A new order in this status, spoken of in the message."""
        order = self.draw.order(owner or self.customer, self.product(0), status)
        self.world.orders[order.id] = order
        self.slots["order"] = order.id
        return order

    def read(self, tool: str, value: str) -> None:
        """Success requires this look."""
        self.looked.append([[tool, value]])
