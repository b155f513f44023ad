"""`./x bench messages`: is echo, a coroutine over the Communicator, as fast as a plain C ping-pong under the same MPI?

METHOD rule 9: the plain C program against itself first; then thirty launches of each, interleaved, with the same bytes,
batch, number of readings and alignment; medians of launches compared, two one-sided tests at 3%. `--osu PATH` adds
osu_latency, which prints means only, against echo's mean. `--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from assay.analysis.comparison import Verdict
from assay.benchmark.record import benchmark
from assay.errors import MeasurementError
from assay.execute.build import build
from assay.execute.mpi import Mpi, find_mpi, launch_environment
from bench._pairs import against, against_itself

PLAIN = Path(__file__).with_name("pingpong.c")
BLOCKS = 4
# bytes -> (readings a block, round trips a reading)
SIZES = {8: (100, 500), 1 << 20: (100, 4)}
UNIT = (5e5, "us one way")


def offsets(seed: int) -> list[str]:
    """The seeded offsets of echo's buffers (programs/ranks/buffers.hpp), so that both programs have the same."""
    found = []
    for rank in (0, 1):
        state = (seed * 2654435761 + rank) % 2**64
        for _ in ("out", "in"):
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            bits = state
            bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
            bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
            found.append(str(8 * ((bits ^ (bits >> 31)) % 512)))
    return found


class Programs:
    """The compiled programs; each method is one launch, reduced to one value in seconds."""

    def __init__(self, mpi: Mpi, folder: Path, osu: str | None) -> None:
        self.mpi, self.osu = mpi, osu
        self.environment = dict(launch_environment(os.environ))
        self.echo_program = build([benchmark("echo")], mpi=mpi)["echo"].path
        self.plain_program = folder / "pingpong"
        compiler = Path(mpi.mpicxx).with_name("mpicc")
        command = [str(compiler), "-O3", "-march=native", str(PLAIN), "-o", str(self.plain_program)]
        made = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        if made.returncode:
            raise MeasurementError(f"pingpong.c does not compile: {made.stderr}")

    def _launch(self, *command: str) -> str:
        words = [self.mpi.mpiexec, "-n", "2", *command]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=300, env=self.environment)
        if ended.returncode:
            raise MeasurementError(f"{' '.join(words)}: {ended.stderr.strip()}")
        return ended.stdout

    def _echo(self, size: int, seed: int) -> list[float]:
        readings, batch = SIZES[size]
        options = ["--set", f"bytes={size}", "--batch", str(batch), "--repetitions", str(readings)]
        said = self._launch(str(self.echo_program), *options, "--blocks", str(BLOCKS), "--seed", str(seed))
        events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return [value for event in events if event["event"] == "block" for value in event["values"]]

    def echo(self, size: int, seed: int) -> float:
        """Median round trip of a launch of echo."""
        return statistics.median(self._echo(size, seed))

    def echo_mean(self, size: int, seed: int) -> float:
        """Mean round trip of a launch of echo: total time over total round trips."""
        return statistics.fmean(self._echo(size, seed))

    def plain(self, size: int, seed: int) -> float:
        """Median round trip of a launch of the plain C program."""
        readings, batch = SIZES[size]
        words = [str(size), str(readings), str(batch), str(BLOCKS), *offsets(seed)]
        said = self._launch(str(self.plain_program), *words)
        return statistics.median(float(line) for line in said.split())

    def osu_mean(self, size: int, seed: int) -> float:
        """Mean round trip as osu_latency says it: twice its latency in us."""
        readings, batch = SIZES[size]
        said = self._launch(str(self.osu), "-m", f"{size}:{size}", "-i", str(readings * batch * BLOCKS))
        found = re.search(rf"^{size}\s+([\d.]+)", said, re.MULTILINE)
        if not found:
            raise MeasurementError(f"{self.osu} printed no latency: {said}")
        return 2e-6 * float(found.group(1))


def main(arguments: list[str]) -> int:
    """Run the comparison; 1 where echo differs from the plain program."""
    parser = argparse.ArgumentParser(prog="./x bench messages", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="pairs of launches (30 for a claim)")
    parser.add_argument("--osu", metavar="PATH", help="an osu_latency built with the same MPI")
    given = parser.parse_args(arguments)
    mpi = find_mpi()
    if mpi is None:
        print("no MPI here", file=sys.stderr)
        return 2
    print(f"{mpi}; load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors")
    differs = False
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(mpi, Path(folder), given.osu)
        for size in SIZES:
            plain, echo = partial(programs.plain, size), partial(programs.echo, size)
            itself = against_itself(plain, given.launches, f"{size} B, plain C with itself", UNIT)
            found = against(plain, echo, given.launches, f"{size} B, echo over plain C", itself, unit=UNIT)
            differs |= found.verdict is Verdict.DIFFERS
            if given.osu:
                osu, mean = partial(programs.osu_mean, size), partial(programs.echo_mean, size)
                against(osu, mean, given.launches, f"{size} B, echo over osu_latency", itself, "mean", UNIT)
    return 1 if differs else 0
