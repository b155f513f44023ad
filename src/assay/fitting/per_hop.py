"""The per-hop model of a run's echo as the network of a description: the topology that the run had, with fitted times.

A plane T = alpha + beta N + gamma h for each stretch of lengths gives the hop's delay; where the longer messages' gamma
is three times the shortest's, a request and a reply cross the path before them (a handshake), as on the iPSC/860.
Only a described machine's run has its topology; elsewhere hops are unknown and the network is a crossbar.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.analysis import fits, hops
from assay.document.run_document import Document
from assay.toml.source import TomlTable

Floats = NDArray[np.float64]
TIMES = {"cycle", "channel_rate", "flit_bytes", "flit_ticks", "body_ticks", "head_ticks", "credit_ticks"} | {
    *("node_flit_ticks", "node_body_ticks", "node_head_ticks", "ejection_flit_ticks", "ejection_head_ticks"),
    *("global_flit_ticks", "global_body_ticks", "global_head_ticks", "header_flits", "packet_flits", "packet_gap"),
    "acknowledgement",
}
MOVES = {"switching", "buffer_packets", "buffer_flits", "buffers", "output_packets", "engine", "circuit_release"}


def planes(document: Document, ends: Sequence[float]) -> list[hops.PerHop]:
    """The robust plane of each stretch of lengths (`ends`: its longest); [] where a stretch cannot have one."""
    sizes, counts, times = _cells(document)
    made = []
    for low, high in itertools.pairwise((0.0, *ends)):
        inside = (sizes > low) & (sizes <= high) if low else sizes <= high
        if len(np.unique(sizes[inside])) < 2 or len(np.unique(counts[inside])) < 2:
            return []
        made.append(hops.fit(sizes[inside], counts[inside], times[inside]))
    return made


def papers(document: Document) -> list[hops.PerHop]:
    """The plane as the papers fitted it: least squares over their lengths and all hops; [] where there are no hops."""
    sizes, counts, times = _cells(document)
    low, high = fits.PAPER_SIZES
    inside = (sizes >= low) & (sizes <= high)
    if len(np.unique(sizes[inside])) < 2 or len(np.unique(counts[inside])) < 2:
        return []
    return [hops.fit(sizes[inside], counts[inside], times[inside], "ordinary")]


def shape(document: Document) -> TomlTable | None:
    """The keys of [network] that define the topology, from the run's provenance; None where it has none."""
    for host in document.provenance.values():
        description = host.stated.get("description")
        network = description.get("network") if isinstance(description, dict) else None
        if network and isinstance(network, dict):
            return {key: value for key, value in network.items() if key not in TIMES | MOVES and value is not None}
    return None


def _cells(document: Document) -> tuple[Floats, Floats, Floats]:
    found = [
        (float(figure.params["bytes"]), float(figure.params["hops"]), figure.value)
        for section in document.benchmarks
        if section.benchmark == "echo"
        for figure in section.figures
        if figure.name == "half_round_trip" and figure.statistic == "median" and figure.value
        if figure.params.get("hops")
    ]
    columns = np.array(found).reshape(len(found), 3)
    return columns[:, 0], columns[:, 1], columns[:, 2]
