"""What a figure could be at most (or least): its bound, where one is known, and the share of it that was reached.

A bound is computed from what the host says of itself or from another figure of the same run; its basis is stated. A
record names it: `[headline.NAME] bound = "…"`, a key of `BOUNDS`, or of `DESCRIBED_BOUNDS` for described machines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.document.reported_figure import Headline, ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.peak import UNITS, Vectors, vectors
from assay.report.judge.described_bounds import DESCRIBED_BOUNDS, not_slowed
from assay.report.judge.device_statements import device_stated
from assay.report.units import human, unit_of

DOUBLE = "float64"
LANES = {DOUBLE: 1, "float32": 2}  # of a vector, beside those of double precision
TOLERANCE = 1.03  # a clock that was measured, and a boost that it misses


@dataclass(frozen=True)
class Share:
    """A figure beside its bound: `value` in the figure's unit, `share` of it, what it rests on, which way is better.

    `passed_by`: the title of another main figure of this run that passed this bound, so that no share is formed of it.
    """

    value: float
    share: float
    basis: str
    unit: str
    better: str | None
    passed_by: str = ""

    @property
    def text(self) -> str:
        """Write it for a table; what was passed is no bound, and saying so is better than a share above the whole."""
        if self.share > 1.0:
            passed = "below" if self.better == "lower" else "above"
            return f"{passed} {human(self.value, self.unit, 3)} ({self.basis}), which is no bound here"
        if self.passed_by:
            value = human(self.value, self.unit, 3)
            return f"no share of {value} ({self.basis}): no bound here, {self.passed_by} passed it"
        return f"{percent(self.share)} of {human(self.value, self.unit, 3)} ({self.basis})"


def percent(share: float) -> str:
    """Write a share as a percentage, two digits below a tenth; what is ten times as large or more as so many times."""
    if share >= 10:
        return f"{share:,.0f} times"
    return f"{100 * share:.0f}%" if share >= 0.1 else f"{100 * share:.2g}%"


def share(figure: Headline, document: Document) -> Share | None:
    """Return the figure's share of its bound; None where no bound is known."""
    found = _beside_its_bound(figure, document)
    if found is None or found.share > 1.0:
        return found
    return replace(found, passed_by=passed_by(document, figure.figure, found.basis, figure.bound) or "")


def passed_by(document: Document, figure: ReportedFigure, basis: str = "", bound: str | None = None) -> str | None:
    """Title of a main figure of this run that passed what the figure's bound rests on, which then bounds nothing."""
    if document.described or bound not in RESTS_ON:
        return None
    for section in document.benchmarks:
        for other in (each for each in section.headlines if each.bound == bound):
            found = _beside_its_bound(other, document)
            alike = found is not None and RESTS_ON[bound](other.figure, found.basis) == RESTS_ON[bound](figure, basis)
            if found is not None and found.share > 1.0 and alike:
                return other.title
    return None


def _beside_its_bound(main: Headline, document: Document) -> Share | None:
    figure = main.figure
    bound = (WITHIN_THE_RUN | (DESCRIBED_BOUNDS if document.described else BOUNDS)).get(main.bound or "")
    if bound is None or figure.value is None or (figure.value <= 0 and bound is not whole):
        return None
    found = bound(document, figure)
    if found is None:
        return None
    value, basis = found
    part = reached(figure.value, value, figure.better)
    return Share(value, 1.0 if part > 1 and _agrees(figure, value) else part, basis, unit_of(figure), figure.better)


def _agrees(figure: ReportedFigure, bound: float) -> bool:
    """Whether a figure's interval or range, as it is written, holds the bound: it is reached then, and not passed."""
    ends = figure.ci95 or figure.range
    if not ends:
        return False
    low, high = (float(f"{end:.3g}") for end in ends)
    return low <= bound <= high


def reached(value: float, best: float, better: str) -> float:
    """How much of the best a value is: 1 where they are equal, a half at half the rate or in twice the time."""
    return value / best if better == "higher" else best / value


def values(
    document: Document, benchmark: str, name: str, statistic: str, **params: Any
) -> Iterator[tuple[ReportedFigure, float]]:
    """Figures of this run and their values, by benchmark, name, statistic and parameters.

    Where there is no median, the best reading that bounds it is taken for it.
    """
    for section in document.benchmarks:
        if section.benchmark == benchmark:
            for figure in section.figures:
                fits = figure.main if statistic == "median" else figure.statistic == statistic
                value = figure.shown if fits and figure.name == name else None
                if value and all(figure.params.get(key) == wanted for key, wanted in params.items()):
                    yield figure, value


def fastest(figure: ReportedFigure, value: float) -> float:
    """Least of a time's launches: a bound is what the machine can do, and a median launch may have been held up."""
    return min([value, *(each for _, each in figure.by_launch if each > 0)])


def peak_float64(document: Document, figure: ReportedFigure | None = None) -> tuple[float, str] | None:
    """Flop/s of one core in double precision."""
    return peak_of(document, DOUBLE)


def peak_of(document: Document, precision: str) -> tuple[float, str] | None:
    """Flop/s of one core: fused multiply-adds in the widest vectors in each of its units, at its clock.

    The clock is what this run measured of it, else what the processor states: where that was disturbed its best
    reading, as a clock whose loop was interrupted only reads low. How many units there are no flag says: with a
    measured peak it is the least number that the best reading does not pass; where it passes all, it is the bound
    itself. Without one the most that processors have is taken, and the words say "at most"; of a stated clock, which a
    processor may go beyond, they say that instead.
    """
    measured = _measured_clock(document)
    clock, known = measured[0] if measured else document.facts.stated_clock, _vectors(document)
    best = best_peak(document.benchmarks, precision)
    if not clock or known is None:
        return None if best is None else (best, "best reading of this run")
    unit = clock * known.per_cycle * LANES[precision]
    vector = f"{known.lanes * LANES[precision]} lanes{' x 2 (multiply-add)' * (known.flops == 2)}"
    gigahertz = f"{clock / 1e9:.2f} GHz {measured[1] if measured else 'stated'}"
    if best is None:
        basis = f"{vector} x {UNITS[-1]} units x {gigahertz}"
        return unit * UNITS[-1], f"at most {basis}" if measured else f"{basis}: more where the clock is raised"
    for units in UNITS:
        if best <= TOLERANCE * unit * units:
            return max(best, unit * units), f"{vector} x {units} unit{'s' * (units > 1)} x {gigahertz}"
    return best, f"best reading of this run, above {vector} x {UNITS[-1]} units x {gigahertz}"


def best_peak(sections: Sequence[Section], precision: str = DOUBLE) -> float | None:
    """Best reading (flop/s) of what a record calls the ceiling of the roof; None where none was measured.

    A ceiling whose cases have no `type` is of double precision alone.
    """
    rates = []
    for section in sections:
        wanted = section.roof
        if wanted and wanted.ceiling and (precision == DOUBLE or "type" in wanted.cases):
            cases = wanted.cases | ({} if precision == DOUBLE else {"type": precision})
            rates += [
                float(figure.value)
                for figure in section.figures
                if figure.name == wanted.ceiling
                and figure.statistic == "best"
                and figure.value
                and all(str(figure.params.get(key)) == value for key, value in cases.items())
            ]
    return max(rates, default=None)


def peak_measured(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Flop/s of as many threads as the figure has, in its precision: this run's own peak, else by the clock."""
    precision, threads = str(figure.params.get("type") or DOUBLE), figure.params.get("threads") or 1
    best = best_peak(document.benchmarks, precision)
    one = peak_of(document, precision) if best is None else (best, "the best reading of this run's arithmetic peak")
    return None if one is None else (threads * one[0], f"{threads} times {one[1]}" if threads > 1 else one[1])


def _vectors(document: Document) -> Vectors | None:
    """The vectors of the processor that measured, by the kernel's flags; None where its host did not say it."""
    host = document.facts
    known = host.flags if host.submitted_from is None else host.vectors  # a node's `flags` are its compiler's
    return None if known is None else vectors(known)


def _measured_clock(document: Document) -> tuple[float, str] | None:
    """Clock (Hz) that a benchmark of this run found, by the record that offers it to the roof, and how it was obtained.

    The greatest of the clean medians, and of the best readings of what is not clean.
    """
    found = []
    for section in document.benchmarks:
        of = [each for each in section.figures if section.roof and each.name == section.roof.clock and each.shown]
        for figure in of:
            if figure.statistic == "median" and figure.state == "clean":
                found.append((float(figure.value or 0.0), "measured"))
            elif figure.statistic == "best" and figure.state != "clean":
                found.append((float(figure.value or 0.0), "measured, best reading"))
    return max(found, default=None)


def memory_limit(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Bytes of memory that this host or its cgroup allows."""
    total = document.facts.memory_limit or document.facts.memory
    return None if not total else (float(total), "memory of the host or its cgroup")


def memory_rate(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """B/s: the best that any way of reading or writing memory reached in this run, on as many threads as any."""
    rates = [value for _, value in values(document, "stream", "rate", "best")]
    rates += [value for _, value in values(document, "levels", "rate", "best", level="memory")]
    return (max(rates), "best of all access patterns of this run") if rates else None


def copy_rate(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """B/s at which one thread copies what lies where a message of this length fits: reading and writing each byte.

    Of the levels that hold message and copy the fastest; the working sets are what `levels` measured with.
    """
    length = figure.params.get("bytes") or 0
    holding = {f.params["level"]: value for f, value in values(document, "levels", "size", "median", threads=1)}
    rates: dict[str, float] = {}
    for each, value in values(document, "levels", "rate", "best", threads=1):
        level = each.params["level"]
        if level == "memory" or holding.get(level, 0) >= length:
            rates[level] = max(rates.get(level, 0.0), value)
    if not rates:
        return None
    level = max(rates, key=lambda name: rates[name])
    return rates[level] / 2, f"a copy in {level} by one thread"


def handed_copy(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """B/s at which one process copied a message of this length within itself, beside the hand-overs of this run."""
    copies = values(document, "handover", "rate", "median", method="copy", bytes=figure.params.get("bytes"))
    best = max((value for _, value in copies), default=None)
    return None if best is None else (best, "a copy of as many bytes within one process")


def pair_alone(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """B/s of a pair of ranks that exchanges while all others wait, in the same case.

    By what is left on average of each pair that was measured in both ways: pairs may be unlike, and those alone others.
    """
    params = {key: figure.params.get(key) for key in ("bytes", "ranks")}
    left = [value for _, value in values(document, "bisection", "share", "median", **params)]
    if not left or figure.value is None or max(left) <= 0:
        return None
    return figure.value / min(1.0, max(left)), "a pair while all others wait"


def line_transfers(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Seconds of a cache line's way from core to core, once for each doubling of the participants."""
    times = [
        fastest(f, value)
        for f, value in values(document, "core-to-core", "time", "median")
        if f.params.get("first") != f.params.get("second")
    ]
    if not times:
        return None
    params = figure.params
    steps = math.ceil(math.log2(max(2, params.get("ranks") or params.get("threads") or 2)))
    count = f"{'one' if steps == 1 else steps} cache-line transfer{'s' * (steps > 1)}"
    return steps * min(times), f"{count} between cores, fastest launch"


def two_atomics(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Seconds of two uncontended atomic updates: one takes the lock, one frees it."""
    found = values(document, "hotspot", "time", "median", update="atomic", threads=1)
    times = [fastest(figure, value) for figure, value in found]
    return (2 * min(times), "two uncontended atomic updates, fastest launch") if times else None


def core_limit(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """What the core's architecture does of these vectors in a cycle, at the clock that was measured beside."""
    case = figure.params
    limit, cycle = (
        next((value for _, value in values(document, figure.benchmark, name, statistic, **case)), None)
        for name, statistic in (("limit", "best"), ("per_cycle", "median"))
    )
    if not limit or not cycle or figure.value is None:
        return None
    return figure.value * limit / cycle, f"{limit:g} vectors in a cycle, by the clock measured with it"


def device_link(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """B/s of the PCIe link of a device's transfers, of both ways for those both ways; a link that is idle is slower."""
    device = figure.params.get("device")
    rates = [value for _, value in values(document, "device-copy", "link", "median", device=device)]
    ways = 2 if figure.params.get("direction") == "both" else 1
    return (ways * max(rates), "the device's PCIe link") if rates else None


def whole(document: Document, figure: ReportedFigure) -> tuple[float, str] | None:
    """Of a part, of which more is better: all of it; what noise puts above is taken for all."""
    return max(1.0, figure.value or 0.0), "the whole"


BOUNDS: dict[str, Callable[[Document, ReportedFigure], tuple[float, str] | None]] = {
    "peak_float64": peak_float64,
    "peak_measured": peak_measured,
    "memory_limit": memory_limit,
    "memory_rate": memory_rate,
    "copy_rate": copy_rate,
    "handed_copy": handed_copy,
    "line_transfers": line_transfers,
    "two_atomics": two_atomics,
    "not_slowed": not_slowed,
    "core_limit": core_limit,
    "device_stated": device_stated,
    "device_link": device_link,
}
# Bounds that several figures share, each by what tells apart those that rest on different quantities.
RESTS_ON: dict[str, Callable[[ReportedFigure, str], str]] = {
    "peak_float64": lambda figure, basis: "",
    "peak_measured": lambda figure, basis: str(figure.params.get("type") or DOUBLE),
    "memory_rate": lambda figure, basis: "",
    "copy_rate": lambda figure, basis: basis,  # the level
    "line_transfers": lambda figure, basis: "",  # of however many transfers: one was shorter
    "two_atomics": lambda figure, basis: "",
}
# What a figure of the same run bounds, measured or described.
WITHIN_THE_RUN: dict[str, Callable[[Document, ReportedFigure], tuple[float, str] | None]] = {
    "pair_alone": pair_alone,
    "whole": whole,
}
