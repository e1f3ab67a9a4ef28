"""Spans that five agent frameworks really sent, replayed: tests/frameworks records them."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from coevolve.store import Store, open_store
from coevolve.store.ingest.assemble import assemble
from coevolve.store.ingest.conventions import Role, read_span
from coevolve.store.ingest.service import create_app
from coevolve.store.ingest.spans import Span, read_spans
from coevolve.store.redaction import Redactor
from coevolve.store.spans import append_spans, settle
from coevolve.types import Action, StopReason, Trajectory
from frameworks.fake_openai import ORDER, REFUND, RETRY, SCRIPT
from otlp_samples import PROTOBUF

RECORDED = Path(__file__).parents[2] / "data" / "spans"
ALL = sorted(file.name.removesuffix(".pb.gz") for file in RECORDED.iterdir())
ANSWERED = [
    "autogen-order",
    "autogen-own",
    "crewai-order",
    "langgraph-order",
    "langgraph-doubled",
    "langgraph-doubled-gen-ai",
    "openai-agents-order",
    "pydantic-ai-order",
]
RETRIED = {
    "autogen-retry": "ValueError: no order 4417",
    "crewai-retry": "ValueError: no order 4417",
    "crewai-events": "no order 4417",
    "langgraph-retry": "ValueError: no order 4417",
    "openai-agents-retry": "Error details are redacted",
    "openai-agents-chat": "Error details are redacted",
    "pydantic-ai-retry": "ToolRetryError: no order 4417",
}
ASKED_A_COLLEAGUE = {  # the tool by which it was asked
    "autogen-tool": "refunds",
    "crewai-team": "delegate_work_to_coworker",
    "crewai-events-team": "delegate_work_to_coworker",
    "langgraph-team": "ask_refunds",
    "openai-agents-tool": "ask_refunds",
    "pydantic-ai-team": "ask_refunds",
}
HANDED_OVER = {"autogen-team": "transfer_to_refunds", "openai-agents-team": "transfer_to_refunds"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(f"sqlite:///{tmp_path / 'x.db'}")
    yield opened
    opened.close()


def sent(name: str) -> bytes:
    """The request's body, unpacked."""
    return gzip.decompress((RECORDED / f"{name}.pb.gz").read_bytes())


def when(body: bytes) -> float:
    """The time of a recording, so that its clock is right in any year."""
    request = ExportTraceServiceRequest.FromString(body)
    return float(request.resource_spans[0].scope_spans[0].spans[0].end_time_unix_nano / 1e9)


def spans_of(name: str) -> list[Span]:
    body = sent(name)
    spans, refused = read_spans(body, content_type=PROTOBUF, now_s=when(body))
    assert refused == []
    return spans


def through_the_door(store: Store, *bodies: bytes) -> list[Trajectory]:
    now_s = when(bodies[0])
    app = create_app(store, Redactor(b"k" * 32), now=lambda: now_s, settle_every_s=3600)
    headers = {"content-type": PROTOBUF, "content-encoding": "gzip"}
    with TestClient(app) as client:
        for body in bodies:
            answer = client.post("/v1/traces", content=gzip.compress(body), headers=headers)
            assert answer.status_code == 200
    return settle(store, now_s + 100)


def actions(asked: str, who: str = "desk") -> list[Action]:
    """What the script decides, in order."""
    steps = SCRIPT[who, asked]
    return [
        Action("reply", {"message": step}) if isinstance(step, str) else Action(step[0], step[1])
        for step in steps
    ]


@pytest.mark.parametrize("name", ANSWERED)
def test_a_framework_is_told_as_opening_calls_results_and_words(store: Store, name: str) -> None:
    (found,) = through_the_door(store, sent(name))
    assert ORDER in found.task.opening
    assert (found.agent, found.parent, found.stop) == ("desk", None, StopReason.DONE)
    assert [turn.action for turn in found.turns] == actions(ORDER)
    first, second, last = found.turns
    assert first.observation == found.task.opening
    assert all(word in first.result for word in ("A-4417", "sent", "P-88"))
    assert second.result == last.observation == "parcel P-88 is at the depot, delivery tomorrow"
    assert "P-88" in second.observation
    assert [turn.error for turn in found.turns] == [None, None, None]
    assert (found.read_tokens or 0) > (found.written_tokens or 0) > 0


@pytest.mark.parametrize("name", RETRIED)
def test_a_tool_that_failed_is_seen_with_its_reason_and_the_second_try(store: Store, name: str) -> None:
    (found,) = through_the_door(store, sent(name))
    assert RETRY in found.task.opening
    assert [turn.action for turn in found.turns] == actions(RETRY)
    failed, again, last = found.turns
    assert RETRIED[name] in (failed.error or "")
    assert failed.result  # what the model was told of it
    assert again.observation.startswith(failed.result)
    assert (again.error, last.error, found.failure) == (None, None, None)
    assert "sent" in again.result


@pytest.mark.parametrize("name", ASKED_A_COLLEAGUE)
def test_an_agent_within_a_tool_is_a_trajectory_of_its_own(store: Store, name: str) -> None:
    desk, refunds = through_the_door(store, sent(name))
    assert (desk.agent, desk.parent) == ("desk", None)
    assert (refunds.agent.lower(), refunds.parent) == ("refunds", desk.id)
    assert desk.session_id == refunds.session_id
    asked, told = desk.turns
    assert asked.action is not None
    assert asked.action.tool == ASKED_A_COLLEAGUE[name]
    assert REFUND in asked.action.args.values()
    assert "You get 29.50 euros back" in asked.result
    assert told.action == actions(REFUND)[-1]
    check_refund(refunds)


@pytest.mark.parametrize("name", HANDED_OVER)
def test_an_agent_that_took_over_has_the_one_before_as_its_parent(store: Store, name: str) -> None:
    desk, refunds = through_the_door(store, sent(name))
    assert (desk.agent, desk.parent) == ("desk", None)
    assert (refunds.agent, refunds.parent) == ("refunds", desk.id)
    (over,) = desk.turns
    assert over.action == Action(HANDED_OVER[name], {})
    assert "refunds" in over.result
    check_refund(refunds)


def check_refund(refunds: Trajectory) -> None:
    assert REFUND in refunds.task.opening
    assert [turn.action for turn in refunds.turns] == actions(REFUND, "refunds")
    assert refunds.turns[0].result == refunds.turns[1].observation == "paid 29.50 euros back for A-4417"


def test_calls_that_a_client_told_in_traces_of_their_own_stand_beside_the_run(store: Store) -> None:
    found = through_the_door(store, sent("langgraph-doubled-apart"))
    (run,) = (one for one in found if one.agent == "desk")
    assert [turn.action for turn in run.turns] == actions(ORDER)
    calls = sorted((one for one in found if one is not run), key=lambda one: one.read_tokens or 0)
    assert [one.turns[0].action for one in calls] == actions(ORDER)  # nothing in them says whose they are
    assert {len(one.turns) for one in calls} == {1}


def requests(body: bytes, seed: int, each: int) -> list[bytes]:
    """The same spans in any order, some of them twice, a few to a request."""
    whole = ExportTraceServiceRequest.FromString(body)
    drawn = random.Random(seed)
    single = []
    for group in whole.resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                alone = ExportTraceServiceRequest()
                added = alone.resource_spans.add(resource=group.resource)
                added.scope_spans.add(scope=scope.scope, spans=[span])
                single.append(alone)
    single += drawn.sample(single, len(single) // 2)
    drawn.shuffle(single)
    bodies = []
    for start in range(0, len(single), each):
        part = ExportTraceServiceRequest()
        for one in single[start : start + each]:
            part.MergeFrom(one)
        bodies.append(bytes(part.SerializeToString()))
    return bodies


@pytest.mark.parametrize("name", ALL)
def test_order_repetition_and_requests_change_nothing(store: Store, name: str, tmp_path: Path) -> None:
    body = sent(name)
    other = open_store(f"sqlite:///{tmp_path / 'other.db'}")
    whole = through_the_door(other, body)
    other.close()
    shuffled = through_the_door(store, *requests(body, seed=len(name), each=3))
    assert sorted(shuffled, key=lambda one: one.id) == sorted(whole, key=lambda one: one.id)


@pytest.mark.parametrize("name", [name for name in ALL if not name.endswith("apart")])
def test_a_run_that_pauses_before_its_last_words_ends_as_one_that_does_not(store: Store, name: str) -> None:
    """What has not ended by then, such as the agents' own spans, comes after the trace was taken as whole."""
    spans = spans_of(name)
    pause_s = max(one.start_s for one in spans if read_span(one).role is Role.LLM)
    append_spans(store, [one for one in spans if one.end_s <= pause_s], now_s=0.0)
    assert settle(store, 100.0)
    append_spans(store, [one for one in spans if one.end_s > pause_s], now_s=200.0)
    settle(store, 300.0)
    found = [replace(one, id=one.id.partition("~")[0]) for one in store.find()]
    assert sorted(found, key=lambda one: one.id) == sorted(assemble(spans), key=lambda one: one.id)


@pytest.mark.parametrize("name", ALL)
def test_recordings_tell_nothing_of_the_machine(name: str) -> None:
    body = sent(name)
    assert {key for one in spans_of(name) for key in one.resource} == {"service.name"}
    assert not any(word in body for word in (b"site-packages", b"/tmp/", b"/home/", b"\\Users\\"))
    assert len(gzip.compress(body)) < 8_000
