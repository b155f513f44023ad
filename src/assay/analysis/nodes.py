"""Nodes that differ from the others: the same benchmark on every node, each node's median against the median of all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.figures import CaseSamples
from assay.analysis.result import AnalysisResult
from assay.case import Case

LEAST_NODES = 3  # of two nodes either can be the outlier
MARGIN = 0.05  # a smaller difference is no reason to drain a node
DEVIATIONS = 4.0  # robust standard deviations of the nodes' own spread


@dataclass(frozen=True)
class OddNode(AnalysisResult):
    """One node whose median of a metric differs: `ratio` to the median over nodes, in `deviations` of their spread."""

    host: str
    metric: str
    case: Case
    value: float
    ratio: float
    deviations: float

    @property
    def text(self) -> str:
        """As text."""
        return f"{100 * abs(self.ratio - 1):.0f}% {'above' if self.ratio > 1 else 'below'} the nodes' median"


def odd_nodes(found: Sequence[CaseSamples]) -> list[OddNode]:
    """Name the nodes that differ by more than MARGIN and DEVIATIONS, cell by cell, the worst first."""
    odd = []
    for cell in found:
        by_host: dict[str, list[float]] = defaultdict(list)
        for (host, _), values in cell.launches.items():
            by_host[host].append(float(np.median(values)))
        if len(by_host) < LEAST_NODES:
            continue
        hosts = sorted(by_host)
        medians = np.array([np.median(by_host[host]) for host in hosts])
        centre = float(np.median(medians))
        spread = max(1.4826 * float(np.median(np.abs(medians - centre))), MARGIN / DEVIATIONS * abs(centre))
        for host, value in zip(hosts, medians.tolist(), strict=True):
            away = abs(value - centre) / spread if spread else 0.0
            if away > DEVIATIONS and abs(value / centre - 1) > MARGIN:
                odd.append(OddNode(host, cell.metric, cell.case, value, value / centre, away))
    return sorted(odd, key=lambda node: -node.deviations)
