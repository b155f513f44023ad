"""`./x bench decisions`: how often do decisions by pairs answer wrongly, and how often at all, on a disturbed machine?

Programs that really work 0, 2, 5 and 10% longer run in turn with the plain one, alone and beside eight kinds of
competitors. Each stretch of 24 recorded pairs is then one trial of a decision: a pilot of 4 and 20 that are judged.
Stretches do not overlap, so that trials are independent, and 4,800 pairs give 200 of them. With a margin of 3%,
"differs" is wrong of 0 and 2%, "equal" of 5 and 10%; in each cell 15 of 200 trials may be wrong. Estimators reduce a
launch: its median, lower quartile and least repetition; "product" is what `compare --live` does, median or least
repetition by each trial's pilot. No reading is scaled; what is replayed was measured. The last column is the ratio of
all pairs: work that is 2% longer need not take 2% longer.

`--run RUN` measures nothing: of each figure of a run of ten launches or more, the odd launches are paired with the even
ones (A/A), and the share of figures is printed that would show a difference of 5% in 20 pairs.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import statistics
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import assay
from assay.analysis.comparison import walsh_averages
from assay.analysis.launch_statistics import BEST, MEDIAN, PILOT, steadier
from assay.analysis.paired_decision import LEVEL, PairedPlan, pairs_needed, power

HERE = Path(__file__).parent
LONGER = (0.0, 0.02, 0.05, 0.10)  # how much longer a planted program works
STEPS = {"chain": 500_000, "stream": 131_072}  # of a repetition: about a millisecond
REPETITIONS = 5
MARGIN, PAIRS = 0.03, 20
STRETCH = PILOT + PAIRS  # of a trial
HOGGED = PAIRS // 3 + 1  # the last pairs of a trial, with a late competitor
LEAST_LAUNCHES = 10  # of a figure whose A/A pairs are formed of its launches
COMPETITORS = {
    "none": (),
    "one busy process": ("busy",),
    "busy processes on all processors": ("busy",) * (os.cpu_count() or 1),
    "memory copies": ("memory",),
    "bursts of 50 ms": ("bursts",),
    "a tenth of a processor": ("light",),
    "synchronised writes": ("files",),
    "process creation": ("forks",),
    "busy, last third only": ("busy",),
}
LAST_THIRD = "busy, last third only"
ESTIMATORS: dict[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "quartile": lambda values: sorted(values)[len(values) // 4],
    "least": min,
}
PRODUCT = "product"
Shifts = np.ndarray[tuple[int], np.dtype[np.float64]]
Launches = dict[float | str, list[list[float]]]  # by how much longer, "plain": repetitions of each launch


def main(arguments: list[str]) -> int:
    """Record, replay, print a table for each kind of work; status 1 where more answers were wrong than allowed."""
    parser = argparse.ArgumentParser(prog="./x bench decisions", description=__doc__)
    parser.add_argument("--pairs", type=int, default=720, help="recorded pairs of each planted program (720)")
    parser.add_argument("--work", choices=STEPS, action="append", help="kind of work (default: each)")
    parser.add_argument("--run", help="a run: the share of its figures that show 5%% in 20 pairs")
    chosen = parser.parse_args(arguments)
    if chosen.run:
        return shares(chosen.run)
    trials = chosen.pairs // STRETCH
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        program = worker(Path(folder))
        for work in chosen.work or STEPS:
            print(f"\n{work}: wrong answers in {trials} trials of {PAIRS} pairs (0 and 2%: differs, 5 and 10%: equal),")
            print("how often a difference of 5% was shown, and by how much all pairs differ where 2% were planted\n")
            head = ("competitor", "estimator", "deviation", "0%", "2%", "5%", "10%", "5% shown", "predicted")
            print(f"| {' | '.join((*head, 'pairs for .8', '2% is'))} |")
            print("|---|---|---|---|---|---|---|---|---|---|---|")
            everywhere = {estimator: Counter[float]() for estimator in (*ESTIMATORS, PRODUCT)}
            for name in COMPETITORS:
                found = recorded(program, work, name, trials)
                for estimator, total in everywhere.items():
                    wrong = row(name, estimator, found)
                    failed |= any(count > allowed(trials, 0.95) for count in wrong.values())
                    total.update(wrong)
            for estimator, total in everywhere.items():
                counts = ", ".join(f"{total[longer]} at {longer:.0%}" for longer in LONGER)
                print(f"{estimator}, all competitors: {counts}, of {trials * len(COMPETITORS)}")
            print(f"{allowed(trials, 0.95)} wrong of {trials} are allowed in each cell; (!): more")
    return int(failed)


def shares(run: str) -> int:
    """Print each figure's deviation of A/A pairs and the pairs that it needs, and how many need at most 20."""
    deviations = aa_deviations(assay.open(run).document["figures"])
    if not deviations:
        raise SystemExit(f"./x bench decisions: {run} has no figure with {LEAST_LAUNCHES} launches")
    needed = {name: pairs_needed(0.05, MARGIN, deviation) for name, deviation in deviations.items()}
    print("| figure | deviation of pairs | pairs for 5% |\n|---|---|---|")
    for name, deviation in sorted(deviations.items(), key=lambda item: item[1]):
        print(f"| {name} | {deviation:.1%} | {needed[name] or 'many'} |")
    for most in (0.052, 0.07):
        print(
            f"deviation of at most {most:.1%}: {sum(each <= most for each in deviations.values())} of {len(deviations)}"
        )
    enough = sum(pairs is not None and pairs <= PAIRS for pairs in needed.values())
    print(f"a difference of 5% shown in four of five cases by {PAIRS} pairs: {enough} of {len(deviations)} figures")
    return 0


def aa_deviations(figures: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Standard deviation of the log ratio of a figure's successive launches, by figure and case; positive values only.

    Medians alone; of a figure that is a bound here, the best readings of its launches, as `compare --live` has it.
    Sizes and counts, which every launch finds equal, are left out.
    """
    found: dict[str, float] = {}
    for each in figures:
        if each["statistic"] != ("best" if each["state"] == "bound" else "median"):
            continue
        by_launch = each["by_launch"] or each.get("best_by_launch") or []
        values = np.array([value for _, value in sorted(by_launch)], float)
        if len(values) >= LEAST_LAUNCHES and (values > 0).all() and np.ptp(values) > 0:
            even = len(values) // 2 * 2
            case = " ".join(f"{key}={value}" for key, value in each["params"].items())
            name = f"{each['benchmark']}.{each['name']} {case}".strip()
            found[name] = float(np.std(np.log(values[1:even:2] / values[:even:2]), ddof=1))
    return found


def allowed(trials: int, confidence: float) -> int:
    """The most wrong answers of a rule that is wrong in 5% of trials, with this confidence (15 of 200: .95)."""
    return int(stats.binom.ppf(confidence, trials, LEVEL))


def recorded(program: Path, work: str, competitor: str, trials: int) -> Launches:
    """Run the plain and the planted programs in turn, each round in random order; seconds of every repetition."""
    dice = random.Random(1)
    found: Launches = {"plain": [], **{longer: [] for longer in LONGER}}
    stages = ((), STRETCH - HOGGED), (COMPETITORS[competitor], HOGGED)
    for _ in range(trials):
        for kinds, pairs in stages if competitor == LAST_THIRD else ((COMPETITORS[competitor], STRETCH),):
            with competing(program, kinds):
                for _ in range(pairs):
                    _round(program, work, found, dice)
    return found


def _round(program: Path, work: str, found: Launches, dice: random.Random) -> None:
    order = list(found)
    dice.shuffle(order)
    for which in order:
        steps = STEPS[work] if isinstance(which, str) else round(STEPS[work] * (1 + which))
        command = [str(program), work, str(steps), str(REPETITIONS)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found[which].append([float(line) for line in done.stdout.split()])


def worker(folder: Path) -> Path:
    """Compile what works and what competes."""
    made = folder / "worker"
    subprocess.run(["cc", "-O2", "-o", str(made), str(HERE / "worker.c")], check=True)
    return made


@contextlib.contextmanager
def competing(program: Path, kinds: Sequence[str]) -> Iterator[None]:
    """Have competitors run meanwhile."""
    running = [subprocess.Popen([str(program), kind], cwd=program.parent) for kind in kinds]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


def row(competitor: str, estimator: str, found: Launches) -> dict[float, int]:
    """Print one row; the wrong answers of each planted difference."""
    shifts = {longer: shifts_of(found, longer, estimator) for longer in LONGER}
    trials = len(found["plain"]) // STRETCH
    answers = {longer: tried(shifts[longer]) for longer in LONGER}
    wrong = {longer: answers[longer]["differs" if longer < MARGIN else "equal"] for longer in LONGER}
    deviation = float(np.std(shifts[0.0], ddof=1))
    marked = [f"{count}{' (!)' * (count > allowed(trials, 0.95))}" for count in wrong.values()]
    shown = f"{answers[0.05]['differs'] / trials:.2f}"
    needed = pairs_needed(0.05, MARGIN, deviation)
    predicted = power(0.05, MARGIN, deviation, PAIRS)
    centre = math.expm1(float(np.median(walsh_averages(shifts[0.02]))))
    ends = f"{shown} | {predicted:.2f} | {needed or 'many'} | {centre:.1%}"
    print(f"| {competitor} | {estimator} | {deviation:.1%} | {' | '.join(marked)} | {ends} |", flush=True)
    return wrong


def shifts_of(found: Launches, longer: float, estimator: str) -> Shifts:
    """The log ratios of the judged pairs, planted by plain, trial after trial; PRODUCT: by what each pilot fixes."""
    ratios = {name: _log_ratios(found, longer, reduce) for name, reduce in ESTIMATORS.items()}
    judged = []
    for start in range(0, len(found["plain"]) - STRETCH + 1, STRETCH):
        pilot, end = start + PILOT, start + STRETCH
        chosen = estimator
        if estimator == PRODUCT:
            seen = {MEDIAN: ratios["median"][start:pilot], BEST: ratios["least"][start:pilot]}
            chosen = {MEDIAN: "median", BEST: "least"}[steadier({name: list(of) for name, of in seen.items()})]
        judged.append(ratios[chosen][pilot:end])
    return np.concatenate(judged)


def _log_ratios(found: Launches, longer: float, reduce: Callable[[Sequence[float]], float]) -> Shifts:
    one, other = ([reduce(launch) for launch in found[which]] for which in ("plain", longer))
    return np.asarray(np.log(other) - np.log(one))


def tried(shifts: Shifts) -> Counter[str]:
    """Decide on each stretch of judged pairs, as a measurement would have; how often which answer."""
    plan = PairedPlan(MARGIN, PAIRS)
    counted: Counter[str] = Counter()
    for start in range(0, len(shifts) - PAIRS + 1, PAIRS):
        for pairs in plan.looks:
            decision = plan.look([float(each) for each in shifts[start : start + pairs]])
            if decision.decided or decision.last:
                counted[decision.verdict.value] += 1
                break
    return counted
