"""What another simulator's file becomes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ForeignNetwork:
    """A network of another simulator's file: its tables, and a sentence for each property that it does not have."""

    tables: dict[str, dict[str, object]]
    assumptions: tuple[str, ...]
