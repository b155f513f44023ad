"""What a run does not determine of its machine, in words, so that nothing of it is taken for known."""

from __future__ import annotations

from collections.abc import Sequence

from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.fitting import families
from assay.fitting.length_lines import LengthLines
from assay.fitting.measured_cells import MeasuredCells

SHORT = 64.0  # B: a run whose shortest usable message is longer does not know the start-up of short ones
SHARED = ("threads", "pairs", "directions")  # parameters of how many work at once


def not_determined(
    sections: Sequence[Section],
    echoes: Sequence[ReportedFigure],
    found: LengthLines,
    cells: MeasuredCells,
    divided: bool,
) -> list[str]:
    """Sentences, the ranges of lengths first. `divided`: how a message's time divides was fitted."""
    unknown = []
    for line in found.lines:
        if not line.determined:
            length, most = min(line.bounds)
            unknown.append(
                f"messages of {line.least:.0f} to {line.greatest:.0f} B: only bounds were measured "
                f"({length:.0f} B in at most {1e6 * most:.4g} us); any time below them is possible"
            )
    shortest, longest = found.lines[0].least, found.lines[-1].greatest
    if shortest > SHORT:
        unknown.append(f"messages shorter than {shortest:.0f} B: none was measured, the first line is continued")
    unknown.append(f"messages longer than {longest:.0f} B: none was measured, the last line is continued")
    if not divided:
        unknown.append("how a message's start-up divides between sender, network and receiver: halves are assumed")
    if cells.common:
        unknown.append(f"a disturbance of all messages at once: most cells may be longer by up to {cells.common:.0%}")
    if any(_several(section) for section in sections):
        unknown.append("what ranks of one node take from each other: threads, pairs and both directions at once")
    if cells.launches < 2:
        unknown.append("spread between launches: there was one launch")
    if where := families.words(echoes):
        unknown.append(f"other placements than the echo's: {where}")
    return unknown


def _several(section: Section) -> bool:
    return any(int(cell.params.get(name) or 1) > 1 for cell in section.figures for name in SHARED)
