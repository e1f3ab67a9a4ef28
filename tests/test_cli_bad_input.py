"""Bad input through the command line: an error with file, field and fix, and nothing lost."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli_world import invoke, scripted, write_config
from coevolve import engines
from coevolve.cli.opening import reading
from coevolve.engines import LocalEngine
from coevolve.models import chat
from coevolve.models.scripted import ByteChat
from tiny_gguf import write_gguf

REAL_ENGINE = LocalEngine  # the fixture below puts a scripted one in its place


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    with scripted():
        yield write_config(tmp_path)


def put(config: Path, section: str, line: str) -> None:
    """Write a line into one of the config's sections."""
    text = config.read_text()
    heading = f"[{section}]\n"
    config.write_text(
        text.replace(heading, f"{heading}{line}\n") if heading in text else f"{text}\n{heading}{line}\n"
    )


def refused(*words: object) -> list[str]:
    """The last two lines of a command that is refused: what is wrong, and the fix."""
    answer = invoke(*words)
    assert answer.exit_code == 2, answer.stderr
    assert "Traceback" not in answer.stderr
    what, fix = answer.stderr.splitlines()[-2:]
    assert what.startswith("error: ") and fix.startswith("fix: "), answer.stderr
    return [what, fix]


@pytest.mark.parametrize("verb", ["run", "collect"])
def test_an_unknown_task_type_is_named_with_its_file_and_field(config: Path, verb: str) -> None:
    put(config, "environment", 'types = ["cuont"]')
    what, fix = refused(verb, config)
    assert what == f"error: {config}: environment.types: unknown task type 'cuont'"
    assert fix == "fix: did you mean 'count'? valid: count"
    assert not (config.parent / "runs").exists()


def test_an_unknown_environment_is_named_with_its_file_and_field(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[environment]\nname = "shoop"\n')
    what, fix = refused("run", path)
    assert what == f"error: {path}: environment.name: unknown built-in environment 'shoop'"
    assert "'shop'" in fix


def test_a_missing_model_is_named_with_its_file_and_field_and_the_settings_can_be_mended(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(engines, "LocalEngine", REAL_ENGINE)
        put(config, "model", 'name = "smolm2-135m"')
        what, fix = refused("run", config)
        assert what == f"error: {config}: model.name = 'smolm2-135m': no such model on this machine"
        assert "set model.name to one of ['smollm2-135m']" in fix
    config.write_text(config.read_text().replace("smolm2", "smollm2"))
    assert invoke("collect", config).exit_code == 0


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF\x03\0\0\0" + b"\x41" * 5000, b"not a model" * 99])
def test_a_broken_model_file_is_named_with_its_config_and_no_run_begins(
    config: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    model = config.parent / "broken.gguf"
    model.write_bytes(content)
    monkeypatch.setattr(engines, "LocalEngine", REAL_ENGINE)
    put(config, "model", f'name = "{model}"\ncache_dir = "{config.parent / "cache"}"')
    what, fix = refused("run", config)
    assert what.startswith(f"error: {config}: {model} cannot be read as GGUF: ")
    assert "model.name" in fix
    with reading(config) as ws:
        assert ws.journal.steps() == []


def test_a_pool_with_nothing_to_imitate_ends_the_run_with_its_fix_and_a_report(config: Path) -> None:
    put(config, "run", 'teacher = "none"')
    config.write_text(config.read_text().replace("demonstrations = 8", "demonstrations = 0"))
    what, fix = refused("run", config)
    assert "error: pool " in what and "holds nothing to imitate" in what
    assert "opening" in fix and "run.teacher" in fix and "run.name" in fix
    assert (config.parent / "runs/toy/report/report.html").is_file()


def test_a_database_of_a_newer_version_is_refused_by_every_verb_and_left_as_it_is(config: Path) -> None:
    assert invoke("collect", config).exit_code == 0
    database = config.parent / "runs/toy/experience.db"
    with closing(sqlite3.connect(database)) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    before = database.read_bytes()
    for words in (("run", config, "--resume"), ("score", config), ("versions", config)):
        what, fix = refused(*words)
        assert str(database) in what and "9999" in what
        assert "newer coevolve" in fix
    assert database.read_bytes() == before


def test_a_model_that_its_engine_does_not_know_can_be_given_another_engine_as_no_run_begins(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """transformers is made to know it, OpenVINO's own reader does not."""
    model = config.parent / "odd.gguf"
    write_gguf(model, architecture="mammoth")
    put(config, "model", f'name = "{model}"\ncache_dir = "{config.parent / "cache"}"')
    with monkeypatch.context() as patch:
        patch.setattr(engines, "LocalEngine", REAL_ENGINE)
        patch.setattr(engines, "torch_folder", lambda weights: config.parent)
        patch.setattr(chat, "load_chat", lambda folder: ByteChat())
        what, fix = refused("run", config)
    assert what.startswith(f"error: {config}: OpenVINO cannot make a model of {model}: ")
    assert fix == 'fix: set model.engine = "transformers" and agent.constrained = false'
    with reading(config) as ws:
        assert ws.journal.steps() == []
    mended = ("--set", "model.engine=transformers", "--set", "agent.constrained=false")
    assert invoke("collect", config, *mended).exit_code == 0
