"""What people and business systems said, as signals: statements enter, signals leave.

A statement keeps its own value and its own unknown: free words have no score until a judge gives them one,
and a figure that nobody gave a meaning has none either. Nothing here asks whether its giver is honest or
typical; `coevolve.feedback.crowd` does.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from coevolve.codec import canonical_json
from coevolve.errors import CoevolveError, FeedbackError
from coevolve.feedback.classes import CLASS_OF, FailureClass
from coevolve.feedback.rules import SPOKEN, short
from coevolve.types import (
    Signal,
    SignalKind,
    SignalSource,
    Split,
    Statement,
    StatementKind,
    StopReason,
    Task,
    Trajectory,
    check_signal,
)

SAME_EDIT = 0.98  # share of an answer that an edit left as it was, from which it is no correction
LABEL = "reviewer.label"
LABEL_OF = "reviewer.on."  # and the name of the signal that the label speaks of
_SHOWN = 160  # characters of a value in a reason
_MOST_EDITED = 4_000  # characters compared of an edited answer; comparing is quadratic


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What a business figure means for the session it is joined to."""

    good: float = 1.0  # the value that is best for the user and the business
    bad: float = 0.0  # the value that is worst; between the two the score is linear
    weight: float = 1.0

    def __post_init__(self) -> None:
        if self.good == self.bad or not math.isfinite(self.good - self.bad):
            raise FeedbackError(
                f"a figure that is best at {self.good!r} and worst at {self.bad!r} says nothing",
                fix="give feedback.figures a good and a bad value that differ",
            )


def statement_signals(
    trajectory: Trajectory, statements: Sequence[Statement], figures: Mapping[str, Figure]
) -> tuple[Signal, ...]:
    """One signal for each statement on this trajectory's session, in the order given.

    Args: figures: what each business figure means, by name; others get score None.

    Raises: FeedbackError: a value that its kind cannot have, named with the statement's id.
    """
    return tuple(_READ[one.kind](one, trajectory, figures) for one in statements)


def refusal(statement: Statement) -> str | None:
    """What is wrong with a statement's value, whatever it is said of; None where it can be read."""
    try:
        statement_signals(_NOBODY, [replace(statement, turn=None)], {})
        canonical_json(statement.value)
    except CoevolveError as error:
        return f"{error.what}; {error.fix}"
    return None


def _stars(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    stars = one.value
    if isinstance(stars, bool) or not isinstance(stars, int | float) or not 1 <= stars <= 5:
        raise _refused(one, "a number from 1 to 5")
    return _said(one, (stars - 3) / 2, f"the user gave {stars:g} of 5 stars")


def _thumb(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    if not isinstance(one.value, bool):
        raise _refused(one, "true (up) or false (down)")
    return _said(one, 1.0 if one.value else -1.0, f"the user's thumb is {'up' if one.value else 'down'}")


def _solved(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    if not isinstance(one.value, bool):
        raise _refused(one, "true or false")
    words = "solved" if one.value else "did not solve"
    return _said(one, 1.0 if one.value else -1.0, f"asked whether it was solved, the user says it {words} it")


def _text(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    if not isinstance(one.value, str):
        raise _refused(one, "text")
    return _said(one, None, f"the user wrote: {short(one.value, _SHOWN)}", SignalKind.EXPLANATORY)


def _edit(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    """The less of an answer was kept, the worse it was: 1 where nothing changed, -1 where nothing is left."""
    if not isinstance(one.value, str):
        raise _refused(one, "the answer as it should have read")
    answer = answered(trajectory, one.turn)
    if answer is None:
        return _said(one, None, "an edit of an answer that this trajectory does not hold")
    kept = _alike(answer, one.value)
    if kept >= SAME_EDIT:
        return _said(one, 1.0, "the answer was sent as it stood")
    why = f"the answer was edited, {kept:.0%} of it stayed; it should read: {short(one.value, _SHOWN)}"
    return _said(one, 2 * kept - 1, why)


def _figure(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    name, value = _fields(one, "name", "value")
    if not isinstance(name, str) or not isinstance(value, int | float) or not _finite(value):
        raise _refused(one, '{"name": text, "value": number or true or false}')
    meaning = figures.get(name)
    score, why = None, f"{name} is {float(value):g}, which feedback.figures gives no meaning"
    if meaning is not None:
        share = (float(value) - meaning.bad) / (meaning.good - meaning.bad)
        score = 2 * min(1.0, max(0.0, share)) - 1
        why = f"{name} is {float(value):g}; {meaning.good:g} is best and {meaning.bad:g} worst"
    weight = 1.0 if meaning is None else meaning.weight
    return Signal(f"business.{name}", score, why, SignalKind.OUTCOME, SignalSource.BUSINESS, one.turn, weight)


def _check(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    name, passed = _fields(one, "name", "passed")
    why = one.value.get("why", "")
    named = isinstance(name, str) and name.strip() and isinstance(why, str)
    if not named or not isinstance(passed, bool | None):
        raise _refused(one, '{"name": text, "passed": true or false or null, "why": text}')
    return check_signal(name, passed, short(why, _SHOWN), one.turn)


def _label(one: Statement, trajectory: Trajectory, figures: Mapping[str, Figure]) -> Signal:
    """A reviewer's word: on the whole it is an outcome, which outweighs the user's; on a turn it judges that
    turn; on a named signal it says whether that was right, and with a class it says what kind of failure this
    was, and both are worth nothing to the trajectory.
    """
    score, why = _fields(one, "score", "why")
    if isinstance(score, bool) or not isinstance(score, int | float | None) or not isinstance(why, str):
        raise _refused(one, '{"score": -1 to 1 or null, "why": text}')
    if score is not None and not -1 <= score <= 1:
        raise _refused(one, "a score from -1 to 1")
    named = one.value.get("signal")
    if not isinstance(named, str | None):
        raise _refused(one, 'the name of a signal as "signal"')
    failed = one.value.get("class")
    if failed is not None and failed not in list(FailureClass):
        raise _refused(one, f'one of {", ".join(FailureClass)} as "class"')
    kind = SignalKind.OUTCOME if one.turn is None else SignalKind.PROCESS
    name, kind = (LABEL, kind) if named is None else (LABEL_OF + named, SignalKind.EXPLANATORY)
    if failed is not None:
        name, score, kind = CLASS_OF + failed, None, SignalKind.EXPLANATORY
    words = f"{one.by or 'a reviewer'}: {short(why, _SHOWN) or 'no reason given'}"
    return Signal(name, score, words, kind, SignalSource.REVIEWER, one.turn)


_NOBODY = Trajectory(
    id="",
    session_id="",
    task=Task(id="", type="", split=Split.LIVE, seed=0, difficulty=1, opening=""),
    version="",
    seed=0,
    turns=(),
    stop=StopReason.DONE,
)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:  # a whole number of four hundred digits
        return False


def answered(trajectory: Trajectory, turn: int | None) -> str | None:
    """The words to the user at a turn, or the last ones of the trajectory; None where there are none."""
    for one in reversed(trajectory.turns):
        if (turn is None or one.index == turn) and one.action is not None and one.action.tool in SPOKEN:
            return " ".join(str(value) for value in one.action.args.values())
    return None


def _alike(one: str, other: str) -> float:
    words, others = one[:_MOST_EDITED].split(), other[:_MOST_EDITED].split()
    return difflib.SequenceMatcher(None, words, others, autojunk=False).ratio()


def _fields(one: Statement, *names: str) -> list[Any]:
    if not isinstance(one.value, Mapping) or any(name not in one.value for name in names):
        raise _refused(one, f"an object with {' and '.join(names)}")
    return [one.value[name] for name in names]


def _said(one: Statement, score: float | None, why: str, kind: SignalKind = SignalKind.OUTCOME) -> Signal:
    return Signal(f"user.{one.kind.value}", score, why, kind, SignalSource.USER, one.turn)


def _refused(one: Statement, wanted: str) -> FeedbackError:
    return FeedbackError(
        f"statement {one.id} of kind {one.kind.value} has the value {short(repr(one.value), _SHOWN)}",
        fix=f"send {wanted}",
    )


_READ: Mapping[StatementKind, Callable[[Statement, Trajectory, Mapping[str, Figure]], Signal]] = {
    StatementKind.STARS: _stars,
    StatementKind.THUMB: _thumb,
    StatementKind.SOLVED: _solved,
    StatementKind.TEXT: _text,
    StatementKind.EDIT: _edit,
    StatementKind.FIGURE: _figure,
    StatementKind.CHECK: _check,
    StatementKind.LABEL: _label,
}
