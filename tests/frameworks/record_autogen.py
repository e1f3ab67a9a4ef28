"""Record AutoGen's spans: `PYTHONPATH=tests python -m frameworks.record_autogen`.

In an environment of its own, as it was recorded:

    pip install opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.2 \
        autogen-agentchat==0.7.5 'autogen-ext[openai]==0.7.5' \
        openinference-instrumentation-autogen-agentchat==0.1.22 openinference-instrumentation-openai==0.1.66
"""

from __future__ import annotations

import asyncio
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMessageTermination
from autogen_agentchat.teams import Swarm
from autogen_agentchat.tools import AgentTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from openinference.instrumentation.autogen_agentchat import AutogenAgentChatInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry import trace

from frameworks.fake_openai import (
    MODEL,
    ORDER,
    REFUND,
    RETRY,
    fake_openai,
    get_order,
    refund_order,
    track_parcel,
)
from frameworks.recording import recorded


def main() -> None:
    """Each run in turn: with the instrumentor, then with AutoGen's own spans and the client's beneath."""
    with fake_openai() as url:
        for name, question in (("order", ORDER), ("retry", RETRY)):
            _record(f"autogen-{name}", AutogenAgentChatInstrumentor(), _desk(url), question)
        _record("autogen-team", AutogenAgentChatInstrumentor(), _team(url), REFUND)
        _record("autogen-tool", AutogenAgentChatInstrumentor(), _asking(url), REFUND)
        _record("autogen-own", OpenAIInstrumentor(), _desk(url), ORDER)


def _record(name: str, instrumentor: Any, agent: Any, question: str) -> None:
    with recorded(name) as provider:
        trace._TRACER_PROVIDER = provider  # AutoGen's own spans go to the process's provider alone
        instrumentor.instrument(tracer_provider=provider)
        asyncio.run(agent.run(task=question))
        instrumentor.uninstrument()


def _model(url: str) -> Any:
    return OpenAIChatCompletionClient(model=MODEL, base_url=url, api_key="none", parallel_tool_calls=False)


def _desk(url: str) -> Any:
    return AssistantAgent(
        "desk",
        _model(url),
        tools=[get_order, track_parcel],
        system_message="You are a shop's front desk.",
        max_tool_iterations=5,
    )


def _refunds(url: str) -> Any:
    return AssistantAgent(
        "refunds",
        _model(url),
        tools=[refund_order],
        system_message="You pay orders back.",
        description="The colleague for refunds.",
        max_tool_iterations=5,
    )


def _team(url: str) -> Any:
    """A desk that hands the conversation over."""
    desk = AssistantAgent(
        "desk",
        _model(url),
        tools=[get_order],
        handoffs=["refunds"],
        system_message="You are a shop's front desk.",
    )
    ends = TextMessageTermination("refunds") | MaxMessageTermination(12)
    return Swarm([desk, _refunds(url)], termination_condition=ends)


def _asking(url: str) -> Any:
    """A desk that asks a colleague and answers itself."""
    return AssistantAgent(
        "desk",
        _model(url),
        tools=[AgentTool(_refunds(url))],
        system_message="You are a shop's front desk.",
        max_tool_iterations=5,
    )


if __name__ == "__main__":
    main()
