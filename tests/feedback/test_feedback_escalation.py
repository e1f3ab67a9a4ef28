from __future__ import annotations

from typing import Any

import pytest

from coevolve.feedback.escalation import escalates
from coevolve.types import Action


@pytest.mark.parametrize(
    "name",
    [
        "escalate",
        "escalate_to_human",
        "escalateTicket",
        "raise_escalation",
        "transfer_to_human",
        "transfer-to-human-agent",
        "transferCallToSupervisor",
        "Transfer to a live agent",
        "transfer_to_agent",
        "transfer_to_refunds",
        "crm.handoff",
        "mcp__desk__hand_over",
        "handoff_to_billing",
        "hand_over_conversation_to_manager",
        "hand_off",
        "speak_to_human",
        "forward_to_human",
        "connect_with_support_agent",
        "connect_customer_to_representative",
        "request_human",
        "call_supervisor",
        "human_takeover",
    ],
)
def test_a_tool_whose_name_hands_over_is_an_escalation(name: str) -> None:
    assert escalates(Action(name, {"reason": "the customer asks about order 77"}))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("de_escalate", {}),
        ("deescalate_tone", {}),
        ("get_escalation_policy", {}),
        ("list_escalations", {}),
        ("transfer_funds", {"to": "savings"}),
        ("transfer_to_savings", {"amount": 120}),
        ("transfer_to_account", {"iban": "DE02", "amount": "120.00"}),
        ("transfer_to_warehouse", {"sku": "kettle", "count": 3}),
        ("hand_over_parcel_to_courier", {}),
        ("handover_notes", {}),
        ("get_handoff_summary", {}),
        ("to_human_readable", {}),
        ("format_to_human_readable", {}),
        ("email_to_human_resources", {}),
        ("send_email_to_manager", {}),
        ("assign_role_to_person", {}),
        ("get_supervisor", {}),
        ("find_person", {}),
        ("request_human_approval", {}),
        ("ask_human", {}),
        ("pass_exam_to_person", {}),
        ("connect_to_database", {}),
        ("route_to_address", {}),
        ("create_ticket", {}),
        ("transfer", {}),
        ("reply", {"message": "I will transfer you to a human."}),
        ("", {}),
    ],
)
def test_a_name_that_only_looks_like_it_is_none(name: str, args: dict[str, Any]) -> None:
    assert not escalates(Action(name, args))
