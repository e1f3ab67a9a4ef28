"""Generic rules: each fault is found, named and explained; what is no fault is left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from coevolve.feedback import generic_signals
from coevolve.types import (
    Action,
    Signal,
    SignalKind,
    SignalSource,
    Split,
    StopReason,
    Task,
    Trajectory,
    Turn,
)

TOOLS = ("search", "get_order", "ask", "reply")
TASK = Task(id="t", type="price", split=Split.TRAIN, seed=0, difficulty=1, opening="How much is the lamp?")


def check(score: float | None, name: str = "end_state") -> Signal:
    return Signal(name, score, "as verified", SignalKind.OUTCOME, SignalSource.CHECK)


def turn(index: int, tool: str | None, result: str = "ok", error: str | None = None, **args: str) -> Turn:
    action = Action(tool, args) if tool else None
    raw = f"{tool} {args}" if tool else "{"
    return Turn(
        index=index, observation="", raw=raw, action=action, result=result, error=error, available=TOOLS
    )


def episode(*turns: Turn, passed: bool = True, stop: StopReason = StopReason.DONE) -> Trajectory:
    return Trajectory(
        id="e",
        session_id="e",
        task=TASK,
        version="v",
        seed=0,
        turns=turns,
        stop=stop,
        checks=(check(1.0 if passed else -1.0),),
    )


def found(trajectory: Trajectory) -> dict[str, Signal]:
    return {signal.name: signal for signal in generic_signals(trajectory)}


@pytest.mark.parametrize(
    ("error", "tool", "name"),
    [
        ("the JSON is cut off before its end; use a shorter thought and message", None, "truncated_action"),
        ("no JSON object in the text; one JSON action was expected", None, "malformed_action"),
        ("the JSON cannot be read: Expecting ',' delimiter", None, "malformed_action"),
        ("unknown tool 'serach'; did you mean search?", None, "unknown_tool"),
        ("no tool named serach", "serach", "unknown_tool"),
        ('the object names no tool; it must start {"tool": ...', None, "unknown_tool"),
        ("get_order: missing order_id", None, "missing_parameter"),
        ("missing parameter order_id in get_order", "get_order", "missing_parameter"),
        ("get_order: unknown parameter colour (it takes: order_id)", None, "unknown_parameter"),
        ("quantity in create_order must be an integer, not two", "get_order", "wrong_parameter"),
    ],
)
def test_an_illegal_action_is_named_after_what_is_wrong_with_it(
    error: str, tool: str | None, name: str
) -> None:
    signals = found(episode(turn(0, tool, error=error), turn(1, "reply", text="done"), passed=False))
    assert name in signals
    signal = signals[name]
    assert signal.score is not None and signal.score < 0
    assert signal.turn == 0
    assert error.split(";")[0][:40] in signal.why


def test_a_tool_that_is_not_on_offer_is_an_unknown_tool_even_without_an_error() -> None:
    assert "unknown_tool" in found(episode(turn(0, "teleport", place="home")))


def test_a_refusal_of_the_world_is_reported_but_not_scored() -> None:
    signal = found(episode(turn(0, "get_order", error="order 77 is not yours", order_id="77")))["tool_error"]
    assert signal.score is None
    assert signal.kind is SignalKind.EXPLANATORY


def test_the_same_call_with_the_same_result_is_a_fault_and_names_the_first() -> None:
    signals = found(episode(turn(0, "search", text="lamp"), turn(1, "search", text="lamp")))
    assert signals["repeated_call"].turn == 1
    assert "turn 0" in signals["repeated_call"].why


def test_the_same_call_with_another_result_or_another_argument_is_no_fault() -> None:
    other_result = episode(turn(0, "search", text="lamp"), turn(1, "search", result="new", text="lamp"))
    other_argument = episode(turn(0, "search", text="lamp"), turn(1, "search", text="desk"))
    assert "repeated_call" not in found(other_result)
    assert "repeated_call" not in found(other_argument)


def test_calling_again_after_a_timeout_is_no_fault() -> None:
    again = [turn(k, "get_order", result="gateway timeout, try again", order_id="7") for k in range(2)]
    assert "repeated_call" not in found(episode(*again))


def test_replying_at_once_is_a_fault_only_where_a_check_failed() -> None:
    first_word = turn(0, "reply", text="No.")
    assert "ended_without_trying" in found(episode(first_word, passed=False))
    assert "ended_without_trying" not in found(episode(first_word, passed=True))
    unknown = replace(episode(first_word), checks=(check(None),))
    assert "ended_without_trying" not in found(unknown)


def test_replying_after_a_tool_was_used_is_no_lack_of_trying() -> None:
    tried = episode(turn(0, "search", text="lamp"), turn(1, "reply", text="12"), passed=False)
    assert "ended_without_trying" not in found(tried)


@pytest.mark.parametrize("stop", [StopReason.TURN_BUDGET, StopReason.TOKEN_BUDGET, StopReason.TIME_BUDGET])
def test_a_budget_that_ran_out_is_named(stop: StopReason) -> None:
    signal = found(episode(turn(0, "search", text="lamp"), stop=stop, passed=False))["budget_exhausted"]
    assert stop.value.removesuffix("_budget") in signal.why
    assert signal.turn is None


def test_going_on_after_an_error_with_another_call_is_praised() -> None:
    wrong = turn(0, "get_order", error="missing parameter order_id in get_order")
    assert found(episode(wrong, turn(1, "get_order", order_id="7")))["recovered"].turn == 1


def test_giving_up_or_repeating_after_an_error_is_no_recovery() -> None:
    wrong = turn(0, "get_order", error="no order 7", order_id="7")
    assert "recovered" not in found(episode(wrong, turn(1, "reply", text="sorry")))
    assert "recovered" not in found(episode(wrong, replace(wrong, index=1, error=None)))


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_reply_is_a_fault(text: str) -> None:
    assert "empty_reply" in found(episode(turn(0, "reply", text=text)))


def test_a_flawless_episode_has_no_signal_at_all() -> None:
    assert found(episode(turn(0, "search", text="lamp"), turn(1, "reply", text="It costs 12."))) == {}


def test_text_that_had_to_be_mended_is_a_small_fault_that_says_what_was_mended() -> None:
    mended = replace(turn(0, "search", text="lamp"), events=("repaired: missing last brace",))
    signal = found(episode(mended))["repaired_action"]
    assert "missing last brace" in signal.why
    assert signal.score == -0.1
