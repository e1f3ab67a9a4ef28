"""The configuration of a run: one TOML file in, one frozen `RunConfig` out.

The sections and their fields stand in `coevolve.sections`. What enters is checked here: unknown keys,
wrong types, values out of range and contradictions raise ConfigError naming the file, the dotted field
and the fix. Not checked here: whether task types exist in the environment, since that needs the
environment; `refuse_unknown` is the check for whoever has it in hand.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from coevolve.conflicts import conflicts
from coevolve.errors import ConfigError
from coevolve.sections import (
    AgentSection,
    CollectSection,
    DpoSection,
    EndpointSection,
    EnvironmentSection,
    FeedbackSection,
    FigureSection,
    GateSection,
    LearnSection,
    LiveSection,
    ModelSection,
    OpeningSection,
    PoolSection,
    RedactionSection,
    RubricExampleSection,
    RubricSection,
    RunConfig,
    RunSection,
    TestSection,
)
from coevolve.toml_text import written

__all__ = [
    "AgentSection",
    "CollectSection",
    "DpoSection",
    "EndpointSection",
    "EnvironmentSection",
    "FeedbackSection",
    "FigureSection",
    "GateSection",
    "LearnSection",
    "LiveSection",
    "ModelSection",
    "OpeningSection",
    "PoolSection",
    "RedactionSection",
    "RubricExampleSection",
    "RubricSection",
    "RunConfig",
    "RunSection",
    "TestSection",
    "environment_file",
    "load",
    "override",
    "refuse_unknown",
    "resolved",
    "to_toml",
]


def load(path: str | Path, *, run: bool = True) -> RunConfig:
    """Read one TOML file. An environment's file and a model are looked up beside it and made absolute.

    Args: run: whether a run could be made by it; what only judges, scores or redacts need not hold for one.
    Raises: ConfigError: the file is missing or broken, or a key or value in it is.
    """
    path = Path(path)
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: there is no such file",
            fix="name an existing TOML file, or write one with `coevolve init my-agent/`",
        ) from None
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror})", fix="name a readable TOML file"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path}: not UTF-8 at byte {error.start}", fix="save the file as UTF-8 text"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{path}: not valid TOML: {error}",
            fix='mend that line; strings need quotes, as in name = "shop"',
        ) from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or as many brackets
        raise ConfigError(
            f"{path}: cannot be read ({error})", fix="write plain values of usual size"
        ) from None
    return _build(document, str(path), beside=path.parent, run=run)


def override(config: RunConfig, values: Mapping[str, Any]) -> RunConfig:
    """Return the config with dotted fields replaced, checked as if they stood in the file.

    Args: values: for example {"run.seed": 3, "learn.dpo.beta": 0.2}.
    Raises: ConfigError: an unknown field or a value it cannot take.
    """
    document = resolved(config)
    for dotted, value in values.items():
        *tables, key = dotted.split(".")
        target = document
        for table in tables:
            child = target.setdefault(table, {})
            if not isinstance(child, dict):
                raise ConfigError(
                    f"override: {dotted} is inside a plain value", fix="name a field of a section"
                )
            target = child
        target[key] = list(value) if isinstance(value, tuple) else value
    return _build(document, "override", beside=Path())


def resolved(config: RunConfig) -> dict[str, Any]:
    """Return every field with its value as plain JSON data, to be saved with the run."""
    document: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(config)))
    return document


def to_toml(config: RunConfig) -> str:
    """Return the whole config as TOML text; `load` of it gives an equal config."""
    return written(resolved(config))


def environment_file(section: EnvironmentSection) -> tuple[Path, str] | None:
    """Return the Python file and the name in it where the environment is one of the user's, else None."""
    if ":" not in section.name:
        return None
    file, _, name = section.name.rpartition(":")
    return Path(file), name


def refuse_unknown(names: Sequence[str], known: Iterable[str], *, where: str, what: str) -> None:
    """Raise ConfigError for the first of `names` that is not among `known`, with the nearest one.

    Args:
        where: file and dotted field, for example "shop.toml: environment.types".
        what: what the names are, for example "task type".
    """
    valid = sorted(known)
    for name in names:
        if name not in valid:
            raise ConfigError(f"{where}: unknown {what} {name!r}", fix=_nearest(name, valid))


def _nearest(name: str, valid: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, valid, n=1, cutoff=0.6)
    listed = ", ".join(valid)
    return f"did you mean {close[0]!r}? valid: {listed}" if close else f"use one of: {listed}"


def _build(document: dict[str, Any], source: str, *, beside: Path, run: bool = True) -> RunConfig:
    _refuse_unknown_keys(document, RunConfig(), "", source)
    try:
        # Strict JSON mode: lists become tuples and tables become sections, but "8" never becomes 8.
        config = _adapter().validate_json(json.dumps(document, default=str), strict=True)
    except ValidationError as error:
        raise _readable(error, source) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{source}: {error}", fix="write plain values of usual size") from None
    if (found := next(conflicts(config, run), None)) is not None:
        raise ConfigError(f"{source}: {found[0]}", fix=found[1])
    return dataclasses.replace(
        config,
        environment=_located(config.environment, source, beside),
        model=_model_beside(config.model, beside),
    )


@cache
def _adapter() -> TypeAdapter[RunConfig]:
    return TypeAdapter(RunConfig)


_NAMED = {"feedback.figures": FigureSection()}  # tables whose keys the user names, and what each holds
_LISTED: Mapping[str, object] = {  # arrays of tables, and what each holds
    "feedback.rubrics": RubricSection(name="x", question="x"),
    "feedback.rubrics.examples": RubricExampleSection(text="x", label="good"),
}


def _refuse_unknown_keys(table: Mapping[str, Any], section: object, prefix: str, source: str) -> None:
    known = {f.name: getattr(section, f.name) for f in dataclasses.fields(section)}  # type: ignore[arg-type]
    for key, value in table.items():
        dotted = f"{prefix}{key}"
        if key not in known:
            raise ConfigError(f"{source}: {dotted} is not a known field", fix=_nearest(key, sorted(known)))
        if dataclasses.is_dataclass(known[key]):
            if not isinstance(value, Mapping):
                raise ConfigError(
                    f"{source}: {dotted} must be a table, not {value!r}", fix=f"write a [{dotted}] section"
                )
            _refuse_unknown_keys(value, known[key], f"{dotted}.", source)
        if dotted in _LISTED and isinstance(value, Sequence):
            for inner in value:
                if isinstance(inner, Mapping):
                    _refuse_unknown_keys(inner, _LISTED[dotted], f"{dotted}.", source)
        if dotted in _NAMED and isinstance(value, Mapping):
            for name, inner in value.items():
                if isinstance(inner, Mapping):
                    _refuse_unknown_keys(inner, _NAMED[dotted], f"{dotted}.{name}.", source)


def _readable(error: ValidationError, source: str) -> ConfigError:
    """Return the first of pydantic's findings as one of ours."""
    first = error.errors(include_url=False)[0]
    dotted = ".".join(str(part) for part in first["loc"])
    what = f"{source}: {dotted} = {first['input']!r}: {first['msg'][0].lower()}{first['msg'][1:]}"
    expected = first.get("ctx", {}).get("expected")
    if first["type"] == "literal_error" and expected:
        valid = [part.strip(" '") for part in expected.replace(" or ", ", ").split(",")]
        return ConfigError(what, fix=_nearest(str(first["input"]), valid))
    if first["type"] == "missing":
        return ConfigError(f"{source}: {dotted} is missing", fix=f"add {first['loc'][-1]} there")
    return ConfigError(what, fix=f"change {dotted}; its default is {_default(first['loc'])!r}")


def _default(location: Sequence[int | str]) -> Any:
    value: Any = RunConfig()
    for part in location:
        if isinstance(part, int) or isinstance(value, Mapping):
            break
        value = getattr(value, part)
    return value


def _model_beside(section: ModelSection, beside: Path) -> ModelSection:
    """With the whole path of a model that lies beside the TOML; else its name as it is."""
    if section.engine == "endpoint" or section.name == ModelSection().name:
        return section
    try:
        path = (beside / section.name).resolve(strict=True)
    except (OSError, ValueError):  # none there, or no name of a file at all
        return section
    return dataclasses.replace(section, name=str(path))


def _located(section: EnvironmentSection, source: str, beside: Path) -> EnvironmentSection:
    found = environment_file(section)
    if found is None:
        return section
    where = f"{source}: environment.name = {section.name[:200]!r}"
    try:
        file, name = (beside / found[0]).resolve(), found[1]
        missing = not file.is_file()
    except (OSError, ValueError) as error:  # too long, or with NUL
        raise ConfigError(f"{where}: {error}", fix='write "path/to/file.py:ClassOrFunction"') from None
    if file.suffix != ".py" or not name.isidentifier():
        raise ConfigError(
            where + " is no Python file and name", fix='write "path/to/file.py:ClassOrFunction"'
        )
    if missing:
        raise ConfigError(
            f"{where}: there is no {file}", fix="correct the path; it is relative to the TOML file"
        )
    return dataclasses.replace(section, name=f"{file}:{name}")
