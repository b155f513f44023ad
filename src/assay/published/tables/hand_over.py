"""What hands data from process to process here, beside two machines whose file and network service it limited.

The DELTA's network nodes: TCP by length of message (Dunigan, Communication performance of the Intel Touchstone DELTA
mesh, section 4). The Paragon's NORMA IPC, which carries its parallel file system (Dunigan 1995, section 4, Figure 4.2).
"""

from __future__ import annotations

from assay.document.grid import Grid, grid
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.machine.catalogue import PublishedCell, cells, load
from assay.published.tables.hypercubes import kind
from assay.published.tables.registry import PublishedTables
from assay.report.units import human

DELTA, PARAGON = "dunigan1991_delta", "dunigan1995_paragon_mp"
METHODS = {
    "pipe": "pipe",
    "socket": "Unix socket",
    "tcp": "TCP to 127.0.0.1",
    "shared": "shared memory",
    "readv": "process_vm_readv",
    "copy": "a copy within one process",
}
TCP_NOTE = (
    "Here: a stream of messages to another process of this host by 127.0.0.1, TCP_NODELAY, no wire between. DELTA: "
    "quoted; an 80386 node with an Ethernet interface, about the rate of the iPSC/860's; only the two ends are printed."
)
WITHIN = "copy"  # a method within one process
IPC_NOTE = (
    "Here: the greatest median rate over lengths; the first row is the greatest of all ways to another process. "
    "Paragon: quoted; NORMA IPC carries the parallel file system (PFS), whose rates for one node (2 MB records, 64 I/O "
    "nodes) are in the last rows: the report takes the IPC to limit them."
)


def tables(document: Document) -> list[Grid]:
    """TCP by length, then the methods beside the Paragon's; [] where this run handed nothing over."""
    rates = [
        each
        for section in document.benchmarks
        if section.benchmark == "handover"
        for each in section.figures
        if each.name == "rate" and each.main and each.shown is not None
    ]
    return [made for made in (_tcp(document, rates), _methods(document, rates)) if made is not None]


def _tcp(document: Document, rates: list[ReportedFigure]) -> Grid | None:
    apart = max((int(each.params["hardware_threads"]) for each in rates), default=2)
    own = {
        int(each.params["bytes"]): each
        for each in rates
        if each.params["method"] == "tcp" and each.params["hardware_threads"] == apart
    }
    quoted = {int(cell.params["message_B"]): cell for cell in cells(paper=DELTA, benchmark="tcp")}
    if not own:
        return None
    rows = [
        (human(length, "B"), _text(own.get(length)), _text(quoted.get(length)))
        for length in sorted(own.keys() | quoted.keys())
    ]
    headings = ("length", f"{document.machine} ({kind(document)})", f"{load().machines['delta'].name}, Ethernet node")
    return grid("DELTA, section 4: TCP by length of message", headings, rows, TCP_NOTE)


def _methods(document: Document, rates: list[ReportedFigure]) -> Grid | None:
    """The greatest rate of each method, and of all between processes beside the NORMA IPC's."""
    found = {
        method: max(of_method, key=lambda each: each.value or 0.0)
        for method in METHODS
        if (of_method := [each for each in rates if each.params["method"] == method])
    }
    between = [each for method, each in found.items() if method != WITHIN]
    if not found:
        return None
    quoted = cells(paper=PARAGON, benchmark=["norma-ipc", "pfs"], metric="rate")
    rows = []
    if between:
        best = max(between, key=lambda each: each.value or 0.0)
        ipc = next((cell for cell in quoted if cell.benchmark == "norma-ipc"), None)
        rows.append(("to another process; NORMA IPC between adjacent nodes", _best(best), _text(ipc)))
    rows += [(METHODS[method], _best(each), "–") for method, each in found.items()]
    rows += [(f"PFS, {cell.params['operation']}", "–", _text(cell)) for cell in quoted if cell.benchmark == "pfs"]
    headings = ("", f"{document.machine} ({kind(document)})", load().machines["paragon-mp"].name)
    return grid("Paragon, section 4: what hands files over", headings, rows, IPC_NOTE)


def _best(found: ReportedFigure) -> str:
    """A greatest rate with its length."""
    about = ", ".join([human(float(found.params["bytes"]), "B"), *found.marks])
    return f"{human(found.value, found.unit, 3)} ({about})"


def _text(found: ReportedFigure | PublishedCell | None) -> str:
    if found is None:
        return "–"
    text = human(found.value, found.unit, 3)
    return found.with_marks(text) if isinstance(found, ReportedFigure) else text


ENTRY = PublishedTables(order=100, tables=tables)
