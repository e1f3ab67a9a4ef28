"""One exception tree: a class per boundary, and every error carries the step that mends it.

An episode's own failure is data on its trajectory (`coevolve.types.Failure`); these are raised only
where the run itself is broken or was asked for something impossible.
"""

from __future__ import annotations


class CoevolveError(Exception):
    """Root of everything this package raises on purpose.

    Args:
        what: what is wrong, naming the file, field or id.
        fix: the flag, field or command that mends it; mandatory.
    """

    def __init__(self, what: str, *, fix: str) -> None:
        super().__init__(f"{what}\n  fix: {fix}")
        self.what = what
        self.fix = fix


class ConfigError(CoevolveError):
    """A TOML file or a flag is broken, unknown or contradictory."""


class WorldError(CoevolveError):
    """A world cannot be built, reset or asked for such tasks."""


class ModelError(CoevolveError):
    """A language model is missing, unreachable or answered outside its contract."""


class RolloutError(CoevolveError):
    """Episodes cannot be run at all (a single failing episode is data, not this)."""


class FeedbackError(CoevolveError):
    """A reward rule is impossible to apply."""


class StoreError(CoevolveError):
    """Experience cannot be written or read."""


class ConflictError(StoreError):
    """Two writers held each other up and this one was rolled back: trying again is safe."""


class ContentError(StoreError):
    """What is to be kept has the id of something else: the database is well, this one record is not."""


class IngestError(StoreError):
    """What was sent is refused. `status` is what an HTTP service answers."""

    def __init__(self, what: str, *, fix: str, status: int) -> None:
        super().__init__(what, fix=fix)
        self.status = status


class PoolError(CoevolveError):
    """A pool is empty, damaged or was offered what it must refuse."""


class LearnError(CoevolveError):
    """A learner cannot turn this pool into a candidate."""


class GateError(CoevolveError):
    """Two versions cannot be compared."""


class RegistryError(CoevolveError):
    """A version is unknown or damaged, or a move of standing is illegal."""


class ReportError(CoevolveError):
    """A report cannot be written."""


class MissingExtraError(CoevolveError):
    """An optional part is not installed; the fix is the pip line."""
