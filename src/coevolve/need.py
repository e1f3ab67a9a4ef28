"""One door to everything that is optional: the module, or an error with the pip line."""

from __future__ import annotations

import importlib
from types import ModuleType

from coevolve.errors import MissingExtraError


def need(module: str, extra: str) -> ModuleType:
    """Import a module that belongs to an extra.

    Args:
        module: dotted name, for example "openvino_genai".
        extra: the extra of this package that brings it, for example "local".

    Raises: MissingExtraError: it, or something it imports, is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        detail = "is not installed" if missing == module else f"needs {missing}, which is not installed"
        raise MissingExtraError(f"{module} {detail}", fix=f"pip install 'coevolve[{extra}]'") from error
