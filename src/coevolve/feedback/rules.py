"""Rules that hold in every world: a trajectory comes in, signals leave.

They read what the record says and nothing else, so a person can check every `why` against the turns.
They do not know a world's policy (identity first, amounts, stock): that is the world's own review.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from coevolve.types import Signal, SignalKind, StopReason, Trajectory, Turn

SPOKEN = frozenset({"reply", "ask"})  # words to the user; every other tool acts on the world

# What the texts of Turn.error say, most telling first. The first pattern that matches names the signal.
_ERRORS: tuple[tuple[str, re.Pattern[str], float], ...] = (
    (
        "unknown_tool",
        re.compile(
            r"(unknown|no such|invalid|not a|no) (tool|function)\b|tool .{0,60}(does not exist|is not)|"
            r"names no tool",
            re.I,
        ),
        -0.6,
    ),
    (
        "unknown_parameter",
        re.compile(
            r"(unknown|unexpected|extra|no) (keyword )?(parameter|argument|field|key)|additional propert",
            re.I,
        ),
        -0.5,
    ),
    (
        "missing_parameter",
        re.compile(
            r"\bmissing (?!last)\w+|(lacks|needs|without) .{0,40}(parameter|argument|field)|\brequired\b|"
            r"(parameter|argument|field) .{0,60}(missing|is needed)",
            re.I,
        ),
        -0.5,
    ),
    ("unsaid_value", re.compile(r"\bwas never said\b"), -0.5),
    (
        "wrong_parameter",
        re.compile(r"(parameter|argument|field) .{0,60}(must|should|is not|wrong)|\w+ must be \w+", re.I),
        -0.4,
    ),
)
_TRY_AGAIN = re.compile(r"time.?out|timed out|try again|temporar|unavailable", re.I)
_REPAIRED = "repaired: "  # how a turn's events name what the agent's parser had to mend
_TRUNCATED = re.compile(
    r"truncat|cut off|unfinished|incomplete|unterminated|token limit|no end|last brace", re.I
)


def generic_signals(trajectory: Trajectory) -> tuple[Signal, ...]:
    """Every generic rule's signals, in order of turns, those on the whole trajectory last.

    Scores are in [-1, 1]. A tool's refusal that no rule can lay at anybody's door gets score None.
    """
    per_turn = [signal for turn in trajectory.turns for signal in _of_one_turn(turn)]
    across = [signal for rule in _ACROSS for signal in rule(trajectory)]
    found = per_turn + across
    order = len(trajectory.turns)
    return tuple(sorted(found, key=lambda signal: order if signal.turn is None else signal.turn))


def called(turn: Turn) -> str | None:
    """The turn's action in one comparable line; None where the text held no action."""
    if turn.action is None:
        return None
    args = json.dumps(dict(turn.action.args), sort_keys=True, ensure_ascii=False, default=str)
    return f"{turn.action.tool} {args}"


def _of_one_turn(turn: Turn) -> Iterator[Signal]:
    yield from _legality(turn)
    mended = [event.removeprefix(_REPAIRED) for event in turn.events if event.startswith(_REPAIRED)]
    if mended and turn.action is not None:
        why = f"turn {turn.index}: the action could be read only after mending: {'; '.join(mended)}"
        yield Signal("repaired_action", -0.1, why, turn=turn.index)
    if turn.action is not None and turn.action.tool in SPOKEN and _says_nothing(turn):
        yield Signal(
            "empty_reply",
            -0.8,
            f"turn {turn.index}: {turn.action.tool} was called without a word to the user",
            turn=turn.index,
        )


def _legality(turn: Turn) -> Iterator[Signal]:
    """At most one signal on whether the text was a legal action."""
    error = turn.error or ""
    shown = f": {short(error)}" if error else ""
    for name, pattern, score in _ERRORS:
        if error and pattern.search(error):
            yield Signal(name, score, f"turn {turn.index}{shown}", turn=turn.index)
            return
    if turn.action is None:
        cut = bool(_TRUNCATED.search(error))
        text = short(turn.raw) or "(nothing)"
        yield Signal(
            "truncated_action" if cut else "malformed_action",
            -0.6,
            f"turn {turn.index}: the text holds no complete action{shown}; it reads {text!r}",
            turn=turn.index,
        )
    elif turn.available and turn.action.tool not in turn.available:
        yield Signal(
            "unknown_tool",
            -0.6,
            f"turn {turn.index}: {turn.action.tool!r} is not among the {len(turn.available)} tools on offer",
            turn=turn.index,
        )
    elif error:
        # A declined payment or a timeout may be the world's doing: not ours to score.
        yield Signal(
            "tool_error",
            None,
            f"turn {turn.index}: {turn.action.tool} answered with an error{shown}",
            SignalKind.EXPLANATORY,
            turn=turn.index,
        )


def _says_nothing(turn: Turn) -> bool:
    if turn.action is None:
        return True
    return not any(str(value).strip() for value in turn.action.args.values() if value is not None)


def _repeated_calls(trajectory: Trajectory) -> Iterator[Signal]:
    seen: dict[tuple[str, str], int] = {}
    for turn in trajectory.turns:
        call = called(turn)
        if call is None:
            continue
        if _TRY_AGAIN.search(turn.result):
            continue  # calling again is what the result asks for
        first = seen.setdefault((call, turn.result), turn.index)
        if first != turn.index:
            yield Signal(
                "repeated_call",
                -0.5,
                f"turn {turn.index} repeats turn {first} ({short(call)}) and got the same result",
                turn=turn.index,
            )


def _ended_without_trying(trajectory: Trajectory) -> Iterator[Signal]:
    """Only where a check failed: a refusal that is right from the first word is no fault."""
    failed = [
        c for c in trajectory.checks if c.kind is SignalKind.OUTCOME and c.score is not None and c.score < 1
    ]
    acted = [turn for turn in trajectory.turns if turn.action is not None]
    if not failed or not acted or acted[0].action is None or acted[0].action.tool != "reply":
        return
    if any(turn.action is not None and turn.action.tool not in SPOKEN for turn in acted):
        return
    yield Signal(
        "ended_without_trying",
        -0.8,
        f"turn {acted[0].index} replied before any tool was called, and the check {failed[0].name!r} failed",
        turn=acted[0].index,
    )


def _budget_exhausted(trajectory: Trajectory) -> Iterator[Signal]:
    if trajectory.stop in (StopReason.TURN_BUDGET, StopReason.TOKEN_BUDGET, StopReason.TIME_BUDGET):
        what = trajectory.stop.value.removesuffix("_budget")
        yield Signal(
            "budget_exhausted",
            -0.5,
            f"the {what} budget ran out after {len(trajectory.turns)} turns without an end",
        )


def _recovery(trajectory: Trajectory) -> Iterator[Signal]:
    """A legal turn right after a faulty one, with something else than what had failed.

    Words to the user after a tool's error are none: they may report it or give up.
    """
    for before, after in zip(trajectory.turns, trajectory.turns[1:], strict=False):
        if after.error is not None or after.action is None:
            continue
        refused = before.error is not None and after.action.tool not in SPOKEN
        if (before.action is None or refused) and called(before) != called(after):
            yield Signal(
                "recovered",
                0.2,
                f"turn {after.index} went on with {after.action.tool} after the error at turn {before.index}",
                turn=after.index,
            )


_ACROSS: tuple[Callable[[Trajectory], Iterator[Signal]], ...] = (
    _repeated_calls,
    _ended_without_trying,
    _budget_exhausted,
    _recovery,
)


def short(text: str, limit: int = 100) -> str:
    """A text on one line, cut to `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
