"""How a result becomes plain data: every law's result is a frozen dataclass that inherits `to_dict`.

Numbers stay in SI base units; arrays and tuples become lists; a number that is not finite becomes None, since JSON
has none.
"""

import dataclasses
import enum
import math
from collections.abc import Mapping

import numpy as np


class AnalysisResult:
    """A frozen dataclass that can be written as plain data."""

    def to_dict(self) -> dict[str, object]:
        """Name every field with plain Python values, ready for JSON."""
        assert dataclasses.is_dataclass(self)
        return {field.name: plain(getattr(self, field.name)) for field in dataclasses.fields(self) if field.repr}


def plain(value: object) -> object:
    """Reduce numpy, dataclasses, enumerations and tuples to dict, list, str, int, float, bool and None."""
    if isinstance(value, AnalysisResult):
        return value.to_dict()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, np.ndarray):
        return [plain(entry) for entry in value.tolist()]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
