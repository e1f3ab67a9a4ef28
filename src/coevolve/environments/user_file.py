"""An environment from a user's Python file: a path and a name enter, an `Environment` leaves.

The file is run as it is, in this process: it is trusted like any other code the user starts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import cast

from coevolve.environments.protocol import Environment
from coevolve.errors import WorldError

_MEMBERS = ("name", "briefing", "task_types", "tools", "tasks", "start", "teacher", "review")


def environment_from_file(file: Path, name: str) -> Environment:
    """Run the file once and take `name` out of it: an environment, or what makes one without arguments.

    Raises: WorldError: the file fails, has no such name, or what it names is no environment.
    """
    file = file.resolve()
    # A name of its own: two users' files may both be called environment.py.
    module_name = f"{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise WorldError(f"{file}: there is no such Python file", fix="correct environment.name")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look their module up
    sys.path.insert(0, str(file.parent))  # for the modules beside it
    try:
        spec.loader.exec_module(module)
        found = getattr(module, name)
        made = found() if callable(found) else found
    except Exception as error:  # the user's code may fail in any way; which, and where, is what they need
        del sys.modules[module_name]
        raise WorldError(
            f"{file}: {type(error).__name__}: {error}",
            fix=f"make `python {file.name}` run and define {name} there",
        ) from error
    finally:
        sys.path.remove(str(file.parent))
    if missing := _lacks(made):
        raise WorldError(
            f"{file}: {name} is no environment, it lacks {', '.join(missing)}",
            fix="build it with coevolve.environments.simple.SimpleEnvironment",
        )
    return cast(Environment, made)


def _lacks(value: object) -> list[str]:
    return [member for member in _MEMBERS if not hasattr(value, member)]
