"""`./x bench devices`: a device's triad and matrix product beside a plain OpenCL program, its peaks beside clpeak's.

method.md, rule 9: each launch runs the plain program twice (A/A) and ours, processes one after another in random order,
with the same sizes, launches and readings; the best reading of a launch counts. Wanted of our speed over the plain
program's: 0.95 for the triad, 0.97 for CLBlast's product. Peaks stand beside clpeak's, without a bound: its kernels are
other ones. The plain program needs OpenCL's headers (Debian: opencl-c-headers) and CLBlast (libclblast1).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import build
from bench._pairs import Trio, in_one_launch
from bench._program_output import output_lines, readings
from bench.kernels import judged

HERE = Path(__file__).parent
READINGS = 8
CLPEAK = {"float32": "sp", "float64": "dp", "int32": "integer"}  # types as its options name them


@dataclass(frozen=True)
class Match:
    """One comparison: the plain program's words, our program with its settings, operations of one of the plain's."""

    name: str
    plain: tuple[str, ...]
    program: str
    settings: tuple[str, ...]
    unit: int
    wanted: float

    def launch(self, twin: Path, device: int, number: int) -> Trio:
        """The plain program, the same again and ours, s an operation of the plain's, each its best reading."""
        turns = ["plain", "again", "ours"]
        random.Random(number).shuffle(turns)
        found = {turn: self._ours(device) if turn == "ours" else self._plain(twin, device) for turn in turns}
        return found["plain"], found["again"], found["ours"]

    def _plain(self, twin: Path, device: int) -> float:
        return min(float(line) for line in output_lines([str(twin), *self.plain, str(READINGS), str(device)]))

    def _ours(self, device: int) -> float:
        words = [word for each in (f"device=opencl:{device}", *self.settings) for word in ("--set", each)]
        times = int(self.plain[2])
        words += ["--batch", str(self.unit * times), "--repetitions", str(READINGS), "--blocks", "1"]
        program = build([benchmark(self.program)], mpi=None)[self.program].path
        lines = output_lines([str(program), *program_words(benchmark(self.program), words)])
        return min(readings(lines, "time")) * self.unit


def matches(size: int, n: int) -> list[Match]:
    """All comparisons; `size`: bytes of an array, `n`: rows of a matrix."""
    triad = ("kernel=triad", "width=1", f"bytes={size}")
    product = ("code=library", "type=float32", f"n={n}")
    return [
        Match("triad", ("triad", str(size), "4"), "device-stream", triad, 3 * size, 0.95),
        Match("gemm", ("gemm", str(n), "2"), "device-gemm", product, 2 * n**3, 0.97),
    ]


def twin_of(folder: Path) -> Path:
    """The plain program, compiled; MeasurementError says what it needs."""
    made = folder / "device_twin"
    links = ["-l:libOpenCL.so.1", "-l:libclblast.so.1"]
    command = ["g++", "-std=c++20", "-O2", str(HERE / "device_twin.cpp"), "-o", str(made), *links]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        raise MeasurementError(
            "the plain program needs opencl-c-headers, ocl-icd-libopencl1 and libclblast1: "
            + ended.stderr.strip()[:300]
        )
    return made


def beside_clpeak(device: int) -> None:
    """Print our peaks beside clpeak's best, where it is here."""
    program = build([benchmark("device-peak")], mpi=None)["device-peak"].path
    for type_, word in CLPEAK.items():
        words = ["--set", f"device=opencl:{device}", "--set", f"type={type_}", "--set", "width=2,4,8"]
        words += ["--repetitions", str(READINGS), "--blocks", "2"]
        ours = readings(output_lines([str(program), *program_words(benchmark("device-peak"), words)]), "time")
        text = f"peak {type_}: {1e-9 / min(ours):.4g} Gflop/s" if ours else f"peak {type_}: not on this device"
        if shutil.which("clpeak"):
            output = "\n".join(output_lines(["clpeak", "-p", "0", "-d", str(device), f"--compute-{word}"]))
            theirs = [float(each) for each in re.findall(r"^ +\w+ +: ([0-9.]+)$", output, re.MULTILINE)]
            text += f"; clpeak {max(theirs):.4g}, ratio {1e-9 / min(ours) / max(theirs):.3f}" if theirs and ours else ""
        print(text, flush=True)


def main(arguments: list[str]) -> int:
    """Run the comparisons; 1 where ours is surely slower than what is wanted."""
    parser = argparse.ArgumentParser(prog="./x bench devices", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="number of the OpenCL device (0)")
    parser.add_argument("--bytes", type=int, default=1 << 26, help="of an array of the triad (64 MiB)")
    parser.add_argument("--rows", type=int, default=1024, help="of a matrix (1024)")
    given = parser.parse_args(arguments)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} hardware threads; {given.launches} launches", flush=True)
    missed = False
    with tempfile.TemporaryDirectory() as folder:
        twin = twin_of(Path(folder))
        for match in matches(given.bytes, given.rows):
            measure = partial(match.launch, twin, given.device)
            found = in_one_launch(measure, given.launches, match.name, "best", margin=1 - match.wanted)
            text, less = judged(found, match.wanted)
            print(f"{match.name}: {text}", flush=True)
            missed |= less
    beside_clpeak(given.device)
    return 1 if missed else 0
