"""Rewards of live sessions, computed anew as words arrive, and which versions learned from the old ones.

Sessions of a store enter, their scored trajectories leave and are appended. What was scored before stays:
the latest scoring is valid. A version that learned from a reward which has changed is named, not retrained.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace

from coevolve.errors import FeedbackError
from coevolve.feedback import LiveRule, RewardRule, score
from coevolve.feedback.behaviour import Nearness, Norm, behaviour_signals, letters_alike, norms_of
from coevolve.feedback.crowd import expectations
from coevolve.feedback.outcome import Expectation
from coevolve.feedback.statements import Figure, statement_signals
from coevolve.feedback.trust import against_labels
from coevolve.registry import Registry
from coevolve.sections import FeedbackSection
from coevolve.store import Store
from coevolve.store.pools import pools_from
from coevolve.store.query import Query
from coevolve.store.statements import mark_scored, sessions_to_score, sessions_unscored, statements_of
from coevolve.types import Reward, Signal, SignalKind, SignalSource, Split, Statement, Trajectory

_RECENT = 2_000  # live trajectories that norms and expectations are made from
_DERIVED = frozenset(
    {SignalSource.USER, SignalSource.BUSINESS, SignalSource.REVIEWER, SignalSource.BEHAVIOUR}
)
_RULED = frozenset(one.name for one in fields(RewardRule)) - {"live"}
_CHANGED = 0.05  # of a total, from which a reward is another one


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """How live sessions are heard."""

    rule: RewardRule = field(default_factory=RewardRule)
    figures: Mapping[str, Figure] = field(default_factory=dict)  # what business figures mean
    nearness: Nearness = letters_alike  # of messages; an encoder's knows meaning
    clusters: Mapping[str, int] = field(default_factory=dict)  # session -> the cluster of its question


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of scoring some sessions."""

    scored: tuple[Trajectory, ...] = ()
    changed: tuple[str, ...] = ()  # ids of trajectories whose reward is another one than before
    muted: tuple[str, ...] = ()  # names of signals that people's labels overrule, which were not counted


def reward_rule(section: FeedbackSection) -> RewardRule:
    """The rule that a [feedback] section states."""
    live = LiveRule(**asdict(section.live))
    own = {one.name: getattr(section, one.name) for one in fields(section) if one.name in _RULED}
    return RewardRule(**own, live=live)


def listening(section: FeedbackSection, nearness: Nearness = letters_alike) -> Listening:
    """How a [feedback] section hears live sessions."""
    figures = {name: Figure(**asdict(figure)) for name, figure in section.figures.items()}
    return Listening(rule=reward_rule(section), figures=figures, nearness=nearness)


def score_live(
    store: Store, listening: Listening, sessions: Collection[str] | None = None, run: str = "live"
) -> Heard:
    """Score the trajectories of these sessions; else of those that are new or that something new was said of.

    At most a thousand sessions of each; nothing in the answer's `scored` means that none is left.

    One that a world played keeps the reward of that world's checks; what people say of it stands beside.
    """
    wanted = list(sessions or ())
    if sessions is None:
        database = store.database
        wanted = list(dict.fromkeys([*sessions_to_score(database), *sessions_unscored(database)]))
    ids = [row.id for row in store.rows(Query(sessions=wanted))] if wanted else []
    if not ids:
        return Heard()
    recent = store.find(Query(split=Split.LIVE, limit=_RECENT))
    muted = sorted(one.name for one in against_labels(recent) if one.muted)
    hearing = _Hearing(
        rule=replace(listening.rule, weights={**dict.fromkeys(muted, 0.0), **listening.rule.weights}),
        listening=listening,
        norms=norms_of(recent),
        expected=expectations(_values(recent), listening.clusters) if listening.clusters else {},
    )
    with store.database.write():  # a word is taken in together with the reward that knows of it
        said = statements_of(store.database, wanted)
        found, scored = store.rescore(run, ids, lambda known: [hearing.scored(one, said) for one in known])
        mark_scored(store.database, (one for some in said.values() for one in some))
    moved = [new.id for old, new in zip(found, scored, strict=True) if _moved(old.reward, new.reward)]
    return Heard(tuple(scored), tuple(moved), tuple(muted))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hearing:
    """What a session is judged by, beside what was said of it."""

    rule: RewardRule
    listening: Listening
    norms: Mapping[str, Norm]
    expected: Mapping[str, Expectation]

    def scored(self, one: Trajectory, said: Mapping[str, Collection[Statement]]) -> Trajectory:
        """The trajectory with what was said of it by now."""
        signals: list[Signal] = [s for s in one.signals if s.source not in _DERIVED and not _sent(s, one)]
        signals += _spoken(one, said.get(one.session_id, ()), self.listening.figures)
        if one.task.split is not Split.LIVE:
            return replace(one, signals=tuple(signals))
        signals += behaviour_signals(one, self.norms, self.listening.nearness)
        near = self.expected.get(one.session_id, Expectation())
        return score(replace(one, signals=tuple(signals)), lambda _: (), self.rule, near)


def _sent(signal: Signal, one: Trajectory) -> bool:
    """Whether a check is a statement's, which is read anew, and none of the trajectory's own."""
    return signal.source is SignalSource.CHECK and signal not in one.checks


def _spoken(
    one: Trajectory, statements: Collection[Statement], figures: Mapping[str, Figure]
) -> Iterator[Signal]:
    """Each statement's signal; one that cannot be read costs no other its place, and has no score."""
    turns = {turn.index for turn in one.turns}
    for said in statements:
        if said.trajectory is not None and said.trajectory != one.id.partition("~")[0]:
            continue  # of another agent or chat of this session
        try:
            (signal,) = statement_signals(one, [said], figures)
        except FeedbackError as error:
            kind, source = SignalKind.EXPLANATORY, SignalSource.USER
            signal = Signal("statement.unreadable", None, error.what, kind, source)
        if signal.turn is not None and signal.turn not in turns:
            why = f"it speaks of turn {signal.turn}, which is not there; {signal.why}"
            signal = replace(signal, turn=None, score=None, why=why)
        yield signal


def taught(store: Store, registry: Registry, ids: Collection[str]) -> dict[str, list[str]]:
    """The versions that learned from these trajectories: version id -> the trajectories, sorted."""
    by_pool: dict[str, set[str]] = {}
    for one in ids:
        for pool in pools_from(store.database, one):
            by_pool.setdefault(pool, set()).add(one)
    found = {
        version.id: by_pool[version.pool] for version, _, _ in registry.versions() if version.pool in by_pool
    }
    return {version: sorted(some) for version, some in found.items()}


def _values(recent: Collection[Trajectory]) -> dict[str, float]:
    """What the user of each session said, on [0, 1]."""
    found: dict[str, list[float]] = {}
    for one in recent:
        for signal in one.signals:
            heard = signal.source is SignalSource.USER and signal.kind is SignalKind.OUTCOME
            if heard and signal.score is not None:
                found.setdefault(one.session_id, []).append((signal.score + 1) / 2)
    return {session: sum(values) / len(values) for session, values in found.items()}


def _moved(old: Reward | None, new: Reward | None) -> bool:
    if old is None or new is None or old.total is None or new.total is None:
        return (old and old.total) != (new and new.total)
    return old.outcome is not new.outcome or abs(old.total - new.total) > _CHANGED
