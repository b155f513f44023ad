"""What `assay accept` answers: verdicts of a contract, with what they rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from assay.document.json_form import WRITTEN_IF_SET
from assay.document.params import Params


@dataclass(frozen=True)
class NodeVerdict:
    """One requirement on one node: `value` and its 95% `interval` in the figure's unit; `met`: of its launches."""

    node: str
    verdict: str
    value: float | None
    interval: list[float] | None
    launches: int
    met: int
    state: str | None
    reason: str | None


@dataclass(frozen=True)
class Decides:
    """What would decide a requirement that is not shown.

    `launches`: of another acceptance, with about how many `seconds` of them; null: none would, or not that is known.
    `quiet`: a figure was disturbed, so that it needs a measurement without that.
    """

    launches: int | None
    seconds: float | None
    quiet: bool


@dataclass(frozen=True)
class RequirementVerdict:
    """One requirement; `limit` in `unit`.

    `value`, `interval` and `launches` are of the worst of the nodes that must meet the limit (their `share`). Of a
    requirement on `parts` these are in the place of nodes, and the value is what their messages take longer (1).
    `decides`: of one that is not shown.
    """

    name: str
    verdict: str
    value: float | None
    interval: list[float] | None
    limit: float
    launches: int
    nodes: list[NodeVerdict]
    benchmark: str
    figure: str
    params: Params
    unit: str
    better: str
    share: float
    indifference: float
    reason: str | None
    parts: Annotated[list[str] | None, WRITTEN_IF_SET] = None
    decides: Annotated[Decides | None, WRITTEN_IF_SET] = None


@dataclass(frozen=True)
class StatedRisks:
    """The probabilities that both sides risk: that what meets all limits is rejected, that what misses is accepted."""

    vendor: float
    buyer: float


@dataclass(frozen=True)
class AcceptedRun:
    """A run that a verdict rests on, with the host that began it; `files`: sha256 of the files of its folder."""

    run: str
    folder: str
    machine: str | None
    created: float | None
    kind: str
    processor: str | None
    kernel: str | None
    files: dict[str, str]


@dataclass(frozen=True)
class ContractNamed:
    """The contract: its name, its file, and the digest of that."""

    name: str
    file: str
    sha256: str


@dataclass(frozen=True)
class Acceptance:
    """The whole answer. `ended`: why measuring stopped; null with `--run`."""

    verdict: str
    risks: StatedRisks
    contract: ContractNamed
    assay: str
    requirements: list[RequirementVerdict]
    runs: list[AcceptedRun]
    ended: str | None = None
