"""`./x bench messages`: is echo, a coroutine over the Communicator, as fast as a plain C ping-pong under the same MPI?

method.md, rule 9, thirty launches. A launch runs both programs, and the plain one twice (A/A), block by block in random
order (pair.cpp), with the same bytes, batch, number of readings and alignment; medians of launches are compared, two
one-sided tests at 3%. `--osu PATH` adds osu_latency, a launch of its own, which prints means only, against echo's mean.
`--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from assay.analysis.comparison import ComparisonVerdict
from assay.execute.mpi import find_mpi
from bench._jobs import Jobs
from bench._osu import Peer, beside
from bench._pairs import in_one_launch
from bench._twins import Twin

ECHOES = tuple(
    Twin("echo", "echo", (f"bytes={size}",), size, 50, batch, "round_trip") for size, batch in ((8, 500), (1 << 20, 4))
)
UNIT = (5e5, "us one way")


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
                peer = Peer("osu_latency", twin, lambda printed: 2e-6 * printed, unit=UNIT)
                beside(mpi, peer, Path(given.osu), given.launches)
    return 1 if differs else 0
