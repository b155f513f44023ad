"""`./x bench node`: stream, lock and barrier against plain C, pthread and OpenMP loops.

METHOD rule 9: the plain program against itself first; then thirty launches of each, interleaved, on the same
processors, with the same sizes, counts and readings; best with best for triad, as STREAM has it, medians for the rest;
two one-sided tests at 3%. Better is as good as equal. `--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.analysis.comparison import Comparison, Verdict, compare
from assay.benchmark.record import benchmark
from assay.errors import MeasurementError
from assay.execute.build import build

PLAIN = Path(__file__).with_name("node.c")


@dataclass(frozen=True)
class Match:
    """One comparison: the plain program's mode, ours with its settings, operations and readings a launch."""

    mode: str
    program: str
    settings: tuple[str, ...]
    count: int
    readings: int
    statistic: str
    threads: tuple[int, ...] = (1, 2)


MATCHES = (
    Match("triad", "stream", ("kernel=triad",), 0, 8, "best"),
    Match("mutex", "lock", ("kind=mutex", "sharing=one"), 100_000, 30, "median"),
    Match("omplock", "lock", ("kind=openmp", "sharing=one"), 100_000, 30, "median"),
    Match("ompbarrier", "thread_barrier", ("kind=openmp",), 20_000, 30, "median"),
)
REDUCE: dict[str, Callable[[Sequence[float]], float]] = {"best": min, "median": statistics.median}
Measure = Callable[[int], float]  # launch -> s an operation


class Programs:
    """The compiled programs; each method is one launch, reduced to one value in seconds an operation."""

    def __init__(self, folder: Path, size: int) -> None:
        self.size = size
        self.built = build([benchmark(name) for name in ("stream", "lock", "thread_barrier")], mpi=None)
        self.plain_program = folder / "node"
        command = ["cc", "-O3", "-march=native", "-fopenmp", str(PLAIN), "-o", str(self.plain_program)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise MeasurementError(f"node.c does not compile: {made.stderr}")

    def plain(self, match: Match, threads: int) -> float:
        """One launch of the plain program."""
        count = match.count or self.size
        words = [str(self.plain_program), match.mode, str(count), str(match.readings), str(threads)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
        return REDUCE[match.statistic]([float(line) for line in done.stdout.split()])

    def ours(self, match: Match, threads: int, launch: int) -> float:
        """One launch of Assay's program with the same operations and readings."""
        settings = [*match.settings, f"threads={threads}", *([] if match.count else [f"size={self.size}"])]
        words = [word for setting in settings for word in ("--set", setting)]
        batch = str(match.count or 1)
        counts = ["--batch", batch, "--repetitions", str(match.readings), "--blocks", "1"]
        done = subprocess.run(
            [self.built[match.program].path, *words, *counts, "--seed", str(launch)],
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
        events = [json.loads(line) for line in done.stdout.splitlines()]
        values = [v for e in events if e["event"] == "block" and e["metric"] == "time" for v in e["values"]]
        return REDUCE[match.statistic](values[: match.readings])


def interleaved(a: Measure, b: Measure, launches: int, say: str) -> tuple[list[float], list[float]]:
    """So many pairs of launches, the order within each pair drawn."""
    order = random.Random(say)
    first: list[float] = []
    second: list[float] = []
    for launch in range(launches):
        turns: Sequence[tuple[Measure, list[float]]] = [(a, first), (b, second)]
        for measure, into in turns if order.random() < 0.5 else reversed(turns):
            into.append(measure(launch + 1))
        print(f"\r{say}: pair {launch + 1} of {launches} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return first, second


def told(name: str, a: list[float], b: list[float], found: Comparison) -> str:
    """One line of the answer."""
    interval = "no interval" if found.ci95 is None else f"95% {found.ci95[0]:.4f} to {found.ci95[1]:.4f}"
    spread = "" if found.spread is None else f"; A/A pairs {found.spread[0]:.3f} to {found.spread[1]:.3f}"
    verdict = "cannot be told here" if found.verdict is Verdict.UNKNOWN else found.verdict.value
    sides = f"{statistics.median(a):.4g} s and {statistics.median(b):.4g} s an operation"
    return f"{name}: {verdict}: ratio {found.ratio:.4f} ({interval}){spread}; {sides}; {found.reason}"


def main(arguments: list[str]) -> int:
    """Run the comparisons; 1 where ours is slower than the plain program."""
    parser = argparse.ArgumentParser(prog="./x bench node", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="pairs of launches (30 for a claim)")
    parser.add_argument("--size", type=int, default=150_000_000, help="bytes of each array of triad")
    parser.add_argument("--only", help="triad, mutex, omplock or ompbarrier")
    given = parser.parse_args(arguments)
    processors = len(os.sched_getaffinity(0))
    print(f"load {os.getloadavg()[0]:.1f} on {processors} processors")
    slower = False
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(Path(folder), given.size)
        for match in MATCHES:
            for threads in match.threads:
                if given.only not in (None, match.mode) or threads > processors:
                    continue

                def plain(_: int, match: Match = match, threads: int = threads) -> float:
                    return programs.plain(match, threads)

                def ours(launch: int, match: Match = match, threads: int = threads) -> float:
                    return programs.ours(match, threads, launch)

                name = f"{match.mode}, {threads} thread{'s' if threads > 1 else ''}"
                itself = interleaved(plain, plain, given.launches, f"{name}, plain with itself")
                print(told(f"{name}, plain with itself", *itself, compare(*itself)))
                pairs = interleaved(plain, ours, given.launches, f"{name}, plain and ours")
                statistic = (match.statistic, match.statistic)
                found = compare(*pairs, a_against_a=itself, statistic=statistic)
                print(told(f"{name}, ours over plain, {match.statistic}", *pairs, found), flush=True)
                slower |= found.verdict is Verdict.DIFFERS and found.ratio > 1
    return 1 if slower else 0
