"""The cells that a fit of a run uses: those that `assay.fitting` takes, by the rule of halves.

The fit takes of some benchmarks one family of lengths only, and of a kernel the cell with the largest working set. All
their cells that it might take count as used, so that none that was used is ever evidence.
"""

from __future__ import annotations

from assay.benchmark.record import Benchmark, among
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.fitting.families import cells, echoes, largest

ANY_FAMILY = (
    ("message-rate", "message_rate"),
    ("bandwidth", "rate"),
    *(("loggp", figure) for figure in ("gap", "send_overhead", "receive_overhead")),
    ("fan-in", "rate"),
)


def used_cells(document: Document) -> list[ReportedFigure]:
    """The figures of a run's document that its fit uses."""
    sections = document.benchmarks
    echo, near = echoes(sections)
    found = [*echo, *near, *largest(cells(sections, "self", "time"))]
    found += [each for name, figure in ANY_FAMILY for each in cells(document.benchmarks, name, figure)]
    records = among({section.benchmark for section in document.benchmarks})
    for section in document.benchmarks:
        record = records.get(section.benchmark)
        if record is not None and _shows_a_rate(record):
            found += [each for each in section.figures if each.main and int(each.params.get("threads") or 1) == 1]
    return found


def _shows_a_rate(record: Benchmark) -> bool:
    """Whether it is a node program whose cases on one processor are the rate of a kernel."""
    return record.described is not None and record.described.kernel is not None
