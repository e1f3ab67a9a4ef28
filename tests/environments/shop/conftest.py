from __future__ import annotations

from collections.abc import Callable

import pytest

from coevolve.environments.shop import Shop
from coevolve.environments.shop.episode import ShopEpisode
from coevolve.types import Split, Task


@pytest.fixture(scope="session")
def shop() -> Shop:
    return Shop()


@pytest.fixture(scope="session")
def opened(shop: Shop) -> Callable[..., tuple[Task, ShopEpisode]]:
    """The first train task of a type for which `wanted` holds, and a fresh episode of it."""

    def find(type_name: str, wanted: Callable[[Task], bool] = lambda task: True) -> tuple[Task, ShopEpisode]:
        for seed in range(200):
            task = shop.task(Split.TRAIN, type_name, seed)
            if wanted(task):
                return task, shop.start(task)
        raise AssertionError(f"no such {type_name} task")

    return find
