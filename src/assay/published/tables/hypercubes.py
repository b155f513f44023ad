"""The machines of the past beside this one: their tables with this machine's column, their curves under its own."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from assay.analysis.fits import PAPER_SHORT, PAPER_SIZES
from assay.document.fits import LineFit
from assay.document.grid import Grid, grid
from assay.document.params import Parameters
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.document.section import Section
from assay.machine.catalogue import PublishedCell, cells, load
from assay.published.tables.echo_case import echo_case
from assay.published.tables.merit import figure, merits, row_of
from assay.published.tables.own_numbers import papers_fit
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

HYPERCUBES, DELTA = "dunigan1991_hypercubes", "dunigan1991_delta"
MACHINES = ("ipsc860", "ipsc1", "ipsc2", "ncube6400", "ncube3200", "vax11-780")
DELTAS = ("delta", "ipsc860", "ncube6400")  # the columns of the DELTA's report
_RATED = ("ipsc860", "ncube6400")  # of which it quotes LINPACK and the Livermore loops


def curves(section: Section) -> Sequence[Parameters]:
    """Published rates against length, one curve per machine and hop count, for the benchmarks the record names."""
    made = []
    for benchmark in section.published:
        families: dict[tuple[str, int | None], list[PublishedCell]] = defaultdict(list)
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
        for table in (_arithmetic, _programs, _single_rates, _memory, _coefficients, _merit, _deltas, _deltas_merit)
        if (made := table(document))
    ]


def _names(machines: Sequence[str]) -> list[str]:
    known = load().machines
    return [known[name].name for name in machines]


def kind(document: Document) -> str:
    """Say what this run's column is: measured, or simulated of a machine that is only described."""
    return document.kind


def beside(
    document: Document,
    table: str,
    title: str,
    own: Callable[[str], tuple[float | None, str]],
    note: str,
    paper: str = HYPERCUBES,
    machines: Sequence[str] = MACHINES,
    quoted_too: Collection[str] = (),
) -> Grid | None:
    """Lay out a published table by its rows, this machine in front; None where it has nothing of its own to show.

    `quoted_too`: rows whose own value was quoted, as the machine is only described.
    """
    rows_by: dict[str, dict[str, PublishedCell]] = defaultdict(dict)
    for cell in cells(paper=paper, table=table):
        label = cell.metric if cell.benchmark in ("summary", "echo-fit", "malloc") else cell.benchmark
        rows_by[label][cell.machine or ""] = cell
    rows, any_own = [], False
    for label, found in rows_by.items():
        value, unit = own(label)
        any_own |= value is not None and label not in quoted_too
        quoted = [
            human(found[m].value, found[m].unit) if m in found and not math.isnan(found[m].value) else "–"
            for m in machines
        ]
        text = human(value, unit) + (" (quoted)" if label in quoted_too else "")
        rows.append((label.removeprefix("caltech.").replace("_", " "), text, *quoted))
    if not any_own:
        return None
    return grid(title, ("", f"{document.machine} ({kind(document)})", *_names(machines)), rows, note)


def _arithmetic(document: Document) -> Grid | None:
    return beside(
        document,
        "table3",
        "Table 3: arithmetic operation times",
        lambda label: _value(figure(document, "caltech", "time_per_op", **row_of(label))),
        "This machine: operation and assignment, the loop subtracted. Others: quoted, Dunigan 1991, Table 3.",
    )


def _programs(document: Document) -> Grid | None:
    return beside(
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
    columns = ["", f"this machine ({kind(document)})", *(f"{load().machines[name].name} (quoted)" for name in _RATED)]
    return grid(
        "Section 3.2: LINPACK and Livermore loops", columns, rows, "Fortran on one node in the report; C++ here."
    )


def _memory(document: Document) -> Grid | None:
    return beside(
        document,
        "table5",
        "Table 5: node memory capacity",
        lambda label: _value(figure(document, "memory", label)),
        "Available: touched and read back, and what was still free where the time for touching had ended.",
    )


def _coefficients(document: Document) -> Grid | None:
    own, note = _fitted(document)
    return beside(document, "table6", "Table 6: least-squares communication coefficients", own, note)


def _deltas(document: Document) -> Grid | None:
    own, note = _fitted(document)
    title = "DELTA, Table 3.1: least-squares communication coefficients"
    return beside(document, "table3.1", title, own, note, DELTA, DELTAS)


def _fitted(document: Document) -> tuple[Callable[[str], tuple[float | None, str]], str]:
    """This run's coefficients by a table's rows, and a note on them."""
    chosen, which = echo_case(document)
    fit, short = (_of_papers(document, sizes, chosen) for sizes in (PAPER_SIZES, PAPER_SHORT))
    own: dict[str, tuple[float | None, str]] = {}
    if fit is not None:
        own = {"alpha": (fit.alpha, "s"), "beta": (fit.beta, "s/B")}
        own["alpha_up_to_100_B"] = (short.alpha if short else None, "s")
    note = "This machine: ordinary least squares over 8 to 8192 bytes and up to 100, as the paper's; one hop "
    note += "where known."
    return lambda label: own.get(label, (None, "1")), note + which


def _of_papers(document: Document, over: tuple[float, float], chosen: Parameters) -> LineFit | None:
    sections = (section for section in document.benchmarks if section.benchmark == "echo")
    return next((fit for section in sections if (fit := papers_fit(section, over, chosen)) is not None), None)


def _merit(document: Document) -> Grid | None:
    return _of_merit(document, "table7", "Table 7: figures of merit", HYPERCUBES, MACHINES)


def _deltas_merit(document: Document) -> Grid | None:
    return _of_merit(document, "table5.1", "DELTA, Table 5.1: figures of merit", DELTA, DELTAS)


def _of_merit(document: Document, table: str, title: str, paper: str, machines: Sequence[str]) -> Grid | None:
    _, which = echo_case(document)
    found = merits(document)
    quoted = {label for label, each in found.items() if each.base is None}
    note = "Rate of 8192 bytes, flop rate of the compound expression, time of 8 bytes, of a multiply, their ratio."
    note += which
    if quoted:
        note += " Of a described machine the multiply and the flop rate are quoted, and its ratio is by them."

    def own(label: str) -> tuple[float | None, str]:
        return (found[label].value, found[label].unit) if label in found else (None, "1")

    return beside(document, table, title, own, note, paper, machines, quoted)


def _value(found: ReportedFigure | None) -> tuple[float | None, str]:
    return (None, "1") if found is None else (found.value, found.unit)


ENTRY = PublishedTables(order=10, tables=tables, curves=curves)
