"""What a run holds open: its folder, its settings, and one model at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from cli_world import ScriptedEngine, clueless, write_config
from coevolve import config, engines
from coevolve.agents.harness import harness_to_json
from coevolve.agents.teacher import demonstrate
from coevolve.config import ModelSection, RunConfig
from coevolve.engines import EndpointEngine
from coevolve.errors import ConfigError, ModelError, RegistryError, StoreError
from coevolve.models.protocol import LanguageModel
from coevolve.models.scripted import ByteChat, ScriptedModel
from coevolve.playing import play
from coevolve.registry import make_version, put_folder
from coevolve.rollout.collect import Manner
from coevolve.store.query import Query
from coevolve.types import Outcome, Reward, Version
from coevolve.workspace import MODULE, Workspace, environment, open_workspace, succeeded
from toy_world import solver, toy_task


@dataclass
class CountingEngine(ScriptedEngine):
    """Remembers every model it opened."""

    models: list[ScriptedModel] = field(default_factory=list)

    async def open(self, adapter: Path | None, prefix_ids: Sequence[int]) -> LanguageModel:
        assert all(model._closed for model in self.models), "two models are open at once"
        self.models.append(ScriptedModel(clueless if adapter is None else solver))
        return self.models[-1]


Open = Callable[..., Workspace]


@pytest.fixture
def settings(tmp_path: Path) -> RunConfig:
    return config.load(write_config(tmp_path))


@pytest.fixture
def opening(settings: RunConfig) -> Iterator[Open]:
    opened: list[Workspace] = []

    def make(**changes: object) -> Workspace:
        run = config.override(settings, {name.replace("__", "."): value for name, value in changes.items()})
        opened.append(open_workspace(run, engine=CountingEngine()))
        return opened[-1]

    yield make
    for ws in opened:
        ws.close()


def base_version(ws: Workspace) -> Version:
    return make_version(base=ws.engine.base, harness=harness_to_json(ws.harness))


def adapted_version(ws: Workspace, tmp_path: Path) -> Version:
    folder = tmp_path / "adapter"
    folder.mkdir(exist_ok=True)
    (folder / "adapter_config.json").write_text("{}")
    digest = put_folder(ws.blobs, folder)
    return replace(base_version(ws), id="adapted", adapters={MODULE: digest})


def models(ws: Workspace) -> list[ScriptedModel]:
    assert isinstance(ws.engine, CountingEngine)
    return ws.engine.models


async def test_one_model_is_open_at_a_time_and_is_used_again(opening: Open, tmp_path: Path) -> None:
    ws = opening()
    base, adapted = base_version(ws), adapted_version(ws, tmp_path)
    first = await ws.acting(base)
    assert await ws.acting(base) is first
    second = await ws.acting(adapted)
    assert second is not first and [model._closed for model in models(ws)] == [True, False]
    await ws.acting(base)
    assert len(models(ws)) == 3
    ws.release_model()
    ws.release_model()
    assert all(model._closed for model in models(ws))


async def test_episodes_are_scored_kept_and_not_run_again(opening: Open, tmp_path: Path) -> None:
    ws = opening()
    version = adapted_version(ws, tmp_path)
    tasks = [toy_task(str(k), target=k + 1) for k in range(3)]
    played = await play(ws, version, tasks, "playing", round=1, manner=Manner(seed=5))
    assert [succeeded(t) for t in played] == [True] * 3
    assert {t.id for t in ws.store.find(Query(version=version.id))} == {t.id for t in played}

    def broken(transcript: str) -> str:
        raise AssertionError("asked again")

    models(ws)[-1]._fn = broken
    again = await play(ws, version, tasks, "playing", round=1, manner=Manner(seed=5))
    assert again == played
    assert ws.store.count() == 3


async def test_an_outage_is_no_answer_for_ever(opening: Open, tmp_path: Path) -> None:
    ws = opening()
    version = adapted_version(ws, tmp_path)
    tasks = [toy_task(str(k), target=k + 1) for k in range(2)]
    await ws.acting(version)
    works = models(ws)[-1]._fn

    def out(transcript: str) -> str:
        raise ModelError("no answer", fix="start the server")

    models(ws)[-1]._fn = out
    for _ in range(2):
        played = await play(ws, version, tasks, "playing", round=1, manner=Manner(attempts=2))
        assert [succeeded(t) for t in played] == [None] * 4
    models(ws)[-1]._fn = works
    mended = await play(ws, version, tasks, "playing", round=1, manner=Manner(attempts=2))
    assert [succeeded(t) for t in mended] == [True] * 4
    assert [t.task for t in mended] == [t.task for t in played]
    assert ws.store.count() == 12  # each outage is on record as well
    models(ws)[-1]._fn = out
    assert await play(ws, version, tasks, "playing", round=1, manner=Manner(attempts=2)) == mended


async def test_attempts_and_seeds_are_episodes_of_their_own(opening: Open) -> None:
    ws = opening()
    played = await play(ws, base_version(ws), [toy_task()], "playing", round=1, manner=Manner(attempts=3))
    played += await play(ws, base_version(ws), [toy_task()], "playing", round=1, manner=Manner(seed=1))
    assert len({t.id for t in played}) == 4 == ws.store.count()
    assert [succeeded(t) for t in played] == [False] * 4


def test_success_is_unknown_where_it_was_not_judged(opening: Open) -> None:
    ws = opening()
    raw = demonstrate(ws.env, toy_task(), ByteChat(), ws.harness)
    assert succeeded(raw) is None
    scored = ws.score(raw)
    assert succeeded(scored) is True
    assert scored.reward is not None
    unknown = Reward(total=None, outcome=None, turns=(), first_wrong=None, why="no end state")
    assert succeeded(replace(scored, reward=unknown)) is None
    partial = replace(scored.reward, outcome=Outcome.PARTIAL)
    assert succeeded(replace(scored, reward=partial)) is False


def test_the_engine_is_built_at_first_use(settings: RunConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(config: RunConfig) -> object:
        raise ModelError("no weights", fix="install them")

    monkeypatch.setattr(engines, "LocalEngine", missing)
    ws = open_workspace(settings)
    assert ws.store.count() == 0
    with pytest.raises(ModelError, match="no weights"):
        _ = ws.engine
    ws.close()


def test_an_adapter_is_found_by_its_hash_and_a_damaged_one_refused(opening: Open, tmp_path: Path) -> None:
    ws = opening()
    version = adapted_version(ws, tmp_path)
    assert ws.adapter(base_version(ws)) is None
    folder = ws.adapter(version)
    assert folder is not None and version.adapters[MODULE] in folder.parts
    file = folder / "adapter_config.json"
    file.chmod(0o644)
    file.write_text("{ }")
    with pytest.raises(RegistryError, match=r"adapter_config\.json|damaged|hash"):
        ws.adapter(version)


def test_settings_are_kept_and_others_refused_once_the_run_has_begun(opening: Open, tmp_path: Path) -> None:
    ws = opening()
    kept = ws.folder / "config.toml"
    ws.claim()
    assert config.load(kept) == ws.config
    ws.close()
    ws = opening(gate__tasks=25)  # nothing has run yet: settings may be mended
    ws.claim()
    assert config.load(kept).gate.tasks == 25
    ws.journal.done("begin", {"base": "b"})
    with pytest.raises(ConfigError, match="holds a run with other settings") as refused:
        opening(gate__tasks=20)
    assert "run.name" in refused.value.fix
    assert config.load(kept).gate.tasks == 25
    opening(gate__tasks=25)


def test_unknown_task_types_are_refused_with_the_valid_ones(opening: Open) -> None:
    with pytest.raises(ConfigError, match="unknown task type 'cuont'") as refused:
        opening(environment__types=["cuont"])
    assert "count" in refused.value.fix


def test_a_margin_of_its_own_is_for_a_type_of_the_run_that_may_lose(opening: Open) -> None:
    with pytest.raises(ConfigError, match=r"gate\.margins: unknown task type of this run 'cuont'") as refused:
        opening(gate__margins={"cuont": 0.1})
    assert "did you mean 'count'" in refused.value.fix
    shop = {"environment__name": "shop", "environment__types": ["price", "refuse_payment"]}
    with pytest.raises(ConfigError, match=r"gate\.margins\.refuse_payment: .*refusal type bears no loss"):
        opening(**shop, gate__margins={"refuse_payment": 0.1})
    with pytest.raises(ConfigError, match=r"gate\.margins\.price = 1"):
        opening(**shop, gate__margins={"price": 1})
    assert opening(run__name="margins", gate__margins={"count": 0.3}).config.gate.margins == {"count": 0.3}


def test_an_unknown_world_is_refused(settings: RunConfig) -> None:
    with pytest.raises(ConfigError, match="unknown built-in environment 'shoop'") as refused:
        environment(config.override(settings, {"environment.name": "shoop"}))
    assert "shop" in refused.value.fix


def test_a_folder_that_cannot_be_written_is_named(opening: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write to") as refused:
        opening(run__out_dir=str(tmp_path / "file"))
    assert "run.out_dir" in refused.value.fix


def test_refusal_types_of_the_run_are_known(opening: Open) -> None:
    assert opening().refusals() == {"count": False}
    shop = opening(run__name="shop", environment__name="shop", environment__types=["price", "refuse_payment"])
    assert shop.refusals() == {"price": False, "refuse_payment": True}


async def test_an_endpoint_takes_no_adapter(settings: RunConfig, tmp_path: Path) -> None:
    section = ModelSection(engine="endpoint", name="big", base_url="http://localhost:1/v1")
    engine = EndpointEngine(replace(settings, model=section))
    assert engine.base == "http://localhost:1/v1#big"
    with pytest.raises(ConfigError, match="cannot be given a local adapter"):
        await engine.open(tmp_path, ())
    (await engine.open(None, ())).close()
