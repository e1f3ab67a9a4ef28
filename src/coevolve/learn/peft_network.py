"""Any causal model of transformers with a LoRA adapter of PEFT, as the trainer holds it.

A folder with safetensors enters, a PEFT model leaves; adapters are read and written in PEFT's layout.
Frozen projections are kept in bf16 (exactly what autocast would make of them at every step), norms,
embeddings and the residual stream in f32, the adapter in f32. The model lives on a GPU where there is one;
packs, log-probabilities and losses stay with the caller, on the CPU.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from coevolve.errors import LearnError
from coevolve.learn.packing import PACKED_ATTENTION, Pack, packed_attention
from coevolve.models.weights import quiet

TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class PeftNetwork:
    """A `Network` over transformers and PEFT. Made by `load`."""

    def __init__(self, model: Any, *, exact: bool) -> None:
        self.model = model
        self.exact = exact
        self.parameters: dict[str, Tensor] = {
            name: p for name, p in sorted(model.named_parameters()) if p.requires_grad
        }
        self._logp_N: Tensor | None = None

    @classmethod
    def load(
        cls, folder: Path, *, adapter: Path | None, rank: int, alpha: float, seed: int, exact: bool = False
    ) -> PeftNetwork:
        """The base model of `folder` with a trainable adapter; see `coevolve.learn.open`."""
        from transformers import AttentionInterface

        AttentionInterface.register(PACKED_ATTENTION, packed_attention)
        model = load_peft(
            folder, adapter=adapter, rank=rank, alpha=alpha, seed=seed, attention=PACKED_ATTENTION
        )
        if not exact:
            halve_frozen(model.get_base_model())
        return cls(model.to(training_device()), exact=exact)

    def forward(self, pack: Pack, grad: bool = True) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the pack's targets (N,), f32, and whether each is the argmax (N,)."""
        base = self.model.base_model.model
        device = base.device
        target_N = pack.target_N.to(device)
        half = torch.autocast(device.type, torch.bfloat16, enabled=not self.exact)
        with torch.set_grad_enabled(grad), half:
            hidden = base.model(
                input_ids=pack.ids_T[None].to(device),
                position_ids=pack.positions_T[None].to(device),
                spans=pack.spans,
                use_cache=False,
            ).last_hidden_state
            logits_NV = base.lm_head(hidden[0, pack.source_N.to(device)]).float()
            logp_N = -cross_entropy(logits_NV, target_N, reduction="none")
        self._logp_N = logp_N if grad else None
        return logp_N.cpu(), (logits_NV.detach().argmax(1) == target_N).cpu()

    def backward(self, grad_logp_N: Tensor) -> None:
        """Backpropagate through the last forward."""
        if self._logp_N is None:
            raise LearnError("backward without a forward", fix="call forward(pack) first")
        self._logp_N.backward(grad_logp_N.to(self._logp_N.device))  # type: ignore[no-untyped-call]
        self._logp_N = None

    def save(self, folder: Path) -> None:
        """Write the adapter in PEFT's layout; equal weights give equal bytes on any machine."""
        save_peft(self.model, folder)


def training_device() -> torch.device:
    """Where models are trained: a GPU where torch sees one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load_peft(
    folder: Path, *, adapter: Path | None, rank: int, alpha: float, seed: int, attention: str
) -> Any:
    """The base model of `folder` in f32 on the CPU, with a trainable adapter of PEFT.

    Args:
        attention: name of transformers' attention implementation.
    Raises: LearnError: the adapter does not belong to this base model.
    """
    from peft import LoraConfig, PeftModel, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.manual_seed(seed)
    with quiet():
        base = AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, attn_implementation=attention
        )
        if adapter is None:
            known = {name.rpartition(".")[2] for name, _ in base.named_modules()}
            targets = list(TARGETS) if known.issuperset(TARGETS) else "all-linear"
            config = LoraConfig(r=rank, lora_alpha=alpha, target_modules=targets, task_type="CAUSAL_LM")
            return get_peft_model(base, config)
        try:
            return PeftModel.from_pretrained(base, str(adapter), is_trainable=True)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise LearnError(
                f"cannot continue from adapter {adapter}: {error}",
                fix="start from an adapter of the same base model, or from none",
            ) from error


def save_peft(model: Any, folder: Path) -> None:
    """Write the adapter in use in PEFT's layout; equal weights give equal bytes on any machine."""
    with quiet():
        model.save_pretrained(str(folder), safe_serialization=True, selected_adapters=["default"])
    (folder / "README.md").unlink(missing_ok=True)
    config_file = folder / "adapter_config.json"
    config = json.loads(config_file.read_text(encoding="utf-8"))
    config["base_model_name_or_path"] = None
    config["target_modules"] = sorted(config["target_modules"])
    config_file.write_text(json.dumps(config, indent=1, sort_keys=True), encoding="utf-8")


def halve_frozen(base: Any) -> None:
    """Keep the frozen projections of a base model in bf16, in place."""
    embedding = base.get_input_embeddings()
    head = nn.Parameter(embedding.weight.detach().to(torch.bfloat16), requires_grad=False)
    for module in base.modules():
        if isinstance(module, nn.Linear) and not module.weight.requires_grad:
            module.weight = nn.Parameter(module.weight.detach().to(torch.bfloat16), requires_grad=False)
    if base.config.tie_word_embeddings:  # the embedding stays exact, the product with it need not
        base.lm_head.weight = head
