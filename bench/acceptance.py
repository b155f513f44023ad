"""`./x bench acceptance`: are the risks of a contract what it states? Simulated acceptances on recorded noise.

Of each recorded noise (tests/kept/launch_noise.json: launches of real benchmarks on a shared virtual machine) machines
at the limit, better, and with faults of 2, 5, 10 and 25% are accepted 2,000 times, at the planned looks: with the noise
alone, with a clock of coarse steps, and next to a hog in the last third of the launches that was seen or not. Then one
node of 64 with such a fault, where the hog is on another node, and one link of a fat tree of 64 nodes (noise:
tests/kept/message_noise.json) by a requirement on links, where it is on another node in each launch. Nothing is
measured. Exit status 1 where a wrong verdict is more frequent than its risk allows.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from assay.analysis.acceptance import AcceptancePlan, AcceptanceVerdict, launches_needed, planning_spread
from assay.analysis.spending import looks_of
from assay.decide.contract import Contract, read_contract
from assay.decide.contract_plan import plan_contract
from assay.decide.contract_verdict import judged_in_doubt, judged_requirement
from assay.decide.evidence import NodeEvidence
from assay.document.reported_figure import Moved, ReportedFigure
from bench._launch_figure import figure_by_launch
from bench._slow_links import link_trial, tree_of_trials

KEPT = json.loads((Path(__file__).resolve().parent.parent / "tests" / "kept" / "launch_noise.json").read_text())
NOISE = {name: np.array(values) / KEPT["per"] for name, values in KEPT["figures"].items()}  # ln(value / median)
RISK, INDIFFERENCE, STEP, LONGER, NODES = 0.05, 0.05, 0.02, 1.0, 64
FAULTS = (0.02, 0.05, 0.1, 0.25)
MODES = ("noise alone", "coarse clock", "hog, not seen", "hog, stated")
SLOW, HOGGED = 7, 40  # of the nodes
LINK_LIMIT = 0.04
Floats = NDArray[np.float64]
PartVerdict = Callable[[np.random.Generator, float, str], tuple[str, bool]]  # whether another part was named, too
NODE = 'name = "clock"\nbenchmark = "clock"\nfigure = "frequency"\nat_least = "1 Hz"\n'
LINK = (
    'name = "links"\nbenchmark = "tournament"\nfigure = "time"\nparts = ["links"]\ncase = { bytes = 262144 }\n'
    f'at_most = {LINK_LIMIT}\nspread = "2%"\n'
)


def main(arguments: list[str]) -> int:
    """Print the tables; status 1 where a wrong verdict is too frequent."""
    parser = argparse.ArgumentParser(prog="./x bench acceptance", description=__doc__)
    parser.add_argument("--trials", type=int, default=2000, help="acceptances of each cell (2,000)")
    parser.add_argument("--links", type=int, default=2000, help="acceptances of each cell of a link (2,000)")
    chosen = parser.parse_args(arguments)
    failed = of_one_node(chosen.trials)
    cells = [(fault, mode) for mode in MODES for fault in (0.0, *FAULTS)]
    failed |= of_parts("one node of 64", cells, chosen.trials, node_verdict(), 0.0)
    cells = [(fault, MODES[0]) for fault in (0.0, *FAULTS)]
    cells += [(fault, mode) for mode in ("coarse clock", "hog") for fault in (0.0, 0.1)]
    failed |= of_parts("one link of 128", cells, chosen.links, _link_verdict(), LINK_LIMIT)
    return int(failed)


def most_allowed(trials: int) -> int:
    """The most wrong verdicts that chance explains at the stated risk, in some hundred cells."""
    return int(stats.binom.ppf(1 - 1e-5, trials, RISK))


@dataclass(frozen=True)
class Trials:
    """Acceptances of one noise: launches planned, and how a machine is measured."""

    name: str
    mode: str
    trials: int

    @property
    def plan(self) -> AcceptancePlan:
        """What the contract plans for noise like this."""
        spread = planning_spread(np.exp(NOISE[self.name]).tolist(), INDIFFERENCE)
        return AcceptancePlan(looks_of(launches_needed(spread, INDIFFERENCE, RISK, RISK, (RISK, RISK))), RISK, RISK)

    def verdicts(self, centre: float, *, healthy: bool) -> Counter[str]:
        """Verdicts on a machine whose median time is `centre`; a time of 1 is the limit."""
        dice, plan = np.random.default_rng([7, int(1000 * centre), MODES.index(self.mode)]), self.plan
        usual = np.exp(NOISE[self.name] - np.median(NOISE[self.name]))
        times = dice.choice(centre * usual, (self.trials, plan.looks[-1]))
        limit = 1.0
        if self.mode == "coarse clock":
            times, limit = np.round(times / STEP), _coarse_limit(usual, healthy)
        if self.mode.startswith("hog"):
            late = np.arange(times.shape[1]) >= times.shape[1] * 2 // 3
            times = np.where(late, times * (1 + LONGER * dice.random(times.shape)), times)
        if self.mode == "hog, stated":
            seen = (replace(_figure(row), state="disturbed", disturbance=Moved(0.0, LONGER)) for row in times.tolist())
            return Counter(judged_in_doubt(each, limit, higher=False, plan=plan).value for each in seen)
        return Counter(plan.decide(row).value for row in (times <= limit).tolist())


def _coarse_limit(usual: Floats, healthy: bool) -> float:
    """In steps: the strictest limit that half of the launches of a machine at the limit meet, or the laxest missed."""
    population = np.round(usual / STEP)
    steps = np.arange(population.min() - 1, population.max() + 1)
    met = np.array([np.mean(population <= step) for step in steps])
    return float(steps[met >= 0.5][0] if healthy else steps[met <= 0.5][-1])


def of_one_node(trials: int) -> bool:
    """Print the table of one node; whether a wrong verdict was too frequent."""
    most, failed = most_allowed(trials), False
    print(f"\nOne requirement on one node, {trials} acceptances a cell, risks 5% (at most {most} wrong):\n")
    print("| noise | launches | disturbed by | rejected at the limit | accepted at a fault of 2, 5, 10, 25% |", end="")
    print(" shown at 10%, better by 5% |\n|---|---|---|---|---|---|")
    for name in NOISE:
        for mode in MODES:
            of = Trials(name, mode, trials)
            healthy = of.verdicts(1.0, healthy=True)["rejected"]
            faulty = [of.verdicts(1 / (1 - fault), healthy=False) for fault in FAULTS]
            better = of.verdicts(1 / (1 + INDIFFERENCE), healthy=True)["accepted"]
            accepted = [each["accepted"] for each in faulty]
            free = mode == "hog, not seen"  # such a machine is slower while it is measured
            failed |= max(accepted) > most or (healthy > most and not free)
            stated = f"({healthy})" if free else f"{healthy}"
            shown = f"{faulty[2]['rejected'] / trials:.2f}, {better / trials:.2f}"
            cells = (name, of.plan.looks[-1], mode, stated, ", ".join(map(str, accepted)), shown)
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return failed


def of_parts(
    what: str,
    cells: Sequence[tuple[float, str]],
    trials: int,
    verdict: PartVerdict,
    limit: float,
) -> bool:
    """Print the table of one part of many with a fault, disturbed or not; whether a wrong verdict was too frequent.

    `limit`: how much slower than the others a part may be.
    """
    most, failed = most_allowed(trials), False
    print(f"\n{what[0].upper()}{what[1:]}, {trials} acceptances a cell (at most {most} wrong):\n")
    print("| fault | disturbed by | accepted | rejected | not shown | another one named |\n|---|---|---|---|---|---|")
    for fault, mode in cells:
        dice = np.random.default_rng([8, int(100 * fault)])
        found = [verdict(dice, fault, mode) for _ in range(trials)]
        counted = Counter(each for each, _ in found)
        wrongly = sum(other for _, other in found)
        wrong = counted["accepted" if fault > limit else "rejected"]
        free = fault == 0 and mode == "hog, not seen"  # such a node is slower while it is measured
        failed |= not free and (wrong > most or wrongly > most)
        counts = [str(counted[each.value]) for each in AcceptanceVerdict] + [str(wrongly)]
        if free:
            counts = [counts[0], f"({counts[1]})", counts[2], f"({counts[3]})"]
        print(f"| {fault:.0%} | {mode} | {' | '.join(counts)} |", flush=True)
    return failed


def _contract(requirement: str) -> Contract:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "contract.toml"
        path.write_text(f"[[requirement]]\n{requirement}")
        return read_contract(path)


def node_verdict() -> PartVerdict:
    """Give the verdict on 64 nodes, of which `SLOW` has the fault and `HOGGED` the hog."""
    name = "clock frequency"
    noise = NOISE[name] - np.median(NOISE[name])
    spread = planning_spread(np.exp(noise).tolist(), INDIFFERENCE)
    read = _contract(f"{NODE}spread = {spread:.3g}\n")
    (one,) = plan_contract(read, NODES)

    def verdict(dice: np.random.Generator, fault: float, mode: str) -> tuple[str, bool]:
        times = np.exp(dice.choice(noise, (NODES, one.looks[-1])))
        if fault:
            times /= 1 + INDIFFERENCE
            times[SLOW] *= (1 + INDIFFERENCE) / (1 - fault)
        if mode == "coarse clock":
            times = np.round(times / STEP) * STEP
        if mode.startswith("hog"):
            late = times[HOGGED, times.shape[1] * 2 // 3 :]
            late *= 1 + LONGER * dice.random(late.shape)
        nodes = [NodeEvidence(f"n{at}", _figure(row.tolist())) for at, row in enumerate(1 / times)]
        if mode == "hog, stated":
            figure = _figure((1 / times[HOGGED]).tolist())
            seen = replace(figure, state="disturbed", disturbance=Moved(1 / (1 + LONGER) - 1, 0.0))
            nodes[HOGGED] = NodeEvidence(f"n{HOGGED}", seen, "others")
        found = judged_requirement(read, read.requirements[0], nodes, one.looks)
        return found.verdict, any(each.verdict == "rejected" and each.node != f"n{SLOW}" for each in found.nodes)

    return verdict


def _link_verdict() -> PartVerdict:
    read = _contract(LINK)
    (one,) = plan_contract(read, NODES)
    tree = tree_of_trials()

    def verdict(dice: np.random.Generator, fault: float, mode: str) -> tuple[str, bool]:
        evidence, slow = link_trial(read.requirements[0], tree, one.looks[-1], dice, fault, mode)
        found = judged_requirement(read, read.requirements[0], evidence, one.looks)
        return found.verdict, any(each.verdict == "rejected" and each.node != slow for each in found.nodes)

    return verdict


def _figure(values: list[float]) -> ReportedFigure:
    return figure_by_launch("clock", "frequency", "Hz", values)
