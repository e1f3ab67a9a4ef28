"""An adapter is held against its base model before the engine sees it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from coevolve.errors import ModelError
from coevolve.models.ir import adapter_scale, check_adapter, ir_folder, merge_adapter
from coevolve.models.weights import find_weights
from full_disk import no_file_beyond
from tiny_gguf import write_gguf

PLACE = "base_model.model.model.layers.0.self_attn.q_proj"
GOOD = {f"{PLACE}.lora_A.weight": torch.zeros(2, 8), f"{PLACE}.lora_B.weight": torch.zeros(6, 2)}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny-model" / "torch"
    folder.mkdir(parents=True)
    save_file({"model.layers.0.self_attn.q_proj.weight": torch.zeros(6, 8)}, folder / "model.safetensors")
    return folder


def adapter(tmp_path: Path, tensors: Mapping[str, Tensor]) -> Path:
    folder = tmp_path / "adapter"
    folder.mkdir()
    save_file(dict(tensors), folder / "adapter_model.safetensors", {"format": "pt"})
    (folder / "adapter_config.json").write_text(json.dumps({"r": 2, "lora_alpha": 8}))
    return folder


def test_an_adapter_of_the_base_model_passes_with_its_scale(tmp_path: Path, base: Path) -> None:
    folder = adapter(tmp_path, GOOD)
    check_adapter(folder, base)
    assert adapter_scale(folder) == 4.0


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        (f"{PLACE}.lora_A.weight", torch.zeros(2, 9)),
        (f"{PLACE}.lora_B.weight", torch.zeros(7, 2)),
        (f"{PLACE}.lora_A.weight", torch.zeros(8)),
        (f"{PLACE}.lora_B.weight", torch.zeros(6, 3)),
        ("base_model.model.model.layers.9.self_attn.q_proj.lora_A.weight", torch.zeros(2, 8)),
        (f"{PLACE}.lora_magnitude_vector.weight", torch.zeros(6)),
        ("model.layers.0.self_attn.q_proj.weight", torch.zeros(6, 8)),
    ],
    ids=["other-in", "other-out", "one-dimensional", "other-rank", "unknown-layer", "dora", "no-lora"],
)
def test_a_tensor_without_its_place_is_named(tmp_path: Path, base: Path, name: str, tensor: Tensor) -> None:
    folder = adapter(tmp_path, {**GOOD, name: tensor})
    with pytest.raises(ModelError, match="does not fit the base model") as refused:
        check_adapter(folder, base)
    place = name.partition(".lora_")[0]  # either side may be named where the two do not fit each other
    assert place in refused.value.what
    assert "tiny-model" in refused.value.fix


def test_half_an_adapter_is_refused(tmp_path: Path, base: Path) -> None:
    for name in GOOD:
        folder = adapter(tmp_path, {name: GOOD[name]})
        with pytest.raises(ModelError, match="does not fit the base model") as refused:
            check_adapter(folder, base)
        assert name in refused.value.what
        folder.rename(tmp_path / f"done-{len(list(tmp_path.iterdir()))}")


def test_an_empty_adapter_is_refused(tmp_path: Path, base: Path) -> None:
    with pytest.raises(ModelError, match="holds no tensors"):
        check_adapter(adapter(tmp_path, {}), base)


@pytest.mark.parametrize(
    "content", [b"", b"\x05", b"not a header at all", b"\xff" * 64, b"\x02\0\0\0\0\0\0\0[]"]
)
def test_a_file_that_is_no_safetensors_is_named(tmp_path: Path, base: Path, content: bytes) -> None:
    folder = adapter(tmp_path, GOOD)
    (folder / "adapter_model.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match=r"adapter_model\.safetensors is no safetensors file"):
        check_adapter(folder, base)


def test_a_missing_file_is_named(tmp_path: Path, base: Path) -> None:
    with pytest.raises(ModelError, match=r"adapter_model\.safetensors is no safetensors file"):
        check_adapter(tmp_path, base)


@pytest.mark.parametrize(
    "text", [None, "{", "[]", "{}", '{"r": 0, "lora_alpha": 8}', '{"r": "x", "lora_alpha": 1}']
)
def test_a_folder_without_an_adapters_configuration_is_refused(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "adapter_config.json").write_text(text)
    with pytest.raises(ModelError, match="is no PEFT adapter") as refused:
        adapter_scale(tmp_path)
    assert "adapter_config.json" in refused.value.fix


def test_an_architecture_that_openvino_does_not_know_names_the_engine_that_may(tmp_path: Path) -> None:
    write_gguf(tmp_path / "odd.gguf", architecture="mammoth")
    weights = find_weights(str(tmp_path / "odd.gguf"), tmp_path / "cache")
    with pytest.raises(ModelError, match="OpenVINO cannot make a model of") as refused:
        ir_folder(weights)
    assert str(tmp_path / "odd.gguf") in refused.value.what
    assert refused.value.fix == 'set model.engine = "transformers" and agent.constrained = false'
    assert [file.name for file in weights.folder.iterdir()] == ["f16.gguf"]


def test_an_adapter_is_merged_whole_or_a_full_disk_is_said(tmp_path: Path) -> None:
    import openvino
    from openvino import opset13 as ops

    random = np.random.default_rng(0)
    weight = random.normal(size=(64, 64)).astype(np.float16)
    given = ops.parameter([-1, 64], np.float32)
    product = ops.matmul(given, ops.convert(ops.constant(weight), "f32"), False, True)
    product.set_friendly_name("model.layers.0.self_attn.q_proj")
    folder = tmp_path / "tiny-model" / "ir"
    folder.mkdir(parents=True)
    model = openvino.Model([ops.result(product)], [given], "tiny")
    openvino.save_model(model, str(folder / "openvino_model.xml"), compress_to_fp16=False)
    low, high = torch.randn(2, 64), torch.randn(64, 2)
    tensors = {f"{PLACE}.lora_A.weight": low, f"{PLACE}.lora_B.weight": high}
    out = tmp_path / "merged"
    with no_file_beyond(4000), pytest.raises(ModelError, match="no space left") as refused:
        merge_adapter(folder, adapter(tmp_path, tensors), out)
    assert "tiny-model" in refused.value.what and "free about 1 GB" in refused.value.fix

    merge_adapter(folder, tmp_path / "adapter", out)
    merged = openvino.Core().compile_model(str(out / "openvino_model.xml"), "CPU")
    row = random.normal(size=(1, 64)).astype(np.float32)
    meant = row @ (weight.astype(np.float32) + 4.0 * (high @ low).numpy()).T
    np.testing.assert_allclose(merged(row)[0], meant, atol=0.05 * float(np.abs(meant).max()))
