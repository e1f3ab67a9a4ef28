from __future__ import annotations

from coevolve.environments.shop import Shop
from coevolve.types import Action, SignalKind, Split, StopReason, Task, Trajectory, Turn


def play(shop: Shop, task: Task, actions: list[Action | None]) -> Trajectory:
    episode, turns, observation = shop.start(task), [], task.opening
    for index, action in enumerate(actions):
        if action is None:
            turns.append(Turn(index=index, observation=observation, raw="?", error="no action"))
            continue
        result = episode.step(action)
        turns.append(
            Turn(
                index=index, observation=observation, raw="", action=action, result=result.observation,
                error=result.error, events=result.events,
            )
        )  # fmt: skip
        observation = result.observation
    return Trajectory(
        id="t", session_id="s", task=task, version="v", seed=0, turns=tuple(turns), stop=StopReason.DONE
    )


def names(shop: Shop, task: Task, actions: list[Action | None]) -> list[tuple[int | None, str]]:
    return [(signal.turn, signal.name) for signal in shop.review(play(shop, task, actions))]


def expert_actions(shop: Shop, task: Task) -> list[Action | None]:
    episode, actions = shop.start(task), []
    while not episode.done:
        actions.append(shop.teacher().act(episode, task)[1])
        episode.step(actions[-1])
    return list(actions)


def test_the_expert_is_never_blamed(shop: Shop) -> None:
    for task in shop.tasks(Split.VALIDATION, [], 200, 1):
        signals = shop.review(play(shop, task, expert_actions(shop, task)))
        assert signals or task.type == "refuse_identity", task.id  # which only looks, in vain
        assert all(signal.score is not None and 0 < signal.score <= 1 for signal in signals), (
            task.id,
            signals,
        )
        assert all(signal.kind is SignalKind.PROCESS and signal.turn is not None for signal in signals)


def test_the_needed_question_is_praised_more_than_a_look(shop: Shop) -> None:
    task = shop.task(Split.TRAIN, "ask_order", 0)
    signals = {s.name: s.score for s in shop.review(play(shop, task, expert_actions(shop, task)))}
    assert (signals["milestone.question_needed_asked"] or 0) > (signals["milestone.order_read"] or 0) > 0


def test_each_mistake_is_named_at_its_turn(shop: Shop) -> None:
    task = shop.task(Split.TRAIN, "cancel", 0)
    job = task.spec["job"]
    order = {"order_id": job["order"]}
    identity = Action("verify_identity", {"email": job["email"], "pin": job["pin"]})
    found = names(
        shop,
        task,
        [
            Action("get_user_order", order),
            Action("get_user_order", {}),
            Action("fly", {}),
            None,
            Action("ask", {"question": "Which card?"}),
            identity,
            identity,
            Action("get_user_order", {"order_id": "99999"}),
            Action("cancel_order", order),
        ],
    )
    assert found == [
        (0, "action_without_identity"),
        (1, "missing_parameter"),
        (2, "unknown_tool"),
        (4, "unneeded_question"),
        (5, "milestone.identity_verified"),
        (6, "repeated_call"),
        (7, "invented_order_id"),
        (8, "acted_before_reading"),
        (8, "milestone.cancelled"),
    ]


def test_ending_without_trying_and_violations_are_named(shop: Shop) -> None:
    task = shop.task(Split.TRAIN, "refuse_payment", 0)
    job = task.spec["job"]
    assert names(shop, task, [Action("reply", {"message": "No."})]) == [(0, "ended_without_trying")]
    found = names(
        shop,
        task,
        [
            Action("verify_identity", {"email": job["email"], "pin": job["pin"]}),
            Action("get_user_order", {"order_id": job["order"]}),
            Action("pay_order", {"order_id": job["order"], "card": job["card"]}),
        ],
    )
    assert found[-2:] == [(2, "charged_before_checking"), (2, "violation.card_not_on_file")]
    assert (2, "milestone.paid") not in found


def test_a_retry_after_a_timeout_is_no_repetition(shop: Shop) -> None:
    tasks = shop.tasks(Split.TRAIN, ["payment_trouble"], 30, 0)
    task = next(task for task in tasks if task.spec["world"]["gateway"] == "timeout")
    found = names(shop, task, expert_actions(shop, task))
    assert "repeated_call" not in {name for _, name in found}


def test_an_order_beyond_stock_is_blamed_with_what_was_left(shop: Shop) -> None:
    task = shop.task(Split.TRAIN, "buy", 0)
    job, product = task.spec["job"], task.spec["job"]["product"]
    left = next(one["stock"] for one in task.spec["world"]["products"] if one["name"] == product)
    order = Action("create_order", {"product": product, "quantity": left + 1})
    identity = Action("verify_identity", {"email": job["email"], "pin": job["pin"]})
    blamed = [s for s in shop.review(play(shop, task, [identity, order])) if s.turn == 1]
    assert [(s.name, s.kind, s.why) for s in blamed] == [
        (
            "ordered_beyond_stock",
            SignalKind.PROCESS,
            f"create_order of {left + 1} {product}: only {left} in stock",
        )
    ]
    assert blamed[0].score is not None and blamed[0].score < 0
    within = Action("create_order", {"product": product, "quantity": left})
    assert "ordered_beyond_stock" not in {n for _, n in names(shop, task, [identity, within])}
