"""What is to be minimised, as gradients with respect to log-probabilities of single tokens."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Gradient = Callable[[Tensor, Tensor], tuple[float, Tensor]]


def imitation(weight_N: Tensor, *, error_weight: float) -> Gradient:
    """Weighted negative log-likelihood, normalised by the weights.

    Args:
        weight_N: of each target token.
        error_weight: e; a token of probability p counts 1 + e (1 - p) times, so that the few tokens that
            choose the tool do not drown among easy ones (after focal loss, arXiv:1708.02002).
    """

    def gradient(logp_N: Tensor, _hit_N: Tensor) -> tuple[float, Tensor]:
        counted_N = weight_N * (1.0 + error_weight * (1.0 - logp_N.exp()))
        share_N = counted_N / counted_N.sum()
        return float(-(share_N * logp_N).sum()), -share_N

    return gradient


def preference(reference_N: Tensor, row_N: Tensor, *, beta: float, sft_weight: float) -> Gradient:
    """DPO (arXiv:2305.18290) on rows 2k (chosen) and 2k + 1 (rejected), with an imitation term.

    Args:
        reference_N: log-probabilities under the model before this fit.
        row_N: the row of each target token.
        sft_weight: of the chosen row's mean negative log-likelihood, against drift of both sides.
    Returns: the mean over pairs; margins are sums over tokens, as in the paper.
    """
    rows = int(row_N.max()) + 1
    length_R = torch.bincount(row_N, minlength=rows).float()
    chosen_N = row_N % 2 == 0

    def gradient(logp_N: Tensor, _hit_N: Tensor) -> tuple[float, Tensor]:
        gain_R = torch.zeros(rows).index_add(0, row_N, logp_N - reference_N)
        margin_P = beta * (gain_R[0::2] - gain_R[1::2])
        loss_P = torch.nn.functional.softplus(-margin_P)
        push_P = beta * torch.sigmoid(-margin_P) / len(margin_P)
        grad_N = torch.where(chosen_N, -push_P[row_N // 2], push_P[row_N // 2])
        share_N = torch.where(chosen_N, sft_weight / length_R[row_N] / len(margin_P), 0.0)
        return float(loss_P.mean() - (share_N * logp_N).sum()), grad_N - share_N

    return gradient
