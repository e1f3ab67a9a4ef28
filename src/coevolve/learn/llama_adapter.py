"""A Llama's LoRA adapter in memory and in PEFT's folder: every projection of every layer, plain LoRA.

Tensors by their names in PEFT's file enter and leave. Equal values give equal bytes on any machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from coevolve.errors import LearnError
from coevolve.learn.llama_parts import Shape
from coevolve.models.ir import BEYOND_LORA

TARGETS = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)
ADAPTER_FILE = "adapter_model.safetensors"
ADAPTER_CONFIG = "adapter_config.json"


def adapter_key(layer: int, target: str, side: str) -> str:
    """The name in PEFT's file of side A or B of a layer's projection."""
    return f"base_model.model.model.layers.{layer}.{target}.lora_{side}.weight"


def _sizes(shape: Shape) -> dict[str, tuple[int, int]]:
    """(out, in) of each adapted projection."""
    wide, narrow = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    outs = (wide, narrow, narrow, shape.hidden, shape.mlp, shape.mlp, shape.hidden)
    ins = (shape.hidden, shape.hidden, shape.hidden, wide, shape.hidden, shape.hidden, shape.mlp)
    return dict(zip(TARGETS, zip(outs, ins, strict=True), strict=True))


def fresh_adapter(shape: Shape, rank: int, seed: int) -> dict[str, Tensor]:
    """PEFT's initial values: A uniform within 1 / sqrt(in), B zero."""
    random = torch.Generator().manual_seed(seed)
    values = {}
    for layer in range(shape.layers):
        for target, (outer, inner) in _sizes(shape).items():
            uniform = torch.rand(rank, inner, generator=random)
            values[adapter_key(layer, target, "A")] = (2 * uniform - 1) * inner**-0.5
            values[adapter_key(layer, target, "B")] = torch.zeros(outer, rank)
    return values


def read_adapter(folder: Path, shape: Shape) -> tuple[dict[str, Tensor], float]:
    """A PEFT folder's values and its alpha.

    Raises: LearnError: it adapts other projections, or another model, or in another way than LoRA.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    fix = "start from an adapter of the same base model that was made here, or from none"
    try:
        config = json.loads((folder / ADAPTER_CONFIG).read_text(encoding="utf-8"))
        values = load_file(folder / ADAPTER_FILE)
        rank, alpha = int(config["r"]), float(config["lora_alpha"])
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise LearnError(f"cannot continue from adapter {folder}: {error}", fix=fix) from error
    expected = {
        adapter_key(layer, target, side): (rank, inner) if side == "A" else (outer, rank)
        for layer in range(shape.layers)
        for target, (outer, inner) in _sizes(shape).items()
        for side in "AB"
    }
    if {name: tuple(value.shape) for name, value in values.items()} != expected:
        raise LearnError(f"adapter {folder} does not fit this base model", fix=fix)
    if any(config.get(option) for option in BEYOND_LORA):
        raise LearnError(f"adapter {folder} is more than plain LoRA", fix=fix)
    return values, alpha


def write_adapter(folder: Path, values: Mapping[str, Tensor], *, rank: int, alpha: float) -> None:
    """Write a folder that PEFT loads: f32 values and their configuration."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: value.detach().contiguous() for name, value in values.items()}
    save_file(tensors, folder / ADAPTER_FILE, metadata={"format": "pt"})
    config = {
        "base_model_name_or_path": None,
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "lora_alpha": alpha,
        "lora_dropout": 0.0,
        "modules_to_save": None,
        "peft_type": "LORA",
        "r": rank,
        "target_modules": sorted(name.rpartition(".")[2] for name in TARGETS),
        "task_type": "CAUSAL_LM",
        "use_dora": False,
        "use_rslora": False,
    }
    text = json.dumps(config, indent=1, sort_keys=True)
    (folder / ADAPTER_CONFIG).write_text(text, encoding="utf-8")
