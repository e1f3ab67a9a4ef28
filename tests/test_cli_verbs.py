"""The other verbs over the toy world: one stage at a time, show, versions, promote, rollback, report."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from cli_world import invoke, scripted, write_config
from coevolve import doctor, engines, loop
from coevolve import pool as pools
from coevolve.cli.opening import read_config
from coevolve.doctor import Finding
from coevolve.store.pools import pool_rows
from coevolve.store.query import Query
from coevolve.types import PoolVersion, Split
from coevolve.workspace import open_workspace

STAGES = ("collect", "score", "evolve", "learn", "gate")


def answer(*words: object) -> Any:
    """The one JSON object that a verb prints."""
    done = invoke(*words, "--json")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The config of a finished run. The reading verbs work on it without any engine."""
    config = write_config(tmp_path_factory.mktemp("ran"))
    with scripted():
        assert invoke("run", config).exit_code == 0
    return config


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr(engines, "LocalEngine", refuse)


def test_verbs_run_the_loop_stage_by_stage(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with scripted():
        for number, stage in enumerate(STAGES[:-1]):
            done = answer(stage, config)
            assert (done["round"], done["stage"]) == (0, stage)
            assert done["next"] == f"{STAGES[number + 1]}, opening"
        verdict = answer("gate", config)
        assert verdict["verdict"]["decision"] == "accept"
        assert Path(verdict["report"]).is_file()
        assert answer("versions", config)["versions"][1]["standing"] == "champion"
        collected = answer("collect", config)
    assert collected["round"] == 1 and len(collected["value"]["trajectories"]) == 8


@pytest.mark.parametrize("stage", STAGES[1:])
def test_stage_out_of_turn_names_the_verb_that_is_due(ran: Path, tmp_path: Path, stage: str) -> None:
    refused = invoke(stage, write_config(tmp_path))
    assert refused.exit_code == 2
    assert "the next step of this run is collect, of opening" in refused.stderr
    assert "fix: run `coevolve collect" in refused.stderr


@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_runs_after_the_end(ran: Path, stage: str) -> None:
    refused = invoke(stage, ran)
    assert refused.exit_code == 2 and "has ended" in refused.stderr


def test_versions_are_listed_with_standing_and_verdict(ran: Path, no_engine: None) -> None:
    base, champion = answer("versions", ran)["versions"]
    assert (base["standing"], base["decision"]) == ("retired", None)
    assert (champion["standing"], champion["decision"], champion["held_out_rate"]) == (
        "champion",
        "accept",
        1.0,
    )
    read = invoke("versions", ran).stdout
    assert base["id"] in read and champion["id"] in read and champion["pool"] in read


def test_run_folder_names_a_run_as_well_as_its_config(ran: Path, no_engine: None) -> None:
    assert answer("versions", ran.parent / "runs/toy") == answer("versions", ran)


def test_reading_verbs_keep_to_the_settings_of_the_run(ran: Path, no_engine: None) -> None:
    text = ran.read_text()
    try:
        ran.write_text(text + "\n[learn]\nrank = 4\n")
        assert len(answer("versions", ran)["versions"]) == 2
    finally:
        ran.write_text(text)


@pytest.mark.parametrize("words", [("versions",), ("show", "champion"), ("report",), ("rollback",)])
def test_reading_what_never_ran_says_how_to_start_and_makes_nothing(
    tmp_path: Path, no_engine: None, words: tuple[str, ...]
) -> None:
    config = write_config(tmp_path)
    verb, *rest = words
    refused = invoke(verb, config, *rest)
    assert refused.exit_code == 2
    assert f"coevolve run {config}" in refused.stderr
    assert not (tmp_path / "runs").exists()


def test_show_version_tells_lineage_verdict_and_pool(ran: Path, no_engine: None) -> None:
    base, champion = answer("versions", ran)["versions"]
    shown = answer("show", ran, "champion")
    assert shown["kind"] == "version" and shown["standing"] == "champion"
    assert shown["lineage"] == [champion["id"], base["id"]]
    assert [verdict["decision"] for verdict in shown["verdicts"]] == ["accept"]
    read = invoke("show", ran, champion["id"][:6]).stdout
    assert f"{champion['id']} <- {base['id']}" in read and "by task type" in read and "count" in read


def test_show_pool_tells_its_figures_and_who_learned_from_it(ran: Path, no_engine: None) -> None:
    champion = answer("versions", ran)["versions"][1]
    shown = answer("show", ran, champion["pool"][:6])
    assert shown["kind"] == "pool" and shown["versions"] == [champion["id"]]
    assert shown["stats"]["operations"] == {"demonstration": 8} and len(shown["entries"]) == 8
    assert "demonstration 8" in invoke("show", ran, champion["pool"]).stdout


def test_show_trajectory_tells_every_signal_and_whom_it_taught(ran: Path, no_engine: None) -> None:
    champion = answer("versions", ran)["versions"][1]
    entry = answer("show", ran, champion["pool"])["entries"][0]
    shown = answer("show", ran, entry["trajectory"])
    assert shown["kind"] == "trajectory" and shown["versions"] == [champion["id"]]
    assert [row["signal"] for row in shown["rows"]][-2:] == ["count", "= success"]
    read = invoke("show", ran, entry["trajectory"]).stdout
    assert "Count to" in read and "all 1 checks passed" in read and "reply" in read


@pytest.fixture(scope="module")
def two_pools(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PoolVersion]:
    """A run's config after its second pool, and that pool."""
    config = write_config(tmp_path_factory.mktemp("two"))
    config.write_text(config.read_text() + "\n[pool]\nper_type = 2\n")
    with scripted():
        for stage in (*STAGES, *STAGES[:3]):
            assert invoke(stage, config).exit_code == 0
    ws = open_workspace(read_config(config))
    pool = pools.load(ws.pools, pool_rows(ws.store.database)[-1].id)
    ws.close()
    return config, pool


def test_a_pools_entries_lead_to_their_sources_and_the_pool_to_what_it_changed(
    two_pools: tuple[Path, PoolVersion], no_engine: None
) -> None:
    config, pool = two_pools
    shown = answer("show", config, pool.id)
    assert shown["since_parent"]["before"] == pool.parent and shown["since_parent"]["after"] == pool.id
    entry = shown["entries"][-1]
    found = answer("show", config, entry["entry"][:10])
    assert (found["kind"], found["pool"], found["entry"]) == ("entry", pool.id, entry["entry"])
    assert [one["trajectory"] for one in found["sources"]] == entry["sources"] != []
    assert entry["trajectory"] in invoke("show", config, entry["entry"]).stdout
    read = invoke("show", config, pool.id).stdout
    assert "since parent" in read and "sources" in read


def test_a_trajectory_tells_what_each_pool_made_of_it(
    two_pools: tuple[Path, PoolVersion], no_engine: None
) -> None:
    config, pool = two_pools
    refused, reason = next(iter(pool.refusals.items()))
    told = answer("show", config, refused)["became"]
    assert told[0].startswith(f"{refused} is not in pool {pool.id}: {reason}")
    assert "is not in pool" in " ".join(invoke("show", config, refused).stdout.split())
    taken = pool.entries[-1].trajectory.id
    assert answer("show", config, taken)["became"][0].startswith(f"{taken} is in pool {pool.id}")


def test_show_obeys_no_markup_and_no_escape_of_a_models_text(ran: Path, no_engine: None) -> None:
    ws = open_workspace(read_config(ran))
    base = answer("versions", ran)["versions"][0]["id"]
    hostile = ws.store.find(Query(version=base, split=Split.TEST, limit=1))[0]
    ws.close()
    assert "\x1b" in hostile.turns[0].action.args["message"]  # type: ignore[union-attr]
    read = invoke("show", ran, hostile.id).stdout
    assert "[bold red]" in read
    assert "\x1b" not in read and "\\x1b[31m" in read


@pytest.mark.parametrize(
    ("id", "what"), [("nonsense", "no version, pool, entry or trajectory"), ("", "several")]
)
def test_unknown_and_ambiguous_ids_are_refused(ran: Path, no_engine: None, id: str, what: str) -> None:
    refused = invoke("show", ran, id)
    assert refused.exit_code == 2
    assert what in refused.stderr and "fix: " in refused.stderr


def test_rollback_and_promote_move_the_champion(ran: Path, no_engine: None) -> None:
    base, champion = (one["id"] for one in answer("versions", ran)["versions"])
    assert answer("rollback", ran) == {"champion": base, "before": champion}
    refused = invoke("rollback", ran)
    assert refused.exit_code == 2 and "fix: " in refused.stderr
    promoted = answer("promote", ran, champion[:8], "--why", "it was right")
    assert promoted == {"champion": champion, "before": base, "warning": None}
    assert answer("show", ran, champion)["history"][-1]["why"] == "it was right"


def test_promoting_the_champion_is_refused_with_the_legal_moves(ran: Path, no_engine: None) -> None:
    refused = invoke("promote", ran, "champion")
    assert refused.exit_code == 2 and "legal moves" in refused.stderr


def test_promoting_what_the_gate_never_saw_warns(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    with scripted():
        for stage in STAGES[:-1]:
            answer(stage, config)
        candidate = answer("versions", config)["versions"][1]["id"]
        assert "never accepted" in answer("promote", config, candidate)["warning"]


def test_weighing_two_versions_promotes_nothing(ran: Path) -> None:
    base, champion = (one["id"] for one in answer("versions", ran)["versions"])
    with scripted():
        read = invoke("gate", ran, champion, base[:8], "--explain")
        verdict = answer("gate", ran, champion, base)["verdict"]
    assert read.exit_code == 0 and "by task type" in read.stdout
    assert (verdict["decision"], verdict["champion"], verdict["candidate"]) == ("reject", champion, base)
    assert [one["standing"] for one in answer("versions", ran)["versions"]] == ["retired", "champion"]
    assert [len(answer("show", ran, one)["verdicts"]) for one in (base, champion)] == [0, 1]


def test_weighing_one_version_alone_says_what_to_write(ran: Path) -> None:
    refused = invoke("gate", ran, "champion")
    assert refused.exit_code == 2 and "coevolve gate" in refused.stderr


def test_report_is_written_anew_without_a_model(ran: Path, no_engine: None) -> None:
    page = ran.parent / "runs/toy/report/report.html"
    page.unlink()
    shown = answer("report", ran)
    assert shown == {"report": str(page), "curve": str(page.with_name("curve.png")), "finished": True}
    assert page.is_file()


def test_prints_of_a_users_world_stay_out_of_the_json(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    noisy = tmp_path / "noisy.py"
    noisy.write_text(
        "from toy_world import ToyWorld as Quiet\nprint('hello')\n\nclass ToyWorld(Quiet):\n    pass\n"
    )
    world = Path(__file__).parent / "toy_world.py"
    config.write_text(config.read_text().replace(str(world), str(noisy)))
    with scripted():
        assert answer("collect", config)["stage"] == "collect"


def test_doctor_looks_at_the_run_that_it_is_given(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    config.write_text(config.read_text() + '\n[model]\nname = "gone.gguf"\n')
    done = invoke("doctor", config, "--json")
    found = {one["name"]: one for one in json.loads(done.stdout)["findings"]}
    assert done.exit_code == 1
    assert "gone.gguf" in found["model"]["detail"] and "ToyWorld" in found["environment"]["detail"]


def test_doctor_exits_1_where_something_required_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [Finding("cores", True, "2"), Finding("bubblewrap", None, "not installed", "apt install it")]
    monkeypatch.setattr(doctor, "checks", lambda out_dir, config: findings)
    assert answer("doctor")["ok"] is True
    findings.append(Finding("model weights", False, "no file", "pip install it"))
    done = invoke("doctor", "--json")
    assert done.exit_code == 1 and json.loads(done.stdout)["ok"] is False
    read = invoke("doctor")
    assert read.exit_code == 1 and "MISSING" in read.stdout and "pip install it" in read.stdout


def test_init_writes_a_project_and_says_what_to_do_then(tmp_path: Path) -> None:
    folder = tmp_path / "my-agent"
    files = answer("init", folder)["files"]
    assert str(folder / "agent.toml") in files
    again = invoke("init", folder)
    assert again.exit_code == 2 and "is not overwritten" in again.stderr
    assert "coevolve run agent.toml" in invoke("init", tmp_path / "other").stdout


def test_config_of_init_is_one_that_a_run_takes(tmp_path: Path) -> None:
    invoke("init", tmp_path / "my-agent")
    config = tmp_path / "my-agent" / "agent.toml"
    with scripted():
        done = answer(
            "collect", config, "--set", f"run.out_dir={tmp_path}", "--set", "opening.demonstrations=6"
        )
    assert len(done["value"]["trajectories"]) == 6


def test_shop_says_that_a_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = invoke("shop", "serve", "--port", taken.getsockname()[1])
    assert refused.exit_code == 2 and "--port" in refused.stderr


def test_version_is_printed() -> None:
    assert invoke("--version").stdout == "coevolve 0.1.0\n"


def test_every_verb_has_json_and_a_description() -> None:
    read = invoke("--help").stdout
    for verb in (*STAGES, "run", "promote", "rollback", "versions", "show", "report", "doctor", "init"):
        assert verb in read
        described = invoke(verb, "--help").stdout
        assert "--json" in described, verb
    assert "--json" in invoke("shop", "serve", "--help").stdout
    told = " ".join(invoke("experience", "judge", "--help").stdout.split())
    assert "[[feedback.rubrics]] ask, its [model] answers" in told  # and are not taken for markup
    assert set(loop.STAGES) == set(STAGES)
