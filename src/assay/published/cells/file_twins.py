"""Twins of what was published of parallel file systems: aggregate rates by compute nodes, I/O nodes and lengths.

No paper prints the length of a CFS call: 64 KiB are assumed. A megabyte of files is 2^20 bytes, of rates 10^6.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.described.shipped import open_described
from assay.machine.catalogue import PublishedCell
from assay.published.cells.answers import Answers, Setting
from assay.published.cells.rules import Pairs, rule

CALL = 64 << 10  # B, of a CFS test
SECTION = 16 << 20  # B, of each compute node
LARGE = "paragon-mp:xps150"  # 64 I/O nodes and 128 compute nodes are more than the 28 nodes of the first


def rate(
    answers: Answers, machine: str, figure: str = "rate_aggregate", *, call: int, **settings: Setting
) -> float | None:
    """One rate (B/s), or None where the machine has no files; `on_ranks` and the program's own parameters."""
    found = answers.ask(machine, "parallel-files", figure, bytes=(call,), **settings)
    return found[0].value if found else None


def ipc_rate(machine: str) -> float | None:
    """Bytes per second that one node's client passes, a number of the description; None where it has none."""
    storage = open_described(machine).storage
    return None if storage is None or not storage.client_per_byte else 1 / storage.client_per_byte


@rule("norma-ipc")
def operating_systems(answers: Answers, _: str, cells: Sequence[PublishedCell]) -> Pairs:
    """The IPC between compute and I/O nodes, which is a number of the description."""
    found = ipc_rate(LARGE)
    return [(cell, found) for cell in cells if found]


@rule("cfs-read")
def concurrent(answers: Answers, machine: str, cells: Sequence[PublishedCell]) -> Pairs:
    """Compute nodes that each read a file of their own."""
    made: Pairs = []
    for cell in cells:
        section = int(cell.params.get("file_MB", SECTION >> 20)) << 20
        ranks, nodes = int(cell.params["compute_nodes"]), int(cell.params["io_nodes"])
        value = rate(answers, machine, on_ranks=ranks, io_nodes=nodes, call=CALL, section=section)
        if value:
            made.append((cell, value))
    return made


@rule("pfs")
def parallel(answers: Answers, _: str, cells: Sequence[PublishedCell]) -> Pairs:
    """One node with long records; all nodes in turn (M_RECORD), by blocks."""
    made: Pairs = []
    for cell in cells:
        if {"operation", "io_nodes", "compute_nodes"} - set(cell.params):
            continue
        call = int(cell.params["record_MB"]) << 20 if "record_MB" in cell.params else int(cell.params["block_kB"]) << 10
        value = rate(
            answers,
            LARGE,
            on_ranks=int(cell.params["compute_nodes"]),
            io_nodes=int(cell.params["io_nodes"]),
            direction=str(cell.params["operation"]),
            call=call,
            section=int(cell.params.get("section_MB", 32)) << 20,
            layout="records",
        )
        if value:
            made.append((cell, value))
    return made
