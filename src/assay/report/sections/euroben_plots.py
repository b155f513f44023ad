"""Curves of what figures 6.1, 6.3, 6.5, 6.6, 6.9 and 6.10 of van der Steen 2000 show, with this machine's data alone.

The figures' own data are lost: the paper speaks through its sentences and tables. Dot products (mod1i): the rate by
ranks, a line for each implementation, a picture for each number of ranks per node (6.1, 6.3, 6.6), and the best
implementation (6.10). Patterns (mod1h): the greatest rate of each, side by side by ranks per node (6.5, 6.9).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from assay.benchmark.record import benchmark
from assay.document.params import Plot
from assay.document.reported_figure import ReportedFigure
from assay.document.section import Section
from assay.report.registry import BenchmarkView, ReportSection
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout

LEAST_COUNTS = 2  # numbers of ranks that make a line
PRINTED = 4  # processors of figures 6.5 and 6.9
Points = dict[int, float]  # by ranks


def plots(section: Section) -> list[Plot]:
    """The section's pictures; none where it is another benchmark's, or has too few cases."""
    rates = [each for each in section.figures if each.name == "rate" and each.main and each.shown is not None]
    if section.benchmark == "distributed-dot":
        return [*_dot_products(rates), *_best(rates)]
    return _patterns(rates) if section.benchmark == "patterns" else []


def _dot_products(rates: list[ReportedFigure]) -> list[Plot]:
    made = []
    for per_node, figures in _by_node(rates):
        lines: dict[str, Points] = defaultdict(dict)
        for each in figures:
            _greatest(lines[str(each.params.get("implementation"))], each)
        title = f"dot product by ranks{per_node} (figures 6.1, 6.3 and 6.6)"
        made += _over_ranks(title, lines)
    return made


def _best(rates: list[ReportedFigure]) -> list[Plot]:
    lines: dict[str, Points] = defaultdict(dict)
    for per_node, figures in _by_node(rates):
        for each in figures:
            _greatest(lines[f"best{per_node}"], each)
    return _over_ranks("best implementation of the dot product (figure 6.10)", lines)


def _by_node(rates: Iterable[ReportedFigure]) -> list[tuple[str, list[ReportedFigure]]]:
    """The figures by ranks per node, with the words for it."""
    found: dict[int, list[ReportedFigure]] = defaultdict(list)
    for each in rates:
        found[int(each.params.get("ppn") or 0)].append(each)
    return [(f", {count} per node" if count else "", found[count]) for count in sorted(found)]


def _greatest(points: Points, each: ReportedFigure) -> None:
    ranks = int(each.params.get("ranks") or 0)
    points[ranks] = max(points.get(ranks, 0.0), each.shown or 0.0)


def _over_ranks(title: str, lines: dict[str, Points]) -> list[Plot]:
    drawn = {name: sorted(points.items()) for name, points in lines.items() if len(points) >= LEAST_COUNTS}
    if not drawn:
        return []
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": [ranks for ranks, _ in points],
            "y": [rate for _, rate in points],
            "line": {"color": COLOURS[i % len(COLOURS)], "width": 2},
            "marker": {"size": 6},
        }
        for i, (name, points) in enumerate(drawn.items())
    ]
    about = layout(title, "ranks", "rate", False)
    about["yaxis"]["rangemode"] = about["xaxis"]["rangemode"] = "tozero"
    return [finish({"data": traces, "layout": about}, "", "flop/s")]


def _patterns(rates: list[ReportedFigure]) -> list[Plot]:
    counts: dict[int, set[int]] = defaultdict(set)
    for each in rates:
        counts[int(each.params.get("ranks") or 0)].add(int(each.params.get("ppn") or 0))
    if not counts:
        return []
    ranks = min(counts, key=lambda count: (-len(counts[count]), abs(count - PRINTED)))
    here = [each for each in rates if each.params.get("ranks") == ranks]
    seen = {str(each.params.get("pattern")) for each in here}
    names = [name for name in map(str, benchmark("patterns").parameters["pattern"].choices) if name in seen]
    if len(names) < LEAST_COUNTS:
        return []
    traces = []
    for i, (per_node, figures) in enumerate(_by_node(here)):
        best: dict[str, float] = defaultdict(float)
        for each in figures:
            name = str(each.params.get("pattern"))
            best[name] = max(best[name], each.shown or 0.0)
        traces.append(
            {
                "type": "bar",
                "name": per_node.removeprefix(", ") or f"{ranks} ranks",
                "x": names,
                "y": [best.get(name) for name in names],
                "marker": {"color": COLOURS[i % len(COLOURS)]},
            }
        )
    about = layout(f"communication patterns on {ranks} ranks (figures 6.5 and 6.9)", "", "greatest rate", False)
    about["xaxis"] |= {"type": "category", "tickangle": -35}
    about["barmode"] = "group"
    about["switch"] = False
    about["yaxis"]["rangemode"] = "tozero"
    return [finish({"data": traces, "layout": about}, None, "B/s")]


SECTION = ReportSection(order=90, of_benchmark=BenchmarkView(plots=plots))
