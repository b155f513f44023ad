"""Tables of which only single lines can be read: shown beside what is simulated, never counted.

Which number belongs to which machine is not known, so that they are no input of a description and no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.document.grid import Grid, grid
from assay.machine import catalogue
from assay.machine import published as block
from assay.papers.cells.answers import Answers
from assay.papers.claims.quantities import QUANTITIES
from assay.report.units import human


def tables(answers: Answers, machine: str | None = None) -> list[Grid]:
    """One table for each that fell apart into lines; of all its machines, or of those that have `machine`."""
    found = [one for one in catalogue.load().of(block.Unreadable) if one.fragments]
    return [_lines(answers, one) for one in found if machine is None or machine in one.machines]


def _lines(answers: Answers, one: block.Unreadable) -> Grid:
    quantity = QUANTITIES[one.benchmark or "", "time"]
    rows = []
    for fragment in one.fragments:
        times = (quantity(answers, machine, {"nodes": fragment.label}) for machine in one.machines)
        simulated = ("–" if time is None else human(time, "s") for time in times)
        rows.append((f"{fragment.label} ?", f"{fragment.text} ?", *simulated))
    title = f"{one.where.partition(',')[0]}, reading uncertain"
    note = "The lines as they stand in the text, labels by their place on the page: which number belongs to which "
    note += "machine is not known. Neither evidence nor an input of any description."
    return grid(title, ("nodes", "printed line (us)", *(f"{name}, simulated" for name in one.machines)), rows, note, 2)


def section(answers: Answers) -> Iterator[str]:
    """The page's lines."""
    for made in tables(answers):
        yield made.markdown()
