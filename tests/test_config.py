from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.config import (
    FeedbackSection,
    GateSection,
    LearnSection,
    PoolSection,
    RunConfig,
    RunSection,
    environment_file,
    load,
    override,
    refuse_unknown,
    resolved,
    to_toml,
)
from coevolve.errors import ConfigError
from coevolve.feedback import RewardRule
from coevolve.gate import GateRule
from coevolve.live import listening
from coevolve.pool import PoolRule

ENDPOINT = '[model]\nengine = "endpoint"\nbase_url = "http://localhost:1/v1"\n'


def write(folder: Path, text: str) -> Path:
    file = folder / "agent.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_empty_file_gives_the_documented_defaults(tmp_path: Path) -> None:
    config = load(write(tmp_path, ""))
    assert config == RunConfig()
    assert (config.run.patience, config.opening.demonstrations, config.test.tasks) == (3, 48, 240)


def test_values_of_the_file_replace_defaults_and_leave_the_rest(tmp_path: Path) -> None:
    config = load(
        write(tmp_path, '[run]\nseed = 7\n[environment]\ntypes = ["a", "b"]\n[learn.dpo]\nbeta = 1\n')
    )
    assert config.run == RunSection(seed=7)
    assert config.environment.types == ("a", "b")
    assert config.learn.dpo.beta == 1.0
    assert config.learn.rank == LearnSection().rank


@pytest.mark.parametrize(
    ("text", "names", "fix"),
    [
        ("[run]\nsede = 1", "run.sede is not a known field", "did you mean 'seed'?"),
        ("[lern]\nrank = 1", "lern is not a known field", "did you mean 'learn'?"),
        ("[learn.dpo]\nbta = 1", "learn.dpo.bta is not a known field", "did you mean 'beta'?"),
        ("[run]\nzzz = 1", "run.zzz is not a known field", "use one of: max_rounds"),
        ("run = 3", "run must be a table, not 3", "write a [run] section"),
        ('[run]\nseed = "1"', "run.seed = '1': input should be a valid integer", "its default is 0"),
        ("[run]\nseed = true", "run.seed = True", "change run.seed"),
        ("[run]\nseed = 2020-01-01", "run.seed = '2020-01-01'", "change run.seed"),
        (
            "[learn]\nrank = 0",
            "learn.rank = 0: input should be greater than or equal to 1",
            "its default is 16",
        ),
        ("[learn]\nlearning_rate = nan", "learn.learning_rate = nan", "its default is 0.0003"),
        ("[pool]\nunverified_share = 1.5", "pool.unverified_share = 1.5", "its default is 0.2"),
        ("[opening]\ndemonstrations = 49", "opening.demonstrations = 49", "its default is 48"),
        ('[learn]\nmethod = "sft+dp"', "learn.method = 'sft+dp'", "did you mean 'sft+dpo'?"),
        ('[model]\nengine = "x"', "model.engine = 'x'", "use one of: openvino, transformers, endpoint"),
        ("[environment]\ntypes = [1]", "environment.types.0 = 1", "its default is ()"),
        ('[environment]\ntypes = ["a", "a"]', "environment.types names a type twice", "once"),
        (f"[run]\nseed = {'1' * 5_000}", "cannot be read", "usual size"),
        (f"a = {'[' * 5_000}", "cannot be read", "usual size"),
        (f'[environment]\nname = "{"x" * 5_000}.py:World"', "environment.name", "path/to/file.py"),
        ("[gate]\nmax_tasks = 40", "gate.max_tasks is less than gate.tasks", "raise gate.max_tasks"),
        ("[gate]\ntasks = 2\nmax_tasks = 2", "less than gate.min_tasks", "raise gate.max_tasks"),
        (ENDPOINT, "opening.demonstrations is not 0", "set opening.demonstrations = 0"),
        (f"{ENDPOINT}[opening]\ndemonstrations = 0", "takes a grammar", "set agent.constrained = false"),
        ('[model]\nengine = "endpoint"', "no model.base_url", "base_url ="),
        ("[agent]\nmax_episode_tokens = 5", "agent.max_tokens of one turn", "raise agent.max_episode_tokens"),
        ("[collect]\nepisodes = 2\nattempts = 4", "collect.attempts", "raise collect.episodes"),
        ('[environment]\nname = "gone.py:Desk"', "there is no", "relative to the TOML file"),
        ('[environment]\nname = "desk.txt:Desk"', "is no Python file and name", "path/to/file.py"),
        ("[run\nseed = 1", "not valid TOML", "mend that line"),
    ],
)
def test_wrong_input_names_file_field_and_fix(tmp_path: Path, text: str, names: str, fix: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert caught.value.what.startswith(f"{file}: ")
    assert names in caught.value.what
    assert fix in caught.value.fix


def test_broken_toml_says_the_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 2"):
        load(write(tmp_path, "[run]\nname = shop\n"))


def test_missing_file_names_it_and_the_command_that_writes_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone\.toml: there is no such file\n  fix: .*coevolve init"):
        load(tmp_path / "gone.toml")


def test_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)


def test_other_encoding_is_refused_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "agent.toml"
    file.write_bytes('name = "é"'.encode("latin-1"))
    with pytest.raises(ConfigError, match="not UTF-8 at byte 8"):
        load(file)


def test_environment_file_is_found_beside_the_toml_and_survives_being_saved_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "desk.py").write_text("class Desk: ...\n")
    config = load(write(tmp_path, '[environment]\nname = "desk.py:Desk"\n'))
    assert environment_file(config.environment) == ((tmp_path / "desk.py").resolve(), "Desk")
    elsewhere = tmp_path / "runs"
    elsewhere.mkdir()
    assert load(write(elsewhere, to_toml(config))) == config


def test_a_model_beside_the_toml_is_found_from_wherever_the_command_is_started(tmp_path: Path) -> None:
    (tmp_path / "models" / "mine").mkdir(parents=True)
    config = load(write(tmp_path, '[model]\nname = "models/mine"\n'))
    assert config.model.name == str((tmp_path / "models/mine").resolve())
    elsewhere = tmp_path / "runs"
    elsewhere.mkdir()
    assert load(write(elsewhere, to_toml(config))) == config
    assert load(write(tmp_path, '[model]\nname = "models/other"\n')).model.name == "models/other"
    (tmp_path / RunConfig().model.name).mkdir()  # the default names what is installed, whatever lies here
    assert load(write(tmp_path, "")).model == RunConfig().model
    served = load(
        write(
            tmp_path,
            f'{ENDPOINT}name = "models/mine"\n[opening]\ndemonstrations = 0\n[agent]\nconstrained = false',
        )
    )
    assert served.model.name == "models/mine"


def test_builtin_environment_has_no_file() -> None:
    assert environment_file(RunConfig().environment) is None


def test_unknown_task_type_names_the_nearest() -> None:
    with pytest.raises(
        ConfigError, match=r"a\.toml: environment\.types: unknown task type 'refnd'\n.*'refund'"
    ):
        refuse_unknown(
            ["price", "refnd"],
            {"refund": True, "price": False},
            where="a.toml: environment.types",
            what="task type",
        )
    refuse_unknown(["price"], ["refund", "price"], where="a.toml: environment.types", what="task type")


def test_override_replaces_dotted_fields_and_checks_them() -> None:
    config = override(RunConfig(), {"run.seed": 3, "learn.dpo.beta": 0.2, "environment.types": ("a",)})
    assert (config.run.seed, config.learn.dpo.beta, config.environment.types) == (3, 0.2, ("a",))
    with pytest.raises(ConfigError, match=r"override: run\.seed = -1"):
        override(config, {"run.seed": -1})
    with pytest.raises(ConfigError, match="did you mean 'learn'"):
        override(config, {"lern.rank": 1})
    with pytest.raises(ConfigError, match=r"run\.seed\.x is inside a plain value"):
        override(config, {"run.seed.x": 1})


def test_config_and_every_section_are_frozen() -> None:
    for part in (RunConfig(), *(getattr(RunConfig(), f.name) for f in dataclasses.fields(RunConfig))):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, dataclasses.fields(part)[0].name, None)


def test_every_section_stays_small() -> None:
    config = RunConfig()
    for section in (*(getattr(config, f.name) for f in dataclasses.fields(config)), config.learn.dpo):
        assert len(dataclasses.fields(section)) <= 12, type(section).__name__


@given(
    name=st.text(min_size=1).filter(lambda text: text.isprintable() or "\x7f" in text),
    seed=st.integers(0, 2**62),
    rate=st.floats(min_value=1e-300, max_value=1e300),
    types=st.lists(st.text(st.characters(codec="utf-8"), min_size=1), unique=True),
)
def test_saved_config_reads_back_equal(name: str, seed: int, rate: float, types: list[str]) -> None:
    values: dict[str, Any] = {"run.name": name, "run.seed": seed, "learn.learning_rate": rate}
    config = override(RunConfig(), values | {"environment.types": types})
    with tempfile.TemporaryDirectory() as folder:
        again = load(write(Path(folder), to_toml(config)))
    assert again == config
    assert resolved(again) == resolved(config)


@pytest.mark.parametrize(
    ("section", "rule"), [(GateSection, GateRule), (PoolSection, PoolRule), (FeedbackSection, RewardRule)]
)
def test_a_stage_called_alone_has_the_defaults_of_its_section(section: type[Any], rule: type[Any]) -> None:
    of_section = {field.name: field.default for field in dataclasses.fields(section)}
    of_rule = {field.name: field.default for field in dataclasses.fields(rule)}
    shared = of_section.keys() & of_rule.keys()
    assert len(shared) >= 5
    assert {name: of_rule[name] for name in shared} == {name: of_section[name] for name in shared}


FEEDBACK = """
[feedback.weights]
"user.thumb" = 0.5
[feedback.live]
user = 0.6
[feedback.figures.follow_up]
good = 0
bad = 1
[feedback.figures."net value"]
good = 100.0
"""


def test_what_words_and_figures_weigh_stands_in_the_file_and_survives_being_saved(tmp_path: Path) -> None:
    config = load(write(tmp_path, FEEDBACK))
    assert load(write(tmp_path, to_toml(config))) == config
    heard = listening(config.feedback)
    assert heard.rule.weights == {"user.thumb": 0.5}
    assert (heard.rule.live.user, heard.rule.live.behaviour) == (0.6, 0.3)
    assert heard.figures["follow_up"].bad == 1
    assert heard.figures["net value"].good == 100


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[feedback.figures.x]\ngood = 0", "equal good and bad"),
        ("[feedback.figures.x]\ngodo = 1", "feedback.figures.x.godo is not a known field"),
        ("[feedback.figures.x]\ngood = true", "feedback.figures.x.good = True"),
        ("[feedback.weights]\nx = -1", "feedback.weights.x = -1"),
        ("[feedback.live]\nuser = 0\nbehaviour = 0", "hears nobody"),
        ("[feedback.live]\nfailure_at = 0.7", "not below feedback.live.success_at"),
    ],
)
def test_feedback_that_says_nothing_is_refused(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        load(write(tmp_path, text))


def test_the_live_section_has_the_defaults_of_its_rule() -> None:
    assert listening(FeedbackSection()).rule == RewardRule()
