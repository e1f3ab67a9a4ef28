"""A trajectory as messages in OpenAI's chat form: what was said and called, in its order.

`ask` and `reply` are words to the user, every other tool is a call. A call's id is made from its turn, since
trajectories keep none; arguments are a text of JSON, as OpenAI has them, so that every line has the same
columns. What the form has no place for stays behind: a thought before words to the user, scores, token ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from coevolve.types import Action, JsonObject, Trajectory, Turn

SPOKEN = frozenset({"ask", "reply"})
Message: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Setting:
    """What the agent was told beside the conversation, which trajectories do not hold."""

    systems: Mapping[str, str] = field(default_factory=dict)  # version -> its system prompt
    tools: Sequence[JsonObject] = ()  # in OpenAI's form: {"type": "function", "function": {...}}


def messages_of(trajectory: Trajectory, setting: Setting | None = None) -> list[Message]:
    """The messages, the system prompt first where it is known."""
    system = setting.systems.get(trajectory.version, "") if setting is not None else ""
    found: list[Message] = [_message("system", system)] if system else []
    brought: list[str] = []  # by the calls of the answer before, which the next observation tells again
    opening = trajectory.task.opening
    for turns in _answers(trajectory.turns):
        heard = _unheard(turns[0].observation or opening, "\n".join(filter(None, brought)))
        opening = ""
        if heard:
            found.append(_message("user", heard))
        found += _answer(turns)
        brought = [_result(turn) for turn in turns if _called(turn)]
    return found


def _answers(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Turns by the model's answer that they are from: of several calls in one, the first has its text."""
    held: list[Turn] = []
    for turn in turns:
        goes_on = not turn.raw and not turn.observation and turn.action is not None
        if held and not (goes_on and held[-1].action is not None):
            yield held
            held = []
        held.append(turn)
    if held:
        yield held


def _answer(turns: Sequence[Turn]) -> Iterator[Message]:
    first = turns[0]
    if first.action is None:
        if first.raw:
            yield _message("assistant", first.raw)
        return
    calls = [turn for turn in turns if _called(turn)]
    words = [first.thought] if calls else []
    words += [_words(turn.action) for turn in turns if turn.action is not None and not _called(turn)]
    said = _message("assistant", "\n".join(filter(None, words)))
    if calls:
        said["tool_calls"] = [_call(turn.index, turn.action) for turn in calls if turn.action is not None]
    yield said
    for turn in calls:
        yield {**_message("tool", _result(turn)), "tool_call_id": _call_id(turn.index)}


def _called(turn: Turn) -> bool:
    return turn.action is not None and turn.action.tool not in SPOKEN


def _call(index: int, action: Action) -> Message:
    arguments = json.dumps(action.args, ensure_ascii=False, sort_keys=True)
    function = {"name": _plain(action.tool), "arguments": _plain(arguments)}
    return {"id": _call_id(index), "type": "function", "function": function}


def _call_id(index: int) -> str:
    return f"call_{index}"


def _words(action: Action) -> str:
    given = list(action.args.values())
    if len(given) == 1 and isinstance(given[0], str):
        return given[0]
    return json.dumps(action.args, ensure_ascii=False, sort_keys=True)


def _result(turn: Turn) -> str:
    return turn.result or turn.error or ""


def _unheard(observation: str, told: str) -> str:
    """What an observation holds beside the results that stand there already."""
    if told and observation == told:
        return ""
    return observation.removeprefix(f"{told}\n") if told else observation


def _message(role: str, text: str) -> Message:
    return {"role": role, "content": _plain(text)}


def _plain(text: str) -> str:
    """Without lone halves of surrogate pairs, which no UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
