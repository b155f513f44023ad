"""Tables with only single legible lines: shown next to what is simulated, never counted.

Where the lines allow a reading, its numbers are shown with the simulated ones and their errors, all of them doubtful.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.document.grid import Grid, grid
from assay.machine import catalogue
from assay.machine import published as block
from assay.published.cells.answers import Answers
from assay.report.units import human
from assay.validation.claims.quantities import QUANTITIES

MICROSECOND = 1e-6


def tables(answers: Answers, machine: str | None = None) -> list[Grid]:
    """One table for each that is broken into lines; of all its machines, or of those that have `machine`."""
    found = [one for one in catalogue.load().of(block.Unreadable) if one.fragments]
    return [_lines(answers, one) for one in found if machine is None or machine in one.machines]


def _lines(answers: Answers, one: block.Unreadable) -> Grid:
    quantity = QUANTITIES[one.benchmark or "", "time"]
    rows = []
    for fragment in one.fragments:
        cells = []
        for machine in one.machines:
            printed = fragment.reading.get(machine)
            time = quantity(answers, machine, {"nodes": fragment.label})
            cells.append(_beside(None if printed is None else printed * MICROSECOND, time))
        rows.append((f"{fragment.label} ?", f"{fragment.text} ?", *cells))
    title = f"{one.where.partition(',')[0]}, reading uncertain"
    note = "The lines as they stand in the text; which number belongs to which machine and how many nodes is a reading "
    note += "(columns in the order of Tables 3.1 and 5.1, rows of 8, 16 and 64 nodes; the first two rows place the "
    note += "remaining ones). No number of a description is fitted on it and none of it is evidence; which algorithm "
    note += "the iPSC/860's barrier has was chosen with it in view."
    return grid(title, ("nodes", "printed line (us)", *one.machines), rows, note, 2)


def _beside(printed: float | None, simulated: float | None) -> str:
    """A doubtful number, what is simulated, and by how much that differs."""
    shown = "–" if simulated is None else human(simulated, "s")
    if printed is None or simulated is None:
        return shown
    return f"{human(printed, 's')} ?; {shown} ({100 * (simulated / printed - 1):+.1f}%)"


def section(answers: Answers) -> Iterator[str]:
    """The page's lines."""
    for made in tables(answers):
        yield made.markdown()
