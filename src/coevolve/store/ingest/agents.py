"""Who acted in a trace: its spans come in, and its agents leave with their model calls and tools.

An agent is a span that says so, a span that names another agent than the spans above it, or a tool within
which a model was called: what is decided in there is not the calling agent's. A call that two instrumentors
told is kept once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from coevolve.store.ingest.conventions import Call, Role, Seen

UNKNOWN_AGENT = "agent"
_SAME_S = 2.0  # two equal answers that began within this time are one call, seen by two instrumentors
_MOST_BESIDE = 32  # calls within that time that one is held against
_WHOM = ("coworker", "agent_name", "subagent_type")  # arguments that say to whom a tool hands over


@dataclass(slots=True)
class Agent:
    """One agent of a trace, while its spans are gathered."""

    key: str  # id of the span that it began with, which may not have come; "" for the trace's root
    name: str
    answers: list[Seen] = field(default_factory=list)  # in time
    tools: list[Seen] = field(default_factory=list)  # in time
    noted: list[Seen] = field(default_factory=list)  # in time: look-ups, and spans that say how it went
    parent: Agent | None = None  # that called it or handed over to it, and decided something itself


def agents_of(seen: Mapping[str, Seen]) -> list[Agent]:
    """Those that decided something, in order of their first decision."""
    seen = _with_whole_tools(seen)
    begun = {id: _key(id, seen) for id in seen if _begins(id, seen)}
    kept = _without_doubles([one for one in seen.values() if one.role is Role.LLM], seen, begun)
    agents: dict[str, Agent] = {}
    for one in kept:
        key = next(_keys_above(one.span.span_id, seen, begun))
        agents.setdefault(key, Agent(key, "")).answers.append(one)
    for agent in agents.values():
        agent.name = _name(agent, seen)
    for agent in agents.values():
        agent.parent = _above_agent(agent, agents, seen, begun)
    for agent in agents.values():
        agent.parent = agent.parent or _handed_over(agent, agents.values(), seen)
    first = next((one for one in agents.values() if one.parent is None), None)
    for one in sorted(seen.values(), key=_in_time):
        id = one.span.span_id
        around = [begun[id]] if id in begun else []
        mine = next(
            (agents[key] for key in chain(around, _keys_above(id, seen, begun)) if key in agents), None
        )
        if one.role is Role.TOOL and mine is not None:
            mine.tools.append(one)
        if (whose := mine or first) is not None and _says_how(one, seen):
            whose.noted.append(one)
    return list(agents.values())


def _says_how(one: Seen, seen: Mapping[str, Seen]) -> bool:
    """Whether a span is a look-up or says how it went; a look-up within another is that one's."""
    within = (seen[up].best_score is not None for up in _above(one.span.span_id, seen))
    found = one.best_score is not None and not any(within)
    return found or bool(one.checks) or one.interrupted


def same_name(one: str, other: str) -> bool:
    """Whether two names of a tool are one: "Ask a colleague" is called as `ask_a_colleague`."""
    return one == other or _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return re.sub(r"\W+", "_", name).casefold()


def _in_time(one: Seen) -> tuple[float, str]:
    return (one.span.start_s, one.span.span_id)


def _above(id: str, seen: Mapping[str, Seen]) -> Iterator[str]:
    """Ids of the spans above one, nearest first; a missing parent and a circle end the way."""
    visited = {id}
    parent = seen[id].span.parent_id
    while parent is not None and parent in seen and parent not in visited:
        yield parent
        visited.add(parent)
        parent = seen[parent].span.parent_id


def _begins(id: str, seen: Mapping[str, Seen]) -> bool:
    """Whether a span is an agent's first."""
    one = seen[id]
    if one.role is Role.AGENT:
        # Told by two instrumentors, an agent's spans stand directly one in the other.
        near = next((seen[up] for up in _above(id, seen) if seen[up].role is not Role.OTHER), None)
        return near is None or near.role is not Role.AGENT or not one.agent or near.agent != one.agent
    named = (seen[up].agent for up in _above(id, seen))
    return one.role is Role.OTHER and one.agent not in ("", next(filter(None, named), ""))


def _key(id: str, seen: Mapping[str, Seen]) -> str:
    """Spans of one agent's name below one that has not come are one agent's."""
    parent = seen[id].span.parent_id
    return id if seen[id].role is Role.AGENT or parent is None or parent in seen else parent


def _keys_above(id: str, seen: Mapping[str, Seen], begun: Mapping[str, str]) -> Iterator[str]:
    """Keys of the agents around a span, nearest first: of those that began, of tools, and of the trace."""
    for up in _above(id, seen):
        if up in begun or seen[up].role is Role.TOOL:
            yield begun.get(up, up)
    yield ""


def _name(agent: Agent, seen: Mapping[str, Seen]) -> str:
    own = seen.get(agent.key)
    inside = [one.agent for one in agent.answers]
    if own is None:
        services = (one.span.resource.get("service.name") for one in seen.values())
        return next(filter(None, [*inside, *map(str, filter(None, services))]), UNKNOWN_AGENT)
    if own.role is Role.TOOL and own.call is not None:
        whom = [str(own.call.args.get(key) or "") for key in _WHOM]
        others = [name for name in inside if name != own.agent]
        return next(filter(None, [*others, *whom, own.call.name]), UNKNOWN_AGENT)
    return next(filter(None, [own.agent, *inside, own.span.name]), UNKNOWN_AGENT)


def _above_agent(
    agent: Agent, agents: Mapping[str, Agent], seen: Mapping[str, Seen], begun: Mapping[str, str]
) -> Agent | None:
    """The nearest agent around another one."""
    keys = _keys_above(agent.key, seen, begun) if agent.key in seen else ()
    return next((agents[key] for key in keys if key in agents), None)


def _handed_over(agent: Agent, agents: Iterable[Agent], seen: Mapping[str, Seen]) -> Agent | None:
    """The latest earlier agent of the name that this one's spans say it follows; never one within it."""
    if agent.key in seen:
        named = {seen[agent.key].follows, *(one.follows for one in _inside(agent, seen))}
        began = _in_time(agent.answers[0])
        earlier = [one for one in agents if one.name in named and _in_time(one.answers[0]) < began]
        for one in sorted(earlier, key=lambda one: _in_time(one.answers[0]), reverse=True):
            if not _within(one, agent):
                return one
    return None


def _within(one: Agent | None, agent: Agent) -> bool:
    """Whether an agent is another one, or was called by it at any depth."""
    visited: set[int] = set()
    while one is not None and id(one) not in visited:
        if one is agent:
            return True
        visited.add(id(one))
        one = one.parent
    return False


def _inside(agent: Agent, seen: Mapping[str, Seen]) -> Iterator[Seen]:
    """The spans between an agent's first one and its model calls."""
    for answer in agent.answers:
        for up in _above(answer.span.span_id, seen):
            if up == agent.key:
                break
            yield seen[up]


def _with_whole_tools(seen: Mapping[str, Seen]) -> dict[str, Seen]:
    """One span for each tool call: a framework and a library below may tell one as two, one in the other.

    The outer one takes what only the inner one says, and the inner one stands for nothing any more.
    """
    whole = dict(seen)
    tools = [id for id, one in seen.items() if one.role is Role.TOOL]
    for id in sorted(tools, key=lambda id: (-sum(1 for _ in _above(id, seen)), id)):
        inner = whole[id]
        near = next((up for up in _above(id, seen) if seen[up].role is not Role.OTHER), None)
        outer = whole[near] if near is not None else None
        if outer is None or near is None or inner.call is None or outer.call is None:
            continue
        if not same_name(inner.call.name, outer.call.name):
            continue
        if inner.call.id and outer.call.id and inner.call.id != outer.call.id:
            continue
        call = Call(outer.call.id or inner.call.id, outer.call.name, outer.call.args or inner.call.args)
        result, error = outer.result or inner.result, outer.error or inner.error
        whole[near] = replace(outer, call=call, result=result, error=error)
        whole[id] = replace(inner, role=Role.OTHER, call=None)
    return whole


def _without_doubles(
    answers: Sequence[Seen], seen: Mapping[str, Seen], begun: Mapping[str, str]
) -> list[Seen]:
    """Model calls in time, each once.

    A framework and the client that it calls may both be instrumented, and then tell every call twice: one
    span below the other, or beside it at the same time. Of two, the one that holds what was said is kept, and
    of two that do, the one that stands within an agent.
    """
    ids = {one.span.span_id for one in answers}
    dropped: set[str] = set()
    for one in answers:
        for up in ids.intersection(_above(one.span.span_id, seen)):
            if not _said(seen[up]) and _said(one):
                dropped.add(up)
            elif not _said(one) or _said(one) == _said(seen[up]):
                dropped.add(one.span.span_id)

    def inside(one: Seen) -> bool:
        return any(_keys_above(one.span.span_id, seen, begun))

    kept: list[Seen] = []
    for one in sorted(answers, key=_in_time):
        if one.span.span_id in dropped:
            continue
        beside = next((other for other in kept[-_MOST_BESIDE:] if _is_double(one, other)), None)
        if beside is None:
            kept.append(one)
        elif not inside(beside) and inside(one):
            kept[kept.index(beside)] = one
    return sorted(kept, key=_in_time)


def _is_double(one: Seen, other: Seen) -> bool:
    """Whether two spans tell of one model call: the same words at the same time, told by two libraries."""
    if abs(one.span.start_s - other.span.start_s) > _SAME_S or one.span.scope == other.span.scope != "":
        return False
    if not _said(one) and not _said(other):  # a call that failed
        return one.error is not None and other.error is not None and one.inputs == other.inputs != ()
    return _said(one) == _said(other)


def _said(one: Seen) -> list[tuple[str, tuple[Call, ...]]]:
    """What a model answered."""
    return [(message.text, message.calls) for message in one.outputs]
