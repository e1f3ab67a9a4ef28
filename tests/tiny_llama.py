"""A Llama of random weights, small enough to train in milliseconds, saved as transformers does."""

from __future__ import annotations

from pathlib import Path

import torch

from coevolve.learn.llama import LlamaLora
from coevolve.models.weights import quiet

VOCAB = 97


def save_tiny_llama(folder: Path, *, seed: int = 0) -> Path:
    """Write the model's folder and return it."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCAB,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        tie_word_embeddings=True,
        rms_norm_eps=1e-5,
    )
    with quiet():
        model = LlamaForCausalLM(config)
        for name, value in model.named_parameters():
            with torch.no_grad():
                value.uniform_(0.5, 1.5) if "norm" in name else value.normal_(0, 0.2)
        model.save_pretrained(folder)
    return folder


def random_adapter(folder: Path, base: Path, seed: int) -> Path:
    """An adapter with an effect, of any Llama: B is drawn too."""
    network = LlamaLora.load(base, adapter=None, rank=8, alpha=16, seed=seed)
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in network.parameters.items():
            if "lora_B" in name:
                value.copy_(0.02 * torch.randn(value.shape, generator=random))
    network.save(folder)
    return folder
