"""This machine's measured curves, for the pictures that have the same axes."""

from __future__ import annotations

from assay.document.run_document import Document
from assay.validation.pictures.pictures import Picture, Series

# picture -> benchmark, figure and parameter along the axis
SAME: dict[str, tuple[str, str, str]] = {
    "fig2": ("echo", "rate", "bytes"),
    "fig4": ("self", "rate", "bytes"),
    "fig3.1": ("echo", "rate", "bytes"),
    "fig3.2": ("echo", "half_round_trip", "bytes"),
    "fig4.1": ("echo", "half_round_trip", "bytes"),
    "overlay": ("echo", "rate", "bytes"),
}


def curves(document: Document, picture: Picture) -> list[Series]:
    """The measured curve within the picture's own range of lengths; nothing where it was not measured."""
    wanted = SAME.get(picture.name)
    if wanted is None or not picture.series:
        return []
    benchmark, figure, x = wanted
    low = min(point[0] for series in picture.series for point in series.points)
    high = max(point[0] for series in picture.series for point in series.points)
    points = sorted(
        (float(found.params[x]), found.value)
        for section in document.benchmarks
        if section.benchmark == benchmark
        for found in section.figures
        if found.name == figure and found.statistic == "median" and found.value
        if isinstance(found.params.get(x), int | float) and low <= found.params[x] <= high
    )
    label = "where this was written (measured)"
    return [Series(label, tuple(points), label, "--")] if points else []
