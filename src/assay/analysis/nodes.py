"""Nodes that differ from the others of a fleet, at a stated rate of false names over all nodes and cases together.

The same benchmark runs on every node in each launch. A node is a *suspect* where its median differs from the fleet's by
more than MARGIN and by more than DEVIATIONS of the nodes' own spread. It is *named* where, in addition, a test rejects
that it is within MARGIN of the fleet: its readings are moved towards the others by MARGIN, and ranked in each launch
among those of the nodes that are no suspects. The ranks' normal scores, summed over launches, are compared with the
normal distribution; where they vary more than random ranks (a node that varies more than others), with Student's, by
their own variance. All nodes, cases and benchmarks of a run are one family (Holm): of runs on nodes that all are
within MARGIN, a share of at most FALSE_NAMES names a node. Too few launches name none: suspects are repeated.

Sources: Conover 1999, Practical Nonparametric Statistics, section 5.10 (normal scores); Holm 1979.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.analysis.figures import CaseSamples
from assay.analysis.result import AnalysisResult
from assay.case import Case

LEAST_NODES = 3  # of two nodes either can be the outlier
MARGIN = 0.05  # a smaller difference is no reason to drain a node
DEVIATIONS = 4.0  # robust standard deviations of the nodes' own spread
FALSE_NAMES = 0.01  # of runs in which no node differs by more than the margin
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OddNode(AnalysisResult):
    """One node whose median of a metric differs: `ratio` to the median over nodes, in `deviations` of their spread.

    `p`: two-sided, that it is within the margin, before Holm's correction.
    """

    host: str
    metric: str
    case: Case
    value: float
    ratio: float
    deviations: float
    p: float
    launches: int

    @property
    def text(self) -> str:
        """As text."""
        return f"{100 * abs(self.ratio - 1):.0f}% {'above' if self.ratio > 1 else 'below'} the nodes' median"


def odd_nodes(found: Sequence[CaseSamples]) -> list[OddNode]:
    """The suspects, cell by cell, the worst first, each with its p."""
    odd = [node for cell in found for node in _suspects(cell)]
    return sorted(odd, key=lambda node: -node.deviations)


def family_size(found: Sequence[CaseSamples]) -> int:
    """How many nodes and cells could have been named: the size of the family."""
    counts = (len(node_medians(cell)) for cell in found)
    return sum(count for count in counts if count >= LEAST_NODES)


def named_of(p: Sequence[float], tests: int, rate: float = FALSE_NAMES) -> list[bool]:
    """Which of the suspects with these p are named, by Holm, among `tests` nodes and cells."""
    order = sorted(range(len(p)), key=lambda at: p[at])
    named = [False] * len(p)
    for place, at in enumerate(order):
        if p[at] > rate / max(1, tests - place):
            break
        named[at] = True
    return named


def node_medians(cell: CaseSamples) -> dict[str, float]:
    """Each node's median over launches of its launch medians, by name."""
    by_host: dict[str, list[float]] = defaultdict(list)
    for (host, _), values in cell.launches.items():
        by_host[host].append(float(np.median(values)))
    return {host: float(np.median(by_host[host])) for host in sorted(by_host)}


def _suspects(cell: CaseSamples) -> list[OddNode]:
    by_host = node_medians(cell)
    if len(by_host) < LEAST_NODES:
        return []
    medians = np.array(list(by_host.values()))
    centre = float(np.median(medians))
    spread = max(1.4826 * float(np.median(np.abs(medians - centre))), MARGIN / DEVIATIONS * abs(centre))
    far = {
        host: abs(value - centre) / spread if spread else 0.0
        for host, value in by_host.items()
        if centre and abs(value / centre - 1) > MARGIN
    }
    suspects = {host: away for host, away in far.items() if away > DEVIATIONS}
    if not suspects:
        return []
    logs = _log_levels(cell, list(by_host))
    at = {host: place for place, host in enumerate(by_host)}
    usual = [place for host, place in at.items() if host not in suspects]
    odd = []
    for host, away in suspects.items():
        ratio = by_host[host] / centre
        p, launches = (1.0, 0) if logs is None else _beyond_margin(logs[:, at[host]], logs[:, usual], ratio > 1)
        odd.append(OddNode(host, cell.metric, cell.case, by_host[host], ratio, away, p, launches))
    return odd


def _log_levels(cell: CaseSamples, hosts: Sequence[str]) -> Floats | None:
    """Logarithms of launch medians (launches, nodes), NaN where a node has none; None where a value is not positive."""
    launches = {launch: place for place, launch in enumerate(sorted({launch for _, launch in cell.launches}))}
    levels = np.full((len(launches), len(hosts)), np.nan)
    for (host, launch), values in cell.launches.items():
        levels[launches[launch], hosts.index(host)] = np.median(values)
    return None if (levels <= 0).any() else np.asarray(np.log(levels))


@functools.cache
def _normal_scores(count: int) -> Floats:
    """The normal quantiles of so many ranks, ascending."""
    from scipy import stats  # late: it takes half a second, and most runs have one node

    return np.asarray(stats.norm.ppf((np.arange(count) + 0.5) / count))


def _beyond_margin(node: Floats, others: Floats, above: bool) -> tuple[float, int]:
    """Two-sided p that a node (launches,) is within MARGIN of others (launches, nodes), and how many launches count."""
    from scipy import stats  # late: it takes half a second, and most runs have one node

    moved = node - math.log1p(MARGIN) if above else node - math.log1p(-MARGIN)
    votes, variances = [], []
    for own, rest in zip(moved, others, strict=True):
        known = rest[np.isfinite(rest)]
        if not np.isfinite(own) or len(known) < LEAST_NODES - 1:
            continue
        of = len(known) + 1
        scores = _normal_scores(of)
        rank = (known < own).sum() + 0.5 * (known == own).sum()
        votes.append(float(np.interp(rank, np.arange(of), scores)) * (1 if above else -1))
        variances.append(float(np.mean(scores**2)))
    if not votes:
        return 1.0, 0
    own_variance = float(np.var(votes, ddof=1)) if len(votes) > 1 else 0.0
    if own_variance <= float(np.mean(variances)):
        return min(1.0, 2 * float(stats.norm.sf(sum(votes) / math.sqrt(sum(variances))))), len(votes)
    size = sum(votes) / math.sqrt(len(votes) * own_variance)
    return min(1.0, 2 * float(stats.t.sf(size, len(votes) - 1))), len(votes)
