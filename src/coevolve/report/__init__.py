"""A run's report as one self-contained page and a picture of its curve."""

from coevolve.report.data import (
    Example,
    ExampleTurn,
    GateRow,
    PoolRow,
    Rate,
    ReportData,
    RoundPoint,
    TypeRow,
    example,
)
from coevolve.report.page import page, render

__all__ = [
    "Example",
    "ExampleTurn",
    "GateRow",
    "PoolRow",
    "Rate",
    "ReportData",
    "RoundPoint",
    "TypeRow",
    "example",
    "page",
    "render",
]
