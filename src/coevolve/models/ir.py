"""OpenVINO's form of a base model, with its projections named so that a PEFT adapter fits as it is.

A GGUF enters; a folder with the IR leaves, whose MatMuls are called `model.layers.N.self_attn.q_proj`
and so on. An adapter is added to their weights, which makes a version twice as fast as one that computes
its adapter beside them; before that, every tensor of it must have its place.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coevolve.errors import ModelError
from coevolve.models.weights import Weights, f16_gguf, make_once, reading, unprepared

# One layer's projections in the order in which OpenVINO's GGUF reader creates them.
_PROJECTIONS = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)
_LOAD = """
import sys, openvino_genai
sys.tracebacklimit = 0  # what went wrong, and not where
scheduler = openvino_genai.SchedulerConfig()
scheduler.num_kv_blocks = 16
openvino_genai.ContinuousBatchingPipeline(sys.argv[1], scheduler, "CPU", {"enable_save_ov_model": True})
"""
_ADAPTER_KEY = re.compile(r"^base_model\.model\.(?P<place>.+)\.lora_(?P<side>[AB])\.weight$")
BEYOND_LORA = ("use_dora", "use_rslora", "alpha_pattern", "rank_pattern")
_IR_FILE = "openvino_model.xml"
_OTHER_ENGINE = 'set model.engine = "transformers" and agent.constrained = false'


def ir_folder(weights: Weights) -> Path:
    """The named IR of a base model, made on first use (about 10 s).

    Raises: ModelError: OpenVINO does not know the architecture, or the disk is full.
    """
    gguf_file = f16_gguf(weights)
    return make_once(weights.folder / "ir", lambda path: _write_ir(weights.source, gguf_file, path))


def merge_adapter(folder: Path, adapter: Path, out: Path) -> None:
    """Write to `out` the IR of `folder` with W + alpha / r * B A in place of each adapted weight W.

    Sums are rounded once, to the IR's f16, as the base's own weights are.

    Raises: ModelError: an adapted projection is not in the IR, or the disk is full.
    """
    import openvino
    from safetensors.torch import load_file

    scale = adapter_scale(adapter)
    model = openvino.Core().read_model(str(folder / _IR_FILE))
    places = {op.get_friendly_name(): op for op in model.get_ops() if op.get_type_name() == "MatMul"}
    tensors = load_file(adapter / "adapter_model.safetensors")
    for name, low in tensors.items():
        match = _ADAPTER_KEY.match(name)
        if match is None or match["side"] == "B":
            continue
        op = places.get(match["place"])
        if op is None:
            raise ModelError(
                f"{match['place']} is adapted but is no projection of {folder}",
                fix=f"delete {folder}, so that it is made again",
            )
        convert = op.input_value(1).get_node()
        weight = convert.input_value(0).get_node().data
        update = (tensors[name.replace(".lora_A.", ".lora_B.")].float() @ low.float()).numpy()
        merged = (weight.astype("float32") + scale * update).astype(weight.dtype)
        convert.input(0).replace_source_output(openvino.op.Constant(merged).output(0))
    out.mkdir(parents=True, exist_ok=True)
    with _writing(folder.parent):
        openvino.save_model(model, str(out / _IR_FILE), compress_to_fp16=False)


def adapter_scale(adapter: Path) -> float:
    """lora_alpha / r of a PEFT folder. Raises ModelError where the folder is no such adapter."""
    try:
        config = json.loads((adapter / "adapter_config.json").read_text(encoding="utf-8"))
        scale = float(config["lora_alpha"]) / float(config["r"])
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise ModelError(
            f"{adapter} is no PEFT adapter: {error}",
            fix="point to a folder with adapter_config.json and adapter_model.safetensors",
        ) from error
    more = [option for option in BEYOND_LORA if config.get(option)]
    if more:
        raise ModelError(
            f"{adapter} is more than plain LoRA: {', '.join(more)}", fix="train it as plain LoRA"
        )
    return scale


def check_adapter(adapter: Path, model_folder: Path) -> None:
    """Refuse an adapter with a tensor that has no place, or not the right shape, in the base model.

    Args: model_folder: safetensors of the base, whose tensor names and shapes are the reference.
    Raises: ModelError naming the tensor.
    """
    files = sorted(model_folder.glob("*.safetensors"))  # one, or the shards of a larger model
    shapes = {name: entry["shape"] for file in files for name, entry in _tensors(file).items()}
    found = _tensors(adapter / "adapter_model.safetensors")
    if not found:
        raise ModelError(f"{adapter} holds no tensors", fix="train the adapter again")
    for name, entry in found.items():
        match = _ADAPTER_KEY.match(name)
        base = shapes.get(f"{match['place']}.weight") if match else None
        if match is None or base is None or not _fits(name, match["side"], found, base):
            raise ModelError(
                f"adapter tensor {name} {entry['shape']} does not fit the base model",
                fix=f"use an adapter that was trained on this base model ({model_folder.parent.name})",
            )


def _fits(name: str, side: str, found: Mapping[str, Any], base: Sequence[int]) -> bool:
    """Whether a tensor and its other side are (rank, in) and (out, rank) of the base's (out, in)."""
    other = name.replace(f".lora_{side}.", f".lora_{'B' if side == 'A' else 'A'}.")
    if other not in found:
        return False
    a, b = (found[one]["shape"] for one in ((name, other) if side == "A" else (other, name)))
    return len(a) == len(b) == len(base) == 2 and (a[1], b[0]) == (base[1], base[0]) and a[0] == b[1]


def _tensors(file: Path) -> Mapping[str, Any]:
    """Names, types and shapes from a safetensors header, without reading the weights."""
    try:
        with file.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            header: dict[str, Any] = json.loads(stream.read(min(size, file.stat().st_size)))
            if not isinstance(header, dict):
                raise ValueError("its header is no object")
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{file} is no safetensors file: {error}", fix="restore the file from its version's blob"
        ) from error
    header.pop("__metadata__", None)
    return header


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """OpenVINO tells of a full disk as a RuntimeError of its stream, without a number."""
    try:
        yield
    except RuntimeError as error:
        if "iostream" not in str(error):
            raise
        raise unprepared(folder, f"no space left, or not writable ({error})") from error


def _write_ir(source: Path, gguf_file: Path, path: Path) -> None:
    import openvino

    # Loading a GGUF writes the IR beside it, so it is loaded from a link in the building folder.
    path.mkdir(parents=True)
    link = path / "model.gguf"
    link.symlink_to(gguf_file)
    with reading(f"OpenVINO cannot make a model of {source}", fix=_OTHER_ENGINE), _writing(gguf_file.parent):
        _load_apart(link)
    link.unlink()
    model = openvino.Core().read_model(str(path / _IR_FILE))
    _name_projections(model, source)
    named = path / "named.xml"
    with _writing(gguf_file.parent):
        openvino.save_model(model, str(named), compress_to_fp16=False)
    del model
    for suffix in (".xml", ".bin"):
        named.with_suffix(suffix).replace((path / _IR_FILE).with_suffix(suffix))


def _load_apart(gguf_file: Path) -> None:
    """Load it in a process of its own: the next signal ends one in which OpenVINO 2026.4.1 has read a GGUF.

    Raises: RuntimeError: what the reader said last.
    """
    done = subprocess.run([sys.executable, "-c", _LOAD, str(gguf_file)], capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(" ".join(said[-3:]) or f"it ended with {done.returncode}")


def _name_projections(model: Any, source: Path) -> None:
    """MatMuls are unnamed; their creation numbers give the order. A changing second input is no weight."""
    found = []
    for op in model.get_ops():
        if op.get_type_name() == "MatMul":
            shape = op.input_value(1).get_partial_shape()
            if shape.is_static and shape[1].get_length() > 1:
                found.append(op)
    found.sort(key=lambda op: int(op.get_friendly_name().rsplit("_", 1)[1]))
    layers, left = divmod(len(found) - 1, len(_PROJECTIONS))
    if left or layers < 1:
        raise ModelError(
            f"OpenVINO made {len(found)} projections of {source}, not seven a layer and an output",
            fix=_OTHER_ENGINE,
        )
    for number, op in enumerate(found[:-1]):
        layer, place = divmod(number, len(_PROJECTIONS))
        op.set_friendly_name(f"model.layers.{layer}.{_PROJECTIONS[place]}")
    found[-1].set_friendly_name("lm_head")
