"""Recorded turns carried out again in a fresh episode of the same task.

An episode and turns enter; who speaks next leaves, with the episode where the recorded one was then. It
does not protect against a world whose hidden state differs while its answers are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from coevolve.agents.harness import malformed_notice
from coevolve.environments.protocol import Episode
from coevolve.types import Turn


def replay(episode: Episode, turns: Sequence[Turn]) -> str | None:
    """Who speaks after the recorded actions; None where the world answers otherwise or is done."""
    speaker = "tool"
    for turn in turns:
        if not was_carried_out(turn):
            speaker = "tool"
            continue
        assert turn.action is not None  # or it could not have been carried out
        step = episode.step(turn.action)
        if step.done or (step.observation, step.error) != (turn.result, turn.error):
            return None
        speaker = step.speaker
    return speaker


def was_carried_out(turn: Turn) -> bool:
    """Whether the world saw it: a text without a legal action is answered by the harness alone."""
    return turn.action is not None and turn.result != malformed_notice(turn.error or "")
