"""Vector kernels by level of memory: r_max with its share of the bound, cycles, start-up and n_half, a row a kernel.

The bound of a kernel in a level: what its elements' loads and stores take at the best rates that `roofs` measured there
on one thread in the same run, or the arithmetic peak where that is less. In a cache loads and stores each have a roof
of their own, as cores do both at once; memory carries one or the other, and `levels` counts there, too. Beyond L1 whole
lines are moved: a stride of 3 moves three times the bytes. Without such a measurement no share is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.benchmark.record import benchmark
from assay.document.fits import LevelRatesFit
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.derive import memory_levels
from assay.report.judge.bounds import peak_float64, percent, values
from assay.report.registry import BenchmarkView, Place, ReportSection
from assay.report.units import human

CONVENTION = (
    " Flops as docs/benchmarks.md counts them: without arithmetic (broadcast, copy) an element counts one; zaxpy is "
    "z = x + a y in real numbers, two."
)
OUTER = ("L2", "L3", "memory")
DOUBLES_IN_A_LINE = 8
NOISE = 1.03  # of two best readings: what is so little above its bound is at it
MARKS = {"disturbed": "~"}  # of a state, in a narrow column
ALONE = "*"  # the best reading: there is no fit
FOUND = "Caches by loads that were timed with the loops"
AGREE = 0.2  # relative: sizes of caches by two curves, whose working sets are a quarter of an octave apart


def tables(document: Document, section: Section) -> list[Grid]:
    """One table for each access; [] for a section without such fits."""
    fits = [fit for fit in section.fits if isinstance(fit, LevelRatesFit)]
    order = {str(access): None for fit in fits for access in (fit.params["access"],)}
    return [_table(document, section, access, fits) for access in order]


def _table(document: Document, section: Section, access: str, fits: list[LevelRatesFit]) -> Grid:
    found = {(str(f.params["kernel"]), f.level): f for f in fits if f.params["access"] == access}
    rows = []
    choices = benchmark(section.benchmark).parameters["kernel"].choices
    for kernel in (str(each) for each in choices if any(kernel == each for kernel, _ in found)):
        first = found.get((kernel, "L1"))
        own = (None, None, None) if first is None else (first.n_half, first.cycles_per_element, first.start_up_cycles)
        alone = f" {ALONE}" if first is not None and first.basis != "line" else ""
        rates = [_rate(document, found.get((kernel, level))) for level in ("L1", *OUTER)]
        rows.append((kernel, rates[0], *("–" if each is None else f"{each:.3g}{alone}" for each in own), *rates[1:]))
    headings = (
        "kernel",
        "r_max L1",
        "n_half",
        "cycles per element",
        "start-up (cycles)",
        *(f"r_max {o}" for o in OUTER),
    )
    note = "Cycles by a chain of dependent additions timed in the same block." + (
        " In brackets: share of what the level's loads and stores (roofs of this run) and the arithmetic peak allow."
        if any("%" in cell for row in rows for cell in row)
        else ""
    )
    if any(cell.endswith(MARKS["disturbed"]) for row in rows for cell in row):
        note += f" {MARKS['disturbed']}: disturbed; by how much at most is in the table of cases."
    if any(ALONE in cell for row in rows for cell in row):
        note += f" {ALONE}: no fit, the best median reading; the reason is in Fits of the report."
    note += _caches_text(document, fits)
    note += CONVENTION if any(row[0] in ("broadcast", "copy", "zaxpy") for row in rows) else ""
    return grid(f"{section.title} by level of memory, {access}: r_max in Gflop/s", headings, rows, note)


def _caches_text(document: Document, fits: list[LevelRatesFit]) -> str:
    """Name the caches that separate the levels, and whether the latency curve of this run shows the same."""
    own = {int(fit.level[1:]): fit.size for fit in fits if fit.size is not None}
    if not own:
        return ""
    sizes = ", ".join(f"L{number} {human(size, 'B', 3)}" for number, size in sorted(own.items()))
    other = memory_levels.caches(document)
    if other is None:
        return f" {FOUND}: {sizes}; the system may state more than a guest gets."
    apart = [number for number in sorted(own) if number in other and abs(own[number] / other[number] - 1) > AGREE]
    if not apart:
        return f" {FOUND}: {sizes}, within {AGREE:.0%} of those of the latency curve where it shows them."
    curve = ", ".join(f"L{number} {human(other[number], 'B', 3)}" for number in apart)
    return f" {FOUND}: {sizes}; by the latency curve {curve}."


def _rate(document: Document, fit: LevelRatesFit | None) -> str:
    if fit is None:
        return "–"
    most = bound(document, fit)
    notes = []
    if most is not None:
        notes.append("above its bound" if fit.r_max > NOISE * most else percent(min(1.0, fit.r_max / most)))
    mark = "" if fit.basis == "line" else f" {ALONE}"
    mark += "" if fit.state == "clean" else f" {MARKS.get(fit.state, f'({fit.state})')}"
    return f"{fit.r_max / 1e9:.3g}" + (f" ({', '.join(notes)})" if notes else "") + mark


def bound(document: Document, fit: LevelRatesFit) -> float | None:
    """Flop/s that a kernel could reach in this level on one thread; None where nothing says it."""
    of = benchmark(fit.benchmark).constants(fit.params)
    peak = peak_float64(document)
    seconds = _seconds(document, fit.level, of)
    if seconds is None or peak is None:
        return None
    return min(float(of["flops"]) / seconds, peak[0])


def _seconds(document: Document, level: str, of: Mapping[str, Any]) -> float | None:
    """The least time that an element's loads and stores take in a level; None without a roof for either."""
    lines = 1 if level == "L1" else min(of["stride"], DOUBLES_IN_A_LINE)
    stored = lines * of["stored"]
    loaded = lines * (of["bytes"] - of["stored"]) + of["index"]
    loads, stores = (_best(document, "roofs", level, kernel=kernel) for kernel in ("load", "store"))
    if level == "memory":
        most = max(loads, stores, _best(document, "roofs", level), _best(document, "levels", level, threads=1))
        return (loaded + stored) / most if most else None
    if (loaded and not loads) or (stored and not stores):
        return None
    return max(loaded / loads if loaded else 0.0, stored / stores if stored else 0.0)


def _best(document: Document, name: str, level: str, **params: Any) -> float:
    """The best rate that a benchmark of memory read in a level, B/s; 0 where it has none."""
    return max((value for _, value in values(document, name, "rate", "best", level=level, **params)), default=0.0)


SECTION = ReportSection(
    order=100,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=tables,
        replaces=lambda section: any(isinstance(fit, LevelRatesFit) for fit in section.fits),
    ),
)
