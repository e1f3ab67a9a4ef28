from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

pytest_plugins = ["loop_world", "databases"]  # fixtures of the loop over the toy world, and of both databases

# A shared machine's pauses are no findings, and the same commit must give the same result everywhere.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with a real model first: one takes minutes, and last it would keep one worker waiting."""
    models = {item.path for item in items if item.get_closest_marker("model") is not None}
    items.sort(key=lambda item: (item.path not in models, item.path.name != "test_loop_model.py"))


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Single sequences gain little from torch's threads, which wait for each other on a busy machine."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
