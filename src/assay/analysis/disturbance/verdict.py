"""The verdict over all findings, and which estimator still stands."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.analysis.disturbance.accounts import accounts, frequency
from assay.analysis.disturbance.block import Block
from assay.analysis.disturbance.findings import Findings, Reason
from assay.analysis.disturbance.shapes import shapes
from assay.analysis.disturbance.steps import midway
from assay.analysis.result import Result

MOSTLY = 0.8  # of the blocks: when more are marked, the rest is too little to stand for the run
PREEMPTED = 0.5  # involuntary switches a reading: above it the median reading itself was interrupted
SCHEDULER_SLICE = 3e-3  # s: the same of a reading longer than this under contention, where switches were not counted
BOUND = "best reading, a bound"  # an interruption only lengthens a reading


class State(enum.Enum):
    """What may be claimed of a number."""

    CLEAN = "clean"
    DISTURBED = "disturbed"
    INVALID = "invalid"


@dataclass(frozen=True)
class Disturbance(Result):
    """The verdict.

    `marked` holds the indices of the blocks that a rule marked; `estimator` names what still stands.
    """

    state: State
    reasons: tuple[Reason, ...]
    estimator: str
    marked: tuple[int, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons' sentences; empty when clean."""
        return tuple(reason.text for reason in self.reasons)


def judge(blocks: Sequence[Block], processors: int, ranks: int = 1) -> Disturbance:
    """Judge the `blocks` of one run (or of one figure) on a host of `processors`, measured by `ranks` processes there.

    Blocks may come in any order and from any number of launches, metrics and cases.
    """
    if not blocks or any(len(block.values) == 0 for block in blocks):
        return _invalid("a block holds no reading" if blocks else "there is no sample")
    if not all(np.isfinite(block.values).all() and (np.asarray(block.values) >= 0).all() for block in blocks):
        return _invalid("a reading is negative or not a finite number")
    findings = Findings(blocks)
    accounts(findings, processors, ranks)
    frequency(findings)
    midway(findings)
    shapes(findings)
    return _verdict(findings)


def _invalid(text: str) -> Disturbance:
    return Disturbance(State.INVALID, (Reason("samples", text, (), 1.0),), "none", ())


def _verdict(findings: Findings) -> Disturbance:
    """Choose what stands: the quiet blocks if every case has them, the median if readings are short, else a bound."""
    blocks, marked, reasons = findings.blocks, findings.marked, tuple(findings.reasons)
    order = tuple(sorted(marked))
    if not reasons:
        return Disturbance(State.CLEAN, (), "median", ())
    if not marked:
        return Disturbance(State.DISTURBED, reasons, "median", order)
    cases = {(block.metric, block.case) for block in blocks}
    quiet = {(block.metric, block.case) for i, block in enumerate(blocks) if i not in marked}
    if quiet == cases and len(marked) <= MOSTLY * len(blocks):
        return Disturbance(State.DISTURBED, reasons, "median of the unmarked blocks", order)
    preempted = [i for i in findings.contended if _interrupted(blocks[i])]
    if 2 * len(preempted) > len(blocks):
        text = (
            "others wanted the same processors and most single readings were interrupted, so that any of them may "
            "hold somebody else's work: no median stands, and the best reading is a bound, no estimate"
        )
        verdict = Reason("preempted", text, (), len(preempted) / len(blocks))
        return Disturbance(State.DISTURBED, (*reasons, verdict), BOUND, order)
    return Disturbance(State.DISTURBED, reasons, "median", order)


def _interrupted(block: Block) -> bool:
    """Whether the block's median reading was itself switched out."""
    if block.accounting.get("involuntary") is not None:
        return block.counted("involuntary") > PREEMPTED * len(block.values)
    return float(np.median(block.values)) * block.batch > SCHEDULER_SLICE
