"""`./x bench decisions`: how often do decisions by pairs answer wrongly, and how often at all, on a disturbed machine?

Programs that really work 0, 2, 5 and 10% longer run in turn with the plain one, alone and beside eight kinds of
competitors. Each decision is then tried 200 times on contiguous stretches of the recorded pairs: with a margin of 3%,
"differs" is wrong of 0 and 2%, "equal" of 5 and 10%. Three estimators reduce a launch: its median, lower quartile and
least repetition. No reading is scaled; what is replayed was measured.

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

import assay
from assay.analysis.paired_decision import PairedPlan, pairs_needed, power

HERE = Path(__file__).parent
LONGER = (0.0, 0.02, 0.05, 0.10)  # how much longer a planted program works
STEPS = {"chain": 4_000_000, "stream": 2_000_000}  # of a repetition: some milliseconds
REPETITIONS = 9
MARGIN, PAIRS, TRIALS = 0.03, 20, 200
ALLOWED = 15  # wrong answers in 200 trials
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
Launches = dict[float | str, list[list[float]]]  # by how much longer, "plain": repetitions of each launch


def main(arguments: list[str]) -> int:
    """Record, replay, print a table for each kind of work; status 1 where more answers were wrong than allowed."""
    parser = argparse.ArgumentParser(prog="./x bench decisions", description=__doc__)
    parser.add_argument("--pairs", type=int, default=60, help="recorded pairs of each planted program (60)")
    parser.add_argument("--work", choices=STEPS, action="append", help="kind of work (default: each)")
    parser.add_argument("--run", help="a run: the share of its figures that show 5%% in 20 pairs")
    chosen = parser.parse_args(arguments)
    if chosen.run:
        return shares(chosen.run)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "worker"
        subprocess.run(["cc", "-O2", "-o", str(program), str(HERE / "worker.c")], check=True)
        for work in chosen.work or STEPS:
            print(f"\n{work}: wrong answers in {TRIALS} trials of {PAIRS} pairs (0 and 2%: differs, 5 and 10%: equal),")
            print("and how often a difference of 5% was shown\n")
            print("| competitor | estimator | deviation | 0% | 2% | 5% | 10% | 5% shown | predicted | pairs for .8 |")
            print("|---|---|---|---|---|---|---|---|---|---|")
            for name in COMPETITORS:
                found = recorded(program, work, name, chosen.pairs)
                for estimator in ESTIMATORS:
                    failed |= row(name, estimator, found)
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

    Medians alone; of a figure that is a bound here, the best readings of its launches, as `compare --live` has it. Sizes
    and counts, which every launch finds equal, are left out.
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


def recorded(program: Path, work: str, competitor: str, pairs: int) -> Launches:
    """Run the plain and the planted programs in turn, each round in random order; seconds of every repetition."""
    dice = random.Random(1)
    found: Launches = {"plain": [], **{longer: [] for longer in LONGER}}
    late = competitor == LAST_THIRD
    with competing(program, () if late else COMPETITORS[competitor]):
        for _ in range(2 * pairs // 3 if late else pairs):
            _round(program, work, found, dice)
    if late:
        with competing(program, COMPETITORS[competitor]):
            for _ in range(pairs - 2 * pairs // 3):
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


def row(competitor: str, estimator: str, found: Launches) -> bool:
    """Print one row; whether more answers were wrong than allowed."""
    reduce = ESTIMATORS[estimator]
    plain = np.log([reduce(launch) for launch in found["plain"]])
    shifts = {longer: np.log([reduce(launch) for launch in found[longer]]) - plain for longer in LONGER}
    answers = {longer: tried(shifts[longer]) for longer in LONGER}
    wrong = {longer: answers[longer]["differs" if longer < MARGIN else "equal"] for longer in LONGER}
    deviation = float(np.std(shifts[0.0], ddof=1))
    marked = [f"{count}{' (!)' * (count > ALLOWED)}" for count in wrong.values()]
    shown = f"{answers[0.05]['differs'] / TRIALS:.2f}"
    needed = pairs_needed(0.05, MARGIN, deviation)
    predicted = power(0.05, MARGIN, deviation, PAIRS)
    ends = f"{shown} | {predicted:.2f} | {needed or 'many'}"
    print(f"| {competitor} | {estimator} | {deviation:.1%} | {' | '.join(marked)} | {ends} |", flush=True)
    return any(count > ALLOWED for count in wrong.values())


def tried(shifts: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Counter[str]:
    """Decide on contiguous stretches of the recorded pairs, as a measurement would have; how often which answer."""
    dice = random.Random(2)
    plan = PairedPlan(MARGIN, PAIRS)
    counted: Counter[str] = Counter()
    for _ in range(TRIALS):
        start = dice.randrange(len(shifts) - PAIRS + 1)
        for pairs in plan.looks:
            decision = plan.look([float(each) for each in shifts[start : start + pairs]])
            if decision.decided or decision.last:
                counted[decision.verdict.value] += 1
                break
    assert sum(counted.values()) == TRIALS and not math.isnan(float(shifts.sum()))
    return counted
