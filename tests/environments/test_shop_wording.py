"""The four wording files of the shop: complete, well slotted, and without anything in common."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from itertools import combinations, product

import pytest

Wording = dict[str, dict[str, list[str]]]

SPLITS = ("train", "validation", "held_out", "test")
SLOT = re.compile(r"\{(\w+)\}")
MAX_SIMILARITY = 0.8

SLOTS: dict[str, dict[str, set[str]]] = {
    "cores": {
        "price": {"product"},
        "find": {"category", "max_price"},
        "stock": {"product"},
        "compare_price": {"a", "b"},
        "compare_weight": {"a", "b"},
        "compare_battery": {"a", "b"},
        "status": {"order"},
        "status_no_number": set(),
        "cancel": {"order"},
        "return": {"order", "reason"},
        "warranty": {"order", "defect"},
        "pay": {"order", "card"},
        "coupon": {"order", "code"},
        "buy": {"quantity", "product", "card"},
        "safety": {"product", "hazard"},
    },
    "frames": {
        "greetings": set(),
        "closings": set(),
        "identity": {"email", "pin"},
        "give_order": {"order"},
        "give_identity": {"email", "pin"},
        "give_code": {"confirmation"},
        "give_card": {"card"},
        "confused": set(),
    },
    "lexicon": {
        key: set() for key in ("first_names", "last_names", "brands", "models", "categories", "coupons")
    },
    "fillers": {key: set() for key in ("reason", "defect", "hazard")},
}

# (train, every other split)
SIZES: dict[str, tuple[int, int]] = {
    "first_names": (40, 24),
    "last_names": (40, 24),
    "brands": (24, 14),
    "models": (24, 14),
    "categories": (8, 8),
    "coupons": (12, 8),
    "greetings": (20, 10),
    "closings": (20, 10),
    "identity": (110, 22),
    "give_order": (12, 6),
    "give_identity": (12, 6),
    "give_code": (12, 6),
    "give_card": (12, 6),
    "confused": (12, 6),
    "reason": (24, 12),
    "defect": (24, 12),
    "hazard": (24, 12),
}
CORE_SIZES = (195, 38)


def load(split: str) -> Wording:
    path = files("coevolve.environments").joinpath("shop", "wording", f"{split}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wordings() -> dict[str, Wording]:
    return {split: load(split) for split in SPLITS}


def entries(wording: Wording) -> list[tuple[str, str, str]]:
    return [
        (table, key, text)
        for table, lists in wording.items()
        for key, texts in lists.items()
        for text in texts
    ]


def normalised(text: str) -> str:
    return " ".join(re.findall(r"[a-z{}_']+", text.casefold()))


def words(core: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z']+", SLOT.sub(" ", core).casefold()))


def similarity(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / max(1, len(left | right))


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_has_every_table_and_key_and_no_other(split: str, wordings: dict[str, Wording]) -> None:
    found = {table: set(lists) for table, lists in wordings[split].items()}
    assert found == {table: set(lists) for table, lists in SLOTS.items()}


@pytest.mark.parametrize("split", SPLITS)
def test_every_list_of_a_split_is_long_enough(split: str, wordings: dict[str, Wording]) -> None:
    column = 0 if split == "train" else 1
    short = {
        key: len(texts)
        for table, lists in wordings[split].items()
        for key, texts in lists.items()
        if len(texts) < (CORE_SIZES if table == "cores" else SIZES[key])[column]
    }
    assert short == {}


@pytest.mark.parametrize("split", SPLITS)
def test_every_sentence_names_each_slot_of_its_topic_exactly_once(
    split: str, wordings: dict[str, Wording]
) -> None:
    wrong = [
        (key, text)
        for table, key, text in entries(wordings[split])
        if sorted(SLOT.findall(text)) != sorted(SLOTS[table][key])
        or SLOT.sub("", text).translate({ord("{"): "#", ord("}"): "#"}).count("#")
    ]
    assert wrong == []


@pytest.mark.parametrize("split", SPLITS)
def test_a_dollar_sign_stands_before_every_budget_and_nowhere_else(
    split: str, wordings: dict[str, Wording]
) -> None:
    wrong = [t for _, _, t in entries(wordings[split]) if t.count("$") != t.count("${max_price}")]
    wrong += [core for core in wordings[split]["cores"]["find"] if "${max_price}" not in core]
    assert wrong == []


@pytest.mark.parametrize("split", SPLITS)
def test_text_holds_no_digit_no_stray_space_and_is_empty_only_as_greeting_or_closing(
    split: str, wordings: dict[str, Wording]
) -> None:
    wrong = [
        (key, text)
        for _, key, text in entries(wordings[split])
        if re.search(r"\d", text)
        or text != " ".join(text.split())
        or (text == "" and key not in {"greetings", "closings"})
    ]
    assert wrong == []
    assert "" in wordings[split]["frames"]["greetings"]
    assert "" in wordings[split]["frames"]["closings"]


@pytest.mark.parametrize("split", SPLITS)
def test_no_article_that_depends_on_the_filled_word_stands_before_a_slot(
    split: str, wordings: dict[str, Wording]
) -> None:
    broken = re.compile(r"\ban? \{(product|a|b)\}|\ban? (new )?\{category\}(?! [a-z])", re.IGNORECASE)
    assert [t for _, _, t in entries(wordings[split]) if broken.search(t)] == []


@pytest.mark.parametrize("split", SPLITS)
def test_fillers_continue_a_sentence_and_do_not_end_it(split: str, wordings: dict[str, Wording]) -> None:
    fillers = [text for texts in wordings[split]["fillers"].values() for text in texts]
    wrong = [t for t in fillers if t[-1] in ".!?," or (t[0].isupper() and not t.startswith("I "))]
    assert wrong == []


@pytest.mark.parametrize("split", SPLITS)
def test_coupons_are_single_words_in_capitals_and_models_at_most_two(
    split: str, wordings: dict[str, Wording]
) -> None:
    lexicon = wordings[split]["lexicon"]
    assert [c for c in lexicon["coupons"] if not re.fullmatch(r"[A-Z]+", c)] == []
    assert [m for m in lexicon["models"] if len(m.split()) > 2] == []
    assert [b for b in lexicon["brands"] if len(b.split()) > 1] == []


@pytest.mark.parametrize("split", SPLITS)
def test_no_text_occurs_twice_within_a_split(split: str, wordings: dict[str, Wording]) -> None:
    seen: dict[tuple[str, str], str] = {}
    repeated = []
    for table, key, text in entries(wordings[split]):
        place = (table if table == "cores" else key, normalised(text))
        if place in seen:
            repeated.append((seen[place], text))
        seen[place] = text
    assert repeated == []


def test_the_categories_are_the_same_in_every_split(wordings: dict[str, Wording]) -> None:
    assert len({tuple(w["lexicon"]["categories"]) for w in wordings.values()}) == 1


@pytest.mark.parametrize(("left", "right"), list(combinations(SPLITS, 2)))
def test_two_splits_share_no_text(left: str, right: str, wordings: dict[str, Wording]) -> None:
    def texts(split: str) -> set[str]:
        kept = (normalised(t) for _, key, t in entries(wordings[split]) if key != "categories")
        return {text for text in kept if text}

    assert texts(left) & texts(right) == set()


@pytest.mark.parametrize(("left", "right"), list(combinations(SPLITS, 2)))
def test_no_core_of_one_split_is_nearly_a_core_of_another(
    left: str, right: str, wordings: dict[str, Wording]
) -> None:
    close = [
        (topic, one, other)
        for topic in SLOTS["cores"]
        for one, other in product(wordings[left]["cores"][topic], wordings[right]["cores"][topic])
        if similarity(words(one), words(other)) >= MAX_SIMILARITY
    ]
    assert close == []


def test_similarity_sees_a_sentence_with_one_word_swapped() -> None:
    one = words("Please tell me where the parcel of order {order} is right now.")
    other = words("Please tell me where the package of order {order} is right now.")
    assert similarity(one, other) >= MAX_SIMILARITY
