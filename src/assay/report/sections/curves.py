"""Figures over a swept parameter, with fits, and published machines that a reader can switch on."""

from __future__ import annotations

from assay.document.params import Plot
from assay.document.section import Section
from assay.published.tables import registry
from assay.report.registry import BenchmarkView, ReportSection
from assay.report.render.plots import curves


def _plots(section: Section) -> list[Plot]:
    if section.matrix:
        return []
    return curves(section, [curve for each in registry.published() for curve in each.curves(section)])


SECTION = ReportSection(order=430, of_benchmark=BenchmarkView(plots=_plots))
