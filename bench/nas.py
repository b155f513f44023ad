"""`./x bench nas --npb FOLDER`: the NAS kernels beside the reference implementation's programs, by their own rates.

FOLDER holds NPB 3's MPI programs (`cg.A.x` …), compiled for this machine with its MPI. Both run in turn, as often as
`--launches` says, with the same ranks. The ratio is that of the medians of what each prints, in operations per second
as NPB counts them. A run of either that does not verify is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import InputError
from assay.execute.build import build
from assay.execute.mpi import Mpi, find_mpi, launch_environment

KERNELS = ("ep", "cg", "mg", "ft", "is")
WITHIN = 600.0  # seconds of a launch


def _output(mpi: Mpi, ranks: int, command: Sequence[str]) -> str:
    line = [mpi.mpiexec, "-n", str(ranks), *command]
    environment = launch_environment(os.environ)
    return subprocess.run(line, capture_output=True, text=True, timeout=WITHIN, check=False, env=environment).stdout


def theirs(mpi: Mpi, ranks: int, program: Path) -> float | None:
    """Operations per second that a program of NPB prints; None where it does not verify."""
    text = _output(mpi, ranks, [str(program)])
    found = re.search(r"Mop/s total\s*=\s*([\d.]+)", text)
    return 1e6 * float(found[1]) if found and re.search(r"Verification\s*=\s*SUCCESSFUL", text) else None


def ours(mpi: Mpi, ranks: int, program: Path, kernel: str, size: str) -> float | None:
    """The same of ours."""
    words = program_words(benchmark("nas"), ["--set", f"kernel={kernel}", "--set", f"class={size}"])
    text = _output(mpi, ranks, [str(program), *words, "--blocks", "1", "--repetitions", "1"])
    events = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if not any(event["event"] == "check" and event["passed"] for event in events):
        return None
    (block,) = (event for event in events if event["event"] == "block")
    return float(block["case"]["operations"] / statistics.median(block["values"]))


def main(arguments: Sequence[str]) -> int:
    """Print a row for each kernel, class and number of ranks."""
    parser = argparse.ArgumentParser(prog="./x bench nas", description=__doc__)
    parser.add_argument("--npb", type=Path, required=True, help="folder of the reference's programs, KERNEL.CLASS.x")
    parser.add_argument("--classes", default="W,A")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--launches", type=int, default=5)
    options = parser.parse_args(arguments)
    mpi = find_mpi()
    if mpi is None:
        raise InputError("no MPI is installed here", accepted="an MPI library with mpicxx and mpiexec")
    program = build([benchmark("nas")], mpi=mpi)["nas"].path
    failed = False
    print(
        f"{'kernel':8}{'class':7}{'ranks':7}{'ours':>12}{'NPB':>12}{'ratio':>8}   of {options.launches} launches each"
    )
    for kernel in options.kernels.split(","):
        for size in options.classes.split(","):
            for ranks in map(int, options.ranks.split(",")):
                reference = options.npb / f"{kernel}.{size}.x"
                found: tuple[list[float], list[float]] = ([], [])
                for _ in range(options.launches):
                    both = ours(mpi, ranks, program, kernel, size), theirs(mpi, ranks, reference)
                    for rates, rate in zip(found, both, strict=True):
                        rates.extend([] if rate is None else [rate])
                if not all(found):
                    print(f"{kernel:8}{size:7}{ranks:<7}no run of {'ours' if not found[0] else 'NPB'} verified")
                    failed = True
                    continue
                mine, reference_rate = (statistics.median(rates) for rates in found)
                print(
                    f"{kernel:8}{size:7}{ranks:<7}{mine / 1e6:12.1f}{reference_rate / 1e6:12.1f}"
                    f"{mine / reference_rate:8.2f}   Mop/s; {len(found[0])} and {len(found[1])} verified"
                )
                sys.stdout.flush()
    return int(failed)
