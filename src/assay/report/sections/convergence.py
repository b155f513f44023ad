"""How fast errors fall as steps get smaller, beside what the method promises: a table of a solver's grids.

A record asks for it by `[convergence]`: `order` of the method and the `solution` that errors are differences from. The
figures are `error`, `error_bound` and `order`, by the label `intervals`, which is no parameter: a program solves on
coarser grids, too, beside the size that is timed.
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.registry import BenchmarkView, Place, ReportSection

LABEL = "intervals"


def has(section: Section, figure: ReportedFigure) -> bool:
    """Whether the section's table of convergence has this figure."""
    return section.convergence is not None and LABEL in figure.params


def tables(section: Section) -> list[Grid]:
    """The one table of a section whose record states an order; [] of any other."""
    wanted = section.convergence
    if wanted is None:
        return []
    found: dict[int, dict[str, float]] = {}
    for figure in section.figures:
        value = figure.shown if has(section, figure) and figure.main else None
        if value is not None:
            found.setdefault(int(figure.params[LABEL]), {})[figure.name] = value
    rows = []
    for intervals, of in sorted(found.items()):
        error, bound, order = of.get("error"), of.get("error_bound"), of.get("order")
        rows.append(
            (
                f"{intervals:,}",
                "–" if error is None else f"{error:.3g}",
                "–" if bound is None else f"{bound:.3g}",
                "–" if order is None else f"{order:.2f}",
                f"{wanted.order:g}",
            )
        )
    headings = ("intervals", "error", "its bound", "order found", "by the method")
    note = f"Error: the greatest difference from {wanted.solution}. Order: by this grid and the one above it."
    if any(row[3] == "–" for row in rows[1:]):
        note += " None where rounding is part of the error."
    return [grid(f"{section.title}: order of convergence", headings, rows, note, left=0)] if rows else []


SECTION = ReportSection(
    order=140,
    of_benchmark=BenchmarkView(
        place=Place.ANALYSIS,
        tables=lambda document, section: tables(section),
        covers=lambda section: {id(figure) for figure in section.figures if has(section, figure)},
    ),
)
