"""`./x bench node`: stream, lock and barrier against plain C, pthread and OpenMP loops, and against peers.

method.md, rule 9, thirty launches. A launch runs both programs, and the plain one twice (A/A), block by block in random
order (pair.cpp), on the same processors, with the same sizes, counts and readings; best with best for triad, as STREAM
has it, medians for the rest; two one-sided tests at 3%. Faster is as good as equal. A lock is compared twice: POSIX's
own call with a plain loop of it (mutex), and std::mutex, which looks at what that call returns, with a loop that does
so too (checked). EPCC, likwid-bench and lmbench, launches of their own, where their path is given: what they do differs
a little from ours, so that a difference to them is a finding and no failure. `--launches N` is for a quick look and
claims nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.analysis.comparison import ComparisonVerdict
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import build
from assay.machine.topology import core_by_core
from bench._jobs import Counts, Jobs
from bench._node_peers import HELP, PEERS, Peer
from bench._pairs import Trio, against, against_itself, in_one_launch
from bench._program_output import output_lines, readings


@dataclass(frozen=True)
class Match:
    """One comparison: the plain program's mode, ours with its settings, operations per reading, readings per block."""

    mode: str
    program: str
    settings: tuple[str, ...]
    count: int  # operations per reading; 0: a pass over the arrays
    readings: int
    statistic: str
    blocks: int = 24
    threads: tuple[int, ...] = (1, 2)

    def launch(self, jobs: Jobs, threads: int, size: int, number: int) -> Trio:
        """The plain program, the same again and ours, in seconds per operation; `size` of an array of triad, bytes."""
        settings = [*self.settings, f"threads={threads}", *([] if self.count else [f"size={size}"])]
        options = [word for setting in settings for word in ("--set", setting)]
        count = self.count // threads  # contended, they take so much longer
        words = [self.mode, str(count or size), str(threads), ",".join(map(str, processors()))]
        options += ["--batch", str(count or 1)]
        readings = self.readings // threads if count else self.readings
        counts = Counts(self.blocks, readings, seed=number)
        plain, again, ours = jobs.launch(self.program, words, options, "time", counts)
        reduce = REDUCE[self.statistic]
        return reduce(plain), reduce(again), reduce(ours)


MATCHES = (
    Match("triad", "stream", ("kernel=triad",), 0, 5, "best", 2),
    Match("mutex", "lock", ("kind=pthread", "sharing=one"), 100_000, 10, "median"),
    Match("checked", "lock", ("kind=mutex", "sharing=one"), 100_000, 10, "median"),
    Match("omplock", "lock", ("kind=openmp", "sharing=one"), 100_000, 10, "median"),
    Match("ompbarrier", "thread-barrier", ("kind=openmp",), 20_000, 10, "median"),
)
REDUCE: dict[str, Callable[[Sequence[float]], float]] = {
    "best": min,
    "median": statistics.median,
    "mean": statistics.fmean,
}


def processors(root: Path = Path("/")) -> list[int]:
    """The hardware threads of this process as our threads take them: one of each core before any second."""
    return core_by_core(os.sched_getaffinity(0), root)


class Programs:
    """Our programs as peers are held against them; each method is one launch, reduced to one value in seconds."""

    def __init__(self, size: int, names: Sequence[str]) -> None:
        self.size = size
        self.built = build([benchmark(name) for name in dict.fromkeys(names)], mpi=None)

    def ours_like(self, peer: Peer, threads: int, launch: int) -> float:
        """One launch of Assay's program with readings of its own choice."""
        size = [f"size={self.size}"] if peer.program == "stream" else []
        count = [f"threads={threads}"] if "threads" in benchmark(peer.program).parameters else []
        settings = [*peer.settings, *size, *([] if any("threads=" in s for s in peer.settings) else count)]
        words = [word for setting in settings for word in ("--set", setting)]
        counts = ["--slice", "0.3", "--blocks", "2", "--seed", str(launch)]
        program = str(self.built[peer.program].path)
        return REDUCE[peer.statistic](
            readings(
                output_lines([program, *program_words(benchmark(peer.program), [*words, *counts])]),
                "time",
            )
        )


def main(arguments: list[str]) -> int:
    """Run the comparisons; 1 where ours is slower than the plain program."""
    parser = argparse.ArgumentParser(prog="./x bench node", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument("--size", type=int, default=150_000_000, help="bytes of each array of triad")
    parser.add_argument("--only", help="triad, mutex, checked, omplock or ompbarrier, with commas between; or none")
    for option, text in HELP.items():
        parser.add_argument(f"--{option}", type=Path, metavar="PATH", help=text)
    given = parser.parse_args(arguments)
    here = len(processors())
    matches = [m for m in MATCHES if given.only is None or m.mode in given.only.split(",")]
    peers = [peer for peer in PEERS if getattr(given, peer.option) is not None]
    print(f"load {os.getloadavg()[0]:.1f} on {here} processors; {given.launches} launches")
    slower = False
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(Path(folder), "node.c", [match.program for match in matches])
        for match in matches:
            for threads in (count for count in match.threads if count <= here):
                name = f"{match.mode}, {threads} thread{'s' if threads > 1 else ''}"
                launch = partial(match.launch, jobs, threads, given.size)
                found = in_one_launch(launch, given.launches, name, match.statistic)
                slower |= found.verdict is ComparisonVerdict.DIFFERS and found.ratio > 1
        programs = Programs(given.size, [peer.program for peer in peers])
        for peer in peers:
            path = getattr(given, peer.option)
            for threads in (count for count in peer.threads if count <= here):
                name = f"{peer.name}, {threads} thread{'s' if threads > 1 else ''}"

                def theirs(_: int, peer: Peer = peer, path: Path = path, threads: int = threads) -> float:
                    return peer.launch(path, threads, given.size)

                ours = partial(programs.ours_like, peer, threads)
                try:
                    itself = against_itself(theirs, given.launches, f"{name}, {peer.option} with itself")
                    against(theirs, ours, given.launches, f"{name}, ours over {peer.option}", itself, peer.statistic)
                except MeasurementError as error:  # a peer's failure is a finding, and no word on the next
                    print(f"{name}: {error}", flush=True)
    return 1 if slower else 0
