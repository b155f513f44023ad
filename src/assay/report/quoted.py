"""What was published of a machine that cannot be measured here: its cells as figures, each quoted, with its source.

A described machine has no processor to run a node's programs on, and most machines of the past are not described at
all. A benchmark's record names the published benchmarks that measure the same; their cells are the answer, never
called measured or simulated, and where there are none that is said.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.benchmark.record import Benchmark, benchmarks
from assay.errors import InputError
from assay.machine import catalogue
from assay.machine.catalogue import Cell, Machine
from assay.report.grid import Grid, grid
from assay.report.units import human, params

Document = dict[str, Any]
PUBLISHED = "published"  # the statistic: a paper's figure has no launches


def published(on: str) -> Machine | None:
    """Return the published machine that `--on` means by name, or that a description's `name` is; None otherwise."""
    path = Path(on)
    if path.suffix == ".toml" and path.is_file():
        try:
            on = str(tomllib.loads(path.read_text(encoding="utf-8")).get("name", on))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            return None  # who simulates it will say what is wrong with the file
    elif not path.exists():
        on = on.partition(":")[0]  # NAME:VARIANT of a description
    try:
        return catalogue.machine(on)
    except InputError:
        return None


def answer(machine: Machine, records: Iterable[Benchmark]) -> Document:
    """Give what was published of a machine for these benchmarks, and the names of those with nothing."""
    sections = [_section(machine, record) for record in records]
    none = [section["benchmark"] for section in sections if not section["figures"]]
    said = f"nothing was published of {', '.join(none)} on {machine.name}"
    return {
        "machine": machine.id,
        "name": machine.name,
        "kind": "quoted",
        "state": "quoted",
        "valid": True,
        "warnings": [said] if none else [],
        "unpublished": none,
        "benchmarks": [section for section in sections if section["figures"]],
    }


def one(machine: Machine, record: Benchmark) -> Document:
    """Give what was published of a machine for one benchmark; InputError where nothing was."""
    found = answer(machine, [record])
    if not found["benchmarks"]:
        known = [r.name for r in benchmarks().values() if _section(machine, r)["figures"]]
        raise InputError(
            f"nothing was published of {record.name} on {machine.name}, which cannot be measured here",
            key=f"--on {machine.id}",
            value=record.name,
            accepted=", ".join(known) or f"none of Assay's benchmarks; see `assay catalogue {machine.id}`",
        )
    section: Document = found.pop("benchmarks")[0]
    return found | section


def _section(machine: Machine, record: Benchmark) -> Document:
    cells = catalogue.cells(machine=machine.id, benchmark=record.published) if record.published else []
    about = {"benchmark": record.name, "title": record.title, "part": record.part}
    return about | {"figures": [_figure(record, cell) for cell in cells]}


def _figure(record: Benchmark, cell: Cell) -> Document:
    return {
        "benchmark": record.name,
        "name": cell.metric,
        "value": cell.value,
        "unit": cell.unit,
        "statistic": PUBLISHED,
        "params": dict(cell.params),
        "kind": "quoted",
        "published_as": cell.benchmark,
        "printed": f"{cell.printed:g} {cell.printed_unit}",
        "paper": cell.paper,
        "source": f"{catalogue.load().papers[cell.paper].title}, {cell.source}",
        "doubtful": cell.doubtful,
        "note": cell.note,
    }


def table(section: Document, name: str) -> Grid:
    """Lay out what was published of one benchmark."""
    rows = [
        (
            figure["published_as"],
            figure["name"].replace("_", " "),
            params(figure["params"]) or "–",
            human(figure["value"], figure["unit"]) + (" ?" if figure["doubtful"] else ""),
            figure["source"].rpartition(", ")[2],
        )
        for figure in section["figures"]
    ]
    papers = "; ".join(dict.fromkeys(figure["source"].rpartition(", ")[0] for figure in section["figures"]))
    doubt = (
        " A ? marks a digit that the print leaves in doubt." if any(f["doubtful"] for f in section["figures"]) else ""
    )
    headings = ("published as", "figure", "case", f"{name} (quoted)", "source")
    return grid(f"{section['title']}: quoted", headings, rows, f"{papers}.{doubt}", left=3)


def tables(found: Document) -> list[Grid]:
    """Lay out everything quoted."""
    return [table(section, found["name"]) for section in found["benchmarks"]]
