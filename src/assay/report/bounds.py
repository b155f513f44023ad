"""What a figure could be at most (or least): its bound, where one is known, and the share of it that was reached.

A bound is computed from what the host says of itself or from another figure of the same run; its basis is said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.report.units import human

Document = dict[str, Any]


@dataclass(frozen=True)
class Share:
    """A figure beside its bound: `value` in the figure's unit, `share` of it, and what it rests on."""

    value: float
    share: float
    basis: str
    unit: str

    @property
    def text(self) -> str:
        """Write it for a table; what was passed is no bound, and saying so is better than a share above the whole."""
        if self.share > 1.0:
            return f"above {human(self.value, self.unit, 3)} ({self.basis}), which is no bound here"
        return f"{100 * self.share:.0f}% of {human(self.value, self.unit, 3)} ({self.basis})"


def share(figure: Document, section: Document, document: Document) -> Share | None:
    """Return the figure's share of its bound; None where no bound is known."""
    bound = BOUNDS.get(figure.get("bound") or "")
    if bound is None or figure["value"] is None or figure["value"] <= 0:
        return None
    found = bound(document)
    if found is None:
        return None
    value, basis = found
    part = figure["value"] / value if figure["better"] == "higher" else value / figure["value"]
    return Share(value, part, basis, figure["unit"])


def _host(document: Document) -> Document:
    return document.get("host") or {}


def peak_float64(document: Document) -> tuple[float, str] | None:
    """Flop/s of one processor: fused multiply-adds in the widest vectors, two a cycle, at its clock.

    The clock is what this run measured of it, else what the processor states.
    """
    measured = _measured_clock(document)
    clock, flags = measured or _host(document).get("frequency"), set(_host(document).get("flags") or ())
    if not clock:
        return None
    lanes = 8 if "avx512f" in flags else 4 if "avx2" in flags else 2
    fused = 2 if flags & {"fma", "avx512f"} else 1
    return (
        clock * lanes * fused * 2,
        f"{lanes} lanes x 2 units x {clock / 1e9:.2f} GHz {'measured' if measured else 'stated'}",
    )


def _measured_clock(document: Document) -> float | None:
    """Clock (Hz) that a benchmark of this run found, by the record that offers it to the roof."""
    rates = [
        figure["value"]
        for section in document["benchmarks"]
        if "clock" in (section.get("roof") or {})
        for figure in section["figures"]
        if figure["name"] == section["roof"]["clock"] and figure["statistic"] == "median" and figure["value"]
    ]
    return max(rates, default=None)


def memory_limit(document: Document) -> tuple[float, str] | None:
    """Bytes of memory that this host or its cgroup allows."""
    total = _host(document).get("memory_limit") or _host(document).get("memory")
    return None if not total else (float(total), "memory of the host or its cgroup")


def copy_rate(document: Document) -> tuple[float, str] | None:
    """B/s at which this run's own memory copy moves data on one processor."""
    rates = [
        figure["value"]
        for section in document["benchmarks"]
        if section["benchmark"] == "stream"
        for figure in section["figures"]
        if figure["name"] == "rate" and figure["params"].get("kernel") == "copy" and figure["value"]
    ]
    return None if not rates else (max(rates) / 2, "a copy within this run's own memory")


BOUNDS: dict[str, Callable[[Document], tuple[float, str] | None]] = {
    "peak_float64": peak_float64,
    "memory_limit": memory_limit,
    "copy_rate": copy_rate,
}
