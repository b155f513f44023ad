"""What a benchmark that ran on every node of a fleet shows of the nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.document.params import Params


@dataclass(frozen=True, kw_only=True)
class DifferingNode:
    """A node that differs from the others (`analysis.nodes.OddNode`), with the words for it.

    `named`: at the stated rate of false names over all nodes and cases of the run; the others are suspects, to be
    repeated. `worse`: by the metric's figure; None where no figure shows it. `p` is from so many `launches`.
    """

    host: str
    metric: str
    case: Params
    value: float
    ratio: float
    deviations: float
    figure: str
    unit: str
    text: str
    p: float = 1.0
    launches: int = 0
    worse: bool | None = None
    named: bool = False


@dataclass(frozen=True, kw_only=True)
class NodeLevels:
    """A main figure in one case: each node's median over launches, by node."""

    figure: str
    unit: str
    params: Params
    better: str
    nodes: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class FleetFound:
    """How many nodes and cases were tested, and the nodes' main figures; `false_names`: the rate, of all benchmarks."""

    tests: int
    levels: list[NodeLevels] = field(default_factory=list)
    false_names: float | None = None
