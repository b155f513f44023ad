"""`./x bench messages`: is echo, a coroutine over the Communicator, as fast as a plain C ping-pong under the same MPI?

METHOD rule 9, thirty launches. A launch holds both programs, and the plain one twice (A/A), block by block in a drawn
order (pair.cpp), with the same bytes, batch, number of readings and alignment; medians of launches are compared, two
one-sided tests at 3%. `--osu PATH` adds osu_latency, a launch of its own, which prints means only, against echo's mean.
`--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

from assay.analysis.comparison import ComparisonVerdict
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import build
from assay.execute.mpi import Mpi, find_mpi, launch_environment
from bench._jobs import Jobs
from bench._pairs import against, against_itself, in_one_launch
from bench._program_output import output_lines, readings
from bench._twins import Twin

ECHOES = tuple(
    Twin("echo", "echo", (f"bytes={size}",), size, 50, batch, "round_trip") for size, batch in ((8, 500), (1 << 20, 4))
)
UNIT = (5e5, "us one way")


class Means:
    """Echo and osu_latency, each a launch of its own, reduced to its mean round trip in seconds."""

    def __init__(self, mpi: Mpi, osu: str) -> None:
        self.osu = osu
        self.before, self.environment = [mpi.mpiexec, "-n", "2"], launch_environment(os.environ)
        self.program = build([benchmark("echo")], mpi=mpi)["echo"].path

    def echo(self, twin: Twin, seed: int) -> float:
        """Total time over total round trips of a launch of echo."""
        counts = ["--repetitions", str(twin.readings), "--blocks", str(twin.blocks), "--seed", str(seed)]
        lines = output_lines(
            [*self.before, str(self.program), *program_words(benchmark("echo"), [*twin.options(), *counts])],
            self.environment,
        )
        return statistics.fmean(readings(lines, twin.metric))

    def peer(self, twin: Twin, _: int) -> float:
        """Twice the latency that osu_latency prints."""
        iterations = str(twin.readings * twin.batch * twin.blocks)
        command = [*self.before, self.osu, "-m", f"{twin.size}:{twin.size}", "-i", iterations]
        text = "\n".join(output_lines(command, self.environment))
        found = re.search(rf"^{twin.size}\s+([\d.]+)", text, re.MULTILINE)
        if not found:
            raise MeasurementError(f"{self.osu} printed no latency: {text}")
        return 2e-6 * float(found.group(1))


def main(arguments: list[str]) -> int:
    """Run the comparison; 1 where echo differs from the plain program."""
    parser = argparse.ArgumentParser(prog="./x bench messages", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument("--osu", metavar="PATH", help="an osu_latency built with the same MPI")
    given = parser.parse_args(arguments)
    mpi = find_mpi()
    if mpi is None:
        print("no MPI here", file=sys.stderr)
        return 2
    print(f"{mpi}; load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors")
    differs = False
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(Path(folder), "twins.c", ["echo"], mpi)
        for twin in ECHOES:
            found = in_one_launch(partial(twin.launch, jobs), given.launches, f"echo of {twin.size} B", unit=UNIT)
            differs |= found.verdict is ComparisonVerdict.DIFFERS
            if given.osu:
                means = Means(mpi, given.osu)
                osu, echo = partial(means.peer, twin), partial(means.echo, twin)
                itself = against_itself(osu, given.launches, f"{twin.size} B, osu_latency with itself", UNIT)
                against(osu, echo, given.launches, f"{twin.size} B, echo over osu_latency", itself, "mean", UNIT)
    return 1 if differs else 0
