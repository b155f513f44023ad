"""Rates of EuroBen's kernels and of module 2 on one hardware thread, of published machines and of runs.

Module 2's rates are of our own plain code, which is what the papers' compilers were given: as in Table 6.13 the
greatest of all sizes, a best reading where a size has no median. Levels of the programs that have no fit by level: the
best rate of all sizes represents the first cache, that of the largest size for memory if its data lie beyond the last
cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from assay.benchmark.record import benchmark
from assay.document.fits import LevelRatesFit
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.machine.catalogue import PublishedCell, cells, load

PAPER = "vandersteen2000_beowulf"
PROGRAMS = {"mod2a": "matrix-vector", "mod2b": "linpack", "mod2f": "fft", "mod2g": "wavelet"}
DYADIC = ("add", "subtract", "multiply")
BYTES: dict[str, Callable[[float], float]] = {  # of a problem's data, by its size
    "mod2f": lambda size: 32 * size,  # complex numbers, in and out
    "mod2g": lambda size: 16 * size * size,  # twice as many rows as columns
}
FORMS = {"dot": "dotproduct", "axpy": "axpy"}  # ours, and the paper's word for it


class KernelRates(Protocol):
    """What a contrast needs of a machine; None where unknown."""

    def loop(self, kernel: str, level: str = "L1", access: str = "contiguous") -> float | None:
        """Flop/s of a kernel of module 1 in a level, by the paper's count of flops."""

    def per_cycle(self, kernel: str) -> float | None:
        """Flops in a cycle from the first cache."""

    def of_peak(self, kernel: str) -> float | None:
        """Rate from the first cache, as a share of the peak of one core."""

    def program(self, name: str, form: str | None = None, level: str = "L1") -> float | None:
        """Flop/s of a program of module 2; `form`: dot or axpy of the matrix-vector product."""

    def optimised(self, kernel: str) -> float | None:
        """Rate from the first cache with more optimisation over that with less: of a run, its last build variant."""


class PublishedRates:
    """A machine of the paper, by its own tables and text."""

    def __init__(self, machine: str) -> None:
        """Take the machine's cells; `machine`: its id."""
        self._cells = cells(paper=PAPER, machine=machine)
        about = load().machines[machine]
        self._clock = 1e6 * float(about.fact("clock_MHz"))
        self._peak = float(about.fact("peak_flop_per_s_per_cpu"))

    def loop(self, kernel: str, level: str = "L1", access: str = "contiguous") -> float | None:
        """By Tables 6.1, 6.4 and 6.7; strides by the text."""
        of = dict(zip(map(str, _kernels()), benchmark("vectors").published, strict=True))[kernel]
        stride = int(access.removeprefix("stride")) if access.startswith("stride") else None
        found = [
            cell
            for cell in self._cells
            if cell.benchmark == of and cell.metric == f"r_max_{level}" and cell.params.get("stride") == stride
        ]
        return _usual(cell for cell in found if cell.params.get("flags") != "-O5")

    def per_cycle(self, kernel: str) -> float | None:
        """Rate over the stated clock."""
        rate = self.loop(kernel)
        return None if rate is None else rate / self._clock

    def of_peak(self, kernel: str) -> float | None:
        """Rate over the stated peak."""
        rate = self.loop(kernel)
        return None if rate is None else rate / self._peak

    def program(self, name: str, form: str | None = None, level: str = "L1") -> float | None:
        """By Table 6.13 and the text; a form or a level that only the text has is taken from there."""
        found = [cell for cell in self._cells if cell.benchmark == f"euroben.{name}" and cell.metric == "r_max"]
        if form is not None:
            found = [cell for cell in found if cell.params.get("implementation") == FORMS[form]]
        elif level == "memory":
            found = [cell for cell in found if cell.params.get("operands_in") == level]
        else:
            found = [cell for cell in found if cell.table is not None]
        return _usual(cell for cell in found if cell.params.get("flags") != "-O5")

    def optimised(self, kernel: str) -> float | None:
        """-O5 over what the tables are of; dyadic operations have one number together in the text."""
        of = dict(zip(map(str, _kernels()), benchmark("vectors").published, strict=True))[kernel]
        more = [cell for cell in self._cells if cell.params.get("flags") == "-O5" and cell.metric == "r_max_L1"]
        together = [cell for cell in more if cell.params.get("kernels") == "dyadic operations" and kernel in DYADIC]
        high, low = _usual([*together, *(cell for cell in more if cell.benchmark == of)]), self.loop(kernel)
        return high / low if high and low else None


class RunRates:
    """This machine, by the fits and figures of a run."""

    def __init__(self, document: Document, peak: float | None) -> None:
        """Take the run's document, and flop/s of one core in float64 where that is known."""
        self._document, self._peak = document, peak
        sizes = [fit.size for section in document.benchmarks for fit in section.fits if isinstance(fit, LevelRatesFit)]
        self._last = max((size for size in sizes if size is not None), default=None)  # B, as the vector kernels saw it
        self._fits = {
            (str(fit.params["kernel"]), fit.level, str(fit.params.get("access"))): fit
            for section in document.benchmarks
            for fit in section.fits
            if isinstance(fit, LevelRatesFit)
        }

    def loop(self, kernel: str, level: str = "L1", access: str = "contiguous") -> float | None:
        """By the fit of `vectors`."""
        fit = self._fits.get((kernel, level, access))
        return None if fit is None else fit.r_max_paper

    def per_cycle(self, kernel: str) -> float | None:
        """By the chain of additions timed with it; the paper's count of flops."""
        fit = self._fits.get((kernel, "L1", "contiguous"))
        if fit is None or not fit.cycles_per_element:
            return None
        return float(benchmark("vectors").extra["constants"]["kernel"][kernel]["paper"]) / fit.cycles_per_element

    def of_peak(self, kernel: str) -> float | None:
        """By the peak of one core, as the report bounds it."""
        rate = self.loop(kernel)
        return None if rate is None or not self._peak else rate / self._peak

    def program(self, name: str, form: str | None = None, level: str = "L1") -> float | None:
        """By the figure `rate` of our own code on one thread."""
        found = self._of_program(name, form, level)
        return None if found is None else found.shown

    def program_words(self, name: str, form: str | None = None, level: str = "L1") -> str:
        """Which size a program's rate is of, with the marks of its state."""
        found = self._of_program(name, form, level)
        return "" if found is None else ", ".join([f"size {found.params.get('size')}", *found.marks])

    def of_peak_words(self, kernel: str) -> str:
        """What a kernel's share of the peak rests on: a line goes beyond what was measured."""
        fit = self._fits.get((kernel, "L1", "contiguous"))
        if fit is None or fit.basis != "line":
            return "" if fit is None else fit.basis
        if not fit.best_measured or not self._peak:
            return "r_max by its line"
        return f"r_max by its line; {100 * fit.best_measured / self._peak:.3g}% measured"

    def _of_program(self, name: str, form: str | None, level: str) -> ReportedFigure | None:
        found = [
            figure
            for section in self._document.benchmarks
            if section.benchmark == PROGRAMS[name]
            for figure in section.figures
            if figure.name == "rate" and _plain(figure, form)
        ]
        if not found:
            return None
        if level == "memory":
            largest = max(found, key=_size)
            return largest if self._last and BYTES[name](_size(largest)) > self._last else None
        return max(found, key=lambda figure: figure.shown or 0.0)

    def optimised(self, kernel: str) -> float | None:
        """The best rate of the lengths in the first cache, by the last build variant over the first."""
        fit = self._fits.get((kernel, "L1", "contiguous"))
        variants = self._document.variants
        if fit is None or variants is None:
            return None
        case = {"kernel": kernel, "access": "contiguous"}
        rows = [
            row
            for row in variants.rows
            if (row.benchmark, row.figure, row.b.run) == ("vectors", "rate", variants.builds[-1].label)
            and case.items() <= row.params.items()
            and row.params.get("length") in fit.lengths
            and "invalid" not in (row.a.state, row.b.state)
        ]
        sides = [(row.a.value, row.b.value) for row in rows if row.a.value and row.b.value]
        return max(b for _, b in sides) / max(a for a, _ in sides) if sides else None


def _plain(figure: ReportedFigure, form: str | None) -> bool:
    """Whether a figure is the one that represents a case of our own code on one thread, in this form."""
    params = figure.params
    own = params.get("code") in (None, "ours") and params.get("threads") in (None, 1)
    return own and params.get("form") == form and figure.main and bool(figure.shown)


def _size(figure: ReportedFigure) -> float:
    return float(figure.params.get("size") or 0)


def _kernels() -> tuple[object, ...]:
    return tuple(benchmark("vectors").parameters["kernel"].choices)


def _usual(found: Iterable[PublishedCell]) -> float | None:
    """The value of a table where there is one, else of the text."""
    each = sorted(found, key=lambda cell: (cell.doubtful, cell.table is None))
    return each[0].value if each else None
