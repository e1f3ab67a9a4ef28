"""What a conversation tells without being asked: a live session enters, implicit signals leave.

A user who repeats a question, breaks in or goes away says something about the turn before, which may be
another trajectory's: many agents record one a request. "Unusual" is held against the norms of the same task
type, which are made from sessions and are missing where a type has too few. Each sign is weak and may have
another reason; that is why it weighs little.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array

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
_LEAST = 20  # sessions of a type, below which nothing is usual or unusual
_BACK = 200  # messages that one is held against, since an agent may give all its sessions one id
_SPREADS = 3.0  # median absolute deviations, scaled to a normal's standard deviation
_LETTERS = re.compile(r"[^\W_]+")
_THANKS = re.compile(r"\b(thank(s| you)|perfect|that('s| is) (all|great)|solved|works now)\b", re.I)
_FAREWELL = re.compile(r"\W*(ok(ay)?|(good)?bye|alright|fine|great|got it|see you)(\W+\w+){0,3}\W*", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """What is usual for one task type."""

    turns_most: float  # turns of a session
    words_least: float  # words of an answer
    words_most: float
    retrieval_least: float | None  # best score of a look-up; None where nothing was looked up
    count: int  # sessions it was made from


class _Message(NamedTuple):
    """What the user said, and the answer that it follows."""

    text: str
    trajectory: str  # of that answer; "" where nothing was answered before
    turn: int  # of that answer


def norms_of(sessions: Iterable[Sequence[Trajectory]]) -> dict[str, Norm]:
    """The norm of each task type with at least 20 sessions; medians, so that outliers do not count.

    Args: sessions: each as `behaviour_signals` takes it.
    """
    by_type: dict[str, list[Sequence[Trajectory]]] = defaultdict(list)
    for session in sessions:
        by_type[session[0].task.type].append(session)
    return {name: _norm(many) for name, many in by_type.items() if len(many) >= _LEAST}


def behaviour_signals(
    session: Sequence[Trajectory], norms: Mapping[str, Norm], nearness: Nearness
) -> dict[str, tuple[Signal, ...]]:
    """Every implicit signal of each trajectory, those on a turn first, in order of turns.

    Args:
        session: the trajectories that one user spoke in, in order of time, one at least. A later one may
            tell the earlier ones again, as requests to a chat model do.
        nearness: how alike messages are, by meaning (embeddings) or by their letters.

    Returns: by trajectory id, signals of source BEHAVIOUR, scores in [-1, 1]; none where nothing stood out.
    """
    norm = norms.get(session[0].task.type)
    said, added, last_words = _conversation(session)
    found: dict[str, list[Signal]] = {one.id: [] for one in session}
    for message, signal in _asked_again(said, nearness):
        found[message.trajectory].append(signal)
    for one, turns, last in zip(session, np.cumsum(added).tolist(), last_words, strict=True):
        found[one.id] += [*_on_turns(one, norm), *_on_the_whole(one, turns, last.text, norm)]
    end = last_words[-1]
    if end.trajectory and _THANKS.search(end.text):
        thanks = _sign("thanks", 0.5, f"the user's last words: {end.text[:80]!r}", None)
        found[end.trajectory].append(thanks)
    return {
        one.id: tuple(sorted(found[one.id], key=lambda s: len(one.turns) if s.turn is None else s.turn))
        for one in session
    }


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
    return [(index, text) for index, text in said if text]  # an agent may speak twice in a row


def letters_alike(texts: Sequence[str]) -> np.ndarray:
    """Similarity by overlapping letter trigrams (Dice): what serves where no embedding model is installed."""
    grams = [sorted(_trigrams(text)) for text in texts]
    places = {gram: at for at, gram in enumerate(dict.fromkeys(gram for some in grams for gram in some))}
    sizes_N = np.array([len(some) for some in grams], dtype=float)
    columns = [places[gram] for some in grams for gram in some]
    starts = np.concatenate([[0], np.cumsum(sizes_N)]).astype(int)
    shape = (len(texts), len(places))
    has_NG = csr_array((np.ones(len(columns)), np.array(columns, dtype=int), starts), shape=shape)
    shared_NN = (has_NG @ has_NG.T).toarray()
    both_NN = sizes_N[:, None] + sizes_N
    alike_NN: np.ndarray = 2 * shared_NN / np.maximum(both_NN, 1)
    plain = [text.strip() for text in texts]
    for at in np.flatnonzero(sizes_N == 0):  # without letters, as "?": only the very same is alike
        same_N = np.array([text == plain[at] for text in plain], dtype=float)
        alike_NN[at] = alike_NN[:, at] = same_N
    return alike_NN


def _trigrams(text: str) -> set[str]:
    line = f"  {' '.join(_LETTERS.findall(text.casefold()))} "
    return {line[at : at + 3] for at in range(len(line) - 2)} if line.strip() else set()


def _conversation(session: Sequence[Trajectory]) -> tuple[list[_Message], list[int], list[_Message]]:
    """What the user said, each time once; of each trajectory how many turns it adds to the session, and what
    the user had said last by its end, nothing where they had only asked.
    """
    said: list[_Message] = []
    added: list[int] = []
    last: list[_Message] = []
    known: list[str] = []  # what was heard so far, from the user and from tools
    answer = ("", 0)
    for one in session:
        told = [turn.observation for turn in one.turns]
        place, rest = _beginning(told, known)
        new = [rest, *told[place + 1 :]]
        for index, text in user_messages(one):
            at = next((k for k, turn in enumerate(one.turns) if turn.index == index), len(told))
            if at > 0:
                answer = (one.id, one.turns[at - 1].index)
            if at >= place:
                said.append(_Message(rest if at == place else text, *answer))
            if at == len(told):
                new.append(text)
        if one.turns:
            answer = (one.id, one.turns[-1].index)
        known += filter(None, new)
        added.append(len(told) - place)
        if not one.turns and said:  # nobody answered, so asking it again is no complaint about an answer
            last.append(_Message(_beginning([one.task.opening], known)[1], *answer))
        else:
            last.append(said[-1] if len(said) > 1 else _Message("", "", 0))
    return said, added, last


def _beginning(told: Sequence[str], known: Sequence[str]) -> tuple[int, str]:
    """Where what a trajectory heard goes on from what was known: the place of the turn, and the new words.

    A request may tell the conversation so far, or its latest part, in one piece. Where that would leave
    nothing, the user has said the same again.
    """
    whole = "\n".join(filter(None, told))
    for start in (0, *range(max(1, len(known) - _BACK), len(known))):
        if len(known) - start > len(whole) or not whole.startswith(known[start] if known else ""):
            continue  # cheaply, since most tell nothing again
        before = "".join(f"{text}\n" for text in known[start:])
        if whole.startswith(before) and len(before) < len(whole):
            return _place(told, len(before))
    return 0, next(iter(told), "")


def _place(told: Sequence[str], left: int) -> tuple[int, str]:
    """Where the texts go on behind so many characters, each followed by the end of its line."""
    for place, text in enumerate(told):
        if text and left < len(text):
            return place, text[left:]
        left = max(0, left - len(text) - 1) if text else left
    return 0, next(iter(told), "")


def _asked_again(said: Sequence[_Message], nearness: Nearness) -> Iterator[tuple[_Message, Signal]]:
    """Each message is held against the earlier ones; what is to blame is the answer before it."""
    for start in range(1, len(said), _BACK):
        first = max(0, start - _BACK)
        alike = nearness([one.text for one in said[first : start + _BACK]])
        for later in range(start - first, len(alike)):
            earlier = int(np.argmax(alike[later, :later]))
            value = float(alike[later, earlier])
            message = said[first + later]
            if value < REPHRASED or not message.trajectory:
                continue
            name, score = ("repeated_question", -0.7) if value >= REPEATED else ("rephrased_question", -0.5)
            which = f"message {first + later + 1} of the user repeats message {first + earlier + 1}"
            yield message, _sign(name, score, f"{which} ({value:.2f} alike)", message.turn)


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


def _on_the_whole(trajectory: Trajectory, turns: int, last: str, norm: Norm | None) -> Iterator[Signal]:
    """Args: turns: of the session, up to the end of this trajectory; last: what the user had said by then."""
    if norm is not None and turns > norm.turns_most:
        why = f"{turns} turns; up to {norm.turns_most:.0f} are usual for {trajectory.task.type}"
        yield _sign("many_turns", -0.3, why, None)
    content = _THANKS.search(last) or _FAREWELL.fullmatch(last)
    if trajectory.stop is StopReason.LEFT and not content:
        yield _sign("abandonment", -0.6, "the user went away before the end", None)


def _norm(sessions: Sequence[Sequence[Trajectory]]) -> Norm:
    turns = np.array([sum(_conversation(session)[1]) for session in sessions], dtype=float)
    heard = [turn for session in sessions for one in session for turn in one.turns]
    lengths = [_words(turn) for turn in heard if _speaks(turn)]
    words = np.log1p(np.array(lengths or [0], dtype=float))  # lengths are skewed; their logarithms hardly are
    scores = [score for turn in heard for score in _retrieved(turn)]
    low, high = _band(words, 0.35)
    return Norm(
        turns_most=_band(turns, 0.7)[1],
        words_least=float(np.expm1(low)),
        words_most=float(np.expm1(high)),
        retrieval_least=_band(np.array(scores), 0.03)[0] if len(scores) >= _LEAST else None,
        count=len(sessions),
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
