"""Record CrewAI's spans: `PYTHONPATH=tests python -m frameworks.record_crewai`.

In an environment of its own, as it was recorded:

    pip install opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.2 crewai==1.15.30 \
        openinference-instrumentation-crewai==1.1.21 openinference-instrumentation-openai==0.1.66
"""

from __future__ import annotations

import os

# Before the import: the framework would send spans of its own to its makers.
os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TRACING_ENABLED": "false"}

from contextlib import ExitStack
from typing import Any

from crewai import LLM, Agent, Crew, Process, Task
from crewai.tools import tool
from openinference.instrumentation.crewai import CrewAIInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor

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
    """Each run in turn, the model's calls told by the client's instrumentor, at last by the framework."""
    with fake_openai() as url:
        llm = LLM(model=f"openai/{MODEL}", base_url=url, api_key="none")
        _record("crewai-order", _desk(llm, ORDER))
        _record("crewai-retry", _desk(llm, RETRY))
        _record("crewai-team", _team(llm))
        _record("crewai-events", _desk(llm, RETRY), events=True)
        _record("crewai-events-team", _team(llm), events=True)


def _record(name: str, crew: Any, events: bool = False) -> None:
    framework, client = CrewAIInstrumentor(), OpenAIInstrumentor()
    with recorded(name) as provider, ExitStack() as stack:
        framework.instrument(tracer_provider=provider, use_event_listener=events)
        stack.callback(framework.uninstrument)
        if not events:
            client.instrument(tracer_provider=provider)
            stack.callback(client.uninstrument)
        crew.kickoff()


def _agent(llm: Any, role: str, goal: str, tools: list[Any], **more: Any) -> Any:
    return Agent(role=role, goal=goal, backstory="You work in a shop.", llm=llm, tools=tools, **more)


def _desk(llm: Any, question: str) -> Any:
    desk = _agent(llm, "desk", "Answer customers.", [tool(get_order), tool(track_parcel)])
    task = Task(description=question, expected_output="An answer to the customer.", agent=desk)
    return Crew(agents=[desk], tasks=[task])


def _team(llm: Any) -> Any:
    """A desk that hands the question over to a colleague by the framework's own tool for it."""
    refunds = _agent(llm, "Refunds", "Pay orders back.", [tool(refund_order)])
    desk = _agent(llm, "desk", "Answer customers.", [], allow_delegation=True)
    task = Task(description=REFUND, expected_output="An answer to the customer.", agent=desk)
    return Crew(agents=[desk, refunds], tasks=[task], process=Process.sequential)


if __name__ == "__main__":
    main()
