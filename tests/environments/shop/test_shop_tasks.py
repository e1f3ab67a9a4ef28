from __future__ import annotations

import json
import re
from dataclasses import asdict
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.environments.shop import Shop
from coevolve.environments.shop.draw import CLASSES
from coevolve.environments.shop.wording import load_wording, message
from coevolve.environments.shop.world import number_after, number_class
from coevolve.errors import WorldError
from coevolve.types import Split, Task

SPLITS = [Split.TRAIN, Split.VALIDATION, Split.HELD_OUT, Split.TEST]


def test_tasks_are_balanced_unique_and_the_same_for_the_same_seed(shop: Shop) -> None:
    types = ["price", "cancel", "refuse_shipped"]
    tasks = shop.tasks(Split.TRAIN, types, 31, 7)
    assert tasks == shop.tasks(Split.TRAIN, types, 31, 7)
    counts = [sum(task.type == name for task in tasks) for name in types]
    assert max(counts) - min(counts) <= 1
    more = [task for seed in range(8) for task in shop.tasks(Split.TRAIN, types, 31, seed)]
    assert len({task.id for task in more}) == len(more)
    assert len({task.opening for task in more}) > 0.95 * len(more)


def test_a_task_survives_json(shop: Shop) -> None:
    for task in shop.tasks(Split.TEST, [], 20, 1):
        again = Task(**json.loads(json.dumps(asdict(task))))
        assert shop.start(again).snapshot() == shop.start(task).snapshot()


def test_there_are_enough_types_in_three_difficulties(shop: Shop) -> None:
    tasks = shop.tasks(Split.TRAIN, [], len(shop.task_types()), 0)
    assert len(tasks) >= 12
    assert {task.difficulty for task in tasks} == {1, 2, 3}
    assert {task.type: task.refusal for task in tasks} == dict(shop.task_types())
    assert sum(shop.task_types().values()) >= 5


def names_and_numbers(tasks: list[Task]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {key: set() for key in ("product", "brand", "person", "email", "number")}
    for task in tasks:
        world, job = task.spec["world"], task.spec["job"]
        for product in world["products"]:
            found["product"].add(product["name"])
            found["brand"].add(product["name"].split()[0])
            found["number"] |= {str(product[key]) for key in ("price", "weight") if product[key] > 99}
        for customer in world["customers"]:
            found["person"] |= set(customer["name"].split())
            found["email"].add(customer["email"])
            found["number"] |= {customer["pin"], *customer["cards"]}
        for order in world["orders"]:
            found["number"] |= {order["id"], str(order["total"])}
        for coupon in world["coupons"]:
            found["number"] |= set(re.findall(r"\d+", coupon["code"]))
        found["number"] |= {
            world["code"],
            *(str(world[key]) for key in ("next_order", "next_rma", "next_ticket")),
        }
        found["number"] |= {str(job[key]) for key in ("max_price", "pin", "card") if key in job}
    return found


def test_splits_share_no_name_and_no_number(shop: Shop) -> None:
    found = {split: names_and_numbers(shop.tasks(split, [], 300, 3)) for split in SPLITS}
    for one, two in combinations(SPLITS, 2):
        for kind, values in found[one].items():
            assert not values & found[two][kind], (one, two, kind)
    for split in SPLITS:
        assert {number_class(int(number)) for number in found[split]["number"]} == {CLASSES[split]}


@given(st.integers(0, 10**7))
def test_the_number_after_is_the_next_of_its_class(number: int) -> None:
    following = number_after(number)
    assert number_class(following) == number_class(number)
    assert all(number_class(n) != number_class(number) for n in range(number + 1, following))


def sentence(text: str) -> str:
    return re.sub(r"[^a-z{}]+", " ", text.lower()).strip()


def test_splits_share_no_sentence_core() -> None:
    for one, two in combinations(SPLITS, 2):
        first, second = load_wording(one), load_wording(two)
        for topic in first.cores:
            shared = set(map(sentence, first.cores[topic])) & set(map(sentence, second.cores[topic]))
            assert not shared, (one, two, topic)


def test_live_uses_trains_words(shop: Shop) -> None:
    live = names_and_numbers(shop.tasks(Split.LIVE, [], 40, 3))
    words = load_wording(Split.TRAIN).lexicon
    assert live["person"] <= {*words["first_names"], *words["last_names"]}
    assert {number_class(int(number)) for number in live["number"]} == {0}


def test_refusals_share_their_wording_with_their_twins(shop: Shop) -> None:
    topics = {
        name: {task.spec["job"]["topic"] for task in shop.tasks(Split.TRAIN, [name], 40, 0)}
        for name in shop.task_types()
    }
    assert topics["refuse_foreign_order"] == {"status", "cancel", "return"}
    assert topics["refuse_payment"] == topics["pay"] == topics["payment_trouble"]
    assert topics["refuse_late_return"] == topics["return_item"]
    assert topics["refuse_shipped"] == topics["cancel"] == topics["ask_identity"]


def test_what_must_be_asked_is_not_in_the_message(shop: Shop) -> None:
    for task in shop.tasks(Split.TRAIN, ["ask_order"], 50, 0):
        assert task.spec["job"]["order"] not in task.opening
    for task in shop.tasks(Split.TRAIN, ["ask_identity"], 50, 0):
        assert task.spec["job"]["pin"] not in task.opening
        assert "@" not in task.opening


def test_an_unknown_type_or_a_bad_count_is_refused(shop: Shop) -> None:
    with pytest.raises(WorldError, match=r"no task type 'prize'[\s\S]*price"):
        shop.tasks(Split.TRAIN, ["prize"], 1, 0)
    with pytest.raises(WorldError, match="-1 tasks"):
        shop.tasks(Split.TRAIN, [], -1, 0)


def test_a_task_of_another_world_cannot_be_started(shop: Shop) -> None:
    task = Task(id="x", type="price", split=Split.TRAIN, seed=0, difficulty=1, opening="Hi", spec={"a": 1})
    with pytest.raises(WorldError, match="x is no shop task"):
        shop.start(task)


def test_the_briefing_is_short(shop: Shop) -> None:
    assert len(shop.briefing.split()) <= 90


def wording_text(split: Split) -> str:
    home = Path(__file__).parents[3] / "src/coevolve/environments/shop/wording"
    return (home / f"{split.value}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("[cores]", "[cores", "no TOML"),
        ("[lexicon]", "[lexikon]", r"\[lexicon\] first_names"),
        ("How much is the {product}?", "How much?", "price lacks product"),
        ("How much is the {product}?", "How much is the {thing}?", "bad slot"),
    ],
)
def test_broken_wording_is_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    text = wording_text(Split.TRAIN)
    assert old in text
    (tmp_path / "train.toml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(WorldError, match=named):
        Shop(tmp_path).tasks(Split.TRAIN, ["price"], 1, 0)


def test_missing_wording_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"test\.toml"):
        Shop(tmp_path).tasks(Split.TEST, ["price"], 1, 0)


def test_a_message_holds_core_and_identity() -> None:
    import random

    wording = load_wording(Split.TRAIN)
    slots = {"product": "Velora Nova", "email": "a@b.c", "pin": "1000"}
    texts = [message(wording, "price", slots, random.Random(seed), identity=True) for seed in range(30)]
    assert all("Velora Nova" in text and "a@b.c" in text and "1000" in text for text in texts)
    assert len({text.index("Velora") < text.index("a@b.c") for text in texts}) == 2
