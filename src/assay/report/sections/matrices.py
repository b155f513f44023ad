"""Square matrices as heat maps: from every hardware thread, or node of memory, to every other.

A record asks for one by `matrix = ["from", "to"]`, the two parameters of a case that name its row and its column. Where
pairs were measured once, the other half is the same by symmetry.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from assay.document.grid import Grid, grid
from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.registry import BenchmarkView, ReportSection
from assay.report.render.axes import linear
from assay.report.render.plots import layout
from assay.report.units import human, unit_of

Matrix = dict[tuple[Any, Any], ReportedFigure]
MOST_WRITTEN = 16  # rows whose numbers fit into the picture's cells
MOST_ROWS = 16  # of a table
MOST_COLUMNS = 6  # of one on a terminal
COOL_TO_WARM = [[0, "#eff6ff"], [0.5, "#60a5fa"], [1, "#1e3a8a"]]


def plots(section: Section) -> list[Plot]:
    """Draw a heat map of each figure, for each setting of the other parameters."""
    made = []
    for title, unit, labels, cells in _matrices(section):
        rows, columns = section.matrix or ("", "")
        values = [[_value(cells, a, b) for b in labels] for a in labels]
        written = [["" if v is None else human(v, unit, 3) for v in row] for row in values]
        trace = {
            "type": "heatmap",
            "x": [str(label) for label in labels],
            "y": [str(label) for label in labels],
            "z": values,
            "text": written,
            "hovertemplate": f"{rows} %{{y}}, {columns} %{{x}}: %{{text}}<extra></extra>",
            "colorscale": COOL_TO_WARM,
            "colorbar": _bar([v for row in values for v in row if v is not None], unit),
            "xgap": 1,
            "ygap": 1,
        }
        if len(labels) <= MOST_WRITTEN:
            trace["texttemplate"] = "%{text}"
        drawn = layout(title, columns, rows, False)
        drawn["xaxis"] |= {"type": "category", "side": "bottom", "constrain": "domain"}
        drawn["yaxis"] |= {"type": "category", "autorange": "reversed", "scaleanchor": "x", "constrain": "domain"}
        drawn["height"] = min(620, 220 + 40 * len(labels))
        drawn["switch"] = False
        made.append({"data": [trace], "layout": drawn})
    return made


def _bar(values: list[float], unit: str) -> Plot:
    """The colours' scale, its ticks in people's units."""
    ticks = linear(values, unit)
    return {"tickmode": "array", "tickvals": ticks, "ticktext": [human(tick, unit, 3) for tick in ticks]}


def tables(section: Section) -> list[Grid]:
    """Lay out the same as tables, where they are small enough to be read."""
    made = []
    for title, unit, labels, cells in _matrices(section):
        if len(labels) <= MOST_ROWS:
            rows = [(str(a), *(human(_value(cells, a, b), unit, 3) for b in labels)) for a in labels]
            corner = " \\ ".join(section.matrix or ())
            made.append(grid(title, (corner, *(str(label) for label in labels)), rows))
    return made


def _matrices(section: Section) -> list[tuple[str, str, list[Any], Matrix]]:
    """Find what there is to draw: title, unit, labels of the sides, figures by (row, column)."""
    if not section.matrix:
        return []
    row, column = section.matrix
    families: dict[tuple[str, tuple[tuple[str, Any], ...]], Matrix] = defaultdict(dict)
    for figure in section.figures:
        params = figure.params
        known = figure.value is not None and params.get(row) is not None and params.get(column) is not None
        if figure.statistic == "median" and known:
            rest = tuple((key, v) for key, v in params.items() if key not in (row, column) and v is not None)
            families[figure.name, rest][params[row], params[column]] = figure
    made = []
    for (name, rest), cells in families.items():
        labels = sorted({end for pair in cells for end in pair}, key=lambda end: (isinstance(end, str), end))
        case = ", ".join(f"{key} {value}" for key, value in rest)
        title = name.replace("_", " ") + (f": {case}" if case else "")
        if len(labels) > 1:
            made.append((title, unit_of(next(iter(cells.values()))), labels, cells))
    return made


def _value(cells: Matrix, a: Any, b: Any) -> float | None:
    found = cells.get((a, b)) or cells.get((b, a))
    return None if found is None else found.value


SECTION = ReportSection(
    order=410,
    of_benchmark=BenchmarkView(
        tables=lambda document, section: tables(section),
        terminal_tables=lambda document, section: [each for each in tables(section) if len(each.rows) <= MOST_COLUMNS],
        on_page=False,
        plots=plots,
    ),
)
