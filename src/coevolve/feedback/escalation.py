"""Whether a tool call gives the conversation out of the agent's hands: an action enters, yes or no leaves.

There is no standard for the names of such tools, so their meaning is read off: `escalate_ticket`,
`transfer_call_to_supervisor`, `request_human`, and `transfer_to_refunds` as agent frameworks name a handoff.
A name that means this in another language, or `create_ticket`, is not known; `feedback.weights` with
"behaviour.escalation" = 0 takes the sign out where handing over is the job.
"""

from __future__ import annotations

import re

from coevolve.types import Action

_PERSON = (
    r"(?:(?:a|an|the|live|real|our|senior|support|service|customer)_)*"
    r"(?:human|person|operator|supervisor|manager|representative|rep|staff|specialist|advisor|live_agent|"
    r"support_agent|service_agent|human_agent|support|support_team|colleague)"
    r"(?:_(?:agent|support|operator|representative|team|desk|being))?"
)
_HUMAN = r"(?:(?:a|an|the|live|real)_)*human(?:_(?:agent|support|operator|representative|team|being|help))?"
_WHAT = (
    r"(?:_(?:the|call|caller|chat|conversation|customer|user|client|session|thread|case|ticket|issue|request|"
    r"it|them|back|over|off))*"
)
_TO_A_PERSON = re.compile(
    r"escalate(?:_\w+)?|"
    r"(?:create|open|raise|request|file|trigger|start)_(?:an_)?escalation|"
    rf"(?:\w+_)?to_{_HUMAN}|"
    rf"(?:transfer|hand|handoff|handover|forward|pass|route|redirect|refer|connect|switch|delegate|talk|speak)"
    rf"{_WHAT}_to_{_PERSON}|"
    rf"connect{_WHAT}_with_{_PERSON}|"
    rf"(?:request|call|summon|involve|bring_in)_{_PERSON}|"
    rf"human_(?:handoff|hand_off|handover|hand_over|takeover|escalation|transfer)"
)
# To whomever: a handoff says why in words at most, while what moves money or goods says how much or which.
_TO_ANYONE = re.compile(
    rf"transfer{_WHAT}_to_\w+|hand_?(?:off|over){_WHAT}(?:_to_\w+)?|transfer_(?:call|chat|conversation)"
)


def escalates(action: Action) -> bool:
    """Whether this call hands the conversation over, to a person or to another agent."""
    name = _snake(action.tool)
    if _TO_A_PERSON.fullmatch(name):
        return True
    return _TO_ANYONE.fullmatch(name) is not None and not any(map(_is_number, action.args.values()))


def _snake(name: str) -> str:
    """`transferToHuman`, `Transfer to human` and `crm.transfer-to-human` are one name; a module is none."""
    last = name.rpartition(".")[2].rpartition("__")[2]
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W+", "_", last)
    return re.sub(r"_+", "_", parted).strip("_").casefold()


def _is_number(value: object) -> bool:
    return bool(text := str(value)) and not any(letter.isalpha() for letter in text)
