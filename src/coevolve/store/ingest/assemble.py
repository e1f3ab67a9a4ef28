"""Spans of one trace in, trajectories out: one for each agent that decided something, linked by parent.

A decision is what a language model answered: a tool call, or words to the user. Spans may come in any
order, twice, without their parents, and a parent may end before its child: only ids and starting times are
trusted. What the same trace held is always assembled the same way. Ids and log-probabilities of tokens are
not in traces, so nothing assembled here is trained on token by token.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from coevolve.store.ingest.agents import Agent, agents_of, same_name
from coevolve.store.ingest.conventions import Call, Message, Seen, read_span
from coevolve.store.ingest.owners import SESSIONS, name_of
from coevolve.store.ingest.spans import Span
from coevolve.types import (
    INTERRUPTED,
    RETRIEVAL,
    Action,
    Failure,
    Party,
    Split,
    StopReason,
    Task,
    Trajectory,
    Turn,
)


def assemble(spans: Iterable[Span]) -> list[Trajectory]:
    """Trajectories of all traces among these spans, in order of their first decision."""
    traces: dict[str, dict[str, Span]] = defaultdict(dict)
    for span in spans:
        traces[span.trace_id].setdefault(span.span_id, span)  # sent twice is kept once
    found = [one for trace in traces.values() for one in _of_trace(trace)]
    return [trajectory for _, trajectory in sorted(found, key=lambda one: (one[0], one[1].id))]


def _of_trace(spans: Mapping[str, Span]) -> list[tuple[float, Trajectory]]:
    ordered = sorted(spans.values(), key=lambda one: (one.start_s, one.span_id))
    agents = agents_of({span.span_id: read_span(span) for span in ordered})
    named = (one.attributes.get(name) for one in ordered for name in SESSIONS)
    session = name_of(next((one for one in named if one), "")) or ordered[0].trace_id
    heard = _answered(one for agent in agents for one in agent.answers)
    ids = _identities(agents)
    return [(one.answers[0].span.start_s, _trajectory(one, session, heard, ids)) for one in agents]


def _identities(agents: Sequence[Agent]) -> dict[str, str]:
    """A trajectory's id by its agent's key: the trace's for the first agent that nobody called.

    Its span comes when the run ends, and until then the trace alone names it: what is assembled of the
    trace's beginning must not stand under another id than the whole.
    """
    first = next((one for one in agents if one.parent is None), None)
    trace = agents[0].answers[0].span.trace_id if agents else ""
    return {one.key: trace if one is first else f"{trace}:{one.key or 'rest'}" for one in agents}


def _answered(answers: Iterable[Seen]) -> dict[str, str]:
    """What came back for each call, by its id, where a later message tells: that may be another agent's."""
    found: dict[str, str] = {}
    for one in answers:
        for message in one.inputs:
            if message.answers:
                found.setdefault(message.answers, message.text)
    return found


def _trajectory(agent: Agent, session: str, heard: Mapping[str, str], ids: Mapping[str, str]) -> Trajectory:
    answers = agent.answers
    first, last = answers[0].span, answers[-1]
    results = _results(agent, heard)
    turns: list[Turn] = []
    begun: list[int] = []  # the first turn of each answer
    before: Seen | None = None
    for one in answers:
        new = [m for m in _new(one, before) if m.role in ("user", "tool")]
        before = one
        begun.append(len(turns))
        turns += _turns(one, new, results, len(turns))
    turns = _with_events(turns, agent, begun)
    failure = Failure(Party.MODEL, last.error) if last.error and not last.interrupted else None
    opening = next((m.text for m in answers[0].inputs if m.role == "user"), "")
    kind = first.attributes.get("coevolve.task_type") or agent.name
    version = first.attributes.get("coevolve.version") or first.resource.get("service.version") or "live"
    return Trajectory(
        id=ids[agent.key],
        session_id=session,
        task=Task(id=session, type=name_of(kind), split=Split.LIVE, seed=0, difficulty=1, opening=opening),
        version=name_of(version),
        seed=0,
        turns=tuple(turns),
        stop=StopReason.FAILED if failure else StopReason.DONE,
        failure=failure,
        agent=name_of(agent.name),
        parent=None if agent.parent is None else ids[agent.parent.key],
        checks=tuple(dict.fromkeys(check for one in agent.noted for check in one.checks)),
        wall_s=max(0.0, max(one.span.end_s for one in answers) - first.start_s),
        read_tokens=_total(one.read_tokens for one in answers),
        written_tokens=_total(one.written_tokens for one in answers),
    )


def _with_events(turns: Sequence[Turn], agent: Agent, begun: Sequence[int]) -> list[Turn]:
    """The turns with what happened at them: a look-up at the answer given on it, a cut at its end."""
    starts = [one.span.start_s for one in agent.answers]
    own = {one.span.span_id: k for k, one in enumerate(agent.answers)}
    events: dict[int, list[str]] = defaultdict(list)
    for one in agent.noted:
        if one.best_score is not None:
            after = bisect_left(starts, one.span.start_s)
            at = begun[after] if after < len(begun) else len(turns) - 1
            events[at].append(f"{RETRIEVAL}{one.best_score:.4g}")
        elif one.interrupted:
            # A span around answers, such as a turn of speech, cuts the last one that began before it ended.
            cut = own.get(one.span.span_id, bisect_right(starts, one.span.end_s) - 1)
            events[[*begun, len(turns)][cut + 1] - 1].append(INTERRUPTED)
    return [
        replace(turn, events=tuple(dict.fromkeys(events[turn.index]))) if turn.index in events else turn
        for turn in turns
    ]


def _new(one: Seen, before: Seen | None) -> Sequence[Message]:
    """Messages that the call before did not have.

    Most calls tell the whole conversation again. One that tells what is new alone, since the model's server
    keeps the rest, or its latest part alone, begins otherwise or is shorter.
    """
    if before is None:
        return one.inputs
    known = len(before.inputs) + len(before.outputs)
    if len(one.inputs) >= known and one.inputs[:1] == before.inputs[:1]:
        return one.inputs[known:]
    return [message for message in one.inputs if message not in before.inputs]


def _total(counts: Iterable[int | None]) -> int | None:
    """The sum; unknown where one of them is."""
    listed = list(counts)
    known = [one for one in listed if one is not None]
    return sum(known) if len(known) == len(listed) else None


def _turns(one: Seen, new: Sequence[Message], results: Mapping[str, str], start: int) -> list[Turn]:
    """One turn for each tool call of an answer, else one for its words; what was new opens the first."""
    said = Message(
        role="assistant",
        text="\n".join(filter(None, (m.text for m in one.outputs))),
        calls=tuple(call for m in one.outputs for call in m.calls),
    )
    observation = "\n".join(filter(None, (m.text for m in new)))
    raw = said.text
    if said.calls:
        listed = [{"tool": call.name, **call.args} for call in said.calls]
        raw = "\n".join(
            [*filter(None, [said.text]), *(json.dumps(each, ensure_ascii=False) for each in listed)]
        )
    actions = [(call, Action(call.name, dict(call.args))) for call in said.calls]
    if not actions:
        action = Action("reply", {"message": said.text}) if said.text else None
        error = one.error or (None if action else "the trace holds no answer of the model")
        return [Turn(index=start, observation=observation, raw=raw, action=action, error=error)]
    return [
        Turn(
            index=start + k,
            observation=observation if k == 0 else "",
            raw=raw if k == 0 else "",
            thought=said.text if k == 0 else "",
            action=action,
            result=results.get(_key(call), ""),
            error=results.get(f"error:{_key(call)}"),
        )
        for k, (call, action) in enumerate(actions)
    ]


def _results(agent: Agent, heard: Mapping[str, str]) -> dict[str, str]:
    """What each call brought: from the tool's own span, else from the message that answers it later."""
    found = {**heard, **_answered(agent.answers)}
    for tool, call in _matched(agent):
        found[_key(call)] = tool.result or found.get(_key(call), "")
        if tool.error:
            found[f"error:{_key(call)}"] = tool.error
        else:  # a tool may be tried again for one call
            found.pop(f"error:{_key(call)}", None)
    return found


def _matched(agent: Agent) -> Iterator[tuple[Seen, Call]]:
    """Each tool's span with the call that it carried out.

    By the call's id; where the span has none, by name among the calls that no span has taken yet, first one
    with the same arguments.
    """
    open_calls = [
        (one.span.start_s, call) for one in agent.answers for message in one.outputs for call in message.calls
    ]
    by_id = {call.id: call for _, call in open_calls if call.id}
    taken = {tool.call.id for tool in agent.tools if tool.call is not None}
    open_calls = [(asked_s, call) for asked_s, call in open_calls if not call.id or call.id not in taken]
    for tool in agent.tools:
        if tool.call is None:
            continue
        if tool.call.id in by_id:
            yield tool, by_id[tool.call.id]
            continue
        named = [
            (asked_s, call)
            for asked_s, call in open_calls
            if same_name(call.name, tool.call.name) and asked_s <= tool.span.start_s
        ]
        alike = [one for one in named if one[1].args == tool.call.args]
        if found := next(iter(alike or named), None):
            open_calls.remove(found)
            yield tool, found[1]


def _key(call: Call) -> str:
    """A call's id, or what it says where its writer gave it none."""
    return call.id or f"{call.name} {json.dumps(call.args, sort_keys=True, default=str)}"
