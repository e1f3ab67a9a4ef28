"""The evolving pool: scored trajectories come in, an immutable version of what to learn from leaves.

It does not protect against rewards that are wrong: it admits what feedback calls a success.
"""

from coevolve.pool.evolve import PoolRule, evolve, why
from coevolve.pool.versions import diff, lineage, load, save, stats

__all__ = ["PoolRule", "diff", "evolve", "lineage", "load", "save", "stats", "why"]
