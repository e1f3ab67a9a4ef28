"""The scripted expert: from any state, the next thing to do and the thought behind it.

It decides from what this conversation has shown (identified? order read? paid? asked?) and never
from a place in a script, so it can take over anywhere. It knows the task's hidden job, which only
spares it understanding the customer's words: every value it uses was said or shown before.
Thoughts about an account name the job and what it is about, then the decisive fact as it stands in the
last result: each decision then follows from its own thought.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coevolve.environments.protocol import Episode
from coevolve.environments.shop.episode import Call, ShopEpisode
from coevolve.errors import WorldError
from coevolve.types import Action, Task

_OWN = "this customer's order"  # how a thought starts once the order was read
_BETTER = {"price": "cheaper", "weight": "lighter", "battery": "longer lasting"}

Move = tuple[str, Action]


class ShopExpert:
    """The shop's teacher."""

    def act(self, episode: Episode, task: Task) -> Move:
        """The expert's thought and action in the episode's current state.

        Raises: WorldError: the episode is not the shop's.
        """
        if not isinstance(episode, ShopEpisode):
            raise WorldError(
                "the shop's expert was given another world's episode", fix="use that world's teacher"
            )
        view = _View(episode, task.spec["job"])
        topic = view.job["topic"]
        if topic in _INFORM:
            return _INFORM[topic](view)
        thought, action = _account(view)
        return f"{_head(view, topic)}: {thought}", action


class _View:
    """The episode as the expert looks at it."""

    def __init__(self, episode: ShopEpisode, job: Mapping[str, Any]) -> None:
        self.episode = episode
        self.job = job
        self.needed = episode.desk.answers.needed
        self.asked = episode.desk.answers.asked

    def lacks(self, what: str) -> bool:
        """Whether the customer has not said this yet and must be asked."""
        return what in self.needed and what not in self.asked

    def last(self, tool: str, *values: str) -> Call | None:
        """The latest call of this tool whose arguments include these values."""
        for call in reversed(self.episode.calls):
            given = {str(value).strip().lstrip("#").lower() for value in call.args.values()}
            if call.tool == tool and all(value.lower() in given for value in values):
                return call
        return None

    def result(self, tool: str, *values: str) -> Mapping[str, Any] | None:
        """The latest successful result of such a call."""
        call = self.last(tool, *values)
        return call.result if call is not None and not call.failed else None


def _head(v: _View, topic: str) -> str:
    """The job with the values it is about, as far as the customer has given them."""
    job, name = v.job, topic.capitalize()
    if topic == "buy":
        return f"{name} {job['quantity']} {job['product']} by {job['card']}"
    if v.lacks("order"):
        return name
    return f"{name} {job['order']}" + (f" by {job['card']}" if topic == "pay" else "")


def _do(thought: str, tool: str, **args: Any) -> Move:
    return thought, Action(tool, args)


def _say(thought: str, message: str) -> Move:
    return thought, Action("reply", {"message": message})


def _price(v: _View) -> Move:
    name = v.job["product"]
    seen = v.result("get_product", name)
    if seen is None:
        return _do(f"Price question: look up {name}.", "get_product", name=name)
    return _say(f"The price is {seen['price']}, so tell it.", f"The {name} costs {seen['price']}.")


def _find(v: _View) -> Move:
    category, limit = v.job["category"], int(v.job["max_price"])
    seen = v.result("search_products", category, str(limit))
    if seen is None:
        thought = f"Wants a {category} up to ${limit}: search."
        return _do(thought, "search_products", query=category, max_price=limit)
    best = seen["found"][0]
    message = f"The {best['name']} fits your budget at {best['price']}."
    return _say(f"{best['name']} at {best['price']} fits, so offer it.", message)


def _stock(v: _View) -> Move:
    name = v.job["product"]
    seen = v.result("check_stock", name)
    if seen is None:
        return _do(f"Stock question: check {name}.", "check_stock", product=name)
    if seen["stock"] == 0:
        return _say("Stock is 0, so it is out of stock.", f"The {name} is out of stock.")
    return _say(f"Stock is {seen['stock']}, so tell it.", f"The {name} is in stock, {seen['stock']} left.")


def _compare(v: _View) -> Move:
    a, b, attribute = v.job["a"], v.job["b"], v.job["attribute"]
    seen = v.result("compare_products", a, b, attribute)
    if seen is None:
        thought = f"Compare {attribute} of {a} and {b}."
        return _do(thought, "compare_products", first=a, second=b, attribute=attribute)
    better = seen["better"]
    other = b if better == a else a
    message = f"The {better} is {_BETTER[attribute]}: {seen[better]} against {seen[other]}."
    return _say(f"Better is {better}, so name it.", message)


def _safety(v: _View) -> Move:
    product, hazard = v.job["product"], v.job["hazard"]
    seen = v.result("escalate")
    if seen is None:
        return _do("Danger: escalate to a human.", "escalate", reason=f"{product} {hazard}")
    message = f"Please stop using it. A colleague will call you, ticket {seen['ticket']}."
    return _say(f"Ticket {seen['ticket']} is open, so tell it.", message)


_INFORM = {"price": _price, "find": _find, "stock": _stock, "compare": _compare, "safety": _safety}


def _account(v: _View) -> Move:
    """What every request about an account goes through: ask, identify, card, order, ownership."""
    job, topic = v.job, v.job["topic"]
    if v.lacks("order"):
        return _do("no order number given, so ask for it.", "ask", question="What is your order number?")
    if v.lacks("identity"):
        return _do("no email and PIN given, so ask for them.", "ask", question="What are your email and PIN?")
    if not v.episode.desk.verified:
        rejected = v.last("verify_identity", job["email"], job["pin"])
        if rejected is not None:
            message = "Your email and PIN do not match, so I cannot help with this."
            return _say("email and PIN do not match, so refuse.", message)
        return _do("verify identity first.", "verify_identity", email=job["email"], pin=job["pin"])
    if topic in ("pay", "buy"):
        card = v.result("check_card", job["card"])
        if card is None:
            return _do("verified, so check the card.", "check_card", card=job["card"])
        if card["status"] != "on file":
            message = f"The card {job['card']} is not on file, so I cannot charge it."
            return _say("card not on file, so refuse.", message)
        known = "card on file"
    else:
        known = "verified"
    if topic == "buy":
        return _buy(v, known)
    seen = v.result("get_user_order", job["order"])
    if seen is None:
        return _do(f"{known}, so read the order.", "get_user_order", order_id=job["order"])
    if seen["account"] != "this customer":
        message = f"Order {job['order']} belongs to a different customer, so I cannot help with it."
        return _say("a different customer's order, so refuse.", message)
    return _ORDER[topic](v, seen)


def _status(v: _View, seen: Mapping[str, Any]) -> Move:
    number, status = v.job["order"], seen["status"]
    if "arrives" in seen:
        message = f"Order {number} is {status} and arrives {seen['arrives']}."
        return _say(f"{_OWN}, {status}, arrives {seen['arrives']}, so tell it.", message)
    return _say(f"{_OWN}, {status}, so tell it.", f"Order {number} is {status}.")


def _cancel(v: _View, seen: Mapping[str, Any]) -> Move:
    number = v.job["order"]
    gone = v.result("cancel_order", number)
    if gone is not None:
        message = f"Order {number} is cancelled, the refund is {gone['refund']}."
        return _say(f"cancelled, refund {gone['refund']}, so tell it.", message)
    if seen["status"] in ("shipped", "delivered"):
        message = f"Order {number} has already shipped, so it cannot be cancelled."
        return _say(f"{_OWN}, {seen['status']}, too late to cancel, so refuse.", message)
    thought = f"{_OWN}, {seen['status']}, so cancel it."
    return _do(thought, "cancel_order", order_id=number)


def _return(v: _View, seen: Mapping[str, Any]) -> Move:
    number, window = v.job["order"], str(seen.get("return_window", "not delivered yet"))
    opened = v.result("create_return_ticket", number)
    if opened is not None:
        return _rma(number, opened)
    if not window.startswith("open"):
        message = f"The return window {window}, so I cannot take order {number} back."
        return _say(f"{_OWN}, window {window}, so refuse.", message)
    thought = f"{_OWN}, window {window}, so open a ticket."
    return _do(thought, "create_return_ticket", order_id=number, reason="unwanted")


def _warranty(v: _View, seen: Mapping[str, Any]) -> Move:
    number = v.job["order"]
    opened = v.result("create_return_ticket", number)
    if opened is not None:
        return _rma(number, opened)
    warranty = v.result("check_warranty", number)
    if warranty is None:
        thought = f"{_OWN}, something broke, so check the warranty."
        return _do(thought, "check_warranty", order_id=number)
    if not warranty["covered"]:
        message = f"Order {number} is not covered, the warranty ended {warranty['until']}."
        return _say(f"not covered, ended {warranty['until']}, so tell it.", message)
    thought = "it is covered, so open a warranty ticket."
    return _do(thought, "create_return_ticket", order_id=number, reason="warranty")


def _rma(number: str, opened: Mapping[str, Any]) -> Move:
    message = f"The return of order {number} is open, your number is {opened['rma']}."
    return _say(f"ticket {opened['rma']} is open, so tell it.", message)


def _coupon(v: _View, seen: Mapping[str, Any]) -> Move:
    number, code = v.job["order"], v.job["code"]
    applied = v.last("apply_coupon", number, code)
    if applied is None:
        thought = f"{_OWN}, {seen['status']}, so apply the coupon."
        return _do(thought, "apply_coupon", order_id=number, code=code)
    if applied.result.get("error") == "coupon expired":
        return _say("the coupon expired, so tell it.", f"Coupon {code} has expired, so it cannot be used.")
    total = v.episode.desk.world.orders[number].total
    message = f"Coupon {code} is applied, order {number} now costs ${total}."
    return _say(f"the new total is ${total}, so tell it.", message)


def _pay(v: _View, seen: Mapping[str, Any]) -> Move:
    number, card = v.job["order"], v.job["card"]
    if v.last("pay_order", number) is None:
        thought = f"{_OWN}, {seen['status']}, so pay it."
        return _do(thought, "pay_order", order_id=number, card=card)
    return _after_payment(v, number, card)


def _buy(v: _View, known: str) -> Move:
    product, card = v.job["product"], v.job["card"]
    created = v.result("create_order", product)
    if created is None:
        quantity = int(v.job["quantity"])
        thought = f"{known}, so place the order."
        return _do(thought, "create_order", product=product, quantity=quantity)
    number = created["order"]
    if v.last("pay_order", number) is None:
        return _do(f"order {number} is placed, so pay it.", "pay_order", order_id=number, card=card)
    return _after_payment(v, number, card)


def _after_payment(v: _View, number: str, card: str) -> Move:
    """A payment was tried: done, declined, timed out, or a code is wanted."""
    order = v.episode.desk.world.orders[number]
    tried = v.last("pay_order", number)
    if order.status == "paid" or tried is None:
        message = f"Order {number} is paid, ${order.total} with card {order.card}."
        return _say(f"paid ${order.total}, so tell it.", message)
    if "declined" in tried.result:
        message = f"The payment of order {number} was declined by the bank, please use another card."
        return _say("the payment was declined, so tell it.", message)
    if v.episode.desk.answers.code_sent:
        if "code" not in v.asked:
            thought = "a code is needed, so ask for it."
            return _do(thought, "ask", question="What is the code on your phone?")
        code = v.job["confirmation"]
        thought = f"the code is {code}, so pay with it."
        return _do(thought, "pay_order", order_id=number, card=card, confirmation=code)
    return _do("gateway timeout, so try again.", "pay_order", order_id=number, card=card)


_ORDER = {
    "status": _status,
    "cancel": _cancel,
    "return": _return,
    "warranty": _warranty,
    "coupon": _coupon,
    "pay": _pay,
}
