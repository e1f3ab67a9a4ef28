"""What was right and wrong in each turn, by rules.

Enters a trajectory as recorded; leaves PROCESS signals with the turn they speak of. Turns whose
text held no action are left to the agent's own error: nothing was done, so nothing is judged here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from coevolve.environments.shop.tools import SPECS
from coevolve.environments.shop.world import last_digits
from coevolve.environments.tools import check_args, coerce_args
from coevolve.types import Action, Signal, Trajectory, Turn

MILESTONES: Mapping[str, float] = {
    "identity_verified": 0.3,
    "order_read": 0.3,
    "card_checked": 0.3,
    "product_read": 0.2,
    "products_searched": 0.2,
    "products_compared": 0.2,
    "stock_read": 0.2,
    "warranty_read": 0.3,
    "order_created": 0.4,
    "paid": 0.5,
    "cancelled": 0.5,
    "ticket_opened": 0.5,
    "coupon_applied": 0.5,
    "escalated": 0.5,
    "question_needed_asked": 0.6,
}
_QUOTED = ("order_id", "email", "pin", "card", "confirmation", "code")  # must come from the conversation
_NEEDS_READING = frozenset({"pay_order", "cancel_order", "create_return_ticket", "apply_coupon"})


def review_trajectory(trajectory: Trajectory) -> tuple[Signal, ...]:
    """Signals per turn, scores in [-1, 1]."""
    signals: list[Signal] = []
    said = trajectory.task.opening
    done: dict[str, Turn] = {}
    for turn in trajectory.turns:
        said += f"\n{turn.observation}"
        if turn.action is not None:
            signals.extend(_turn(turn, turn.action, said, done))
            done[_key(turn.action)] = turn
        said += f"\n{turn.result}"
    return tuple(signals)


def _turn(turn: Turn, action: Action, said: str, done: Mapping[str, Turn]) -> Iterator[Signal]:
    spec = SPECS.get(action.tool)
    if spec is None:
        yield Signal("unknown_tool", -0.8, f"there is no tool {action.tool}", turn=turn.index)
        return
    wrong = check_args(spec, coerce_args(spec, action.args))
    if wrong:
        name = "missing_parameter" if wrong.startswith("missing") else "bad_parameter"
        yield Signal(name, -0.8, wrong, turn=turn.index)
        return
    yield from _invented(turn, action, said)
    yield from _order_of_calls(turn, action, done)
    yield from _events(turn, action)


def _invented(turn: Turn, action: Action, said: str) -> Iterator[Signal]:
    for name in _QUOTED:
        value = str(action.args.get(name) or "").strip().lstrip("#")
        if value and not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, re.IGNORECASE):
            why = f"{name} {value} in {action.tool} appears nowhere in the conversation"
            yield Signal(f"invented_{name}", -0.8, why, turn=turn.index)


def _order_of_calls(turn: Turn, action: Action, done: Mapping[str, Turn]) -> Iterator[Signal]:
    before = done.get(_key(action))
    if before is not None and action.tool != "reply" and "timeout" not in before.result:
        why = f"the same {action.tool} call was made in turn {before.index}"
        yield Signal("repeated_call", -0.4, why, turn=turn.index)
    if action.tool in _NEEDS_READING:
        order = str(action.args.get("order_id", "")).strip().lstrip("#")
        if not any(_concerns(earlier, order) for earlier in done.values()):
            why = f"{action.tool} on order {order} before it was read"
            yield Signal("acted_before_reading", -0.5, why, turn=turn.index)
    if action.tool == "pay_order":
        card = last_digits(str(action.args.get("card", "")))
        if not any(_checked(earlier, card) for earlier in done.values()):
            why = f"card {card} was charged before it was checked"
            yield Signal("charged_before_checking", -0.5, why, turn=turn.index)
    if action.tool == "reply" and not any(
        earlier.action is not None and earlier.action.tool not in ("ask", "reply")
        for earlier in done.values()
    ):
        yield Signal("ended_without_trying", -0.8, "it replied before any tool was used", turn=turn.index)


def _events(turn: Turn, action: Action) -> Iterator[Signal]:
    broken = [event for event in turn.events if event.startswith("violation:")]
    for event in broken:
        what = event.removeprefix("violation:")
        if what == "no_identity":
            why = f"{action.tool} was called before identity was verified"
            yield Signal("action_without_identity", -0.8, why, turn=turn.index)
        else:
            yield Signal(
                f"violation.{what}", -1.0, f"{action.tool}: {what.replace('_', ' ')}", turn=turn.index
            )
    if "ordered_beyond_stock" in turn.events:
        why = f"{action.tool} of {action.args.get('quantity')} {action.args.get('product')}: {turn.error}"
        yield Signal("ordered_beyond_stock", -0.5, why, turn=turn.index)
    if "question_unneeded" in turn.events or "question_repeated" in turn.events:
        kind = "repeated" if "question_repeated" in turn.events else "unneeded"
        asked = str(action.args.get("question", ""))
        yield Signal(f"{kind}_question", -0.4, f"nothing needed {asked!r}", turn=turn.index)
    if not broken:
        for event in turn.events:
            if event in MILESTONES:
                why = f"{action.tool}: {event.replace('_', ' ')}"
                yield Signal(f"milestone.{event}", MILESTONES[event], why, turn=turn.index)


def _concerns(turn: Turn, order: str) -> bool:
    """Whether a turn read or created this order."""
    if turn.action is None or not order:
        return False
    if turn.action.tool == "create_order":
        return order in turn.result
    given = str(turn.action.args.get("order_id", "")).strip().lstrip("#")
    return turn.action.tool == "get_user_order" and given == order and turn.error is None


def _checked(turn: Turn, card: str) -> bool:
    """Whether a turn learned if this card is on file."""
    if turn.action is None or turn.action.tool != "check_card" or turn.error is not None:
        return False
    return last_digits(str(turn.action.args.get("card", ""))) == card


def _key(action: Action) -> str:
    return f"{action.tool} {json.dumps(dict(action.args), sort_keys=True, default=str)}"
