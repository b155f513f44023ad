"""The cells that a fit of a run uses: one choice, which `assay.fitting` fits and `assay.prediction` counts as used.

Of each message benchmark that is one family of cells, which differ in the length alone, and half of its lengths
(`halves`); of a kernel its rate on one processor, and on the most threads, with the largest working set; of files what
the laws of storage are fitted to. Every other cell of the run is evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.document.storage_cells import fitted_figures
from assay.fitting.families import cells, echoes, largest
from assay.fitting.kernel_cells import KernelCells, kernel_cells

WINDOWS = (("message-rate", "message_rate", 64), ("bandwidth", "rate", 16))  # messages of one reading
BOTH_WAYS = ("bandwidth", "rate", 16)
LOGGP = ("gap", "send_overhead", "receive_overhead")
OVERLAP = ("together", "communicating", "computing")
Figures = list[ReportedFigure]


@dataclass(frozen=True)
class ChosenCells:
    """The cells by what they show. `echo` of the network, `near` within a node where both were measured.

    `windows` of one pair and direction by benchmark, `both_ways` of one pair at once, `loggp` by figure, `fan_in` by
    number of senders, `overlap` by figure, `kernels` by name, `files`.
    """

    echo: Figures
    near: Figures
    own: Figures
    windows: dict[str, Figures]
    both_ways: Figures
    loggp: dict[str, Figures]
    fan_in: dict[int, Figures]
    overlap: dict[str, Figures]
    kernels: dict[str, KernelCells]
    files: Figures

    @property
    def all(self) -> Figures:
        """All of them."""
        groups = (*self.windows.values(), *self.loggp.values(), *self.fan_in.values(), *self.overlap.values())
        found = [*self.echo, *self.near, *self.own, *self.both_ways, *(each for of in groups for each in of)]
        found += [cell for each in self.kernels.values() for cell in each.figures]
        return [*found, *self.files]


def chosen_cells(sections: Sequence[Section], ranks: int) -> ChosenCells:
    """Choose the cells of a run; `ranks`: its processors, as fan-in of more senders shows how they share these."""
    echo, near = echoes(sections)
    several = cells(sections, "fan-in", "rate", lambda case: 2 <= int(case.get("neighbours") or 0) < ranks)
    senders = sorted({int(cell.params["neighbours"]) for cell in several})
    return ChosenCells(
        echo=echo,
        near=near,
        own=largest(cells(sections, "self", "time")),
        windows={name: largest(cells(sections, name, figure, _pair(1))) for name, figure, _ in WINDOWS},
        both_ways=largest(cells(sections, *BOTH_WAYS[:2], _pair(2))),
        loggp={figure: largest(cells(sections, "loggp", figure)) for figure in LOGGP},
        fan_in={each: largest([cell for cell in several if cell.params["neighbours"] == each]) for each in senders},
        overlap={figure: largest(cells(sections, "overlap", figure)) for figure in OVERLAP},
        kernels=kernel_cells(sections),
        files=fitted_figures(sections),
    )


def used_cells(document: Document) -> Figures:
    """The figures of a run's document that its fit uses."""
    return chosen_cells(document.benchmarks, processors(document)).all


def processors(document: Document) -> int:
    """The processors of the host that measured; 2 where they are unknown."""
    return int(document.facts.usable_cpus or 2)


def _pair(directions: int) -> Callable[[Parameters], bool]:
    """Of one pair, by messages, in so many directions."""

    def chosen(case: Parameters) -> bool:
        by_messages = case.get("means", "message") == "message"
        return bool(case.get("pairs") == 1 and by_messages and case.get("directions", 1) == directions)

    return chosen
