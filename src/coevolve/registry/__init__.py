"""The registry: every version there is, where each stands, and why."""

from coevolve.registry.blobs import get_folder, put_folder
from coevolve.registry.moves import ALLOWED
from coevolve.registry.registry import Registry, make_version, open_registry

__all__ = ["ALLOWED", "Registry", "get_folder", "make_version", "open_registry", "put_folder"]
