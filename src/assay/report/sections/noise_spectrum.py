"""The spectrum of a node's noise: power over frequency, what passes chance, and the names of the periods that do."""

from __future__ import annotations

from collections.abc import Iterator

from assay.document.params import Plot
from assay.document.run_document import Document
from assay.document.run_verdict import Finding
from assay.document.section import Section
from assay.report.judge.bounds import percent, values
from assay.report.judge.finding_lines import finding
from assay.report.registry import BenchmarkSource, BenchmarkView, Derived, ReportSection
from assay.report.render.axes import finish
from assay.report.render.plots import COLOURS, layout

MOST_NODES = 8  # spectra in one picture
MOST_POINTS = 2000  # of a spectrum that are drawn; of neighbours the greatest, so that no peak is lost


def plots(section: Section) -> list[Plot]:
    """One picture of the spectra of the first nodes; none without a spectrum."""
    nodes = [(node, node.spectrum) for node in section.noise or () if node.spectrum is not None][:MOST_NODES]
    if not nodes:
        return []
    traces: list[Plot] = []
    for i, (node, spectrum) in enumerate(nodes):
        colour = COLOURS[i % len(COLOURS)]
        frequency, power = _thinned(spectrum.frequency, spectrum.power)
        traces.append(_line(node.host, frequency, power, colour, "solid"))
        ends = [frequency[0], frequency[-1]]
        traces.append(_line("limit of chance", ends, [spectrum.limit] * 2, colour, "dash"))
        traces[-1]["showlegend"] = i == 0
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "showlegend": False,
                "x": [peak.frequency for peak in node.peaks],
                "y": [peak.power for peak in node.peaks],
                "text": [f"{peak.frequency:.4g} Hz" for peak in node.peaks],
                "hovertext": [peak.cause or "cause not counted by the kernel" for peak in node.peaks],
                "textposition": "top center",
                "marker": {"size": 8, "color": colour, "symbol": "diamond"},
            }
        )
    drawn = layout("spectrum of noise", "frequency", "power over its mean", True)
    return [finish({"data": traces, "layout": drawn}, "Hz", "")]


def _line(name: str, x: list[float], y: list[float], colour: str, dash: str) -> Plot:
    line = {"color": colour, "width": 1, "dash": dash}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line}


def _thinned(frequency: list[float], power: list[float]) -> tuple[list[float], list[float]]:
    """Of so many neighbours the greatest; without the frequency 0, which a logarithmic axis cannot hold."""
    pairs = [(f, p) for f, p in zip(frequency, power, strict=True) if f > 0 and p > 0]
    step = -(-len(pairs) // MOST_POINTS) or 1
    kept = [max(pairs[at : at + step], key=lambda pair: pair[1]) for at in range(0, len(pairs), step)]
    return [f for f, _ in kept], [p for _, p in kept]


NOISY = 0.01  # share of the time that noise takes: more is a finding


def _derive(source: BenchmarkSource) -> Derived:
    if not source.record.extra.get("traces"):
        return Derived()
    from assay.report.derive.node_noise import noise_by_node

    nodes = noise_by_node(source.run, source.record.name)
    notes = [f"{node.host}: {text}" if len(nodes) > 1 else text for node in nodes for text in node.text]
    return Derived(values={"noise": nodes or None}, notes=notes)


def _findings(document: Document) -> Iterator[Finding]:
    for _, value in values(document, "noise", "lost", "median", method="work"):
        if value > NOISY:
            yield finding(
                45,
                "limit",
                f"noise takes {percent(value)} of the processors' time",
                "see its causes under threads; isolate processors, or leave one to the system",
            )


SECTION = ReportSection(
    order=360,
    derive=_derive,
    findings=_findings,
    of_benchmark=BenchmarkView(
        terminal_lines=lambda section: [f"{node.host}: {text}" for node in section.noise or () for text in node.text],
        plots=plots,
    ),
)
