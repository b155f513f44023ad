"""OpenMetrics 1.0, as node_exporter's textfile collector and Prometheus read it: a gauge for each figure and unit.

Source: https://prometheus.io/docs/specs/om/open_metrics_spec/. Values are in SI units, which the metric's name ends in.
Only what may be shown as an estimate is written: an invalid figure and a bound have no value, so no sample; how many
there are of each state is a metric of its own, so that an absence is noticed.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TextIO

from assay.document.reported_figure import ReportedFigure
from assay.exporters import Exporter, ExportSource

UNITS = {"s": "seconds", "B": "bytes", "B/s": "bytes_per_second", "flop/s": "flops_per_second", "1": "ratio",
         "W": "watts", "J": "joules", "Hz": "hertz"}  # fmt: skip
WRITTEN = ("clean", "disturbed")


def write(source: ExportSource, out: TextIO) -> int:
    """Write every figure with a value; how many samples of figures there are."""
    document = source.document
    families: dict[tuple[str, str], list[ReportedFigure]] = defaultdict(list)
    states: Counter[tuple[str, str]] = Counter()
    for section in document.benchmarks:
        for figure in section.figures:
            states[section.benchmark, figure.state] += 1
            if figure.state in WRITTEN and figure.value is not None:
                families[_name(figure), _unit(figure.unit)].append(figure)
    for (name, unit), figures in families.items():
        out.write(f"# TYPE {name} gauge\n")
        if unit:
            out.write(f"# UNIT {name} {unit}\n")
        out.write(f"# HELP {name} {_escaped(figures[0].help or f'{figures[0].benchmark} {figures[0].name}')}\n")
        for figure in figures:
            labels = {**figure.params, "statistic": figure.statistic, "state": figure.state}
            if figure.host is not None:
                labels["host"] = figure.host
            out.write(f"{name}{_labels(labels)} {figure.value!r}\n")
    out.write("# TYPE assay_figures gauge\n# HELP assay_figures Figures of the run by benchmark and state.\n")
    for (benchmark, state), count in sorted(states.items()):
        out.write(f"assay_figures{_labels({'benchmark': benchmark, 'state': state})} {count}\n")
    created = source.run.about.get("created")
    if created is not None:
        out.write("# TYPE assay_run_created_seconds gauge\n# UNIT assay_run_created_seconds seconds\n")
        out.write("# HELP assay_run_created_seconds When the run was made, Unix time.\n")
        out.write(f"assay_run_created_seconds{_labels({'run': document.run})} {float(created)!r}\n")
    out.write("# EOF\n")
    return sum(map(len, families.values()))


def _unit(unit: str) -> str:
    return UNITS.get(unit) or re.sub(r"\W+", "_", unit.replace("/", "_per_")).strip("_")


def _name(figure: ReportedFigure) -> str:
    """`assay_BENCHMARK_FIGURE_UNIT`, each in what a metric's name may hold."""
    parts = ["assay", figure.benchmark, figure.name, _unit(figure.unit)]
    return "_".join(re.sub(r"[^a-zA-Z0-9]+", "_", part).strip("_") for part in parts if part)


def _labels(labels: dict[str, object]) -> str:
    written = {}
    for key, value in labels.items():
        name = re.sub(r"[^a-zA-Z0-9_]", "_", key)
        written[name if name[0].isalpha() else f"_{name}"] = _escaped(str(value), quotes=True)
    return "{" + ",".join(f'{key}="{value}"' for key, value in sorted(written.items())) + "}"


def _escaped(text: str, quotes: bool = False) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"')


EXPORTER = Exporter("openmetrics", "OpenMetrics", (".prom", ".txt"), write, of_figures=True)
