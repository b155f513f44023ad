"""The machines of the past beside this one: their tables with this machine's column, their curves under its own."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from assay.analysis.fits import PAPER_SHORT, PAPER_SIZES
from assay.benchmark.record import benchmarks
from assay.document.fits import LineFit
from assay.document.grid import Grid, grid
from assay.document.params import Params
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.catalogue import PublishedCell, cells, load
from assay.papers.tables.echo_case import echo_case
from assay.report.units import human

HYPERCUBES = "dunigan1991_hypercubes"
_RATED = ("ipsc860", "ncube6400")  # of which it quotes LINPACK and the Livermore loops


def curves(section: Section) -> list[Params]:
    """Published rates against length, one curve per machine and hop count, for the benchmarks the record names."""
    made = []
    for benchmark in section.published:
        families: dict[tuple[str, Any], list[PublishedCell]] = defaultdict(list)
        for cell in cells(benchmark=benchmark, metric="rate"):
            if cell.machine and isinstance(cell.params.get("message_B"), int | float) and not math.isnan(cell.value):
                families[cell.machine, cell.params.get("hops")].append(cell)
        for (machine, hops), found in families.items():
            if hops not in (None, 1, 6):
                continue  # as the paper's figure 2: one hop and six
            found.sort(key=lambda cell: float(cell.params["message_B"]))
            made.append(
                {
                    "figure": "rate",
                    "label": f"{machine}{'' if hops is None else f', {hops} hop' + 's' * (hops != 1)} (quoted)",
                    "x": [cell.params["message_B"] for cell in found],
                    "y": [cell.value for cell in found],
                }
            )
    return made


def tables(document: Document) -> list[Grid]:
    """Tables 3 to 7 of the hypercubes' report, each with this machine's column where it measured what they hold."""
    return [
        made
        for table in (_arithmetic, _programs, _single_rates, _memory, _coefficients, _merit)
        if (made := table(document))
    ]


def _machines() -> dict[str, str]:
    order = ("ipsc860", "ipsc1", "ipsc2", "ncube6400", "ncube3200", "vax11-780")
    known = load().machines
    return {name: known[name].name for name in order}


def figure(document: Document, benchmark: str, name: str, **params: Any) -> ReportedFigure | None:
    """Find one median figure of this run by benchmark, name and parameters."""
    for section in document.benchmarks:
        if section.benchmark == benchmark:
            for candidate in section.figures:
                given = candidate.params
                wanted = candidate.name == name and candidate.statistic == "median"
                if wanted and all(str(given.get(key)) == str(value) for key, value in params.items()):
                    return candidate
    return None


def kind(document: Document) -> str:
    """Say what this run's column is: measured, or simulated of a machine that is only described."""
    return document.kind


def _table(
    document: Document, table: str, title: str, own: Callable[[str], tuple[float | None, str]], note: str
) -> Grid | None:
    """Lay out a published table by its rows, this machine in front; None where it has nothing of its own to show."""
    rows_by: dict[str, dict[str, PublishedCell]] = defaultdict(dict)
    for cell in cells(paper=HYPERCUBES, table=table):
        label = cell.metric if cell.benchmark in ("summary", "echo-fit", "malloc") else cell.benchmark
        rows_by[label][cell.machine or ""] = cell
    rows, any_own = [], False
    for label, found in rows_by.items():
        value, unit = own(label)
        any_own |= value is not None
        quoted = [
            human(found[m].value, found[m].unit) if m in found and not math.isnan(found[m].value) else "–"
            for m in _machines()
        ]
        rows.append((label.removeprefix("caltech.").replace("_", " "), human(value, unit), *quoted))
    if not any_own:
        return None
    return grid(title, ("", f"{document.machine} ({kind(document)})", *_machines().values()), rows, note)


def _arithmetic(document: Document) -> Grid | None:
    return _table(
        document,
        "table3",
        "Table 3: arithmetic operation times",
        lambda label: _value(figure(document, "caltech", "time_per_op", **_row(label))),
        "This machine: operation and assignment, the loop subtracted. Others: quoted, Dunigan 1991, Table 3.",
    )


def _programs(document: Document) -> Grid | None:
    return _table(
        document,
        "table4",
        "Table 4: execution times of the test suites",
        lambda label: _value(figure(document, label, "time") or figure(document, label, "time_table4")),
        "100 sieves to 8190; 50,000 Dhrystones; 256,000 repetitions of floatmath; a million Whetstone operations.",
    )


def _single_rates(document: Document) -> Grid | None:
    """Section 3.2's LINPACK and Livermore loops, which the report prints in its text: this machine beside two nodes."""
    own = {
        "linpack": ("LINPACK, 100 equations", figure(document, "linpack", "rate", size=100, code="ours", threads=1)),
        "livermore": ("Livermore loops, harmonic mean", figure(document, "livermore", "rate_harmonic_mean")),
    }
    rows = []
    for benchmark, (title, found) in own.items():
        quoted = {cell.machine: cell for cell in cells(paper=HYPERCUBES, benchmark=benchmark)}
        value, unit = _value(found)
        if value is not None:
            machines = [human(quoted[name].value, quoted[name].unit) for name in _RATED]
            own_text = human(value, unit) if found is None else found.with_marks(human(value, unit))
            rows.append([title, own_text, *machines])
    if not rows:
        return None
    columns = ["", f"this machine ({kind(document)})", *(f"{_machines()[name]} (quoted)" for name in _RATED)]
    return grid(
        "Section 3.2: LINPACK and Livermore loops", columns, rows, "Fortran on one node in the report; C++ here."
    )


def _memory(document: Document) -> Grid | None:
    return _table(
        document,
        "table5",
        "Table 5: node memory capacity",
        lambda label: _value(figure(document, "memory", label)),
        "Available: touched and read back, and what was still free where the time for touching had ended.",
    )


def _coefficients(document: Document) -> Grid | None:
    chosen, which = echo_case(document)
    fit, short = (_papers_fit(document, sizes, chosen) for sizes in (PAPER_SIZES, PAPER_SHORT))
    return _table(
        document,
        "table6",
        "Table 6: least-squares communication coefficients",
        lambda label: (
            (None, "1")
            if fit is None
            else {
                "alpha": (fit.alpha, "s"),
                "beta": (fit.beta, "s/B"),
                "alpha_up_to_100_B": (short.alpha if short else None, "s"),
            }.get(label, (None, "1"))
        ),
        "This machine: ordinary least squares over 8 to 8192 bytes and up to 100, as the paper's; one hop where known."
        + which,
    )


def _papers_fit(document: Document, over: tuple[float, float], chosen: Params) -> LineFit | None:
    for section in document.benchmarks:
        if section.benchmark == "echo":
            for fit in section.fits:
                if not isinstance(fit, LineFit) or fit.estimator != "ordinary":
                    continue
                alike = all(fit.params.get(key) == value for key, value in chosen.items())
                if over[0] <= fit.over[0] and fit.over[1] <= over[1] and alike:
                    return fit
    return None


def _merit(document: Document) -> Grid | None:
    chosen, which = echo_case(document)

    def own(label: str) -> tuple[float | None, str]:
        short, long = (
            figure(document, "echo", name, bytes=n, **chosen) for name, n in (("half_round_trip", 8), ("rate", 8192))
        )
        multiply = figure(document, "caltech", "time_per_op", **_row("caltech.real8_mul"))
        compound = figure(document, "caltech", "time_per_op", **_row("caltech.real8_compound"))
        if label == "rate_8192_B":
            return _value(long)
        if label == "time_8_B":
            return _value(short)
        if label == "time_8_B_multiply":
            return _value(multiply)
        if label == "rate_flop":
            return (1 / compound.value, "flop/s") if compound and compound.value else (None, "1")
        if label == "comm_comp_ratio" and short and multiply and short.value and multiply.value:
            return short.value / multiply.value, "1"
        return None, "1"

    return _table(
        document,
        "table7",
        "Table 7: figures of merit",
        own,
        "Rate of 8192 bytes, flop rate of the compound expression, time of 8 bytes, of a multiply, their ratio."
        + which,
    )


def _value(found: ReportedFigure | None) -> tuple[float | None, str]:
    return (None, "1") if found is None else (found.value, found.unit)


def _row(label: str) -> Params:
    """Return the case that a published row compares with, from the record of the program (`[row.NAME] id = …`)."""
    for record in benchmarks().values():
        for row in record.extra.get("row", {}).values():
            if row["id"] == label:
                return {key: value for key, value in row.items() if key != "id"}
    return {"operation": "none"}
