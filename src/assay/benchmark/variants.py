"""Build variants: by which compiler, with which flags, for which instruction set the kernels of a run are compiled.

A variant is a factor of a run's plan: its three parts are parameters of every case that it was measured in. Only
sources that a record names under `[unit.NAME]` are compiled by it; clock, sampler and check never are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

KEYS = ("compiler", "flags", "isa")
WITHOUT_ISA = "default"  # the compiler's own choice: no -march


@dataclass(frozen=True)
class Variant:
    """One compiler as it is called, optimisation flags, and what -march says (`default`: nothing)."""

    compiler: str
    flags: str
    isa: str

    @property
    def factors(self) -> dict[str, str]:
        """Its parts as parameters of a case."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The flags that the compiler is given."""
        return self.flags if self.isa == WITHOUT_ISA else f"-march={self.isa} {self.flags}"

    @staticmethod
    def of(case: Mapping[str, Any]) -> Variant | None:
        """The variant that a case was measured in; None where it was in none."""
        parts = [case.get(key) for key in KEYS]
        return Variant(*map(str, parts)) if all(isinstance(part, str) for part in parts) else None


def without(case: Mapping[str, Any]) -> dict[str, Any]:
    """A case without its variant."""
    return {key: value for key, value in case.items() if key not in KEYS}


def labels(variants: Sequence[Variant]) -> dict[Variant, str]:
    """What tells each of several variants from the others; of a single one its flags."""
    parts = {key for key in KEYS if len({getattr(each, key) for each in variants}) > 1} or {"flags"}
    return {each: " ".join(value for key, value in each.factors.items() if key in parts) for each in variants}
