"""A contract measured: launches of its benchmarks in turn, until each requirement is decided or none is left.

Looks are fixed beforehand (contract_plan.py), so that stopping early is no second try: the risks are of all looks
together. Launch by launch the benchmarks come in random order, so that what drifts slowly moves all of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.decide.contract import Contract
from assay.decide.contract_plan import PlannedBenchmark
from assay.decide.contract_verdict import NOT_SHOWN
from assay.decide.live import LiveSide
from assay.decide.run_verdict import judged_runs
from assay.document.acceptance import Acceptance


@dataclass(frozen=True)
class MeasuredBenchmark:
    """A benchmark's plan and what makes its launches."""

    planned: PlannedBenchmark
    side: LiveSide


def measured_contract(
    contract: Contract,
    benchmarks: Sequence[MeasuredBenchmark],
    *,
    seed: int,
    say: Callable[[str], None] = lambda text: None,
    advance: Callable[[int], None] = lambda launch: None,
) -> Acceptance:
    """Measure and judge. MeasurementError where a launch fails: what it would have shown is not known."""
    dice = random.Random(seed)
    looks = {each.planned.name: each.planned.looks for each in benchmarks}
    runs = [each.side.run for each in benchmarks]
    most = max(each.planned.looks[-1] for each in benchmarks)
    open_ones = list(benchmarks)
    for launch in range(most):
        order = [each for each in open_ones if launch < each.planned.looks[-1]]
        dice.shuffle(order)
        for each in order:
            each.side.launch(launch, say)
        advance(launch + 1)
        if any(launch + 1 in each.planned.looks for each in order):
            found = judged_runs(contract, runs, looks)
            undecided = {each.benchmark for each in found.requirements if each.verdict == NOT_SHOWN}
            open_ones = [each for each in open_ones if each.planned.name in undecided]
            if not any(launch + 1 < each.planned.looks[-1] for each in open_ones):
                break
    ended = "the launches planned were made" if open_ones else f"decided after {launch + 1} of at most {most} launches"
    return judged_runs(contract, runs, looks, ended)
