"""Vector kernels by level of memory: r_max with its share of the bound, cycles, start-up and n_half, a row a kernel.

The bound of a kernel in a level: its intensity times the bandwidth that `levels` or `roofs` measured there on one
thread in the same run, or the arithmetic peak where that is less. Without such a measurement no share is given.
"""

from __future__ import annotations

from assay.benchmark.record import benchmark
from assay.document.fits import LevelRatesFit
from assay.document.grid import Grid, grid
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report import found_levels
from assay.report.bounds import peak_float64, percent, values
from assay.report.units import human

OUTER = ("L2", "L3", "memory")
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
        rates = [_rate(document, found.get((kernel, level))) for level in ("L1", *OUTER)]
        rows.append((kernel, rates[0], *("–" if each is None else f"{each:.3g}" for each in own), *rates[1:]))
    headings = (
        "kernel",
        "r_max L1",
        "n_half",
        "cycles per element",
        "start-up (cycles)",
        *(f"r_max {o}" for o in OUTER),
    )
    note = "Cycles by a chain of dependent additions timed beside." + (
        " In brackets: share of the least of bandwidth times intensity and arithmetic peak."
        if any("%" in cell for row in rows for cell in row)
        else ""
    )
    note += _caches_text(document, fits)
    return grid(f"{section.title} by level of memory, {access}: r_max in Gflop/s", headings, rows, note)


def _caches_text(document: Document, fits: list[LevelRatesFit]) -> str:
    """Name the caches that separate the levels, and whether the latency curve of this run shows the same."""
    own = {int(fit.level[1:]): fit.size for fit in fits if fit.size is not None}
    if not own:
        return ""
    sizes = ", ".join(f"L{number} {human(size, 'B', 3)}" for number, size in sorted(own.items()))
    other = found_levels.caches(document)
    if other is None:
        return f" Caches: {sizes}."
    apart = [number for number in sorted(own) if number in other and abs(own[number] / other[number] - 1) > AGREE]
    if not apart:
        return f" Caches: {sizes}, within {AGREE:.0%} of those of the latency curve where it shows them."
    curve = ", ".join(f"L{number} {human(other[number], 'B', 3)}" for number in apart)
    return f" Caches: {sizes}; by the latency curve {curve}."


def _rate(document: Document, fit: LevelRatesFit | None) -> str:
    if fit is None:
        return "–"
    most = bound(document, fit)
    text = f"{fit.r_max / 1e9:.3g}"
    if most is None:
        return text
    return f"{text} ({percent(fit.r_max / most)})" if fit.r_max <= most else f"{text} (above its bound)"


def bound(document: Document, fit: LevelRatesFit) -> float | None:
    """Flop/s that a kernel of this intensity could reach in this level on one thread; None where nothing says it."""
    slopes = [value for _, value in values(document, "levels", "rate", "best", level=fit.level, threads=1)]
    slopes += [value for _, value in values(document, "roofs", "rate", "best", level=fit.level)]
    peak = peak_float64(document)
    if not slopes or peak is None:
        return None
    return min(fit.intensity * max(slopes), peak[0])
