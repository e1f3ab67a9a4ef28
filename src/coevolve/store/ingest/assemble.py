"""Spans of one trace in, trajectories out: one for each agent that decided something, linked by parent.

A decision is what a language model answered: a tool call, or words to the user. Spans may come in any
order, twice, without their parents, and a parent may end before its child: only ids and starting times are
trusted. What the same trace held is always assembled the same way. Ids and log-probabilities of tokens are
not in traces, so nothing assembled here is trained on token by token.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from coevolve.store.ingest.conventions import Call, Message, Role, Seen, read_span
from coevolve.store.ingest.owners import SESSIONS
from coevolve.store.ingest.spans import Span
from coevolve.types import Action, Failure, Party, Split, StopReason, Task, Trajectory, Turn

_SAME_S = 2.0  # two equal answers that began within this time are one call, seen by two instrumentors
UNKNOWN_AGENT = "agent"


@dataclass(slots=True)
class _Agent:
    """One agent of a trace, while its spans are gathered."""

    key: str  # span id of its own span; "" for the trace's root
    name: str
    parent: str | None
    answers: list[Seen] = field(default_factory=list)
    tools: list[Seen] = field(default_factory=list)
    looked_up: list[Seen] = field(default_factory=list)


def assemble(spans: Iterable[Span]) -> list[Trajectory]:
    """Trajectories of all traces among these spans, in order of their first decision."""
    traces: dict[str, dict[str, Span]] = defaultdict(dict)
    for span in spans:
        traces[span.trace_id].setdefault(span.span_id, span)  # sent twice is kept once
    found = [one for trace in traces.values() for one in _of_trace(trace)]
    return [trajectory for _, trajectory in sorted(found, key=lambda one: (one[0], one[1].id))]


def _of_trace(spans: Mapping[str, Span]) -> list[tuple[float, Trajectory]]:
    seen = {id: read_span(span) for id, span in spans.items()}
    agents = _agents(seen)
    ordered = sorted(spans.values(), key=lambda one: (one.start_s, one.span_id))
    named = (one.attributes.get(name) for one in ordered for name in SESSIONS)
    session = next((str(one) for one in named if one), ordered[0].trace_id)
    found = []
    for agent in agents:
        answers = _without_doubles(agent.answers, seen)
        if answers:
            found.append((answers[0].span.start_s, _trajectory(agent, answers, session, agents)))
    return found


def _agents(seen: Mapping[str, Seen]) -> list[_Agent]:
    """Every agent of a trace with what belongs to it: the nearest one above, else the trace itself."""
    agents = {"": _Agent("", "", None)}
    for id, one in seen.items():
        if one.role is Role.AGENT:
            agents[id] = _Agent(id, one.agent or one.span.name, None)
    for id, one in seen.items():
        above = next((up for up in _above(id, seen) if up in agents), "")
        if one.role is Role.AGENT:
            agents[id].parent = above if above != id else ""
            continue
        mine = agents[above]
        lists = {Role.LLM: mine.answers, Role.TOOL: mine.tools, Role.RETRIEVER: mine.looked_up}
        if one.role in lists:
            lists[one.role].append(one)
    named = [one.agent for one in agents[""].answers]
    named += [str(one.span.resource.get("service.name") or "") for one in seen.values()]
    agents[""].name = next(filter(None, named), UNKNOWN_AGENT)
    return list(agents.values())


def _above(id: str, seen: Mapping[str, Seen]) -> Iterable[str]:
    """Ids of the spans above one, nearest first; a missing parent and a circle end the way."""
    visited = {id}
    parent = seen[id].span.parent_id
    while parent is not None and parent in seen and parent not in visited:
        yield parent
        visited.add(parent)
        parent = seen[parent].span.parent_id


def _without_doubles(answers: Sequence[Seen], seen: Mapping[str, Seen]) -> list[Seen]:
    """Model calls in time, each once.

    A framework and the client that it calls may both be instrumented, and then tell every call twice: one
    span below the other, or beside it at the same time. Of two, the one that holds what was said is kept.
    """
    ids = {one.span.span_id for one in answers}
    dropped: set[str] = set()
    for one in answers:
        for up in ids.intersection(_above(one.span.span_id, seen)):
            if not _said(seen[up]) and _said(one):
                dropped.add(up)
            elif not _said(one) or _said(one) == _said(seen[up]):
                dropped.add(one.span.span_id)
    kept: list[Seen] = []
    for one in sorted(answers, key=lambda one: (one.span.start_s, one.span.span_id)):
        beside = (other for other in kept[-4:] if one.span.start_s - other.span.start_s <= _SAME_S)
        if one.span.span_id not in dropped and not any(_said(one) == _said(other) != [] for other in beside):
            kept.append(one)
    return kept


def _said(one: Seen) -> list[tuple[str, tuple[Call, ...]]]:
    return [(message.text, message.calls) for message in one.outputs]


def _trajectory(agent: _Agent, answers: Sequence[Seen], session: str, agents: Sequence[_Agent]) -> Trajectory:
    first, last = answers[0].span, answers[-1]
    results = _results(agent, answers)
    turns: list[Turn] = []
    known = 0  # messages of the conversation that earlier turns have shown
    for one in answers:
        new = [m for m in one.inputs[known:] if m.role in ("user", "tool")]
        known = len(one.inputs) + len(one.outputs)
        turns += _turns(one, new, results, len(turns))
    opening = next((m.text for m in answers[0].inputs if m.role == "user"), "")
    kind = str(first.attributes.get("coevolve.task_type") or agent.name)
    version = first.attributes.get("coevolve.version") or first.resource.get("service.version") or "live"
    failed = last.span.error
    identity = f"{first.trace_id}:{agent.key}" if agent.key else first.trace_id
    above = next((one for one in agents if one.key == (agent.parent or "")), None)
    linked = above is not None and above is not agent and bool(above.answers)
    parent = (f"{first.trace_id}:{above.key}" if above.key else first.trace_id) if linked and above else None
    return Trajectory(
        id=identity,
        session_id=session,
        task=Task(id=session, type=kind, split=Split.LIVE, seed=0, difficulty=1, opening=opening),
        version=str(version),
        seed=0,
        turns=tuple(turns),
        stop=StopReason.FAILED if failed else StopReason.DONE,
        failure=Failure(Party.MODEL, failed) if failed else None,
        agent=agent.name,
        parent=parent,
        wall_s=max(0.0, max(one.span.end_s for one in answers) - first.start_s),
    )


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
        error = one.span.error or (None if action else "the trace holds no answer of the model")
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


def _results(agent: _Agent, answers: Sequence[Seen]) -> dict[str, str]:
    """What each call brought: from the tool's own span, else from the message that answers it later."""
    found: dict[str, str] = {}
    for one in answers:
        for message in one.inputs:
            if message.answers:
                found.setdefault(message.answers, message.text)
    for tool in agent.tools:
        if tool.call is not None:
            found[_key(tool.call)] = tool.result or found.get(_key(tool.call), "")
            if tool.span.error:
                found[f"error:{_key(tool.call)}"] = tool.span.error
    return found


def _key(call: Call) -> str:
    """A call's id, or what it says where its writer gave it none."""
    return call.id or f"{call.name} {json.dumps(call.args, sort_keys=True, default=str)}"
