"""Record OpenAI Agents' spans: `PYTHONPATH=tests python -m frameworks.record_openai_agents`.

In an environment of its own, as it was recorded:

    pip install opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.2 \
        openai-agents==0.24.0 openinference-instrumentation-openai-agents==2.6.0
"""

from __future__ import annotations

import importlib
from typing import Any

from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

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

sdk: Any = importlib.import_module("agents")  # a name that a folder of these tests has too


def main() -> None:
    """Each run in turn, by the interface for responses, which is the SDK's own choice, and one by chat."""
    with fake_openai() as url:
        client = AsyncOpenAI(base_url=url, api_key="none")
        responses = sdk.OpenAIResponsesModel(model=MODEL, openai_client=client)
        chat = sdk.OpenAIChatCompletionsModel(model=MODEL, openai_client=client)
        _record("openai-agents-order", _desk(responses), ORDER)
        _record("openai-agents-retry", _desk(responses), RETRY)
        _record("openai-agents-team", _team(responses), REFUND)
        _record("openai-agents-tool", _asking(responses), REFUND)
        _record("openai-agents-chat", _desk(chat), RETRY)


def _record(name: str, agent: Any, question: str) -> None:
    instrumentor = OpenAIAgentsInstrumentor()
    with recorded(name) as provider:
        instrumentor.instrument(tracer_provider=provider)
        sdk.Runner.run_sync(agent, question)
        instrumentor.uninstrument()


def _desk(model: Any) -> Any:
    tools = [sdk.function_tool(one) for one in (get_order, track_parcel)]
    return sdk.Agent(name="desk", instructions="You are a shop's front desk.", model=model, tools=tools)


def _refunds(model: Any) -> Any:
    tools = [sdk.function_tool(refund_order)]
    return sdk.Agent(name="refunds", instructions="You pay orders back.", model=model, tools=tools)


def _team(model: Any) -> Any:
    """A desk that hands the conversation over."""
    return sdk.Agent(
        name="desk",
        instructions="You are a shop's front desk.",
        model=model,
        tools=[sdk.function_tool(get_order)],
        handoffs=[_refunds(model)],
    )


def _asking(model: Any) -> Any:
    """A desk that asks a colleague and answers itself."""
    ask = _refunds(model).as_tool(tool_name="ask_refunds", tool_description="Ask the colleague for refunds.")
    return sdk.Agent(name="desk", instructions="You are a shop's front desk.", model=model, tools=[ask])


if __name__ == "__main__":
    main()
