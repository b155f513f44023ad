"""`./x bench mpirun`: what MPI programs on described machines take of one core, beside SimGrid's SMPI where it is here.

CPU seconds are those of the command and all its ranks, less those of a command that does nothing, on one core. The
limit of round trips is what the kernel's switches between processes alone take (handoffs.c), run in turn with them.
SMPI (`smpicc`, `smpirun` on PATH) runs the same source on a network of the same constant start-up and time per byte,
for which the simulated times are compared as well.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from assay.mpi.fabric import PLACE
from assay.mpi.wrappers import command as compiler_command

SOURCE = Path(__file__).with_name("mpi_loops.c")
LIMIT = Path(__file__).with_name("handoffs.c")
MACHINE = "dragonfly-slingshot"
ROUNDTRIPS, WINDOWS, ALLTOALLS = 100_000, 1_280_000, 10
ALLTOALL_RANKS, MPICH_RANKS = 128, 512
MARKS = {"roundtrips": 8e4, "windows": 1e6, "alltoall": 0.7, "memory": 300.0, "mpich": 4000.0, "smpi": 1 / 3}
COMPARED: tuple[tuple[str, int, tuple[object, ...]], ...] = (
    ("10,000 round trips of 8 B", 2, ("roundtrips", 10_000)),
    ("64,000 messages in windows of 64", 2, ("windows", 64_000)),
    (f"{ALLTOALLS} pairwise all-to-alls of 1 KiB", ALLTOALL_RANKS, ("alltoall", ALLTOALLS, 1024)),
)
# A message takes latency + bytes / bandwidth: SMPI's own factors for lengths and for TCP are turned off.
SMPI_OPTIONS = (
    "--cfg=network/model:CM02",
    "--cfg=network/latency-factor:1",
    "--cfg=network/bandwidth-factor:1",
    "--cfg=network/TCP-gamma:0",
    "--cfg=network/crosstraffic:0",
    "--cfg=smpi/simulate-computation:no",
    "--log=root.thresh:critical",
)
SMPI_PAIRWISE = ("--cfg=smpi/alltoall:pair",)
CONSTANT = 'name = "constant"\nnodes = {nodes}\n[messages]\nstartup = "1 us"\nper_byte = "1 ns/B"\n'
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="1GBps" lat="0.5us"/>
</platform>
"""


def timed(command: list[str], folder: Path) -> tuple[float, str]:
    """CPU seconds of a command and all below it, and its standard output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def constant(folder: Path, nodes: int) -> str:
    """A machine of so many nodes without a network: its file."""
    file = folder / f"constant{nodes}.toml"
    file.write_text(CONSTANT.format(nodes=nodes))
    return str(file)


def beyond(times: int, run: Callable[..., tuple[float, str]], *words: object) -> tuple[float, str]:
    """CPU seconds of a run with these words beyond those of one that does nothing: the median of so many pairs.

    And what the last one printed.
    """
    pairs = [(run("nothing")[0], run(*words)) for _ in range(times)]
    return max(1e-9, median(took - idle for idle, (took, _) in pairs)), pairs[-1][1][1]


class Assay:
    """The programs under `assay mpirun`."""

    def __init__(self, folder: Path) -> None:
        """Compile them."""
        self.folder, self.program = folder, folder / "loops"
        subprocess.run(compiler_command("c", ["-O2", str(SOURCE), "-o", str(self.program)]), check=True)
        self.number = 0

    def run(self, machine: str, ranks: int, *words: object, library: str = "own") -> tuple[float, str]:
        """CPU seconds and output."""
        self.number += 1
        options = ["-q", "--on", machine, "-n", str(ranks), "--out", f"run{self.number}", "--library", library]
        command = [sys.executable, "-m", "assay", "mpirun", *options, str(self.program), *map(str, words)]
        return timed(command, self.folder)

    def net(self, times: int, ranks: int, *words: object) -> float:
        """CPU seconds beyond those of a command with as many ranks that do nothing: medians of so many, in turn."""
        return beyond(times, partial(self.run, MACHINE, ranks), *words)[0]

    def memory(self, ranks: int, library: str) -> float:
        """What one of so many ranks has of memory, kB."""
        machine = constant(self.folder, ranks)
        return float(re.findall(r"kilobytes (\d+)", self.run(machine, ranks, "memory", library=library)[1])[0])


def round_trips(assay: Assay, times: int) -> tuple[float, float]:
    """Blocking round trips in a CPU second, and those of processes that only hand over and sleep: medians, in turn."""
    program = assay.folder / "handoffs"
    subprocess.run(["gcc", "-O2", str(LIMIT), "-o", str(program)], check=True)
    alone, ours = [], []
    for _ in range(times):
        alone.append(timed([str(program), str(ROUNDTRIPS)], assay.folder)[0])
        ours.append(assay.net(1, 2, "roundtrips", ROUNDTRIPS))
    return ROUNDTRIPS / median(ours), ROUNDTRIPS / median(alone)


def line(name: str, value: float, unit: str, mark: float, more: bool) -> None:
    """Print a figure beside its mark."""
    reached = value >= mark if more else value <= mark
    print(f"{name:<52} {value:>12.4g} {unit:<18} mark {mark:g}: {'reached' if reached else 'NOT reached'}")


class Smpi:
    """The same programs under SimGrid's SMPI, on a network of the same constant start-up and time per byte."""

    def __init__(self, folder: Path, ranks: int) -> None:
        """Compile them."""
        self.folder = folder
        (folder / "platform.xml").write_text(PLATFORM.format(last=ranks - 1))
        subprocess.run(["smpicc", "-O2", str(SOURCE), "-o", str(folder / "loops.smpi")], check=True)

    def run(self, ranks: int, *words: object, options: tuple[str, ...] = SMPI_PAIRWISE) -> tuple[float, str]:
        """CPU seconds and output."""
        command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", *SMPI_OPTIONS, *options]
        return timed([*command, "./loops.smpi", *map(str, words)], self.folder)


def smpi(assay: Assay, folder: Path, times: int) -> None:
    """The same programs under SMPI: CPU seconds beyond those of a program that does nothing, and simulated times."""
    if not (shutil.which("smpicc") and shutil.which("smpirun")):
        print("SimGrid's SMPI: not here (smpicc and smpirun on PATH)")
        return
    most = max(ranks for _, ranks, _ in COMPARED)
    there, machine = Smpi(folder, most), constant(folder, most)
    os.environ["ASSAY_MPI_COLLECTIVES"] = "alltoall=pairwise"
    for name, ranks, words in COMPARED:
        cpu, simulated = [], []
        runs: list[Callable[..., tuple[float, str]]] = [partial(assay.run, machine, ranks), partial(there.run, ranks)]
        for run in runs:
            took, printed = beyond(times, run, *words)
            cpu.append(took)
            simulated.append(float(re.findall(r"simulated (\S+)", printed)[0]))
        print(f"{name}, {ranks} ranks: {cpu[0]:.3g} CPU s; SMPI {cpu[1]:.3g}: {cpu[0] / cpu[1]:.3g} of that")
        print(f"  simulated {simulated[0]:.6g} s; SMPI {simulated[1]:.6g} s: {simulated[0] / simulated[1] - 1:+.3%}")
        if words[0] == "alltoall":
            line("  of SMPI's CPU seconds for pairwise all-to-alls", cpu[0] / cpu[1], "", MARKS["smpi"], False)
    took = there.run(ALLTOALL_RANKS, "alltoall", ALLTOALLS, 1024, options=())[0]
    print(f"all-to-alls by SMPI's default algorithm: {took:.3g} CPU s")


def main(arguments: list[str]) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="./x bench mpirun", description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="pairs of runs of each, whose median counts (3)")
    parser.add_argument("--ranks", type=int, default=4096, help="ranks whose memory is measured (4096)")
    given = parser.parse_args(arguments)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.environ["ASSAY_RUNS"] = str(folder / "state")
        assay = Assay(folder)
        rate, limit = round_trips(assay, given.times)
        line("blocking round trips, 8 B", rate, "per CPU second", MARKS["roundtrips"], True)
        print(f"  {rate / limit:.3g} of the limit on this machine: {limit:.4g}, the kernel's switches alone")
        rate = WINDOWS / assay.net(given.times, 2, "windows", WINDOWS)
        line("messages in windows of 64, 8 B", rate, "per CPU second", MARKS["windows"], True)
        took = assay.net(given.times, ALLTOALL_RANKS, "alltoall", ALLTOALLS, 1024)
        line(f"{ALLTOALLS} all-to-alls of 1 KiB on {ALLTOALL_RANKS} ranks", took, "CPU s", MARKS["alltoall"], False)
        used = assay.memory(given.ranks, "own")
        line(f"memory of one of {given.ranks} ranks, page tables too", used, "kB", MARKS["memory"], False)
        if PLACE in os.environ:
            used = assay.memory(MPICH_RANKS, "mpich")
            line(f"the same of {MPICH_RANKS} ranks under MPICH", used, "kB", MARKS["mpich"], False)
        else:
            print(f"MPICH: not here ({PLACE})")
        smpi(assay, folder, given.times)
    return 0
