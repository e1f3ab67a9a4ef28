"""Rows packed behind a shared prefix must predict exactly what each of them predicts on its own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from coevolve.errors import LearnError
from coevolve.learn.llama import LlamaLora
from coevolve.learn.packing import Row, batches, pack, packed_attention
from tiny_llama import VOCAB, save_tiny_llama

pytestmark = pytest.mark.usefixtures("one_thread")


@cache
def network() -> LlamaLora:
    """An adapter that does something: side B is not zero."""
    with TemporaryDirectory() as folder:
        base = save_tiny_llama(Path(folder))
        made = LlamaLora.load(base, adapter=None, rank=2, alpha=4, seed=0, dtype=torch.float32)
    torch.manual_seed(3)
    with torch.no_grad():
        for name, value in made.parameters.items():
            if "lora_B" in name:
                value.normal_(0, 0.2)
    return made


@st.composite
def some_rows(draw: st.DrawFn) -> list[Row]:
    """Rows with a common beginning of any length, and targets anywhere after their first token."""
    token = st.integers(0, VOCAB - 1)
    common = draw(st.lists(token, max_size=12))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        ids = common + draw(st.lists(token, min_size=2, max_size=9))
        weights = draw(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=len(ids), max_size=len(ids)))
        weights[0] = 0.0
        if not any(weights):
            weights[draw(st.integers(1, len(ids) - 1))] = 1.0
        rows.append(Row(tuple(ids), tuple(weights)))
    return rows


@given(some_rows())
def test_packed_rows_have_the_logps_of_each_row_alone(rows: list[Row]) -> None:
    together, hits = network().forward(pack(rows), grad=False)
    alone = [network().forward(pack([row]), grad=False) for row in rows]
    torch.testing.assert_close(together, torch.cat([logp for logp, _ in alone]), atol=2e-4, rtol=0)
    assert hits.tolist() == torch.cat([hit for _, hit in alone]).tolist()


@given(some_rows())
def test_every_target_is_kept_with_its_row_and_weight_and_read_off_its_own_span(rows: list[Row]) -> None:
    packed = pack(rows)
    expected = [
        (number, row.ids[i], weight)
        for number, row in enumerate(rows)
        for i, weight in enumerate(row.weights)
        if weight
    ]
    found = list(zip(packed.row_N.tolist(), packed.target_N.tolist(), packed.weight_N.tolist(), strict=True))
    assert found == expected
    for source, number in zip(packed.source_N.tolist(), packed.row_N.tolist(), strict=True):
        start, end = packed.spans[number + 1]
        assert start <= source < end - 1
    shared = packed.spans[0][1]
    firsts = [next(i for i, weight in enumerate(row.weights) if weight) for row in rows]
    assert shared < min(firsts)
    for number, row in enumerate(rows):
        start, end = packed.spans[number + 1]
        assert tuple(packed.ids_T[:shared].tolist() + packed.ids_T[start:end].tolist()) == row.ids
        assert packed.positions_T[start:end].tolist() == list(range(shared, len(row.ids)))
    assert packed.tokens == shared + sum(len(row.ids) - shared for row in rows)


def test_a_common_beginning_is_laid_down_once() -> None:
    rows = [Row((*range(10), last, 1), (0.0,) * 11 + (1.0,)) for last in (20, 21, 22)]
    packed = pack(rows)
    assert packed.spans == ((0, 10), (10, 12), (12, 14), (14, 16))


def test_prefix_ends_before_the_first_target_even_where_targets_agree() -> None:
    row = Row((1, 2, 3, 4), (0.0, 0.0, 1.0, 1.0))
    packed = pack([row, row])
    assert packed.spans[0] == (0, 1)
    assert packed.target_N.tolist() == [3, 4, 3, 4]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "empty batch"),
        ([Row((1, 2), (0.0, 0.0))], "nothing to predict"),
        ([Row((1, 2), (1.0, 1.0))], "first token"),
    ],
)
def test_rows_that_teach_nothing_are_refused(rows: list[Row], message: str) -> None:
    with pytest.raises(LearnError, match=message):
        pack(rows)


@given(some_rows(), st.integers(1, 40), st.integers(0, 5))
def test_batches_cover_each_row_once_within_the_limit_and_repeat_with_their_seed(
    rows: list[Row], tokens: int, seed: int
) -> None:
    made = list(batches(rows, tokens, np.random.default_rng(seed)))
    assert sorted(index for batch in made for index in batch) == list(range(len(rows)))
    assert made == list(batches(rows, tokens, np.random.default_rng(seed)))
    shared = len(rows[0].ids)
    for row in rows:
        same = next((i for i, (a, b) in enumerate(zip(rows[0].ids, row.ids, strict=False)) if a != b), 99)
        shared = min(shared, same, len(row.ids) - 1)
    for batch in made:
        assert len(batch) == 1 or sum(len(rows[i].ids) - shared for i in batch) <= tokens


def test_batches_are_shuffled_anew_by_another_seed() -> None:
    rows = [Row((k, k), (0.0, 1.0)) for k in range(20)]
    orders = {
        tuple(index for batch in batches(rows, 4, np.random.default_rng(seed)) for index in batch)
        for seed in range(4)
    }
    assert len(orders) == 4
    assert list(batches([], 4, np.random.default_rng(0))) == []


def test_packed_attention_equals_attention_under_the_full_mask() -> None:
    torch.manual_seed(1)
    spans = ((0, 5), (5, 8), (8, 12))
    query, key, value = (torch.randn(1, heads, 12, 4) for heads in (4, 2, 2))
    mask = torch.zeros(12, 12, dtype=torch.bool)
    for start, end in spans:
        mask[start:end, :5] = True
        mask[start:end, start:end] = True
    mask &= torch.ones(12, 12, dtype=torch.bool).tril()
    wide_key, wide_value = key.repeat_interleave(2, 1), value.repeat_interleave(2, 1)
    expected = scaled_dot_product_attention(query, wide_key, wide_value, attn_mask=mask, scale=0.5)
    found, _ = packed_attention(torch.nn.Identity(), query, key, value, None, spans=spans, scaling=0.5)
    torch.testing.assert_close(found, expected.transpose(1, 2), atol=1e-6, rtol=1e-5)
