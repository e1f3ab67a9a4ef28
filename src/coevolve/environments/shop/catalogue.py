"""The catalogue's tools: what anybody may look up, identified or not."""

from __future__ import annotations

from typing import Literal

from coevolve.environments.shop.desk import Desk, Result, find_product, no_product, shown, words_of
from coevolve.environments.shop.world import dollars
from coevolve.environments.tools import Said


def search_products(desk: Desk, /, query: str, max_price: int | None = None) -> Result:
    """Find products by category or name.

    Args:
        query: category or words of the name
        max_price: highest price in dollars
    """
    wanted = words_of(query)
    found = [
        product
        for product in desk.world.products.values()
        if (max_price is None or product.price <= max_price)
        and wanted & words_of(f"{product.category} {product.name}")
    ]
    desk.events.append("products_searched")
    found.sort(key=lambda product: product.price)
    return {"found": [{"name": p.name, "price": dollars(p.price)} for p in found[:3]]}


def compare_products(
    desk: Desk, /, first: Said, second: Said, attribute: Literal["price", "weight", "battery"]
) -> Result:
    """Compare two products.

    Args:
        first: name of one product
        second: name of the other
        attribute: what to compare
    """
    one, two = find_product(desk, first), find_product(desk, second)
    if one is None or two is None:
        return no_product(first if one is None else second)
    sign = -1 if attribute == "battery" else 1  # a longer battery is better, a lower price is
    better = min((one, two), key=lambda product: sign * getattr(product, attribute))
    desk.events.append("products_compared")
    return {one.name: shown(one, attribute), two.name: shown(two, attribute), "better": better.name}


def get_product(desk: Desk, /, name: Said) -> Result:
    """Read a product's price and data.

    Args:
        name: the product's name
    """
    product = find_product(desk, name)
    if product is None:
        return no_product(name)
    desk.events.append("product_read")
    return {
        "name": product.name,
        "price": dollars(product.price),
        "weight": shown(product, "weight"),
        "battery": shown(product, "battery"),
    }


def check_stock(desk: Desk, /, product: Said) -> Result:
    """Count the pieces in stock.

    Args:
        product: the product's name
    """
    found = find_product(desk, product)
    if found is None:
        return no_product(product)
    desk.events.append("stock_read")
    return {"product": found.name, "stock": found.stock}
