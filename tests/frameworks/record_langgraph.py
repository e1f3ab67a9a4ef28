"""Record LangGraph's spans: `PYTHONPATH=tests python -m frameworks.record_langgraph`.

In an environment of its own, as it was recorded:

    pip install opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.2 langgraph==1.2.24 \
        langchain==1.5.2 langchain-openai==1.7.4 openinference-instrumentation-langchain==0.1.80 \
        openinference-instrumentation-openai==0.1.66 opentelemetry-instrumentation-openai==0.62.4
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ToolRetryMiddleware
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInferenceOpenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor

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
    """Each run in turn; the last ones with the client below the framework instrumented as well.

    The framework's instrumentor makes no span the current one. So the client's spans stand beside its own
    where the application has a span around the run, and in traces of their own where it has none.
    """
    framework, below, gen_ai = LangChainInstrumentor(), OpenInferenceOpenAI(), OpenAIInstrumentor()
    with fake_openai() as url:
        _record("langgraph-order", [framework], lambda: _desk(url, ORDER))
        _record("langgraph-retry", [framework], lambda: _desk(url, RETRY))
        _record("langgraph-team", [framework], lambda: _team(url))
        _record("langgraph-doubled", [framework, below], lambda: _desk(url, ORDER), around="POST /chat")
        _record(
            "langgraph-doubled-gen-ai", [framework, gen_ai], lambda: _desk(url, ORDER), around="POST /chat"
        )
        _record("langgraph-doubled-apart", [framework, below], lambda: _desk(url, ORDER))


def _record(name: str, instrumentors: list[Any], run: Callable[[], None], around: str = "") -> None:
    with recorded(name) as provider, ExitStack() as stack:
        for one in instrumentors:
            one.instrument(tracer_provider=provider)
            stack.callback(one.uninstrument)
        if around:
            stack.enter_context(provider.get_tracer("shop").start_as_current_span(around))
        run()


def _model(url: str) -> Any:
    return ChatOpenAI(model=MODEL, base_url=url, api_key="none")


def _desk(url: str, question: str) -> None:
    # A tool's error goes back to the model, as users of the framework ask it to.
    retry = ToolRetryMiddleware(max_retries=0, on_failure="continue")
    agent = create_agent(
        _model(url),
        [get_order, track_parcel],
        system_prompt="You are a shop's front desk.",
        middleware=[retry],
        name="desk",
    )
    agent.invoke(_asked(question), config={"configurable": {"thread_id": "session-7"}})


def _team(url: str) -> None:
    refunds = create_agent(_model(url), [refund_order], system_prompt="You pay orders back.", name="refunds")

    def ask_refunds(question: str) -> str:
        """Hand a question over to the colleague for refunds."""
        return str(refunds.invoke(_asked(question))["messages"][-1].content)

    desk = create_agent(
        _model(url), [get_order, ask_refunds], system_prompt="You are a shop's front desk.", name="desk"
    )
    desk.invoke(_asked(REFUND))


def _asked(question: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": question}]}


if __name__ == "__main__":
    main()
