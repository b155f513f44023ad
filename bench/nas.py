"""`./x bench nas`: the NAS kernels without accounting and with it; with `--npb FOLDER` beside the reference's programs.

FOLDER holds NPB 3's MPI programs (`cg.A.x` …), compiled for this machine with its MPI. Both run in turn, in an order
that is drawn for each pair, with the same ranks. The ratio is that of rates, ours over the other's, in operations per
second as NPB counts them: median of the pairs with its interval, and the greatest rate of ours over the greatest of
the other's, which what else runs on the machine moves least. A run that does not verify ends the comparison.

Without --npb the other is the same program compiled without its accounting (applications/accounted.hpp).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.analysis.comparison import compare
from assay.benchmark.record import benchmark, programs_root, read_record
from assay.benchmark.resolved import program_words
from assay.errors import InputError, MeasurementError
from assay.execute.build import build
from assay.execute.mpi import Mpi, find_mpi, launch_environment
from bench._pairs import interleaved

KERNELS = ("ep", "cg", "mg", "ft", "is")
WITHIN = 600.0  # seconds of a launch
NOTED, PLAIN = "made<Accounted<C>>(accounted, ", "made<C>(comm, "  # in applications/player.hpp


def _output(mpi: Mpi, ranks: int, command: Sequence[str]) -> str:
    line = [mpi.mpiexec, "-n", str(ranks), *command]
    environment = launch_environment(os.environ)
    return subprocess.run(line, capture_output=True, text=True, timeout=WITHIN, check=False, env=environment).stdout


def theirs(mpi: Mpi, ranks: int, program: Path) -> float:
    """Seconds per operation by what a program of NPB prints. MeasurementError where it does not verify."""
    text = _output(mpi, ranks, [str(program)])
    found = re.search(r"Mop/s total\s*=\s*([\d.]+)", text)
    if not found or not re.search(r"Verification\s*=\s*SUCCESSFUL", text):
        raise MeasurementError(f"{program} on {ranks} ranks does not verify")
    return 1e-6 / float(found[1])


def ours(mpi: Mpi, ranks: int, program: Path, kernel: str, size: str, runs: int) -> float:
    """The same of ours, by the median of `runs` runs. MeasurementError where it does not verify."""
    words = program_words(benchmark("nas"), ["--set", f"kernel={kernel}", "--set", f"class={size}"])
    text = _output(mpi, ranks, [str(program), *words, "--blocks", "1", "--repetitions", str(runs)])
    events = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    if not any(event["event"] == "check" and event["passed"] for event in events):
        raise MeasurementError(f"nas {kernel} {size} on {ranks} ranks does not verify")
    (block,) = (event for event in events if event["event"] == "block")
    return float(statistics.median(block["values"]) / block["case"]["operations"])


def unaccounted(mpi: Mpi, folder: Path) -> Path:
    """The program compiled with its machine's own communicator in place of the one that notes calls."""
    shutil.copytree(programs_root(), folder / "programs")
    player = folder / "programs" / "applications" / "player.hpp"
    text = player.read_text()
    if text.count(NOTED) != 2:
        raise MeasurementError(f"{player}: does not read as this comparison expects: {NOTED!r} twice")
    player.write_text(text.replace(NOTED, PLAIN))
    record = read_record(folder / "programs" / "applications" / "nas.hpp")
    assert record is not None
    return build([record], mpi=mpi, root=folder / "programs", cache=folder / "cache")["nas"].path


def _row(name: str, other: Callable[[int], float], mine: Callable[[int], float], launches: int) -> None:
    pairs = interleaved(other, mine, launches, name)
    ratios = sorted(before / after for before, after in zip(*pairs, strict=True))
    found = compare(*pairs)
    ends = "" if found.ci95 is None else f" ({1 / found.ci95[1]:.3f} to {1 / found.ci95[0]:.3f})"
    rates = [1e-6 / statistics.median(each) for each in pairs]
    best = min(pairs[0]) / min(pairs[1])
    print(
        f"{name:14}{rates[1]:10.1f}{rates[0]:10.1f}{statistics.median(ratios):8.3f}{ends:18}{best:8.3f}   "
        f"{launches} pairs, {ratios[0]:.3f} to {ratios[-1]:.3f}",
        flush=True,
    )


def main(arguments: Sequence[str]) -> int:
    """Print a row for each kernel, class and number of ranks."""
    parser = argparse.ArgumentParser(prog="./x bench nas", description=__doc__)
    parser.add_argument("--npb", type=Path, help="folder of the reference's programs, KERNEL.CLASS.x")
    parser.add_argument("--classes", default="W,A")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--launches", type=int, default=7)
    parser.add_argument("--runs", type=int, default=1, help="of ours in a launch (without --npb: of both)")
    options = parser.parse_args(arguments)
    mpi = find_mpi()
    if mpi is None:
        raise InputError("no MPI is installed here", accepted="an MPI library with mpicxx and mpiexec")
    program = build([benchmark("nas")], mpi=mpi)["nas"].path
    other = "NPB" if options.npb else "plain"
    print(f"{'Mop/s':14}{'ours':>10}{other:>10}{'ratio':>8}{'95%':18}{'of best':>8}")
    with tempfile.TemporaryDirectory(prefix="assay-nas-") as scratch:
        plain = None if options.npb else unaccounted(mpi, Path(scratch))
        for kernel in options.kernels.split(","):
            for size in options.classes.split(","):
                for ranks in map(int, options.ranks.split(",")):

                    def mine(_: int, run: tuple[int, str, str] = (ranks, kernel, size)) -> float:
                        return ours(mpi, run[0], program, *run[1:], options.runs)

                    def beside(_: int, run: tuple[int, str, str] = (ranks, kernel, size)) -> float:
                        if plain is not None:
                            return ours(mpi, run[0], plain, *run[1:], options.runs)
                        return theirs(mpi, run[0], options.npb / f"{run[1]}.{run[2]}.x")

                    _row(f"{kernel} {size} on {ranks}", beside, mine, options.launches)
    return 0
