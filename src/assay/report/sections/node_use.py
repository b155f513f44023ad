"""What each node did while a run lasted: processors, memory and network, from the looks that its launches took.

Between two looks, also those of different launches, a node did what the difference of its counters says. What disturbed
the run is drawn over it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

from assay.analysis.node_use import Look, NodeUse, use_of
from assay.document.cause import DisturbanceCause
from assay.document.grid import Grid, grid
from assay.document.params import Plot
from assay.document.run_document import Document
from assay.report.registry import ReportSection, RunSource, RunView, only
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout
from assay.report.render.sparks import spark
from assay.report.units import human
from assay.stored.launch_file import LaunchFile

MOST_DRAWN = 8  # nodes in a picture: the busiest
MOST_LISTED = 64  # in the table
MOST_MARKED = 20  # causes
BARS = 16  # of a node's time on the terminal
KINDS = (("processor", "processors busy", "%"), ("memory", "memory in use", "%"), ("network", "network", "B/s"))
PALE = "rgba(217,98,43,0.16)"
TITLE = "Nodes during the run"


def nodes_over_time(files: Iterable[LaunchFile]) -> tuple[list[NodeUse], float | None]:
    """Each node that was looked at twice, by name, and when the first look was (s since 1970)."""
    looks: dict[str, list[Look]] = defaultdict(list)
    for file in files:
        for each in file.content.looks:
            traffic = each.received + each.sent
            looks[each.host].append((each.time, each.busy, each.all, each.used, each.memory, traffic))
    if not looks:
        return [], None
    times = [look[0] for of in looks.values() for look in of]
    begun = min(times)
    made = [use_of(node, sorted(of), begun, max(times) - begun) for node, of in sorted(looks.items())]
    return [each for each in made if each.begins], begun


def table(document: Document) -> Grid | None:
    """Each node's mean and greatest use; None where nobody looked."""
    nodes = document.nodes_over_time or []
    if not nodes:
        return None
    rows = [
        (
            each.node,
            human(each.ends[-1] - each.begins[0], "s", 3),
            f"{_mean(each, each.processor):.0%}",
            f"{max(each.processor):.0%}",
            f"{max(each.memory):.0%}",
            human(_mean(each, each.network), "B/s", 3),
            human(max(each.network), "B/s", 3),
        )
        for each in _busiest(nodes)[:MOST_LISTED]
    ]
    headings = ("node", "seen for", "processors, mean", "most", "memory, most", "network, mean", "most")
    left_out = f"{len(nodes) - MOST_LISTED} more nodes are in the JSON. " if len(nodes) > MOST_LISTED else ""
    note = f"{left_out}Of the whole node, others' work included; the network both ways, without the loopback."
    return grid(TITLE, headings, rows, note=note)


def brief(document: Document) -> Grid | None:
    """The busiest nodes over time in bars, for a terminal; None where nobody looked twice within the run."""
    nodes = _busiest(document.nodes_over_time or [])
    if all(len(each.begins) < 2 for each in nodes):
        return None
    begin, end = min(each.begins[0] for each in nodes), max(each.ends[-1] for each in nodes)
    most = max(max(each.network) for each in nodes)

    def bars(each: NodeUse, values: list[float], top: float) -> str:
        times = [begin + (end - begin) * i / BARS for i in range(BARS + 1)]
        means = [_mean_within(each, values, *span) for span in pairwise(times)]
        return spark([mean / top if mean is not None and top > 0 else mean for mean in means], BARS)

    rows = [
        (
            each.node,
            bars(each, each.processor, 1),
            f"{_mean(each, each.processor):.0%}",
            bars(each, each.memory, 1),
            f"{max(each.memory):.0%}",
            bars(each, each.network, most),
            human(max(each.network), "B/s", 3),
        )
        for each in nodes[:MOST_DRAWN]
    ]
    headings = ("node", "processors", "mean", "memory", "most", "network", "most")
    more = f"; {len(nodes) - MOST_DRAWN} more nodes in the report" if len(nodes) > MOST_DRAWN else ""
    note = f"Over {human(end - begin, 's', 3)} from left to right{more}."
    return grid(TITLE, headings, rows, note=note)


def plots(document: Document) -> list[Plot]:
    """Three pictures over the run's time; none where nobody looked twice within it."""
    nodes = _busiest(document.nodes_over_time or [])
    if not nodes or document.begun is None or all(len(each.begins) < 2 for each in nodes):
        return []
    shown = sorted(nodes[:MOST_DRAWN], key=lambda each: each.node)
    more = f" ({len(nodes) - len(shown)} more nodes in the JSON)" if len(nodes) > len(shown) else ""
    made = []
    for key, words, unit in KINDS:
        traces = [_steps(each, getattr(each, key), i) for i, each in enumerate(shown)]
        about = layout(f"{words} by node{more}", "since the run began", words, False)
        about["yaxis"]["rangemode"] = "tozero"
        about["shapes"] = _bands(document.causes, {each.node for each in shown}, document.begun)
        about["switch"] = False
        made.append(finish({"data": traces, "layout": about}, "s", unit, 10))
    return made


def _steps(each: NodeUse, values: list[float], i: int) -> Plot:
    x, y = [], []
    for begin, end, value in zip(each.begins, each.ends, values, strict=True):
        x += [begin, end]
        y += [value, value]
    line = {"color": COLOURS[i % len(COLOURS)], "width": 1.5}
    return {"type": "scatter", "mode": "lines", "name": each.node, "x": x, "y": y, "line": line}


def _bands(causes: Iterable[DisturbanceCause], nodes: set[str], begun: float) -> list[Plot]:
    """A pale band from when to when something disturbed one of the nodes."""
    return [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": cause.begin - begun,
            "x1": cause.end - begun,
            "y0": 0,
            "y1": 1,
            "line": {"width": 0},
            "fillcolor": PALE,
            "layer": "below",
            "name": cause.text,
        }
        for cause in list(causes)[:MOST_MARKED]
        if cause.begin is not None and cause.end is not None and (not cause.host or cause.host in nodes)
    ]


def _busiest(nodes: list[NodeUse]) -> list[NodeUse]:
    return sorted(nodes, key=lambda each: (-_mean(each, each.processor), each.node))


def _mean(each: NodeUse, values: list[float]) -> float:
    spans = [end - begin for begin, end in zip(each.begins, each.ends, strict=True)]
    return fmean(values, weights=spans)


def _mean_within(each: NodeUse, values: list[float], begin: float, end: float) -> float | None:
    """The mean over that part of the time; None where the node was not looked at."""
    ends = zip(each.begins, each.ends, values, strict=True)
    shared = [(min(end, last) - max(begin, first), value) for first, last, value in ends]
    seen = [(span, value) for span, value in shared if span > 0]
    return fmean([value for _, value in seen], weights=[span for span, _ in seen]) if seen else None


def _on_terminal(document: Document) -> list[Grid]:
    found = brief(document)
    return [] if found is None or (len(document.benchmarks) == 1 and len(found.rows) < 2) else [found]


def _complete(source: RunSource, document: Document) -> Document:
    use, begun = nodes_over_time(file for _, file in source.tasks)
    return replace(document, nodes_over_time=use or None, begun=begun)


SECTION = ReportSection(
    order=740,
    complete=_complete,
    of_run=RunView(
        title=lambda document: TITLE,
        anchor="nodes",
        tables=lambda document: only(table(document)),
        terminal_tables=_on_terminal,
        plots=plots,
        plot_note="Pale bands: something disturbed a node (see the table of causes).",
    ),
)
