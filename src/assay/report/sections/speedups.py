"""Speedup over the count of processors, with what perfect speedup would be and the laws that were fitted to it."""

from __future__ import annotations

from assay.document.fits import SpeedupFit, SpeedupLawFit
from assay.document.params import Plot
from assay.document.section import Section
from assay.report.registry import BenchmarkView, ReportSection
from assay.report.render.plots import COLOURS, layout

NAMES = {"amdahl": "Amdahl's law", "gustafson": "Gustafson's law", "universal": "universal scalability law"}
STEPS = 40


def plots(section: Section) -> list[Plot]:
    """Draw all families of a benchmark in one picture; [] where no speedup was found."""
    measured = [fit for fit in section.fits if isinstance(fit, SpeedupFit)]
    if not measured:
        return []
    greatest = max(fit.processors[-1] for fit in measured)
    traces: list[Plot] = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "perfect",
            "x": [1, greatest],
            "y": [1, greatest],
            "line": {"color": "#9ca3af", "dash": "dot", "width": 1.5},
            "hoverinfo": "skip",
        }
    ]
    for i, fit in enumerate(measured):
        label = ", ".join(f"{key} {value}" for key, value in fit.params.items() if value is not None)
        traces.append(_points(fit, label, COLOURS[i % len(COLOURS)]))
        laws = [law for law in section.fits if isinstance(law, SpeedupLawFit) and law.params == fit.params]
        traces += [_law(law, label, greatest, COLOURS[i % len(COLOURS)], law is laws[-1]) for law in laws]
    by = "ranks" if section.part == "applications" else "threads"
    drawn = layout(f"speedup over {measured[0].base}, by {by}", "", "speedup", False)
    drawn["xaxis"] |= {"dtick": 1} if greatest <= 16 else {}
    drawn["yaxis"]["rangemode"] = "tozero"
    drawn["height"] = 360 + 22 * len(measured)
    drawn["switch"] = False
    return [{"data": traces, "layout": drawn}]


def _points(fit: SpeedupFit, label: str, colour: str) -> Plot:
    found = fit.speedup
    ends = [one.ci95 or one.range for one in found]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": label,
        "x": fit.processors,
        "y": [one.value for one in found],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [high - one.value for one, (_, high) in zip(found, ends, strict=True)],
            "arrayminus": [one.value - low for one, (low, _) in zip(found, ends, strict=True)],
        },
        "marker": {"color": colour, "size": 8},
    }


def _law(law: SpeedupLawFit, label: str, greatest: float, colour: str, shown: bool) -> Plot:
    sigma, kappa = law.coefficients["sigma"], law.coefficients.get("kappa", 0.0)
    counts = [1 + (greatest - 1) * i / STEPS for i in range(STEPS + 1)]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{label}: {NAMES[law.law]}",
        "x": counts,
        "y": [
            p - sigma * (p - 1) if law.law == "gustafson" else p / (1 + sigma * (p - 1) + kappa * p * (p - 1))
            for p in counts
        ],
        "line": {"color": colour, "width": 1.5, "dash": "solid" if law.law == "universal" else "dash"},
        "visible": True if shown else "legendonly",
        "hoverinfo": "name",
    }


SECTION = ReportSection(order=420, of_benchmark=BenchmarkView(plots=plots))
