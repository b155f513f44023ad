"""A run as one document: what every report, and `--json`, is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from assay.analysis.node_use import NodeUse
from assay.document.balance import MachineBalance
from assay.document.build_variants import BuildVariants
from assay.document.cause import DisturbanceCause
from assay.document.grid import Grid
from assay.document.host_facts import Host, HostFacts
from assay.document.json_form import WRITTEN_IF_SET
from assay.document.model_prediction import ModelPrediction
from assay.document.quoted import Quoted
from assay.document.run_verdict import RunVerdict
from assay.document.section import Section
from assay.document.spent import BudgetSpent, LaunchesSpent
from assay.document.unfinished import Unfinished
from assay.document.validation import Validation


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A benchmark (or several, with commas) that was not measured here, and why.

    `kind` of reason: "ranks" (it needs more than there are places), "software" (a compiler or an MPI is missing),
    "budget" (there was no time for it) or "machine" (what it measures is not there).
    """

    benchmark: str
    title: str
    reason: str
    kind: str = "machine"


@dataclass(frozen=True, kw_only=True)
class Document:
    """The results of a run: `benchmarks` section by section, and what concerns all of them.

    `host` is the one that measured, `hosts` each by name, `provenance` the circumstances of launches by key.
    `prediction`: what a model predicts of the run, where one was named.
    `summary` is the verdict; `validation` and `beside` a described machine against what was published of it; `report`
    the path of the page, once there is one. `variants`: build variants, compared, where there are any.
    `balance`: flops for each byte from memory, against the matrix product first.
    `budget`: what it left out, where one was given. `unfinished`: how far a run came that has not ended.
    `nodes_over_time`: what each node did from `begun` on (s since 1970), where the launches looked.
    """

    run: str
    folder: str
    machine: str | None
    profile: str | None
    created: float | None
    state: str
    states: dict[str, int] = field(default_factory=dict)
    valid: bool
    warnings: list[str]
    damage: list[str] = field(default_factory=list)
    samples: str
    causes: list[DisturbanceCause] = field(default_factory=list)
    benchmarks: list[Section]
    left_out: list[Skipped]
    provenance: dict[str, Host]
    host: Host | None
    hosts: dict[str, Host] = field(default_factory=dict)
    described: bool
    spent: LaunchesSpent | None = None
    unfinished: Annotated[Unfinished | None, WRITTEN_IF_SET] = None
    budget: Annotated[BudgetSpent | None, WRITTEN_IF_SET] = None
    nodes_over_time: Annotated[list[NodeUse] | None, WRITTEN_IF_SET] = None
    begun: Annotated[float | None, WRITTEN_IF_SET] = None
    kind: str = "measured"
    quoted: Quoted | None = None
    balance: Annotated[list[MachineBalance] | None, WRITTEN_IF_SET] = None
    variants: Annotated[BuildVariants | None, WRITTEN_IF_SET] = None
    summary: Annotated[RunVerdict | None, WRITTEN_IF_SET] = None
    validation: Annotated[Validation | None, WRITTEN_IF_SET] = None
    beside: Annotated[list[Grid] | None, WRITTEN_IF_SET] = None
    prediction: Annotated[ModelPrediction | None, WRITTEN_IF_SET] = None
    report: Annotated[str | None, WRITTEN_IF_SET] = None

    @property
    def facts(self) -> HostFacts:
        """What is known of the host that measured: nothing of a described machine."""
        return self.host or HostFacts({})
