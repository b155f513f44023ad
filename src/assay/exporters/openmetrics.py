"""OpenMetrics 1.0, as node_exporter's textfile collector and Prometheus read it: a gauge for each figure and unit.

Source: https://prometheus.io/docs/specs/om/open_metrics_spec/. Values are in SI units, which the metric's name ends in.
Only what may be shown as an estimate is written: an invalid figure and a bound have no value, so no sample. The state
of each figure is a gauge of its own with the same labels: as a label it would begin another time series at each
disturbance. It is a number, as node_exporter refuses OpenMetrics' type stateset.
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
STATES = ("clean", "disturbed", "bound", "invalid")  # 0 to 3
STATE_HELP = "State of the figure: " + ", ".join(f"{number} {state}" for number, state in enumerate(STATES)) + "."

States = dict[str, dict[str, int]]  # by metric and labels


def write(source: ExportSource, out: TextIO) -> int:
    """Write every figure with a value; how many samples of figures there are."""
    document = source.document
    families: dict[tuple[str, str], list[ReportedFigure]] = defaultdict(list)
    states: Counter[tuple[str, str]] = Counter()
    of_figures: States = defaultdict(dict)
    for section in document.benchmarks:
        for figure in section.figures:
            states[section.benchmark, figure.state] += 1
            of, labels = of_figures[_name(figure, "state")], _labels(_case(figure))
            of[labels] = max(of.get(labels, 0), STATES.index(figure.state))
            if figure.state in WRITTEN and figure.value is not None:
                families[_name(figure, _unit(figure.unit)), _unit(figure.unit)].append(figure)
    for (name, unit), figures in families.items():
        out.write(f"# TYPE {name} gauge\n")
        if unit:
            out.write(f"# UNIT {name} {unit}\n")
        out.write(f"# HELP {name} {_escaped(figures[0].help or f'{figures[0].benchmark} {figures[0].name}')}\n")
        for figure in figures:
            out.write(f"{name}{_labels(_case(figure) | {'statistic': figure.statistic})} {figure.value!r}\n")
    for name, of in of_figures.items():
        out.write(f"# TYPE {name} gauge\n# HELP {name} {STATE_HELP}\n")
        out.writelines(f"{name}{labels} {state}\n" for labels, state in of.items())
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


def _case(figure: ReportedFigure) -> dict[str, object]:
    """Labels of a figure's case, and of the node where it is of one."""
    return figure.given | ({} if figure.host is None else {"host": figure.host})


def _name(figure: ReportedFigure, end: str) -> str:
    """`assay_BENCHMARK_FIGURE_END`, each in what a metric's name may hold; the end is a unit, or `state`."""
    parts = ["assay", figure.benchmark, figure.name, end]
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
