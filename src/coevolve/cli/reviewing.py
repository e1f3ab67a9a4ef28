"""What people add to experience: rewards computed anew, a list to look at, labels, and who is trusted."""

from __future__ import annotations

import time
import uuid
from dataclasses import asdict, replace
from enum import StrEnum
from typing import Annotated

import typer

from coevolve.cli.failures import grouped
from coevolve.cli.opening import JsonFlag
from coevolve.cli.output import answering, fields, percent, table
from coevolve.cli.stores import (
    FeedbackConfig,
    FromStore,
    experience_at,
    feedback_of,
    heard_by_meaning,
    store_url,
)
from coevolve.errors import ConfigError
from coevolve.feedback.classes import FailureClass
from coevolve.feedback.failures import record_failure
from coevolve.feedback.review import ReviewItem, review_queue
from coevolve.feedback.trust import Fared, spent
from coevolve.live import fared, judge_floor, score_live, taught
from coevolve.registry import Registry
from coevolve.store import Store
from coevolve.store.key import redaction_key
from coevolve.store.query import Query
from coevolve.store.redaction import Redactor
from coevolve.store.statements import append_statements
from coevolve.types import SignalSource, Statement, StatementKind

_RECENT = 2_000  # trajectories that a list or a figure is made from


class Word(StrEnum):
    """A reviewer's word."""

    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"


_SCORES = {Word.GOOD: 1.0, Word.BAD: -1.0, Word.UNSURE: None}


def score(
    store: FromStore = "experience.db", config: FeedbackConfig = None, as_json: JsonFlag = False
) -> None:
    """Compute rewards anew where something was said since; name versions that learned from others.

    Versions are named whoever computed the rewards anew, and whenever: this verb, the open door, a judge.
    """
    with answering(as_json) as give, experience_at(store) as opened:
        listening = heard_by_meaning(feedback_of(config))
        scored, changed, muted = 0, list[str](), set[str]()
        while (heard := score_live(opened, listening)).scored:
            scored += len(heard.scored)
            changed += heard.changed
            muted |= set(heard.muted)
        learned = taught(opened, Registry(opened.database))
        data = {"scored": scored, "changed": changed, "muted": sorted(muted), "taught": learned}
        shown = {"rewards that are others now": len(changed), "not counted": ", ".join(sorted(muted))}
        rows = [(version, len(some), ", ".join(some[:5])) for version, some in learned.items()]
        parts = [
            table("versions that learned from rewards that are others now", ("version", "of", "as"), rows)
        ]
        give(data, fields(f"{scored} trajectories scored", shown), *(parts if rows else []))


def review(
    store: FromStore = "experience.db",
    count: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    as_json: JsonFlag = False,
) -> None:
    """What a person should look at next, and why."""
    with answering(as_json) as give, experience_at(store) as opened:
        found = queue(opened, count)
        rows = [(one.ask.value, one.trajectory, one.why) for one in found]
        give(
            {"review": [asdict(one) for one in found]},
            table("to look at", ("because", "trajectory", "why"), rows),
        )


def label(
    trajectory: Annotated[str, typer.Argument(metavar="TRAJECTORY", help="Its id, or the start of it.")],
    word: Annotated[Word, typer.Argument(help="Of the whole, of --turn, or of what --signal says.")],
    why: Annotated[str, typer.Option(help="In a sentence that others can check.")] = "",
    by: Annotated[str, typer.Option(help="Who labels: a name or a pseudonym.")] = "reviewer",
    turn: Annotated[int | None, typer.Option(min=0, help="The turn that is meant.")] = None,
    signal: Annotated[str | None, typer.Option(help="The rule or judge that is right or wrong.")] = None,
    kind: Annotated[FailureClass | None, typer.Option("--class", help="What kind of failure it was.")] = None,
    store: FromStore = "experience.db",
    as_json: JsonFlag = False,
) -> None:
    """Say what a trajectory is worth; rewards know of it after `coevolve experience score`."""
    with answering(as_json) as give, experience_at(store) as opened:
        found = opened.get(opened.resolve(trajectory))
        if turn is not None and turn not in {one.index for one in found.turns}:
            raise ConfigError(
                f"{found.id} has no turn {turn}", fix=f"give one of 0 to {len(found.turns) - 1}, or none"
            )
        names = sorted({one.name for one in found.signals})
        if signal is not None and signal not in names:
            raise ConfigError(
                f"{found.id} has no signal {signal!r}", fix=f"name one of: {', '.join(names) or '(none)'}"
            )
        if kind is not None and (word is Word.GOOD or signal is not None):
            raise ConfigError(
                "--class is of a failure as a whole",
                fix="label it bad or unsure, without --signal; or leave --class out",
            )
        redactor = Redactor(redaction_key(store_url(store), make=False))
        value = {"score": _SCORES[word], "why": redactor.text(why)}
        said = Statement(
            id=f"label-{uuid.uuid4()}",
            session_id=found.session_id,
            kind=StatementKind.LABEL,
            value=value if signal is None else {**value, "signal": signal},
            turn=turn,
            trajectory=found.id.partition("~")[0],  # late spans may give it another form
            by=redactor.text(by),
            given_s=time.time(),
        )
        named = [] if kind is None else [replace(said, id=f"{said.id}-class", value={**value, "class": kind})]
        append_statements(opened.database, [said, *named])
        give({"label": said.id, "trajectory": found.id}, f"{found.id} is labelled {word.value} by {said.by}")


def trust(
    store: FromStore = "experience.db", config: FeedbackConfig = None, as_json: JsonFlag = False
) -> None:
    """How rules and judges fare against people's labels, which are not counted, and what judges cost."""
    with answering(as_json) as give, experience_at(store) as opened:
        recent = opened.find(Query(limit=_RECENT, measuring=False))
        measured = fared(opened, judge_floor(feedback_of(config)), recent)
        rows = [
            (
                one.name,
                one.model or one.source.value,
                f"{one.overruled} of {one.labelled}",
                percent(one.low),
                _kappa(one),
                _standing(one),
            )
            for one in measured
        ]
        columns = ("signal", "source", "overruled", "at least", "kappa", "")
        data = [{**asdict(one), "often": one.often} for one in measured]
        parts = [table("against people's labels", columns, rows)]
        parts += [
            table(
                f"how sure {one.name} was, and how often people agreed",
                ("share of votes", "people agreed", "labels"),
                [(f"{sure:.2f}", percent(right), count) for sure, right, count in one.agreement.curve],
            )
            for one in measured
            if one.agreement is not None and one.agreement.curve
        ]
        if costs := [asdict(one) for one in spent(recent)]:
            shown = [tuple({**one, "seconds": f"{one['seconds']:.1f}"}.values()) for one in costs]
            parts.append(table("what judges cost", tuple(costs[0]), shown))
        give({"signals": data, "judges": costs}, *parts)


def queue(store: Store, count: int) -> list[ReviewItem]:
    """What a person should look at next in a store."""
    recent = store.find(Query(limit=_RECENT, measuring=False))
    labelled = {one.id for one in recent if any(s.source is SignalSource.REVIEWER for s in one.signals)}
    found = [record for one in recent if (record := record_failure(one)) is not None]
    clusters, _ = grouped(found, list(dict.fromkeys(one.version for one in found)))
    return review_queue(recent, clusters, labelled, count)


def _kappa(one: Fared) -> str:
    judged = one.agreement
    if judged is None or judged.kappa is None:
        return ""
    return f"{judged.kappa:.2f} ({judged.low:.2f} to {judged.high:.2f})"


def _standing(one: Fared) -> str:
    return f"not counted: {one.why}" if one.muted else one.why or ("look at it" if one.often else "")
