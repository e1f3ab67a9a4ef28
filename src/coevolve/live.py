"""Rewards of live sessions, computed anew as words arrive, and which versions learned from the old ones.

Sessions of a store enter, their scored trajectories leave and are appended. What was scored before stays:
the latest scoring is valid. A version that learned from a reward which has changed is named, not retrained.
Live sessions themselves enter no run's pool: no door records the tokens that their model saw and wrote.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace

from coevolve.errors import FeedbackError
from coevolve.feedback import LiveRule, RewardRule, score
from coevolve.feedback.behaviour import Nearness, behaviour_signals, letters_alike, norms_of
from coevolve.feedback.crowd import clusters_of, expectations
from coevolve.feedback.outcome import Expectation
from coevolve.feedback.statements import Figure, statement_signals
from coevolve.feedback.trust import Fared, JudgeFloor, against_labels, uncounted
from coevolve.registry import Registry
from coevolve.sections import FeedbackSection
from coevolve.store import Store
from coevolve.store.pools import Worth, rewards_learned
from coevolve.store.query import Query
from coevolve.store.sessions import session_order
from coevolve.store.statements import (
    LIVE_RUN,
    mark_scored,
    sessions_labelled,
    sessions_to_score,
    sessions_unscored,
    statements_of,
)
from coevolve.types import (
    Signal,
    SignalKind,
    SignalSource,
    Split,
    Statement,
    StatementKind,
    Trajectory,
)

_RECENT = 2_000  # trajectories that norms, expectations and the standing of rules are made from
_VOICES = 500  # latest sessions whose users spoke, that a session's user is held against
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
    nearness: Nearness = letters_alike  # of messages and questions; an encoder's knows meaning
    floor: JudgeFloor = field(default_factory=JudgeFloor)


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of scoring some sessions."""

    scored: tuple[Trajectory, ...] = ()
    changed: tuple[str, ...] = ()  # ids of trajectories whose reward is another one than before
    muted: tuple[str, ...] = ()  # names of signals that were not counted, see `feedback.trust.uncounted`


def reward_rule(section: FeedbackSection) -> RewardRule:
    """The rule that a [feedback] section states."""
    live = LiveRule(**{one.name: getattr(section.live, one.name) for one in fields(LiveRule)})
    own = {one.name: getattr(section, one.name) for one in fields(section) if one.name in _RULED}
    return RewardRule(**own, live=live)


def listening(section: FeedbackSection, nearness: Nearness = letters_alike) -> Listening:
    """How a [feedback] section hears live sessions."""
    figures = {name: Figure(**asdict(figure)) for name, figure in section.figures.items()}
    return Listening(
        rule=reward_rule(section), figures=figures, nearness=nearness, floor=judge_floor(section)
    )


def judge_floor(section: FeedbackSection) -> JudgeFloor:
    """What a [feedback] section asks of judges before they count."""
    trusted = frozenset(f"judge.{one.name}" for one in section.rubrics if one.trusted)
    return JudgeFloor(kappa=section.live.judge_floor, labels=section.live.judge_least, trusted=trusted)


def score_live(
    store: Store, listening: Listening, sessions: Collection[str] | None = None, run: str = LIVE_RUN
) -> Heard:
    """Score the trajectories of these sessions; else of those that are new or that something new was said of.

    At most a thousand sessions of each, and with them the recent ones whose reward the new words change, for
    what users of like sessions say or for whom people overrule. Nothing in the answer's `scored` means that
    none is left.

    One that a world played keeps the reward of that world's checks; what people say of it stands beside.
    """
    wanted = list(sessions or ())
    if sessions is None:
        database = store.database
        wanted = list(dict.fromkeys([*sessions_to_score(database), *sessions_unscored(database)]))
    asked = store.find(Query(sessions=wanted)) if wanted else []
    if not asked:
        return Heard()
    recent = store.find(Query(split=Split.LIVE, limit=_RECENT))
    counting = _Counting(listening.rule, listening.floor, fared(store, listening.floor))
    expected = _expected(store, listening, recent, asked)
    if sessions is None and (others := _touched(recent, counting, expected) - set(wanted)):
        wanted += sorted(others)
        asked = store.find(Query(sessions=wanted))
    # Before the transaction: whoever writes meanwhile would wait for the encoder.
    behaviour = _behaviour(store, listening.nearness, recent, asked)
    hearing = _Hearing(counting=counting, figures=listening.figures, expected=expected, behaviour=behaviour)
    with store.database.write():  # a word is taken in together with the reward that knows of it
        said = statements_of(store.database, wanted)
        ids = [one.id for one in asked]
        found, scored = store.rescore(run, ids, lambda known: [hearing.scored(one, said) for one in known])
        mark_scored(store.database, (one for some in said.values() for one in some))
    moved = [new.id for old, new in zip(found, scored, strict=True) if _moved(_worth(old), _worth(new))]
    muted = sorted({name for one in scored for name in counting.muted(one.signals)})
    return Heard(tuple(scored), tuple(moved), tuple(muted))


def overruled(store: Store, listening: Listening) -> tuple[str, ...]:
    """Names of the rules of a run's own store that people's labels overrule by now, sorted.

    Labels that no scoring knows of are taken in first. A run has no judges.
    """
    if not sessions_labelled(store.database):
        return ()
    if fresh := sessions_to_score(store.database):
        score_live(store, listening, fresh)
    muted = {
        one.name
        for one in fared(store, listening.floor)
        if one.muted and one.source is not SignalSource.JUDGE
    }
    return tuple(sorted(muted))


def fared(store: Store, floor: JudgeFloor, others: Iterable[Trajectory] = ()) -> list[Fared]:
    """How rules and judges fare against all that people labelled by now, taken in by a reward or not.

    Labels on tasks that measure change no rule, so they are left out.

    Args: others: trajectories whose judges are listed too, even where nobody labelled them.
    """
    sessions = sessions_labelled(store.database)[-_RECENT:]
    labelled = store.find(Query(sessions=sessions, measuring=False, limit=_RECENT)) if sessions else []
    known = {one.id: one for one in [*labelled, *others]}  # labelled first: the order seeds the bootstrap
    said = statements_of(store.database, sessions)
    told = (_labelled(one, said.get(one.session_id, ())) for one in known.values())
    return against_labels(list(told), floor)


@dataclass(frozen=True, slots=True)
class _Counting:
    """The rule, without what people overrule and without judges that were not measured."""

    rule: RewardRule
    floor: JudgeFloor
    fared: Sequence[Fared]

    def muted(self, signals: Iterable[Signal]) -> frozenset[str]:
        """Names of what is not counted; a weight that is given by hand counts it all the same."""
        return uncounted(self.fared, self.floor, signals) - self.rule.weights.keys()

    def valued(self, one: Trajectory, expected: Mapping[str, Expectation]) -> Trajectory:
        """The trajectory with its reward."""
        weights = {**dict.fromkeys(self.muted(one.signals), 0.0), **self.rule.weights}
        near = expected.get(one.session_id, Expectation())
        return score(one, lambda _: (), replace(self.rule, weights=weights), near)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hearing:
    """What a session is judged by, beside what was said of it."""

    counting: _Counting
    figures: Mapping[str, Figure]
    expected: Mapping[str, Expectation]  # by session
    behaviour: Mapping[str, Sequence[Signal]]  # by trajectory

    def scored(self, one: Trajectory, said: Mapping[str, Collection[Statement]]) -> Trajectory:
        """The trajectory with what was said of it by now."""
        signals: list[Signal] = [s for s in one.signals if s.source not in _DERIVED and not _sent(s, one)]
        signals += _spoken(one, said.get(one.session_id, ()), self.figures)
        if one.task.split is not Split.LIVE:
            return replace(one, signals=tuple(signals))
        signals += self.behaviour.get(one.id, ())
        return self.counting.valued(replace(one, signals=tuple(signals)), self.expected)


def _expected(
    store: Store, listening: Listening, recent: Sequence[Trajectory], asked: Sequence[Trajectory]
) -> dict[str, Expectation]:
    """What is expected of each session whose user spoke; who said nothing stays neutral."""
    said = statements_of(store.database, {one.session_id for one in asked})
    known = {one.id: one for one in [*recent, *asked] if one.task.split is Split.LIVE}
    signals: dict[str, Iterable[Signal]] = {one.id: one.signals for one in recent}
    for one in asked:  # what is new is in no scoring yet
        signals[one.id] = _spoken(one, said.get(one.session_id, ()), listening.figures)
    voices: dict[str, list[float]] = defaultdict(list)
    questions: dict[str, str] = {}
    for one in known.values():
        if heard := [signal.score for signal in signals[one.id] if _is_voice(signal)]:
            voices[one.session_id] += [(value + 1) / 2 for value in heard if value is not None]
        if one.parent is None:
            questions.setdefault(one.session_id, one.task.opening)
    kept = {*list(voices)[-_VOICES:], *(one.session_id for one in asked)} & voices.keys()
    if len(kept) < 2:
        return {}
    values = {session: sum(many) / len(many) for session, many in voices.items() if session in kept}
    clusters = clusters_of({one: questions.get(one, "") for one in values}, listening.nearness)
    return expectations(values, clusters)


def _is_voice(signal: Signal) -> bool:
    of_user = signal.source is SignalSource.USER and signal.kind is SignalKind.OUTCOME
    return of_user and signal.score is not None


def _touched(
    recent: Sequence[Trajectory], counting: _Counting, expected: Mapping[str, Expectation]
) -> set[str]:
    """Sessions of which nothing is new, whose reward is another one by what is said of others."""
    return {
        one.session_id
        for one in recent
        if one.reward is not None
        and (one.session_id in expected or not any(map(_is_voice, one.signals)))
        and _moved(_worth(one), _worth(counting.valued(one, expected)))
    }


def _behaviour(
    store: Store, nearness: Nearness, recent: Sequence[Trajectory], asked: Sequence[Trajectory]
) -> dict[str, tuple[Signal, ...]]:
    """The implicit signals of these trajectories, each held against its own session and what is usual."""
    live = [one for one in asked if one.task.split is Split.LIVE]
    order = session_order(store.database, {one.session_id for one in [*recent, *live]})
    norms = norms_of(_talks(recent, order))
    found: dict[str, tuple[Signal, ...]] = {}
    for talk in _talks(live, order):
        found |= behaviour_signals(talk, norms, nearness)
    return found


def _talks(given: Sequence[Trajectory], order: Mapping[str, Sequence[str]]) -> list[list[Trajectory]]:
    """What one user took part in is one talk; a trajectory that no user spoke in stands alone."""
    left = {one.id: one for one in given}
    talks = [[left.pop(id) for id in ids if id in left] for ids in order.values()]
    return [*filter(None, talks), *([one] for one in left.values())]


def _sent(signal: Signal, one: Trajectory) -> bool:
    """Whether a check is a statement's, which is read anew, and none of the trajectory's own."""
    return signal.source is SignalSource.CHECK and signal not in one.checks


def _spoken(
    one: Trajectory, statements: Collection[Statement], figures: Mapping[str, Figure]
) -> Iterator[Signal]:
    """Each statement's signal; one that cannot be read costs no other its place, and has no score."""
    turns = {turn.index for turn in one.turns}
    for said in statements:
        if not speaks_of(said, one):
            continue
        try:
            (signal,) = statement_signals(one, [said], figures)
        except FeedbackError as error:
            kind, source = SignalKind.EXPLANATORY, SignalSource.USER
            signal = Signal("statement.unreadable", None, error.what, kind, source)
        if signal.turn is not None and signal.turn not in turns:
            why = f"it speaks of turn {signal.turn}, which is not there; {signal.why}"
            signal = replace(signal, turn=None, score=None, why=why)
        yield signal


def _labelled(one: Trajectory, statements: Collection[Statement]) -> Trajectory:
    """The trajectory with the labels on it, each once."""
    labels = [said for said in statements if said.kind is StatementKind.LABEL]
    signals = [signal for signal in one.signals if signal.source is not SignalSource.REVIEWER]
    return replace(one, signals=(*signals, *_spoken(one, labels, {})))


def speaks_of(said: Statement, one: Trajectory) -> bool:
    """Whether a statement on this trajectory's session means it, and not another agent or chat there."""
    return said.trajectory is None or said.trajectory == one.id.partition("~")[0]


def taught(store: Store, registry: Registry) -> dict[str, list[str]]:
    """The versions that learned from rewards which are others now: version id -> the trajectories, sorted.

    A reward is held against the one that was valid when the pool, or the first of its ancestors that holds
    the trajectory without a gap, was made.
    """
    by_pool: dict[str, list[str]] = defaultdict(list)
    for one in rewards_learned(store.database):
        if _moved(one.then, one.now):
            by_pool[one.pool].append(one.trajectory)
    versions = [version for version, _, _ in registry.versions() if version.pool in by_pool]
    return {version.id: sorted(by_pool[str(version.pool)]) for version in versions}


def _worth(one: Trajectory) -> Worth:
    reward = one.reward
    return (reward.outcome, reward.total) if reward is not None else (None, None)


def _moved(old: Worth, new: Worth) -> bool:
    if old[1] is None or new[1] is None:
        return old[1] != new[1]
    return old[0] != new[0] or abs(old[1] - new[1]) > _CHANGED
