"""Rates of storage by a law of three numbers: startup and time per byte of one operation, and what all share.

One operation of n bytes takes startup + per_byte n; c operations in flight (processes times depth) move c times as much
per second, but no more than `limit` together. Where that does not hold there is a fourth number: the time that each
operation takes of what all share (a drive's operations per second), or, where rates fall as more are in flight than
reach the limit, a share of it that is lost for each time that many again; or contention: each operation waits for what
every other in flight takes of what all share, so that it takes startup + per_byte n + (c - 1) (each + n / limit). Rates
bend long before the limit then (Gunther's universal scalability law without its term of coherency). Whichever is
nearest to the fitted cells is taken.
Half of the cells are fitted (every other by size, the ends among them), the others judge. After R. Hockney's
half-performance length, and the asymptotic bound of a closed system.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

import numpy as np

from assay.analysis.alpha_beta import fit

LEAST_SIZES = 3  # of single operations: two are fitted, one judges
NEARER, BENT = 0.8, 0.9  # of the plain law's misfit, to need a fourth number; of what many would move, to be delayed
BEYOND, FALLEN = 1.2, 0.05  # times what saturates, and the least fall below the limit there, that a decline is made of


@dataclass(frozen=True)
class RateCell:
    """A measured rate of all processes (B/s) by block (B) and operations in flight; `launches`: by launch."""

    bytes: int
    flight: int
    rate: float
    launches: Mapping[int, float]
    fitted: bool = False


@dataclass(frozen=True)
class StorageLaw:
    """Startup (s) and time per byte (s/B) of one operation, with their intervals or ranges; `limit` of all, B/s.

    `each`: seconds that an operation takes of what all share, one after the other; part of the startup.
    `contended`: each operation waits that long, and its bytes at the limit, for every other in flight.
    `launches`: how many the intervals or ranges rest on, those that measured all cells fitted for single operations, of
    `measured`; one alone is no range.
    `limited`: whether cells with several operations in flight were fitted; else the limit is that of one operation.
    """

    startup: float
    per_byte: float
    startup_between: tuple[float, float]
    per_byte_between: tuple[float, float]
    interval: bool
    limit: float
    limited: bool
    cells: tuple[RateCell, ...]
    each: float = 0.0
    contended: bool = False
    launches: int = 0
    measured: int = 0
    decline: float = 0.0  # part of the limit's time that is added for each time as many in flight as saturate it

    @property
    def spread(self) -> bool:
        """Whether startup and time per byte have an interval or a range: one launch has none."""
        return self.launches > 1

    @property
    def r_max(self) -> float:
        """B/s that one operation after the other tends to, as blocks grow (Hockney's asymptotic rate)."""
        return 1 / self.per_byte

    @property
    def n_half(self) -> float:
        """Bytes of a block that reaches half of r_max by itself."""
        return self.startup / self.per_byte

    @property
    def n_half_between(self) -> tuple[float, float]:
        """The least and the greatest that the bounds of startup and time per byte allow."""
        (a0, a1), (b0, b1) = self.startup_between, self.per_byte_between
        return a0 / b1 if b1 > 0 else 0.0, a1 / b0 if b0 > 0 else float("inf")

    @property
    def ends(self) -> tuple[int, int]:
        """Bytes of the least and of the greatest block."""
        sizes = [cell.bytes for cell in self.cells]
        return min(sizes), max(sizes)

    def saturation(self, size: float) -> float:
        """Operations of `size` bytes in flight that reach the common limit (contended: half of it)."""
        return self.bound(size) / self.alone(size)

    def alone(self, size: float) -> float:
        """B/s of one operation of `size` bytes after the other."""
        return size / (self.startup + self.per_byte * size)

    def bound(self, size: float) -> float:
        """B/s that all operations of `size` bytes move together at most."""
        return size / (self.each + size / self.limit)

    def rate(self, size: float, flight: int) -> float:
        """B/s of all operations in flight."""
        if self.contended:
            return flight * size / (size / self.alone(size) + (flight - 1) * size / self.bound(size))
        wanted, bound = flight * self.alone(size), self.bound(size)
        return wanted if wanted <= bound else bound / (1 + self.decline * (wanted / bound - 1))

    def error(self, cell: RateCell) -> float:
        """(predicted - measured) / measured."""
        return self.rate(cell.bytes, cell.flight) / cell.rate - 1

    def errors(self, fitted: bool) -> list[float]:
        """Sizes of the errors of the fitted cells, or of those held out, ascending."""
        return sorted(abs(self.error(cell)) for cell in self.cells if cell.fitted is fitted)

    def errors_in_words(self) -> list[str]:
        """Median and worst error of the fitted cells, and of those held out, where there are any."""
        kinds = (("fitted", self.errors(True)), ("held out", self.errors(False)))
        return [f"{len(of)} {kind}: median error {median(of):.1%}, worst {of[-1]:.1%}" for kind, of in kinds if of]


def across_in_words(interval: bool, launches: int, measured: int) -> str:
    """What a pair of bounds is, and how many launches it rests on, of those that measured any of the cells."""
    kind = "95% interval" if interval else "range"
    number = f"{launches} launches" if launches > 1 else "1 launch alone" if launches else "no launch"
    some = f" of {measured}, the others lack cells" if launches < measured else ""
    return f"{kind} of {number}{some}" if launches > 1 else f"no range: {number}{some or ' of none'}"


def storage_law(cells: Sequence[RateCell]) -> StorageLaw | None:
    """Fit half of the cells; None with fewer than LEAST_SIZES sizes of single operations."""
    ordered = sorted(cells, key=lambda cell: (cell.flight, cell.bytes))
    chosen: list[RateCell] = []
    for _, of_flight in groupby(ordered, key=lambda cell: cell.flight):
        group = list(of_flight)
        last = len(group) - 1  # of several in flight the largest blocks, where the limit binds
        keep = {*range(0, len(group), 2), last} if group[0].flight == 1 else set(range(last, 0, -2))
        chosen += [RateCell(cell.bytes, cell.flight, cell.rate, cell.launches, at in keep)
                   for at, cell in enumerate(group)]  # fmt: skip
    single = [cell for cell in chosen if cell.flight == 1]
    if len(single) < LEAST_SIZES:
        return None
    used = [cell for cell in single if cell.fitted]
    common = sorted(set.intersection(*(set(cell.launches) for cell in used)))
    times = [[cell.bytes / cell.launches[launch] for cell in used] for launch in common]
    line = fit([cell.bytes for cell in used], times or [cell.bytes / cell.rate for cell in used])
    startup, per_byte = max(line.alpha, 0.0), max(line.beta, 0.0)
    many = [cell.rate for cell in chosen if cell.flight > 1 and cell.fitted]
    asymptote = 1 / per_byte if per_byte > 0 else used[-1].rate
    interval = line.alpha_ci95 is not None and line.beta_ci95 is not None
    low_high = (line.alpha_ci95, line.beta_ci95) if interval else (line.alpha_range, line.beta_range)
    (a0, a1), (b0, b1) = ((max(x, 0.0) for x in pair) for pair in low_high if pair is not None)
    law = StorageLaw(
        startup=startup,
        per_byte=1 / asymptote,
        startup_between=(a0, a1),
        per_byte_between=(b0, b1),
        interval=interval,
        limit=max([asymptote, *many]),
        limited=bool(many),
        launches=len(common),
        measured=len(set().union(*(cell.launches for cell in chosen))),
        cells=tuple(chosen),
    )
    nearest = min((_sharing(law), _declining(law), _contended(law)), key=_misfit)
    return nearest if _misfit(nearest) < NEARER * _misfit(law) else law


def _misfit(law: StorageLaw) -> float:
    """Root mean square of the errors of the fitted cells with several in flight, of logarithms; 0 without any."""
    errors = [math.log1p(law.error(cell)) for cell in law.cells if cell.fitted and cell.flight > 1]
    return math.sqrt(sum(error**2 for error in errors) / len(errors)) if errors else 0.0


def _sharing(law: StorageLaw) -> StorageLaw:
    """The law with each operation's time of the shared resource; unchanged where no two lengths are delayed.

    Of each length the fastest cell counts in which several move clearly less than as many alone: its time for each
    operation is a straight line over the bytes.
    """
    least: dict[int, float] = {}
    for cell in law.cells:
        if cell.fitted and cell.flight > 1 and cell.rate < BENT * cell.flight * law.alone(cell.bytes):
            least[cell.bytes] = min(least.get(cell.bytes, math.inf), cell.bytes / cell.rate)
    if len(least) < 2:
        return law
    times = np.array(list(least.values()))
    slope, level = np.polyfit(np.array(list(least)), times, 1, w=1 / times)
    each = min(float(level), law.startup)
    if not (slope > 0 and each > 0):
        return law
    return replace(law, each=each, limit=max(1 / float(slope), law.r_max))


def _contended(law: StorageLaw) -> StorageLaw:
    """The law in which operations wait for one another, by least squares of the relative errors of their times."""
    from scipy import optimize  # late: most reports fit no such law

    cells = [cell for cell in law.cells if cell.fitted and cell.flight > 1]
    if len({cell.bytes for cell in cells}) < 2:
        return law
    times = np.array([cell.flight * cell.bytes / cell.rate for cell in cells])
    alone = np.array([law.startup + law.per_byte * cell.bytes for cell in cells])
    others = np.array([[cell.flight - 1, (cell.flight - 1) * cell.bytes] for cell in cells], float)
    scale = np.array([1e-6, 1e-9])  # us and ns/B: of like size
    found, _ = optimize.nnls(others * scale / times[:, None], 1 - alone / times)
    each, per_byte = (float(value) for value in found * scale)
    if not per_byte > 0:
        return law
    return replace(law, each=each, limit=1 / per_byte, contended=True)


def _declining(law: StorageLaw) -> StorageLaw:
    """The law with limit and decline of the fitted cells beyond saturation; unchanged where they do not clearly fall.

    There 1 / rate is a straight line over what all would move without a limit, x: (1 - d) / L + d x / L^2.
    """
    beyond = [cell for cell in law.cells
              if cell.fitted and cell.flight > max(1.0, BEYOND * law.saturation(cell.bytes))]  # fmt: skip
    if len(beyond) < LEAST_SIZES or min(cell.rate for cell in beyond) > (1 - FALLEN) * law.limit:
        return law
    wanted = [cell.flight * cell.bytes / (law.startup + law.per_byte * cell.bytes) for cell in beyond]
    rates = np.array([cell.rate for cell in beyond])
    slope, level = np.polyfit(wanted, 1 / rates, 1, w=rates)
    if not slope > 0:
        return law
    inverse = (level + math.sqrt(level**2 + 4 * slope)) / 2  # of the limit: u^2 - level u - slope = 0
    return replace(law, limit=1 / inverse, decline=float(slope) / inverse**2)
