"""The base model of lessons."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiny_llama import save_tiny_llama


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_llama(tmp_path_factory.mktemp("base"))
