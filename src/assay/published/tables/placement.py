"""Ranks per node in the papers' tables: what a run measured of unlike numbers has its own columns or rows."""

from __future__ import annotations

from assay.document.reported_figure import ReportedFigure


def per_node(figure: ReportedFigure) -> int:
    """Ranks per node of a figure where its run measured several numbers of them; else 0."""
    return int(figure.params.get("ppn") or 0)


def on_nodes(count: int) -> str:
    """A heading's text on them, as van der Steen 2000's: a CPU is a rank; nothing where there is one number."""
    return f", {count} CPU{'s' * (count > 1)}/node" if count else ""
