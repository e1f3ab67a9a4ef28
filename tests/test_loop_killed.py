"""SIGKILL to a real process in every stage of a round after the opening, and in the test measurement."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cli_world import invoke, write_config
from coevolve import engines
from coevolve.cli.opening import reading
from loop_world import STAGES, GrowingEngine

SETTINGS = ("--set", "run.max_rounds=1", "--set", "test.tasks=6")
# Each is killed when all of its work is done and the journal does not have it yet.
STEPS = (*(f"round-1/{stage}" for stage in STAGES), "test/base")
# A process is forked for every step, and a last one that nothing kills: the packages are imported once.
DRIVER = """
import gc, os, signal, sys
gc.collect = lambda: 0  # a scripted model holds no memory worth the time
sys.path[:0] = [{tests!r}]
from coevolve import engines, loop
from coevolve.cli import main
from coevolve.store import Journal
from loop_world import GrowingEngine

engines.LocalEngine = lambda config: GrowingEngine()
sys.modules["coevolve.cli.run"].write_report = lambda ws, finished: ws.folder  # drawn by other tests
done, play = Journal.done, loop.play
log = os.open({log!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def noted(stage, inner):
    async def begun(ws, number):
        os.write(log, f"round-{{number}}/{{stage}}\\n".encode())
        return await inner(ws, number)
    return begun

async def measured(ws, version, tasks, label, **more):
    os.write(log, (label.replace(": ", "/") + "\\n").encode())
    return await play(ws, version, tasks, label, **more)

for stage, inner in loop._RUN.items():
    loop._RUN[stage] = noted(stage, inner)
loop.play = measured
for number, step in enumerate((*{steps!r}, None)):
    if (child := os.fork()) == 0:
        def dying(journal, name, value, step=step):
            if name == step and journal.run_id.count("/") == 0:  # labels have a journal of their own
                os.kill(os.getpid(), signal.SIGKILL)
            done(journal, name, value)
        Journal.done = dying
        sys.argv[1:] = [*{words!r}, *(["--resume"] if number else [])]
        main()
    status = os.waitpid(child, 0)[1]
    assert status == (signal.SIGKILL if step else 0), (step, status)
"""


@pytest.mark.usefixtures("no_garbage_collection")
def test_a_run_that_was_killed_in_every_stage_repeats_no_finished_one_and_ends_as_if_undisturbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name for name in ("killed", "whole")]
    for folder in files:
        folder.mkdir()
    killed, whole = map(write_config, files)
    log = tmp_path / "begun"
    words = ["run", str(killed), *SETTINGS, "--json"]
    driver = DRIVER.format(tests=str(Path(__file__).parent), log=str(log), steps=STEPS, words=words)
    done = subprocess.run(
        [sys.executable, "-c", driver], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    expected = {f"round-{number}/{stage}": 1 for number in range(2) for stage in STAGES}
    expected |= {"test/final": 1, "test/opening": 1} | dict.fromkeys(STEPS, 2)
    assert Counter(log.read_text().split()) == expected

    monkeypatch.setattr(engines, "LocalEngine", lambda config: GrowingEngine())
    undisturbed = invoke("run", whole, *SETTINGS, "--json")
    assert undisturbed.exit_code == 0, undisturbed.stderr
    assert journal(killed) == journal(whole)
    ended, meant = json.loads(done.stdout), json.loads(undisturbed.stdout)
    assert {name: ended[name] for name in ("champion", "rounds", "why", "test")} == {
        name: meant[name] for name in ("champion", "rounds", "why", "test")
    }


def journal(config: Path) -> dict[str, Any]:
    """What a run's steps gave, without those that hold times."""
    with reading(config) as ws:
        return {one.name: one.value for one in ws.journal.steps() if one.name not in ("begin", "ended")}
