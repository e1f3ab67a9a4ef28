from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coevolve.environments.tools import check_args, coerce_args, tool_spec
from coevolve.errors import WorldError


def book(
    state: object,
    /,
    room: str,
    nights: int,
    size: Literal["single", "double"] = "single",
    budget: Annotated[float | None, "highest price in dollars"] = None,
    late: bool = False,
) -> dict[str, object]:
    """Book a room.

    Longer text is not part of the description.

    Args:
        room: the room's number,
            as on the door
        nights: how long

    Raises:
        nothing: ever
    """
    return {}


def test_schema_comes_from_types_and_docstring() -> None:
    spec = tool_spec(book)
    assert (spec.name, spec.description) == ("book", "Book a room")
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "room": {"type": "string", "description": "the room's number, as on the door"},
            "nights": {"type": "integer", "description": "how long"},
            "size": {"type": "string", "enum": ["single", "double"]},
            "budget": {"type": "number", "description": "highest price in dollars"},
            "late": {"type": "boolean"},
        },
        "required": ["room", "nights"],
        "additionalProperties": False,
    }


def test_a_method_loses_self() -> None:
    class Desk:
        def close(self, hour: int) -> None:
            """Close the desk."""

    assert list(tool_spec(Desk.close).parameters["properties"]) == ["hour"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"nights": 2}, "missing parameter room in book"),
        ({}, "missing parameter room, nights in book"),
        ({"room": "7", "nights": 2, "view": "sea"}, "unknown parameter view in book"),
        ({"room": "7", "nights": "two"}, "nights in book must be an integer, not 'two'"),
        ({"room": "7", "nights": True}, "nights in book must be an integer, not True"),
        ({"room": 7, "nights": 1}, "room in book must be a string, not 7"),
        (
            {"room": "7", "nights": 1, "size": "huge"},
            "size in book must be one of single, double, not 'huge'",
        ),
        ({"room": "7", "nights": 1, "budget": float("nan")}, "budget in book must be a number, not nan"),
        ({"room": "7", "nights": 1, "late": 1}, "late in book must be a boolean, not 1"),
        ({"room": None, "nights": 1}, "room in book must be a string, not None"),
        ({"room": "7", "nights": 1, "budget": 9}, None),
    ],
)
def test_wrong_arguments_are_explained(args: dict[str, Any], why: str | None) -> None:
    assert check_args(tool_spec(book), args) == why


def test_digit_strings_and_numbers_change_places_where_the_meaning_is_clear() -> None:
    given_args = {"room": 12, "nights": "3", "budget": "$300", "late": None}
    assert coerce_args(tool_spec(book), given_args) == {"room": "12", "nights": 3, "budget": 300}


@given(st.dictionaries(st.sampled_from(["room", "nights", "size", "x"]), st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers(), max_size=2),
)))  # fmt: skip
def test_whatever_passes_the_check_has_the_declared_types(args: dict[str, Any]) -> None:
    spec = tool_spec(book)
    repaired = coerce_args(spec, args)
    if check_args(spec, repaired) is None:
        assert isinstance(repaired["room"], str)
        assert type(repaired["nights"]) is int
        assert repaired.get("size", "single") in ("single", "double")


def _named_tool(tool: str) -> None:
    """Bad name."""


def _untyped(x) -> None:  # type: ignore[no-untyped-def]
    """No hint."""


def _nested(x: list[str]) -> None:
    """Not flat."""


def _two_types(x: int | str) -> None:
    """Not one type."""


def _open(**kwargs: str) -> None:
    """Takes all."""


def _silent(x: str) -> None: ...


@pytest.mark.parametrize(
    ("fn", "named"),
    [
        (_named_tool, '"tool"'),
        (_untyped, "no type hint"),
        (_nested, "list"),
        (_two_types, "int | str"),
        (_open, "kwargs"),
        (_silent, "docstring"),
    ],
)
def test_an_unusable_function_is_refused_by_name(fn: Any, named: str) -> None:
    with pytest.raises(WorldError, match=fn.__name__) as caught:
        tool_spec(fn)
    assert named in caught.value.what
