"""Experience that people look at: live sessions, failures, and what a verb answers of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from cli_world import invoke
from coevolve.feedback import RewardRule, score
from coevolve.store import open_store
from coevolve.store.key import redaction_key
from coevolve.store.statements import append_statements
from coevolve.types import Signal, SignalKind, SignalSource, Split, StatementKind, Trajectory
from live_samples import says, talk

ANSWERS = ("It is on its way.", "The card was refused.", "I have recorded your problem.")


def answer(*words: object) -> Any:
    done = invoke(*words, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def failed(name: str, text: str, split: Split = Split.TRAIN) -> Trajectory:
    check = Signal("paid", -1.0, "the order was not paid", SignalKind.OUTCOME, SignalSource.CHECK)
    task = replace(talk((text, "Done."), name=name).task, split=split)
    one = talk((text, "Done."), name=name, task=task, checks=(check,))
    return score(one, lambda _: (), RewardRule())


def write_experience(folder: Path) -> Path:
    """A file with live sessions, one of them rated, and failures of a world."""
    path = folder / "experience.db"
    store = open_store(f"sqlite:///{path}")
    redaction_key(f"sqlite:///{path}")
    store.append([talk(("Where is my parcel?", ANSWERS[k % 3]), name=f"s{k}") for k in range(6)])
    append_statements(store.database, [says(StatementKind.STARS, 1, session="s1")])
    store.append([failed(f"f{k}", "Pay order 17 with my card, please.") for k in range(12)])
    store.append([failed(f"h{k}", "Pay the held-out order.", Split.HELD_OUT) for k in range(12)])
    store.close()
    return path
