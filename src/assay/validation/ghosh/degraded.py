"""Section 3.2's failed I/O node, and what else may fail: rates that are left, with copies and without."""

from __future__ import annotations

from pydantic import JsonValue

from assay.network.study.results import StudyTable
from assay.published.cells import balanced_cube
from assay.toml.source import TomlTable, TomlValue

DIMENSION, IO_NODES, DISKS = 6, 8, 2
SECTION = 1 << 20  # B, of each element
WAYS: dict[str, TomlTable] = {
    "none": {},
    "an I/O node": {"failed": 3},
    "an I/O node's link": {"failed_link": 3},
    "one of its two disks": {"failed_disk": [3, 0]},
}
BOUNDS: dict[str, TomlTable] = {
    "disks": {"request": "0.1 ms", "device": {"per_byte": "1 us/B"}},
    "I/O nodes": {"request": "1.6 ms", "device": {"per_byte": "0.25 us/B"}},
}


def left(direction: str, **storage: TomlValue) -> float:
    """What each element reads or writes (B/s)."""
    on = balanced_cube.machine(DIMENSION, IO_NODES, disks=DISKS, outstanding=8, **storage)
    return balanced_cube.rate(on, 1 << DIMENSION, SECTION, direction)


def tables() -> list[StudyTable]:
    """Shares of the rate of a machine where all works and a stripe has one copy."""
    rows: list[list[JsonValue]] = []
    for bound, device in BOUNDS.items():
        whole = {direction: left(direction, **device) for direction in ("read", "write")}
        for copies in (1, 2):
            for name, failed in WAYS.items():
                if copies == 2 and name == "an I/O node's link":
                    continue  # as without the I/O node: its copies are elsewhere
                shares = [left(way, **device, **failed, copies=copies) / whole[way] for way in ("read", "write")]
                rows.append([bound, copies, name, *(f"{share:.2f}" for share in shares)])
    return [
        StudyTable(
            f"{1 << DIMENSION} elements read and write files over {IO_NODES} I/O nodes of {DISKS} disks: the share of "
            "the whole machine's rate that is left. Without copies a neighbour does the work of two, with its own "
            f"disks or those it reaches. With two copies reads are shared by the {IO_NODES - 1} that are left; every "
            "write is made twice.",
            ["bound by", "copies", "failed", "reading", "writing"],
            rows,
        )
    ]
