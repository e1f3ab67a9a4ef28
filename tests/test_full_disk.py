"""A full disk ends a run, a lesson or a config with a clear error, and what was finished is still there."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cli_world import ScriptedEngine, invoke, scripted, write_config
from coevolve import loop
from coevolve.config import load
from coevolve.errors import LearnError, StoreError
from coevolve.examples import Example
from coevolve.learn.learner import learn
from coevolve.learn.lesson import Lesson
from coevolve.learn.llama import LlamaLora
from coevolve.sections import LearnSection
from coevolve.workspace import Workspace, open_workspace
from full_disk import no_file_beyond
from tiny_llama import save_tiny_llama

FAST = LearnSection(rank=8, alpha=16.0, learning_rate=3e-2, batch_tokens=64)


@pytest.mark.usefixtures("no_garbage_collection")
@pytest.mark.parametrize("stage", ["collect", "evolve", "learn"])  # SQLite, Arrow, and the registry
def test_a_run_whose_disk_fills_says_so_and_goes_on_when_there_is_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    config = write_config(tmp_path)
    inner = loop._RUN[stage]
    with scripted(), ExitStack() as full:

        async def fills(ws: Workspace, number: int) -> Any:
            full.enter_context(no_file_beyond(1000))
            return await inner(ws, number)

        with monkeypatch.context() as patch:
            patch.setitem(loop._RUN, stage, fills)
            broken = invoke("run", config)
        full.close()
        assert broken.exit_code == 2 and "Traceback" not in broken.stderr
        *_, unwritten, what, fix = broken.stderr.splitlines()
        assert unwritten.startswith("no report: the report cannot be written")
        assert what.startswith("error: ") and f"{tmp_path}/runs/toy/" in what and "report" not in what
        assert fix.startswith("fix: ") and ("free" in fix or "space" in fix)
        assert (tmp_path / "runs/toy/report/report.html").is_file()  # as it was when the run began

        resumed = invoke("run", config, "--resume", "--json")
    assert resumed.exit_code == 0, resumed.stderr
    assert json.loads(resumed.stdout)["test"]["final"]["rate"] == 1.0


def test_a_config_that_cannot_be_kept_leaves_the_one_before(tmp_path: Path) -> None:
    config = load(write_config(tmp_path))
    first = open_workspace(config, engine=ScriptedEngine())
    first.claim()
    first.close()
    kept = (first.folder / "config.toml").read_bytes()
    second = open_workspace(config, engine=ScriptedEngine())
    with no_file_beyond(100), pytest.raises(StoreError, match="cannot write to") as refused:
        second.claim()
    second.close()
    assert "free disk space" in refused.value.fix
    assert (first.folder / "config.toml").read_bytes() == kept


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_llama(tmp_path_factory.mktemp("base"))


def a_lesson(out: Path) -> Lesson:
    mask = (False,) * 8 + (True,) * 8
    examples = [
        Example(ids=tuple(range(k, k + 16)), mask=mask, task_type="count", entry=str(k)) for k in range(6)
    ]
    return Lesson(examples=examples, out=out, epochs=2, seed=5)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    ("size_bytes", "what"), [(20, "losses.csv"), (20_000, "checkpoint"), (None, "cannot write to")]
)
def test_a_lesson_on_a_full_disk_goes_on_to_the_same_adapter(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size_bytes: int | None, what: str
) -> None:
    save = LlamaLora.save

    def full(network: LlamaLora, folder: Path) -> None:
        with no_file_beyond(1000):
            save(network, folder)

    with monkeypatch.context() as patch, ExitStack() as disk:
        if size_bytes is None:  # every checkpoint was written, and then not the adapter
            patch.setattr(LlamaLora, "save", full)
        else:
            disk.enter_context(no_file_beyond(size_bytes))
        with pytest.raises(LearnError, match=what) as refused:
            learn(base, a_lesson(tmp_path / "full"), FAST)
    assert refused.value.fix == "free disk space, then --resume"
    again = learn(base, a_lesson(tmp_path / "full"), FAST)
    meant = learn(base, a_lesson(tmp_path / "roomy"), FAST)
    adapters = [Path(one.adapter_dir) / "adapter_model.safetensors" for one in (again, meant)]
    assert adapters[0].read_bytes() == adapters[1].read_bytes()
