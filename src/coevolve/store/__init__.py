"""The experience store: what was lived is kept, whole and for good."""

from coevolve.store.experience import Store, open_store
from coevolve.store.journal import Journal

__all__ = ["Journal", "Store", "open_store"]
