"""Everything a run holds open: its folder, database, pools, blobs, world, and the model that acts.

A config enters, a `Workspace` leaves; the loop and every CLI verb work in one. At most one local model
is open at a time, so memory stays that of one engine.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO

import sqlalchemy as sa

from coevolve import config as configuration
from coevolve.agents.harness import Harness, derive_seed, opening_ids, system_prompt
from coevolve.codec import content_hash
from coevolve.config import RunConfig, environment_file, refuse_unknown
from coevolve.engines import Engine, engine_of
from coevolve.environments.protocol import Environment
from coevolve.environments.user_file import environment_from_file
from coevolve.errors import ConfigError, StoreError
from coevolve.feedback import score
from coevolve.live import listening, overruled, reward_rule
from coevolve.models.endpoint import BYTES_PER_TOKEN
from coevolve.models.protocol import LanguageModel
from coevolve.registry import Registry
from coevolve.registry.blobs import get_folder
from coevolve.store import Journal, Store, open_store
from coevolve.types import Outcome, SignalSource, Split, Task, Trajectory, Version

MODULE = "agent"  # the one adapter of a solo agent
CONFIG_FILE = "config.toml"
LOCK_FILE = ".lock"


@dataclass(slots=True, kw_only=True)
class Workspace:
    """A run's open resources. Close it."""

    config: RunConfig
    folder: Path
    env: Environment
    world: str  # what `env` was loaded from: its name, or the hash of the user's file
    types: tuple[str, ...]
    store: Store
    registry: Registry
    journal: Journal
    make_engine: Callable[[], Engine]
    harness: Harness
    say: Callable[[str], None] = lambda text: None
    muted: tuple[str, ...] = ()  # rules and judges that people overrule, in the stage that is running
    _engine: Engine | None = field(default=None)
    _model: tuple[str, LanguageModel] | None = field(default=None)
    _claim: IO[str] | None = field(default=None)

    @property
    def engine(self) -> Engine:
        """What opens models, built at first use: a command that only reads needs no weights."""
        if self._engine is None:
            self._engine = self.make_engine()
        return self._engine

    @property
    def pools(self) -> Path:
        """Where pool versions lie."""
        return self.folder / "pools"

    @property
    def blobs(self) -> Path:
        """Where adapters lie, by hash."""
        return self.folder / "blobs"

    @property
    def seed(self) -> int:
        """The run's one seed."""
        return self.config.run.seed

    def draw_seed(self, *draw: object) -> int:
        """The seed of a draw of tasks: five digits, so that draws counted up from it stay apart."""
        return derive_seed(self.seed, *draw) % 100_000

    def refusals(self) -> dict[str, bool]:
        """Task types of this run, and whether each is a refusal type."""
        known = self.env.task_types()
        return {name: known[name] for name in self.types}

    def tasks(self, split: Split, count: int, seed: int, types: Sequence[str] | None = None) -> list[Task]:
        """Different tasks of the run's types; fewer than `count` where the world has no more."""
        drawn = self.env.tasks(split, self.types if types is None else types, count, seed)
        return list({task.id: task for task in drawn}.values())

    def adapter(self, version: Version) -> Path | None:
        """The verified adapter folder of a version; None for the base."""
        digest = version.adapters.get(MODULE)
        return get_folder(self.blobs, digest) if digest else None

    def score(self, trajectory: Trajectory) -> Trajectory:
        """Signals and reward by the world's rules and the run's own, without judges and what is muted.

        A weight that the TOML gives by hand stands, whatever people's labels say.
        """
        rule = reward_rule(self.config.feedback)
        judges = {one.name for one in trajectory.signals if one.source is SignalSource.JUDGE}
        weights = {**dict.fromkeys({*self.muted, *judges}, 0.0), **rule.weights}
        return score(trajectory, self.env.review, replace(rule, weights=weights))

    def heed_labels(self, step: str) -> None:
        """Mute what people's labels overrule, as it stood when this step began: resumed, it scores alike."""
        kept = Journal(
            self.store, f"{self.journal.run_id}/muted"
        )  # its own: reading labels is no step of a run
        if (names := kept.get(step)) is None:
            given = self.config.feedback
            names = [one for one in overruled(self.store, listening(given)) if one not in given.weights]
            kept.done(step, names)
        if names and tuple(names) != self.muted:
            self.say(f"not counted, since people's labels overrule it: {', '.join(names)}")
        self.muted = tuple(names)

    async def acting(self, version: Version) -> LanguageModel:
        """The model of a version; the one that acted before is closed."""
        if self._model is not None and self._model[0] == version.id:
            return self._model[1]
        if version.base != self.engine.base:
            raise ConfigError(
                f"version {version.id} is of the base {version.base}, and {self.engine.base} is open",
                fix="set model.name to the model of this run, or start another under another run.name",
            )
        self.release_model()
        task = self.env.tasks(Split.TRAIN, self.types[:1], 1, 0)[0]
        prefix = opening_ids(self.engine.chat, self.env, task, self.harness)
        model = await self.engine.open(self.adapter(version), prefix)
        self._model = (version.id, model)
        return model

    def release_model(self) -> None:
        """Close the acting model and give its memory back."""
        if self._model is not None:
            self._model[1].close()
            self._model = None
        give_back_memory()

    def claim(self) -> None:
        """Keep other processes from working on this run until `close`. Reading it needs no claim.

        Raises: StoreError: another process works on it.
        """
        if self._claim is not None:
            return
        with _writable(self.folder):
            file = (self.folder / LOCK_FILE).open("w", encoding="utf-8")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            raise StoreError(
                f"another process works on the run in {self.folder} ({error.strerror})",
                fix="wait for it, or stop it; on a file system without locks move run.out_dir",
            ) from error
        self._claim = file
        _keep_config(self.config, self.folder, begun=self.journal.get("begin") is not None)

    def close(self) -> None:
        """Free the model, the database and the claim."""
        self.release_model()
        self.store.close()
        if self._claim is not None:
            self._claim.close()
            self._claim = None


def give_back_memory() -> None:
    """Return freed memory to the machine: engine and trainer take turns in one process."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's own; elsewhere there is nothing to do
    if trim is not None:
        trim(0)


def succeeded(trajectory: Trajectory) -> bool | None:
    """Whether it ended in success; None where that could not be judged."""
    if trajectory.reward is None or trajectory.reward.outcome is None:
        return None
    return trajectory.reward.outcome is Outcome.SUCCESS


def environment(config: RunConfig, source: str = "config") -> Environment:
    """The world a config names.

    Args: source: the file that the config is from, for errors.
    Raises: ConfigError: an unknown name; WorldError: the user's file fails.
    """
    found = environment_file(config.environment)
    if found is not None:
        return environment_from_file(*found)
    where = f"{source}: environment.name"
    refuse_unknown([config.environment.name], ["shop"], where=where, what="built-in environment")
    from coevolve.environments.shop import Shop

    return Shop()


def task_types(config: RunConfig, env: Environment, source: str = "config") -> tuple[str, ...]:
    """The task types of a run: those it names, or all that its world has.

    Args: source: the file that the config is from, for errors.

    Raises: ConfigError: one of `environment.types` or of `gate.margins` is unknown, or a margin is of a type
        that must be refused.
    """
    refusals = env.task_types()
    types = config.environment.types or tuple(refusals)
    refuse_unknown(types, refusals, where=f"{source}: environment.types", what="task type")
    margins = tuple(config.gate.margins)
    refuse_unknown(margins, types, where=f"{source}: gate.margins", what="task type of this run")
    for name in margins:
        if refusals[name]:
            raise ConfigError(
                f"{source}: gate.margins.{name}: it must be refused, and a refusal type bears no loss",
                fix=f"take {name} out of [gate.margins]",
            )
    return types


def open_workspace(
    config: RunConfig,
    *,
    engine: Engine | None = None,
    say: Callable[[str], None] = lambda text: None,
    source: str = "config",
) -> Workspace:
    """Open, or make, the folder of a run.

    Args: source: the file that the config is from, for errors.
    Raises: ConfigError: unknown task types, or the folder belongs to a run with other settings.
    """
    env = environment(config, source)
    types = task_types(config, env, source)
    folder = Path(config.run.out_dir) / config.run.name
    with _writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
    store = open_store(sa.URL.create("sqlite", database=str(folder / "experience.db")))
    journal = Journal(store, config.run.name)
    try:
        _same_config(config, folder, begun=journal.get("begin") is not None)
    except BaseException:
        store.close()
        raise

    return Workspace(
        config=config,
        folder=folder,
        env=env,
        world=_world(config),
        types=types,
        store=store,
        registry=Registry(store.database),
        journal=journal,
        make_engine=lambda: engine_of(config, source) if engine is None else engine,
        harness=_harness(config, env),
        say=say,
    )


def _world(config: RunConfig) -> str:
    found = environment_file(config.environment)
    return config.environment.name if found is None else content_hash(found[0].read_text("utf-8"))


def _same_config(config: RunConfig, folder: Path, *, begun: bool) -> None:
    """A run that has begun keeps its settings."""
    kept = folder / CONFIG_FILE
    if begun and kept.exists() and configuration.load(kept) != config:
        raise ConfigError(
            f"{folder} holds a run with other settings",
            fix="give this one another run.name, or delete that folder",
        )


def _keep_config(config: RunConfig, folder: Path, *, begun: bool) -> None:
    """Save the settings beside the run."""
    _same_config(config, folder, begun=begun)
    kept = folder / CONFIG_FILE
    with _writable(folder):
        building = kept.with_suffix(".new")
        building.write_text(configuration.to_toml(config), encoding="utf-8")
        os.replace(building, kept)


@contextmanager
def _writable(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot write to {folder}: {error.strerror}", fix="free disk space or change run.out_dir"
        ) from error


def _harness(config: RunConfig, env: Environment) -> Harness:
    fields = asdict(config.agent)
    # A user's world may hang, so each of its steps gets a thread and a deadline; the shop never waits.
    fields["isolate_steps"] = environment_file(config.environment) is not None
    if config.model.engine == "endpoint":  # its ids are bytes
        fields["max_episode_tokens"] *= BYTES_PER_TOKEN
    return Harness(system=system_prompt(env, tools=fields.pop("tools_prompt")), **fields)
