"""Draws one task's world: who the customer is, what the shop sells, which orders exist.

Every number belongs to the split's class (its digits' sum modulo 4) and every word to its lexicon, so
two splits can share neither, while any digit may stand anywhere in each.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from coevolve.environments.shop.wording import Wording
from coevolve.environments.shop.world import Coupon, Customer, Order, Product, Status, World, number_class
from coevolve.types import Split

CLASSES = {Split.TRAIN: 0, Split.VALIDATION: 1, Split.HELD_OUT: 2, Split.TEST: 3, Split.LIVE: 0}
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(slots=True)
class Draw:
    """A seeded source of numbers, names and records for one task."""

    rng: random.Random
    wording: Wording
    own_class: int  # of the split
    used: set[int] = field(default_factory=set)

    def number(self, low: int, high: int) -> int:
        """An integer in [low, high] of the split's class; it may repeat. Any ten in a row hold some."""
        while number_class(value := self.rng.randint(low, high)) != self.own_class:
            pass
        return value

    def fresh(self, low: int, high: int) -> int:
        """A number in [low, high] that `fresh` has not given before."""
        value = self.number(low, high)
        while value in self.used:
            value = self.number(low, high)
        self.used.add(value)
        return value

    def day(self) -> str:
        """A date such as "14 July"; days may repeat."""
        return f"{self.number(1, 28)} {self.rng.choice(MONTHS)}"

    def products(self, count: int) -> list[Product]:
        """Products of different brands and models."""
        words = self.wording.lexicon
        brands = self.rng.sample(words["brands"], count)
        models = self.rng.sample(words["models"], count)
        hours = [number for number in range(4, 100) if number_class(number) == self.own_class]
        batteries = self.rng.sample(hours, count)  # distinct, so one is better
        return [
            Product(
                name=f"{brand} {model}",
                category=self.rng.choice(words["categories"]),
                price=self.fresh(60, 990),
                stock=self.number(5, 99),
                weight=self.fresh(100, 999),
                battery=battery,
            )
            for brand, model, battery in zip(brands, models, batteries, strict=True)
        ]

    def customers(self, count: int) -> list[Customer]:
        """Customers of different names, each with one or two cards."""
        words = self.wording.lexicon
        firsts = self.rng.sample(words["first_names"], count)
        lasts = self.rng.sample(words["last_names"], count)
        return [
            Customer(
                f"{first} {last}",
                f"{first}.{last}@example.com".lower(),
                str(self.fresh(1000, 9999)),
                tuple(str(self.fresh(1000, 9999)) for _ in range(self.rng.choice((1, 1, 2)))),
            )
            for first, last in zip(firsts, lasts, strict=True)
        ]

    def order(self, owner: Customer, product: Product, status: Status) -> Order:
        """One order in this status; delivered ones can still be returned."""
        sent = status in ("shipped", "packed")
        return Order(
            id=str(self.fresh(10_000, 99_999)),
            email=owner.email,
            product=product.name,
            quantity=1,
            total=product.price,
            status=status,
            arrives=self.day() if sent else "",
            window_days=self.number(3, 40) if status == "delivered" else 0,
            warranty_until=f"{self.day()} {self.number(2027, 2060)}",
            covered=True,
            card="" if status == "placed" else owner.cards[0],
        )

    def world(self) -> World:
        """Eight products, three customers, two orders for each, two coupons."""
        products, customers = self.products(8), self.customers(3)
        statuses: tuple[Status, ...] = ("paid", "delivered", "shipped", "packed", "paid", "delivered")
        orders = [
            self.order(customers[index // 2], self.rng.choice(products), status)
            for index, status in enumerate(statuses)
        ]
        words = self.rng.sample(self.wording.lexicon["coupons"], 2)
        coupons = [Coupon(f"{word}{self.number(10, 99)}", 4 * self.rng.randint(2, 9)) for word in words]
        return World(
            products={product.name.lower(): product for product in products},
            customers={customer.email: customer for customer in customers},
            orders={order.id: order for order in orders},
            coupons={coupon.code.upper(): coupon for coupon in coupons},
            code=str(self.fresh(1000, 9999)),
            next_order=self.fresh(10_000, 99_000),
            next_rma=self.fresh(10_000, 99_000),
            next_ticket=self.fresh(10_000, 99_000),
        )
