"""One column type for vectors: float32 bytes in SQLite, pgvector's own in PostgreSQL."""

from __future__ import annotations

from typing import Any

import numpy as np
import sqlalchemy as sa
from pgvector.sqlalchemy import VECTOR
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

DIMS = 384  # of the sentence encoder


class UnitVector(TypeDecorator[np.ndarray]):
    """A unit vector of DIMS float32 numbers."""

    impl = sa.LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The database's own type."""
        own: TypeEngine[Any] = VECTOR(DIMS) if dialect.name == "postgresql" else sa.LargeBinary()
        return dialect.type_descriptor(own)

    def process_bind_param(self, value: np.ndarray | None, dialect: Dialect) -> Any:
        """An array on its way in."""
        if value is None or dialect.name == "postgresql":
            return value
        return np.asarray(value, dtype="<f4").tobytes()

    def process_result_value(self, value: Any, dialect: Dialect) -> np.ndarray | None:
        """An array on its way out."""
        if value is None:
            return None
        if dialect.name == "postgresql":
            return np.asarray(value, dtype=np.float32)
        return np.frombuffer(value, dtype="<f4")
