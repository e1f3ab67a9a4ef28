"""JSON for the frozen dataclasses of `coevolve.types`, both ways, and hashes of canonical JSON.

A dataclass enters and a plain dict leaves, or the other way round. Strict in both directions: every field
must be there (one that has a default may be missing from what an older version wrote), nothing else may be,
and each value must have its declared type. A JSON-valued field (`Any`
inside a Mapping) comes back as plain dicts and lists, so a tuple in it returns as a list. Nothing here
guards against documents of hostile size or depth.
"""

from __future__ import annotations

import hashlib
import json
import math
import operator
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from coevolve.errors import CoevolveError

T = TypeVar("T")


class _Mismatch(Exception):
    """A value that does not fit; containers put their own name in front while it travels up."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.path = ""

    def under(self, name: str) -> _Mismatch:
        self.path = name + self.path
        return self


@dataclass(frozen=True, slots=True)
class _Form:
    """How one declared type is written and read."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    brief: Callable[[Any], Any] | None = None  # written without what equals a default; None = as `write`

    @property
    def essence(self) -> Callable[[Any], Any]:
        """What a value's hash is made from."""
        return self.brief or self.write


def to_json(value: Any) -> dict[str, Any]:
    """A dataclass as a dict of JSON values, fields in their declared order.

    Raises: CoevolveError: no dataclass, or a field's value has another type than declared (named).
    """
    if not is_dataclass(value) or isinstance(value, type):
        raise CoevolveError(
            f"{type(value).__name__} is no dataclass", fix="hand to_json a dataclass instance"
        )
    return cast(dict[str, Any], _guarded(lambda: _form(type(value)).write(value), type(value)))


def from_json(cls: type[T], data: object) -> T:
    """The dataclass `cls` from what `to_json` made.

    Raises: CoevolveError: a field is missing, unknown or of another type; the message names its path.
    """
    return cast(T, _guarded(lambda: _form(cast(Any, cls)).read(data), cls))


def canonical_json(value: object) -> bytes:
    """JSON as bytes: keys sorted, no white space, ASCII only; equal values give equal bytes.

    Raises: CoevolveError: a value JSON cannot hold, such as NaN or a key that is no string.
    """
    try:
        plain = _plain(value)
    except _Mismatch as bad:
        raise CoevolveError(f"value{bad.path}: {bad.what}", fix=bad.fix or "use JSON values only") from None
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def content_hash(value: object) -> str:
    """SHA-256 of the canonical JSON of a dataclass or of a JSON value: 64 hex digits.

    Of a dataclass, fields that equal their default are left out: one that a later version of this code adds
    with a default changes no hash.
    """
    plain = essence(value) if is_dataclass(value) and not isinstance(value, type) else value
    return hashlib.sha256(canonical_json(plain)).hexdigest()


def essence(value: Any) -> dict[str, Any]:
    """As `to_json`, without the fields that equal their default; `from_json` reads it just as well."""
    return cast(dict[str, Any], _guarded(lambda: _form(cast(Any, type(value))).essence(value), type(value)))


def _guarded(convert: Callable[[], Any], cls: type) -> Any:
    try:
        return convert()
    except _Mismatch as bad:
        raise CoevolveError(
            f"{cls.__name__}{bad.path}: {bad.what}",
            fix=bad.fix or "write this field as its declared type",
        ) from None


@cache
def _form(hint: Any) -> _Form:
    """The form of a declared type. Cached: type hints are resolved once per type."""
    if hint is Any or hint is object:
        return _Form(_plain, _plain)
    if hint is type(None):
        return _Form(_null, _null)
    simple = _SIMPLE.get(hint)
    if simple is not None:
        return simple
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _optional_form(hint)
    if origin is tuple:
        return _tuple_form(hint)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_form(hint)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum_form(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return _record_form(hint)
    raise _Mismatch(
        f"no JSON form for {hint}",
        fix="declare it as a dataclass, StrEnum, tuple, Mapping[str, ...], Optional, str, int, float or bool",
    )


def _record_form(cls: type) -> _Form:
    hints = get_type_hints(cls)
    names = tuple(f.name for f in fields(cls) if f.init)
    needed = [f.name for f in fields(cls) if f.init and f.default is MISSING and f.default_factory is MISSING]
    forms = {name: _form(hints[name]) for name in names}
    writes, usual = {name: form.write for name, form in forms.items()}, defaults(cls)
    briefs = {name: form.essence for name, form in forms.items()}

    def written(value: Any, converts: Mapping[str, Callable[[Any], Any]], skip: Mapping[str, Any]) -> Any:
        if type(value) is not cls:
            raise _Mismatch(f"expected {cls.__name__}, found {type(value).__name__}")
        out: dict[str, Any] = {}
        name = ""
        try:
            for name, convert in converts.items():
                held = getattr(value, name)
                if name not in skip or held != skip[name]:
                    out[name] = convert(held)
        except _Mismatch as bad:
            raise bad.under("." + name) from None
        return out

    def read(data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise _Mismatch(f"expected an object, found {type(data).__name__}")
        if unknown := [str(key) for key in data if key not in forms]:
            raise _Mismatch(
                f"unknown field {unknown[0]!r}", fix=f"remove it; {cls.__name__} has {', '.join(names)}"
            )
        if missing := [name for name in needed if name not in data]:
            raise _Mismatch(f"missing field {missing[0]!r}", fix=f"add {missing[0]!r} to the object")
        args: dict[str, Any] = {}
        name = ""
        try:
            for name, value in data.items():
                args[name] = forms[name].read(value)
        except _Mismatch as bad:
            raise bad.under("." + name) from None
        return cls(**args)

    return _Form(lambda value: written(value, writes, {}), read, lambda value: written(value, briefs, usual))


@cache
def defaults(cls: type) -> Mapping[str, Any]:
    """What fields of a dataclass are when nobody sets them."""
    made = {f.name: f.default_factory() for f in fields(cls) if f.default_factory is not MISSING}
    return {f.name: f.default for f in fields(cls) if f.default is not MISSING} | made


def _tuple_form(hint: Any) -> _Form:
    args = get_args(hint)
    if len(args) == 2 and args[1] is Ellipsis:
        item = _form(args[0])

        def forms_for(value: Sequence[Any]) -> Sequence[_Form]:
            return (item,) * len(value)
    else:
        fixed = tuple(_form(arg) for arg in args)

        def forms_for(value: Sequence[Any]) -> Sequence[_Form]:
            if len(value) != len(fixed):
                raise _Mismatch(f"expected {len(fixed)} items, found {len(value)}")
            return fixed

    def write(value: Any) -> list[Any]:
        return _each(value, [form.write for form in forms_for(_sequence(value))])

    def brief(value: Any) -> list[Any]:
        return _each(value, [form.essence for form in forms_for(_sequence(value))])

    def read(data: Any) -> tuple[Any, ...]:
        return tuple(_each(data, [form.read for form in forms_for(_sequence(data))]))

    return _Form(write, read, brief)


def _sequence(value: Any) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise _Mismatch(f"expected a list, found {type(value).__name__}")
    return value


def _each(value: Sequence[Any], converts: Sequence[Callable[[Any], Any]]) -> list[Any]:
    out: list[Any] = []
    try:
        for convert, item in zip(converts, value, strict=True):
            out.append(convert(item))
    except _Mismatch as bad:
        raise bad.under(f"[{len(out)}]") from None
    return out


def _mapping_form(hint: Any) -> _Form:
    key, item_hint = get_args(hint)
    if key is not str:
        raise _Mismatch(f"no JSON form for {hint}", fix="JSON keys are strings: declare Mapping[str, ...]")
    item = _form(item_hint)

    def through(convert: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
        def apply(value: Any) -> dict[str, Any]:
            if not isinstance(value, Mapping):
                raise _Mismatch(f"expected an object, found {type(value).__name__}")
            return _members(value, convert)

        return apply

    return _Form(through(item.write), through(item.read), through(item.essence))


def _members(value: Mapping[Any, Any], convert: Callable[[Any], Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    name: Any = ""
    try:
        for name, member in value.items():
            if not isinstance(name, str):
                raise _Mismatch("this key is no string", fix="JSON keys are strings: convert the key")
            out[str(name)] = convert(member)
    except _Mismatch as bad:
        raise bad.under(f"[{name!r}]") from None
    return out


def _optional_form(hint: Any) -> _Form:
    rest = [arg for arg in get_args(hint) if arg is not type(None)]
    if len(rest) != 1:
        raise _Mismatch(f"no JSON form for {hint}", fix="only `X | None` can be told apart in JSON")
    form = _form(rest[0])
    return _Form(
        lambda value: None if value is None else form.write(value),
        lambda data: None if data is None else form.read(data),
        lambda value: None if value is None else form.essence(value),
    )


def _enum_form(cls: type[StrEnum]) -> _Form:
    def convert(value: Any) -> StrEnum:
        try:
            return cls(value)
        except ValueError:
            raise _Mismatch(f"{value!r} is no {cls.__name__}", fix=f"use one of {', '.join(cls)}") from None

    return _Form(lambda value: str(convert(value)), convert)


def _null(value: Any) -> None:
    if value is not None:
        raise _Mismatch(f"expected null, found {type(value).__name__}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Mismatch(f"expected a string, found {type(value).__name__}")
    return str(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Mismatch(f"expected true or false, found {type(value).__name__}")
    return value


def _whole(value: Any) -> int:
    # operator.index also takes numpy's integers, which arrive from learners' notes
    if isinstance(value, bool):
        raise _Mismatch("expected a whole number, found bool")
    try:
        return operator.index(value)
    except TypeError:
        raise _Mismatch(f"expected a whole number, found {type(value).__name__}") from None


def _real(value: Any) -> float:
    if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
        raise _Mismatch(f"expected a number, found {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        raise _Mismatch("this whole number is too large for a float") from None
    if not math.isfinite(number):
        raise _Mismatch(f"{number} is no JSON number", fix="use null (None) for what is unknown")
    return number


def _plain(value: Any) -> Any:
    """A JSON value as plain dicts, lists and scalars; what it may not be is refused by its path."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _real(value)
    if isinstance(value, Mapping):
        return _members(value, _plain)
    if isinstance(value, list | tuple):
        return _each(value, [_plain] * len(value))
    if hasattr(value, "__index__"):  # numpy's integers
        return operator.index(value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # numpy's other scalars
        return _plain(value.item())
    raise _Mismatch(f"{type(value).__name__} is no JSON value", fix="convert it to JSON before storing it")


_SIMPLE: Mapping[Any, _Form] = {
    str: _Form(_text, _text),
    bool: _Form(_flag, _flag),
    int: _Form(_whole, _whole),
    float: _Form(_real, _real),
}
