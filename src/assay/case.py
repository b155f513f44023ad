"""A case: the parameters of one measurement by name; frozen, hashable, compared by content."""

from __future__ import annotations

import json
from collections.abc import Collection, ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

ParameterValue = str | int | float | bool | None
Parameters = Mapping[str, Any]  # of a measurement: numbers, texts, truth values and None by name


class Case(Mapping[str, Any]):
    """Parameters in the order given. Equal, with equal hashes, are those of one `text`, in whatever order.

    1, 1.0 and True differ, as their JSON texts do. A mapping that is no case is equal where the case of it is.
    """

    __slots__ = ("_text", "_values")

    def __init__(self, values: Parameters = {}, /, **more: Any) -> None:  # noqa: B006  # never changed
        self._values = {**values, **more}
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The parameters as canonical JSON: sorted by name, without spaces. What files and tables hold of a case."""
        if self._text is None:
            self._text = json.dumps(self._values, sort_keys=True, separators=(",", ":"))
        return self._text

    def without(self, keys: Collection[str]) -> Case:
        """Return the case without some parameters."""
        return Case({key: value for key, value in self._values.items() if key not in keys})

    def covers(self, other: Case) -> bool:
        """Whether `other` has all these parameters with these values, and perhaps further ones."""
        return self == other or self._values.items() <= other._values.items()

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def get(self, key: str, default: Any = None) -> Any:
        """Return a parameter's value, `default` where there is none."""
        return self._values.get(key, default)

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._values.keys()

    def values(self) -> ValuesView[Any]:
        """Return the values."""
        return self._values.values()

    def items(self) -> ItemsView[str, Any]:
        """Return names with values."""
        return self._values.items()

    def __or__(self, other: Parameters) -> Case:
        return Case({**self._values, **other})

    def __ror__(self, other: Parameters) -> Case:
        return Case({**other, **self._values})

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Case):
            return self.text == other.text
        return self.text == Case(other).text if isinstance(other, Mapping) else NotImplemented

    def __lt__(self, other: Case) -> bool:
        return self.text < other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Case({self._values!r})"
