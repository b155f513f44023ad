"""The figures of merit of Table 7 (Dunigan, hypercubes) and Table 5.1 (DELTA), of a run: messages and arithmetic.

A described machine multiplies nothing: what was printed of its multiply and its flop rate takes their place, quoted.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.benchmark.record import benchmarks
from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.machine.catalogue import cells
from assay.published.tables.echo_case import echo_case
from assay.published.tables.quoted import published

MULTIPLY, COMPOUND = "caltech.real8_mul", "caltech.real8_compound"


@dataclass(frozen=True)
class Merit:
    """One row (SI unit); `base`: the figure of the run whose case it is, None where its value is quoted.

    `of`: in words, what was quoted for it.
    """

    value: float
    unit: str
    base: ReportedFigure | None
    of: str | None = None


def figure(document: Document, benchmark: str, name: str, **params: object) -> ReportedFigure | None:
    """Find one median figure of this run by benchmark, name and parameters."""
    for section in document.benchmarks:
        if section.benchmark == benchmark:
            for candidate in section.figures:
                given = candidate.params
                wanted = candidate.name == name and candidate.statistic == "median"
                if wanted and all(str(given.get(key)) == str(value) for key, value in params.items()):
                    return candidate
    return None


def row_of(label: str) -> Parameters:
    """Return the case that a published row compares with, from the record of the program (`[row.NAME] id = …`)."""
    for record in benchmarks().values():
        if label in record.published_cases:
            return dict(record.published_cases[label])
    return {"operation": "none"}


def merits(document: Document) -> dict[str, Merit]:
    """The rows that this run can fill, by the published metric."""
    chosen, _ = echo_case(document)
    short, long = (
        figure(document, "echo", name, bytes=n, **chosen) for name, n in (("half_round_trip", 8), ("rate", 8192))
    )
    found: dict[str, Merit] = {}
    if long is not None and long.value:
        found["rate_8192_B"] = Merit(long.value, long.unit, long)
    if short is not None and short.value:
        found["time_8_B"] = Merit(short.value, short.unit, short)
    multiply = _arithmetic(document, MULTIPLY, "time_8_B_multiply")
    if multiply is not None:
        found["time_8_B_multiply"] = multiply
    flops = _flops(document)
    if flops is not None:
        found["rate_flop"] = flops
    if multiply is not None and short is not None and short.value:
        found["comm_comp_ratio"] = Merit(short.value / multiply.value, "1", short, multiply.of)
    return found


def _flops(document: Document) -> Merit | None:
    compound = figure(document, "caltech", "time_per_op", **row_of(COMPOUND))
    if compound is not None and compound.value:
        return Merit(1 / compound.value, "flop/s", compound)
    return _quoted(document, "rate_flop")


def _arithmetic(document: Document, row: str, metric: str) -> Merit | None:
    own = figure(document, "caltech", "time_per_op", **row_of(row))
    return Merit(own.value, own.unit, own) if own is not None and own.value else _quoted(document, metric)


def _quoted(document: Document, metric: str) -> Merit | None:
    """What was printed of a described machine's arithmetic; None of a measured one, which has its own."""
    machine = published(document.machine) if document.described and document.machine else None
    printed = cells(machine=machine.id, benchmark="summary", metric=metric) if machine is not None else []
    if not printed:
        return None
    return Merit(printed[0].value, printed[0].unit, None, f"its multiply quoted of {printed[0].source}")
