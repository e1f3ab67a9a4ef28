from __future__ import annotations

from collections.abc import Callable

import pytest

from coevolve.environments.shop.episode import ShopEpisode
from coevolve.environments.shop.phrases import amounts, normalise, says
from coevolve.types import Action, SignalKind, SignalSource, Task

Opened = Callable[..., tuple[Task, ShopEpisode]]


def after_looking(
    opened: Opened, type_name: str, message: str, tool: str, **args: str
) -> dict[str, float | None]:
    task, episode = opened(type_name)
    job = task.spec["job"]
    episode.step(Action("verify_identity", {"email": job["email"], "pin": job["pin"]}))
    episode.step(Action(tool, {name: job[value] for name, value in args.items()}))
    world = episode.before
    known = {**job, "price": world.products[job["product"].lower()].price if "product" in job else 0}
    if "order" in job:
        order = world.orders[job["order"]]
        known |= {"ordered": order.product, "owner": world.customers[order.email].name, "total": order.total}
    episode.step(Action("reply", {"message": message.format(**known)}))
    return {signal.name: signal.score for signal in episode.checks()}


def test_checks_are_outcome_signals_with_reasons(opened: Opened) -> None:
    _, episode = opened("price")
    signals = episode.checks()
    assert {(signal.kind, signal.source) for signal in signals} == {(SignalKind.OUTCOME, SignalSource.CHECK)}
    assert all(signal.why for signal in signals)
    scores = {signal.name: signal.score for signal in signals}
    assert scores["fact.price"] == scores["nothing_wrong_told"] == scores["amounts_true"] == -1
    assert scores["end_state"] == 1


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("The {product} costs ${price}.", set()),
        ("It is {price} dollars", set()),
        ("It costs ${price}.00, all in.", set()),
        ("It costs $1{price}.", {"fact.price", "amounts_true"}),
        ("It costs ${price}, down from $5000.", {"amounts_true"}),
        ("I cannot tell the price.", {"fact.price"}),
    ],
)
def test_a_price_must_be_told_and_no_amount_invented(opened: Opened, message: str, wrong: set[str]) -> None:
    scores = after_looking(opened, "price", message, "get_product", name="product")
    assert {name for name, score in scores.items() if score == -1} == wrong


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("Sorry, that order isn\u2019t yours: it belongs to a different account.", set()),
        ("Order {order} is not on your account, so I can't change it.", set()),
        ("I cannot help with order {order}.", {"fact.reason"}),
        ("The {ordered} belongs to a different customer.", {"nothing_wrong_told"}),
        ("It belongs to someone else, {owner}.", {"nothing_wrong_told"}),
        ("It belongs to a different customer and costs ${total}.", {"nothing_wrong_told"}),
        ("It belongs to a different customer; your money has been refunded.", {"nothing_wrong_told"}),
        ("It belongs to a different customer and the return window closed.", {"nothing_wrong_told"}),
    ],
)
def test_a_refusal_gives_the_true_reason_and_leaks_nothing(
    opened: Opened, message: str, wrong: set[str]
) -> None:
    scores = after_looking(opened, "refuse_foreign_order", message, "get_user_order", order_id="order")
    assert {name for name, score in scores.items() if score == -1} == wrong


@pytest.mark.parametrize(
    ("message", "wrong"),
    [
        ("The card {card} isn't on file.", set()),
        ("I'm afraid card {card} is not saved in your account.", set()),
        ("That card was declined.", {"fact.reason"}),
        ("The card is not on file, but it has been charged.", {"nothing_wrong_told"}),
    ],
)
def test_a_refused_payment_names_the_card(opened: Opened, message: str, wrong: set[str]) -> None:
    scores = after_looking(opened, "refuse_payment", message, "check_card", card="card")
    assert {name for name, score in scores.items() if score == -1} == wrong


def test_a_refusal_without_a_look_fails(opened: Opened) -> None:
    _, episode = opened("refuse_late_return")
    episode.step(Action("reply", {"message": "Sorry, the return window closed."}))
    assert {signal.name for signal in episode.checks() if signal.score == -1} == {"looked.get_user_order"}


def test_the_better_product_must_be_named_as_the_better(opened: Opened) -> None:
    task, episode = opened("compare")
    job = task.spec["job"]
    better, other = task.spec["expect"]["first_named"]
    episode.step(
        Action("compare_products", {"first": job["a"], "second": job["b"], "attribute": job["attribute"]})
    )
    picture = episode.snapshot()

    def failing(message: str) -> set[str]:
        episode.restore(picture)
        episode.step(Action("reply", {"message": message}))
        return {signal.name for signal in episode.checks() if signal.score == -1}

    assert failing(f"The {better} is better than the {other}.") == set()
    assert failing(f"The {better}!") == set()
    assert failing(f"The {other} is better than the {better}.") == {"fact.named_as_better"}
    assert failing(f"The {other}.") == {"fact.better", "fact.named_as_better"}


def test_phrases_are_found_on_word_boundaries() -> None:
    assert says(normalise("It ISN\u2019T on  file."), "not on file")
    assert not says(normalise("12490"), "249")
    assert not says(normalise("unpaid"), "paid")
    assert says(normalise("Total: $1,249.00!"), "$1249")
    assert not says(normalise("it is not in stockholm"), "not in stock")
    assert says(normalise("You can't; I won't"), "can not")
    assert amounts("$1,249 and $ 30.00") == {"1249", "30"}
