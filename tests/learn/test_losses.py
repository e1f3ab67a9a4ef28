"""Hand-written gradients against autograd's."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from coevolve.learn.losses import imitation, preference

ROW = torch.tensor([0, 0, 0, 1, 1, 2, 3, 3, 3, 3])  # two pairs: (0, 1) and (2, 3)
NO_HITS = torch.zeros(0, dtype=torch.bool)


def random_logps(seed: int, count: int = len(ROW)) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return -3 * torch.rand(count, generator=generator, dtype=torch.float64) - 0.01


@pytest.mark.parametrize("error_weight", [0.0, 0.7, 4.0])
def test_imitation_equals_autograd_with_its_weights_held_fixed(error_weight: float) -> None:
    weight = torch.tensor([1.0, 2.0, 0.5, 1.0, 3.0], dtype=torch.float64)
    logp = random_logps(1, 5).requires_grad_()
    with torch.no_grad():
        counted = weight * (1 + error_weight * (1 - logp.exp()))
    expected = -(counted * logp).sum() / counted.sum()
    (theirs,) = torch.autograd.grad(expected, logp)
    loss, mine = imitation(weight, error_weight=error_weight)(logp.detach(), NO_HITS)
    assert loss == pytest.approx(float(expected.detach()), rel=1e-9)
    torch.testing.assert_close(mine, theirs)


def test_plain_imitation_is_the_weighted_mean_negative_log_likelihood() -> None:
    loss, grad = imitation(torch.tensor([1.0, 3.0]), error_weight=0.0)(torch.tensor([-1.0, -2.0]), NO_HITS)
    assert loss == pytest.approx(1.75)
    assert grad.tolist() == [-0.25, -0.75]


def test_error_weight_moves_weight_to_the_tokens_the_model_gets_wrong() -> None:
    logp = torch.tensor([math.log(0.99), math.log(0.01)])
    plain, focused = (imitation(torch.ones(2), error_weight=e)(logp, NO_HITS)[1] for e in (0.0, 9.0))
    assert plain[0] == plain[1]
    assert focused[1] / focused[0] == pytest.approx((1 + 9 * 0.99) / (1 + 9 * 0.01), rel=1e-4)
    assert float(focused.sum()) == pytest.approx(-1.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("beta", "sft_weight"), [(0.1, 0.0), (0.5, 0.3), (2.0, 1.0)])
def test_preference_loss_and_gradient_equal_autograd(seed: int, beta: float, sft_weight: float) -> None:
    reference = random_logps(100 + seed).float()
    logp = random_logps(seed).float().requires_grad_()
    losses = []
    for chosen, rejected in ((0, 1), (2, 3)):
        gain = {row: (logp - reference)[row == ROW].sum() for row in (chosen, rejected)}
        dpo = -torch.nn.functional.logsigmoid(beta * (gain[chosen] - gain[rejected]))
        losses.append(dpo - sft_weight * logp[chosen == ROW].mean())
    expected = torch.stack(losses).mean()
    (theirs,) = torch.autograd.grad(expected, logp)
    loss, mine = preference(reference, ROW, beta=beta, sft_weight=sft_weight)(logp.detach(), NO_HITS)
    assert loss == pytest.approx(float(expected.detach()), rel=1e-5)
    torch.testing.assert_close(mine, theirs, atol=1e-6, rtol=1e-5)


def test_preference_begins_at_log_two_and_pushes_the_sides_apart() -> None:
    reference = random_logps(5).float()
    loss, grad = preference(reference, ROW, beta=0.1, sft_weight=0.0)(reference.clone(), NO_HITS)
    assert loss == pytest.approx(math.log(2), rel=1e-5)
    assert bool((grad[ROW % 2 == 0] < 0).all()) and bool((grad[ROW % 2 == 1] > 0).all())
