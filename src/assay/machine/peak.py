"""The peak of arithmetic from a processor's own data: doctor's inventory and every report compute it here.

Flops per cycle of a core are the lanes of its widest vectors, twice where a multiply-add is one instruction, times the
units that execute it. No flag gives the number of units: two, unless a measurement shows fewer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from assay.machine.processors import Processors

UNITS = (1, 2)  # that execute vector instructions in each core of processors of today
# float64 lanes of the widest vectors that a flag names; those that have a multiply-add
_LANES = {"avx512f": 8, "avx2": 4, "fma": 4, "avx": 4, "asimd": 2, "vsx": 2}
_FUSED = frozenset({"avx512f", "fma", "asimd", "vsx"})


@dataclass(frozen=True)
class Vectors:
    """The widest vectors of a processor: lanes of float64, and flops of one instruction in each lane."""

    lanes: int
    flops: int

    @property
    def per_cycle(self) -> int:
        """Flops of one unit in a cycle, float64."""
        return self.lanes * self.flops


def vectors(flags: Collection[str]) -> Vectors | None:
    """By the kernel's flags, where they name none two lanes, as of SSE2; None without any flag."""
    lanes = max((lanes for flag, lanes in _LANES.items() if flag in flags), default=2)
    return Vectors(lanes, 2 if _FUSED & set(flags) else 1) if flags else None


def flops_per_cycle(cores: int | None, flags: Collection[str]) -> int | None:
    """Of so many cores with as many units as there are at most, float64; None where cores or vectors are not known."""
    found = vectors(flags)
    return cores * found.per_cycle * UNITS[-1] if cores and found else None


def stated_clock(cpu: Processors) -> float | None:
    """Hz: the greatest that the kernel states, else the nominal one, else the present one."""
    return cpu.frequency_max or cpu.frequency_base or cpu.frequency_now
