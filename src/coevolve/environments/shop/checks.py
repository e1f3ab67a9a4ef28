"""Did the episode succeed: the world's end state, what was looked at, and the facts told.

Each requirement is one OUTCOME signal of 1 or -1, with a reason that a person can check. Nothing is
decided by a single word of the reply.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from coevolve.environments.shop.phrases import REASONS, amounts, normalise, says, wrong_in_refusal
from coevolve.types import Signal, SignalKind, SignalSource, Task


class CarriedOut(Protocol):
    """A call as the episode keeps it."""

    @property
    def tool(self) -> str:
        """Name of the tool."""
        ...

    @property
    def args(self) -> Mapping[str, Any]:
        """Its checked arguments."""
        ...

    @property
    def result(self) -> Mapping[str, Any]:
        """What it answered."""
        ...


def check_episode(
    task: Task,
    told: str | None,
    changes: Mapping[str, str | int],
    calls: Sequence[CarriedOut],
    events: Sequence[str],
) -> tuple[Signal, ...]:
    """Verify every requirement of the task.

    Args:
        task: with its expectation in `spec["expect"]`.
        told: the final reply; None while the episode has not ended, when every fact scores -1.
        changes: what differs from the world's first state.
        calls: what was carried out, in order.
        events: milestones and violations, in order.
    """
    expect = task.spec["expect"]
    return (
        _state(expect["changes"], changes),
        _violations(events),
        *_looks(expect["looked"], calls),
        *_questions(task.spec["customer"]["needed"], calls, events),
        *_told(task, told, calls),
    )


def _state(wanted: Mapping[str, str | int], found: Mapping[str, str | int]) -> Signal:
    lacking = [f"{key} should be {value}" for key, value in wanted.items() if found.get(key) != value]
    extra = [f"{key} became {value}" for key, value in found.items() if key not in wanted]
    why = "; ".join([*lacking, *extra])
    return _signal("end_state", not why, why or f"as asked: {_listed(wanted) or 'nothing changed'}")


def _violations(events: Sequence[str]) -> Signal:
    broken = [event for event in events if event.startswith("violation:")]
    return _signal("policy_kept", not broken, ", ".join(dict.fromkeys(broken)) or "no violation")


def _looks(groups: Sequence[Sequence[Sequence[str]]], calls: Sequence[CarriedOut]) -> Iterable[Signal]:
    for group in groups:
        done = any(_called(calls, tool, value) for tool, value in group)
        wanted = " or ".join(f"{tool}({value})" for tool, value in group)
        yield _signal(f"looked.{group[0][0]}", done, f"{wanted} was {'' if done else 'never '}carried out")


def _called(calls: Sequence[CarriedOut], tool: str, value: str) -> bool:
    return any(
        call.tool == tool
        and call.result.get("error") != "identity not verified"
        and any(str(given).strip().lstrip("#").lower() == value.lower() for given in call.args.values())
        for call in calls
    )


def _questions(needed: Sequence[str], calls: Sequence[CarriedOut], events: Sequence[str]) -> Iterable[Signal]:
    asked = "question_needed_asked" in events
    for topic in needed:
        why = f"the customer was {'' if asked else 'never '}asked for the {topic}"
        yield _signal(f"asked.{topic}", asked, why)


def _told(task: Task, told: str | None, calls: Sequence[CarriedOut]) -> Iterable[Signal]:
    expect = task.spec["expect"]
    text = normalise(told or "")
    ended = told is not None
    facts, forbidden = dict(expect["facts"]), list(expect["not_told"])
    if expect["refusal"]:
        facts["reason"] = REASONS[expect["refusal"]]
        forbidden += wrong_in_refusal(expect["refusal"])
    for name, accepted in facts.items():
        said = next((phrase for phrase in accepted if says(text, phrase)), None)
        shown = " / ".join(accepted[:3]) + (" / ..." if len(accepted) > 3 else "")
        why = f"the reply says {said!r}" if said else f"the reply does not say {shown}"
        yield _signal(
            f"fact.{name}", said is not None, why if ended else f"no reply yet, it should say {shown}"
        )
    if expect["first_named"]:
        yield _first_named(expect["first_named"], text, ended)
    slips = [phrase for phrase in forbidden if says(text, phrase)]
    why = f"the reply says {', '.join(map(repr, slips))}" if slips else "nothing false or private was told"
    yield _signal("nothing_wrong_told", ended and not slips, why if ended else "no reply yet")
    invented = amounts(told or "") - _known_amounts(task, calls)
    why = (
        f"no tool gave ${', $'.join(sorted(invented))}"
        if invented
        else "every amount came from a tool or the customer"
    )
    yield _signal("amounts_true", ended and not invented, why if ended else "no reply yet")


def _first_named(names: Sequence[str], text: str, ended: bool) -> Signal:
    better, other = (text.find(normalise(name)) for name in names)
    right = better >= 0 and (other < 0 or better < other)
    why = f"{names[0]} is {'' if right else 'not '}the one named first"
    return _signal("fact.named_as_better", right, why if ended else "no reply yet")


def _known_amounts(task: Task, calls: Sequence[CarriedOut]) -> set[str]:
    known = amounts(task.opening)
    for call in calls:
        if call.tool != "reply":
            known |= amounts(json.dumps(dict(call.result)))
    return known


def _listed(wanted: Mapping[str, str | int]) -> str:
    return ", ".join(f"{key}={value}" for key, value in wanted.items())


def _signal(name: str, good: bool, why: str) -> Signal:
    return Signal(name, 1.0 if good else -1.0, why, SignalKind.OUTCOME, SignalSource.CHECK)
