"""A fleet's nodes by figures: how far each node is from the median of all, as a heat map and as shades on a terminal
(only nodes that differ)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from assay.document.fleet import NodeLevels
from assay.document.grid import Grid, grid
from assay.document.params import Plot
from assay.document.run_document import Document
from assay.report.registry import ReportSection, RunPlace, RunView
from assay.report.render.plots import layout
from assay.report.units import human, params

TITLE = "Nodes and figures"
MOST_FIGURES = 24
MOST_NODES = 512  # drawn: the furthest from the others
MOST_LISTED = 16  # nodes on a terminal
LEAST_SCALE = 0.05  # of the colours: smaller differences look alike
MOST_SCALE = 0.5
GOOD_TO_BAD = [[0, "#1d4ed8"], [0.5, "#f8fafc"], [1, "#b91c1c"]]
SHADES = "·▁▂▃▄▅▆▇█"  # by how much worse than the median
BETTER = "+"


@dataclass(frozen=True)
class _Heat:
    """Nodes (rows) by figures (columns): how much worse than the median, relative; None where a node has none."""

    nodes: list[str]
    figures: list[str]
    levels: list[NodeLevels]
    worse: list[list[float | None]]

    @property
    def scale(self) -> float:
        """The difference that has the strongest colour."""
        known = [abs(value) for row in self.worse for value in row if value is not None]
        return min(MOST_SCALE, max([LEAST_SCALE, *known]))


def _heat(document: Document, most: int) -> _Heat | None:
    """The nodes furthest from the others first; None where no benchmark ran on three nodes."""
    of = [(each.benchmark, level) for each in document.benchmarks if each.fleet for level in each.fleet.levels]
    of = of[:MOST_FIGURES]
    if not of:
        return None
    columns = [_worse(level) for _, level in of]
    names = sorted({node for column in columns for node in column})
    names.sort(key=lambda node: -max(abs(column.get(node, 0.0)) for column in columns))
    nodes = names[:most]
    figures = [f"{name} {level.figure.replace('_', ' ')}{_case(level)}" for name, level in of]
    return _Heat(nodes, figures, [level for _, level in of], [[each.get(node) for each in columns] for node in nodes])


def _case(level: NodeLevels) -> str:
    words = params(level.params)
    return f" ({words})" if words else ""


def _worse(level: NodeLevels) -> dict[str, float]:
    middle = statistics.median(level.nodes.values())
    if middle <= 0:
        return {}
    sign = 1 if level.better == "lower" else -1
    return {node: sign * (value / middle - 1) for node, value in level.nodes.items()}


def _plots(document: Document) -> list[Plot]:
    heat = _heat(document, MOST_NODES)
    if heat is None:
        return []
    written = [
        [
            "" if worse is None else f"{human(level.nodes[node], level.unit)}, {_words(worse)}"
            for worse, level in zip(row, heat.levels, strict=True)
        ]
        for node, row in zip(heat.nodes, heat.worse, strict=True)
    ]
    trace = {
        "type": "heatmap",
        "x": heat.figures,
        "y": heat.nodes,
        "z": heat.worse,
        "zmin": -heat.scale,
        "zmax": heat.scale,
        "text": written,
        "hovertemplate": "%{y}, %{x}: %{text}<extra></extra>",
        "colorscale": GOOD_TO_BAD,
        "colorbar": {"tickformat": "+.0%"},
    }
    drawn = layout("worse than the nodes' median", "", "node", False)
    drawn["xaxis"] |= {"type": "category", "side": "bottom", "tickangle": -45}
    drawn["yaxis"] |= {"type": "category", "autorange": "reversed"}
    drawn["height"] = min(620, 280 + 24 * len(heat.nodes))
    drawn["switch"] = False
    return [{"data": [trace], "layout": drawn}]


def _words(worse: float) -> str:
    return f"{abs(worse):.1%} {'worse' if worse > 0 else 'better'}"


def _terminal(document: Document) -> list[Grid]:
    heat = _heat(document, MOST_LISTED)
    if heat is None:
        return []
    shaded = [(node, "".join(map(_shade, row)), *_worst(heat.figures, row)) for node, row in _rows(heat)]
    rows = [row for row in shaded if row[1].strip(f" {SHADES[0]}")]
    if not rows:
        return []
    note = f"A column for each figure, in order: {', '.join(heat.figures)}. From · (within {LEAST_SCALE:.0%}) to █ "
    note += f"({MOST_SCALE:.0%} worse and more); {BETTER}: more than {LEAST_SCALE:.0%} better."
    return [grid(TITLE, ("node", "figures", "worst", "by"), rows, note, left=3)]


def _rows(heat: _Heat) -> list[tuple[str, list[float | None]]]:
    return list(zip(heat.nodes, heat.worse, strict=True))


def _shade(worse: float | None) -> str:
    if worse is None:
        return " "
    if abs(worse) <= LEAST_SCALE:
        return SHADES[0]
    return BETTER if worse < 0 else SHADES[min(len(SHADES) - 1, 1 + int(worse / MOST_SCALE * (len(SHADES) - 2)))]


def _worst(figures: Sequence[str], row: Sequence[float | None]) -> tuple[str, str]:
    known = [(value, name) for value, name in zip(row, figures, strict=True) if value is not None]
    value, name = max(known, default=(0.0, ""))
    return (name, f"{value:+.1%}") if value > LEAST_SCALE else ("", "")


SECTION = ReportSection(
    order=701,
    of_run=RunView(
        place=RunPlace.END,
        title=lambda document: TITLE,
        anchor="node-levels",
        terminal_tables=_terminal,
        plots=_plots,
        plot_note="Each node's median over launches, compared with the median of all nodes; the furthest first.",
        in_markdown=False,
    ),
)
