"""What a conversation tells without being asked: a live trajectory enters, implicit signals leave.

A user who repeats a question, breaks in or goes away says something about the turn before. "Unusual" is
held against the norms of the same task type, which are made from trajectories and are missing where a
type has too few. Each sign is weak and may have another reason; that is why it weighs little.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from coevolve.feedback.escalation import escalates
from coevolve.feedback.rules import SPOKEN
from coevolve.types import (
    INTERRUPTED,
    RETRIEVAL,
    Signal,
    SignalKind,
    SignalSource,
    StopReason,
    Trajectory,
    Turn,
)

Nearness: TypeAlias = Callable[[Sequence[str]], np.ndarray]  # N texts -> (N, N) similarities, 1 = the same

REPEATED = 0.9  # similarity of two messages from which the second repeats the first
REPHRASED = 0.7  # and from which it says the same in other words
_LEAST = 20  # trajectories of a type, below which nothing is usual or unusual
_SPREADS = 3.0  # median absolute deviations, scaled to a normal's standard deviation
_LETTERS = re.compile(r"[^\W_]+")
_THANKS = re.compile(r"\b(thank(s| you)|perfect|that('s| is) (all|great)|solved|works now)\b", re.I)
_FAREWELL = re.compile(r"\W*(ok(ay)?|(good)?bye|alright|fine|great|got it|see you)(\W+\w+){0,3}\W*", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """What is usual for one task type."""

    turns_most: float  # turns of a trajectory
    words_least: float  # words of an answer
    words_most: float
    retrieval_least: float | None  # best score of a look-up; None where nothing was looked up
    count: int  # trajectories it was made from


def norms_of(trajectories: Iterable[Trajectory]) -> dict[str, Norm]:
    """The norm of each task type with at least 20 trajectories; medians, so that outliers do not count."""
    by_type: dict[str, list[Trajectory]] = defaultdict(list)
    for one in trajectories:
        by_type[one.task.type].append(one)
    return {name: _norm(many) for name, many in by_type.items() if len(many) >= _LEAST}


def behaviour_signals(
    trajectory: Trajectory, norms: Mapping[str, Norm], nearness: Nearness
) -> tuple[Signal, ...]:
    """Every implicit signal, those on a turn first, in order of turns.

    Args: nearness: how alike messages are, by meaning (embeddings) or by their letters.

    Returns: signals of source BEHAVIOUR with scores in [-1, 1]; none where nothing stood out.
    """
    norm = norms.get(trajectory.task.type)
    found = [
        *_asked_again(trajectory, nearness),
        *_on_turns(trajectory, norm),
        *_on_the_whole(trajectory, norm),
    ]
    last = len(trajectory.turns)
    return tuple(sorted(found, key=lambda one: last if one.turn is None else one.turn))


def user_messages(trajectory: Trajectory) -> list[tuple[int, str]]:
    """What the user said, each with the index of the turn that answers it."""
    turns = trajectory.turns
    said = [
        (turn.index, turn.observation)
        for before, turn in zip([None, *turns], turns, strict=False)
        if before is None or _speaks(before)
    ]
    if turns and _speaks(turns[-1]) and turns[-1].result:
        said.append((turns[-1].index + 1, turns[-1].result))  # the last words, which nobody answered
    return said


def letters_alike(texts: Sequence[str]) -> np.ndarray:
    """Similarity by overlapping letter trigrams (Dice): what serves where no embedding model is installed."""
    grams = [_trigrams(text) for text in texts]
    return np.array(
        [[2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0 for b in grams] for a in grams], dtype=float
    ).reshape(len(texts), len(texts))


def _trigrams(text: str) -> set[str]:
    line = f"  {' '.join(_LETTERS.findall(text.casefold()))} "
    return {line[at : at + 3] for at in range(len(line) - 2)} if line.strip() else set()


def _asked_again(trajectory: Trajectory, nearness: Nearness) -> Iterator[Signal]:
    """Each message is held against the earlier ones; what is to blame is the answer before it."""
    said = user_messages(trajectory)
    if len(said) < 2:
        return
    alike = nearness([text for _, text in said])
    for later in range(1, len(said)):
        earlier = int(np.argmax(alike[later, :later]))
        value = float(alike[later, earlier])
        if value < REPHRASED:
            continue
        name, score = ("repeated_question", -0.7) if value >= REPEATED else ("rephrased_question", -0.5)
        why = f"message {later + 1} of the user repeats message {earlier + 1} ({value:.2f} alike)"
        yield _sign(name, score, why, said[later][0] - 1)


def _on_turns(trajectory: Trajectory, norm: Norm | None) -> Iterator[Signal]:
    for turn in trajectory.turns:
        if INTERRUPTED in turn.events:
            yield _sign("interruption", -0.4, "the user broke in before the answer was over", turn.index)
        if turn.action is not None and escalates(turn.action):
            yield _sign("escalation", -0.3, f"it was handed over with {turn.action.tool}", turn.index)
        if norm is not None and _speaks(turn):
            yield from _length(turn, norm)
        if norm is not None and norm.retrieval_least is not None:
            for score in _retrieved(turn):
                if score < norm.retrieval_least:
                    why = f"the best hit scored {score:.2f}; {norm.retrieval_least:.2f} and more is usual"
                    yield _sign("low_retrieval", -0.3, why, turn.index)


def _length(turn: Turn, norm: Norm) -> Iterator[Signal]:
    words = _words(turn)
    if not norm.words_least <= words <= norm.words_most:
        usual = f"{norm.words_least:.0f} to {norm.words_most:.0f} are usual"
        yield _sign("unusual_length", -0.2, f"an answer of {words} words; {usual}", turn.index)


def _on_the_whole(trajectory: Trajectory, norm: Norm | None) -> Iterator[Signal]:
    turns = trajectory.turns
    if norm is not None and len(turns) > norm.turns_most:
        why = f"{len(turns)} turns; up to {norm.turns_most:.0f} are usual for {trajectory.task.type}"
        yield _sign("many_turns", -0.3, why, None)
    said = user_messages(trajectory)
    last = said[-1][1] if len(said) > 1 else ""
    if _THANKS.search(last):
        yield _sign("thanks", 0.5, f"the user's last words: {last[:80]!r}", None)
    elif trajectory.stop is StopReason.LEFT and not _FAREWELL.fullmatch(last):
        yield _sign("abandonment", -0.6, "the user went away before the end", None)


def _norm(many: Sequence[Trajectory]) -> Norm:
    turns = np.array([len(one.turns) for one in many], dtype=float)
    lengths = [_words(turn) for one in many for turn in one.turns if _speaks(turn)]
    words = np.log1p(np.array(lengths or [0], dtype=float))  # lengths are skewed; their logarithms hardly are
    scores = [score for one in many for turn in one.turns for score in _retrieved(turn)]
    low, high = _band(words, 0.35)
    return Norm(
        turns_most=_band(turns, 0.7)[1],
        words_least=float(np.expm1(low)),
        words_most=float(np.expm1(high)),
        retrieval_least=_band(np.array(scores), 0.03)[0] if len(scores) >= _LEAST else None,
        count=len(many),
    )


def _band(values: np.ndarray, least_spread: float) -> tuple[float, float]:
    """Around the median; a type whose values are all the same still bears a little more or less."""
    middle = float(np.median(values))
    spread = max(least_spread, 1.4826 * float(np.median(np.abs(values - middle))))
    return middle - _SPREADS * spread, middle + _SPREADS * spread


def _retrieved(turn: Turn) -> list[float]:
    return [float(one.removeprefix(RETRIEVAL)) for one in turn.events if one.startswith(RETRIEVAL)]


def _speaks(turn: Turn) -> bool:
    return turn.action is not None and turn.action.tool in SPOKEN


def _words(turn: Turn) -> int:
    return 0 if turn.action is None else sum(len(str(value).split()) for value in turn.action.args.values())


def _sign(name: str, score: float, why: str, turn: int | None) -> Signal:
    return Signal(f"behaviour.{name}", score, why, SignalKind.OUTCOME, SignalSource.BEHAVIOUR, turn)
