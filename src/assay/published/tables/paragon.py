"""Tables 3.1 to 3.4 of the Paragon MP's report, the bus that computing and communicating share in the text after
them (Dunigan 1995, section 3) and appendix B, with this machine's column before theirs.

Where this machine has fewer processors than the table's three, its greatest count stands there and is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from assay.document.fits import SpeedupFit
from assay.document.grid import Grid, grid
from assay.document.params import Parameters
from assay.document.run_document import Document
from assay.machine.catalogue import PublishedCell, cells, load
from assay.published.tables.hypercubes import kind
from assay.published.tables.merit import figure
from assay.published.tables.registry import PublishedTables
from assay.report.units import counted, human

PAPER = "dunigan1995_paragon_mp"
# a published row's benchmark -> ours: its name and the parameters that make it the same thing
THREADS: dict[str, tuple[str, Parameters]] = {
    "threads.fork-wait": ("creation", {"what": "fork"}),
    "threads.thread-join": ("creation", {"what": "thread"}),
    "threads.lock-unlock": ("lock", {"kind": "mutex", "sharing": "one"}),
    "threads.barrier": ("thread-barrier", {"kind": "central"}),
    "threads.hotspot": ("hotspot", {"update": "unlocked"}),
}
KERNELS: dict[str, tuple[str, Parameters]] = {
    "kernel.integration-c": ("integration", {"by": "threads"}),
    "kernel.jacobi-c": ("jacobi", {"by": "threads"}),
    "kernel.cholesky-c": ("cholesky", {"by": "threads"}),
    "kernel.hitc-f": ("hitc", {"by": "threads", "vectors": "long"}),
}
# Table 3.1 counts bytes: of the inner product 8 a flop (two doubles read for two flops)
BANDWIDTH: dict[str, tuple[str, Parameters, float]] = {
    "pfldq": ("stream", {"kernel": "read", "vector": 0}, 1.0),
    "ddot": ("inner-product", {"form": "compiled", "type": "float64", "place": "memory"}, 8.0),
    "ddot-cached": ("inner-product", {"form": "compiled", "type": "float64", "place": "cache"}, 8.0),
}


def tables(document: Document) -> list[Grid]:
    """Lay out those of the four tables, and of the text after the last, of which this run measured anything."""
    threads, kernels = ([name for name, _ in rows.values()] for rows in (THREADS, KERNELS))
    made = (
        (_bandwidth(document), [name for name, *_ in BANDWIDTH.values()]),
        (_primitives(document, "table3.2", 1), threads),
        (_primitives(document, "table3.3", 3), threads),
        (_speedups(document), kernels),
        (_bus(document), ["bus"]),
        (_architectures(document), ["linpack", "dhrystone"]),
    )
    return [replace(table, note=table.note + _unsure(document, names)) for table, names in made if table is not None]


def _unsure(document: Document, names: Sequence[str]) -> str:
    """Say which of the benchmarks behind a table were disturbed; empty where none was."""
    found = [s.benchmark for s in document.benchmarks if s.benchmark in names and s.state == "disturbed"]
    return f" Disturbed on this machine: {', '.join(found)}." if found else ""


def _most(document: Document, benchmark: str, wanted: int) -> int:
    """Give the count of threads that stands for `wanted`: itself, else the greatest below it that was measured."""
    counts = {
        f.params.get("threads")
        for section in document.benchmarks
        if section.benchmark == benchmark
        for f in section.figures
    }
    return max((c for c in counts if isinstance(c, int) and c <= wanted), default=wanted)


def _bandwidth(document: Document) -> Grid | None:
    rows = []
    for row, (name, params, scale) in BANDWIDTH.items():
        for cpus in (1, 2, 3):
            own = figure(document, name, "rate", threads=cpus, **params)
            quoted = next(
                iter(cells(paper=PAPER, table="table3.1", benchmark=row, params={"cpus": cpus, "cpu": "sum"})), None
            )
            if own is None or own.value is None:
                continue
            shares = [figure(document, name, "share", threads=cpus, thread=t, **params) for t in range(cpus)]
            each = [human(s.value * scale, "B/s", 3) for s in shares if s is not None and s.value is not None]
            text = human(own.value * scale, "B/s") + (f" ({' + '.join(each)})" if each else "")
            rows.append((f"{row}, {cpus}", text, _printed(row, cpus) if quoted is None else human(quoted.value, "B/s")))
    headings = ("processors at once", f"{document.machine} ({kind(document)})", "Intel Paragon MP")
    note = "The sum, and each processor's share; this machine reads by stream and inner-product. Paragon: quoted."
    return grid("Table 3.1: memory bandwidth", headings, rows, note) if rows else None


def _architectures(document: Document) -> Grid | None:
    """Appendix B: LINPACK of 100 equations and Dhrystone on one processor of three other multiprocessors."""
    own = {
        "linpack": ("LINPACK, 100 equations", figure(document, "linpack", "rate", size=100, code="ours", threads=1)),
        "dhrystone": ("Dhrystone (Mips of a VAX 11/780)", figure(document, "dhrystone", "dmips")),
    }
    quoted = {(cell.benchmark, cell.machine): cell for cell in cells(paper=PAPER, benchmark=list(own))}
    machines = list(dict.fromkeys(machine for _, machine in quoted))
    rows = []
    for benchmark, (title, found) in own.items():
        if found is not None and found.value is not None:
            here = human(found.value, "flop/s") if found.unit == "flop/s" else f"{counted(found.value)} Mips"
            there = (quoted.get((benchmark, machine)) for machine in machines)
            rows.append((title, here, *("–" if c is None else f"{c.printed:g} {c.printed_unit}" for c in there)))
    names = [load().machines[machine or ""].name for machine in machines]
    headings = ("", f"{document.machine} ({kind(document)})", *names)
    note = (
        "One processor; LINPACK by columns as the compiler makes it, C++ here. Others: quoted; its Dhrystone is v1.0."
    )
    return grid("Appendix B: other multiprocessors", headings, rows, note) if rows else None


def _printed(benchmark: str, cpus: int) -> str:
    """What the text has where the table has nothing: a rate that each processor reaches."""
    for cell in cells(paper=PAPER, benchmark=benchmark, metric="rate_per_cpu"):
        if cpus in cell.params["cpus"]:
            return f"{human(cell.value, cell.unit)} each"
    return "–"


def _quoted(table: str) -> tuple[dict[str, dict[str, PublishedCell]], list[str]]:
    found: dict[str, dict[str, PublishedCell]] = defaultdict(dict)
    for cell in cells(paper=PAPER, table=table):
        found[cell.benchmark or ""][cell.machine or ""] = cell
    return found, list(dict.fromkeys(machine for row in found.values() for machine in row))


def _row(label: str, own: str, quoted: dict[str, PublishedCell], machines: list[str]) -> tuple[str, ...]:
    shown = [
        "–" if m not in quoted else human(quoted[m].value, quoted[m].unit) + (" ?" if quoted[m].doubtful else "")
        for m in machines
    ]
    return (label, own, *shown)


def _primitives(document: Document, table: str, cpus: int) -> Grid | None:
    quoted, machines = _quoted(table)
    rows, counts = [], set()
    for label, (name, params) in THREADS.items():
        count = _most(document, name, cpus)
        own = figure(document, name, "time", threads=count, **params)
        if label in quoted and own is not None and own.value is not None:
            counts.add(count)
            rows.append(_row(label.removeprefix("threads."), human(own.value, "s"), quoted[label], machines))
    if not rows:
        return None
    on = "" if counts == {cpus} else f" on {max(counts)}"
    names = [load().machines[m].name for m in machines]
    title = f"Table {table.removeprefix('table')}: thread primitives on {cpus} processor{'s' if cpus > 1 else ''}"
    note = "Others: quoted; a ? marks a figure whose decimal point the print lost."
    return grid(title, ("", f"{document.machine} ({kind(document)}{on})", *names), rows, note)


def _speedups(document: Document) -> Grid | None:
    quoted, machines = _quoted("table3.4")
    rows, counts = [], set()
    for label, (name, params) in KERNELS.items():
        for section in document.benchmarks:
            for fit in section.fits if section.benchmark == name else ():
                if isinstance(fit, SpeedupFit) and params.items() <= fit.params.items():
                    at = max(i for i, p in enumerate(fit.processors) if p <= 3)
                    counts.add(fit.processors[at])
                    own = f"{fit.speedup[at].value:.3g}"
                    rows.append(_row(name, own, quoted[label], machines))
    if not rows:
        return None
    names = [load().machines[m].name for m in machines]
    headings = ("", f"{document.machine} ({kind(document)} on {max(counts)})", *names)
    note = "Base: the same program on one thread. Others on three processors, quoted."
    return grid("Table 3.4: speedup on three processors", headings, rows, note)


def _bus(document: Document) -> Grid | None:
    """Computing and communicating at once: each side alone, both together, and their sum."""
    alone = {"alone": True}
    both = {"alone": False}
    wanted: tuple[tuple[str, str, Parameters, Parameters], ...] = (
        ("messages alone", "messages", {"load": "alone"}, {"thread": "communication", **alone}),
        ("stream alone", "stream", {"load": "alone"}, {"thread": "pfldq", **alone}),
        ("messages beside the stream", "messages", {"load": "both"}, {"thread": "communication", **both}),
        ("stream beside messages", "stream", {"load": "both"}, {"thread": "pfldq", **both}),
        ("both together", "sum", {}, {"thread": "both"}),
    )
    cases = [
        f.params
        for section in document.benchmarks
        if section.benchmark == "bus"
        for f in section.figures
        if f.name == "sum" and f.value is not None and f.params.get("kernel") == "read"
    ]
    messages = [case for case in cases if case.get("form") in ("echo", "put")]
    if not messages:
        return None
    case = max(messages, key=lambda at: (at["form"] == "echo", at.get("bytes") or 0))
    rows = []
    for label, name, own, theirs in wanted:
        found = figure(document, "bus", name, **{**case, **own})
        printed = next(iter(cells(paper=PAPER, benchmark="pfldq-with-messages", params=theirs)), None)
        value = None if found is None else found.value
        rows.append((label, human(value, "B/s"), "–" if printed is None else human(printed.value, printed.unit)))
    how = "echo, on processors of its own" if case["form"] == "echo" else "one-sided puts into the memory of the stream"
    note = f"This machine: messages by {how}. Paragon: quoted, one pfldq thread and one communication thread."
    headings = ("", f"{document.machine} ({kind(document)})", "Intel Paragon MP")
    return grid("Computing and communicating on one bus", headings, rows, note)


ENTRY = PublishedTables(order=30, tables=tables, most_on_terminal=0)
