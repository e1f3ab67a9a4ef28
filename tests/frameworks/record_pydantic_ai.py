"""Record pydantic-ai's own spans: `PYTHONPATH=tests python -m frameworks.record_pydantic_ai`.

In an environment of its own, as it was recorded:

    pip install opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.2 \
        'pydantic-ai-slim[openai]==2.68.0'
"""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent, ModelRetry, RunContext
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import frameworks.fake_openai as shop
from frameworks.fake_openai import MODEL, ORDER, REFUND, RETRY, fake_openai, refund_order, track_parcel
from frameworks.recording import recorded


def main() -> None:
    """Each run in turn."""
    with fake_openai() as url:
        for name, question in (("order", ORDER), ("retry", RETRY)):
            with recorded(f"pydantic-ai-{name}") as provider:
                _desk(url, provider).run_sync(question)
        with recorded("pydantic-ai-team") as provider:
            _team(url, provider).run_sync(REFUND)


def get_order(order_id: str) -> dict[str, str]:
    """Look up an order by its id."""
    try:
        return shop.get_order(order_id)
    except ValueError as error:
        raise ModelRetry(str(error)) from error  # the framework's own way of telling the model


def _agent(url: str, provider: Any, name: str, prompt: str, tools: list[Any]) -> Any:
    model = OpenAIChatModel(MODEL, provider=OpenAIProvider(base_url=url, api_key="none"))
    told = Instrumentation(settings=InstrumentationSettings(tracer_provider=provider))
    return Agent(model, name=name, instructions=prompt, tools=tools, capabilities=[told])


def _desk(url: str, provider: Any) -> Any:
    return _agent(url, provider, "desk", "You are a shop's front desk.", [get_order, track_parcel])


def _team(url: str, provider: Any) -> Any:
    refunds = _agent(url, provider, "refunds", "You pay orders back.", [refund_order])

    async def ask_refunds(context: RunContext[None], question: str) -> str:
        """Hand a question over to the colleague for refunds."""
        return str((await refunds.run(question, usage=context.usage)).output)

    return _agent(url, provider, "desk", "You are a shop's front desk.", [get_order, ask_refunds])


if __name__ == "__main__":
    main()
