"""`./x bench mpirun`: what MPI programs on described machines take of one core, beside SimGrid's SMPI where it is here.

CPU seconds are those of the command and all its ranks, less those of a command that does nothing, on one core. SMPI
(`smpicc`, `smpirun` on PATH) runs the same source on a network of the same constant start-up and time per byte, for
which the simulated times are compared as well.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.mpi.wrappers import command as compiler_command

SOURCE = Path(__file__).with_name("mpi_loops.c")
MACHINE = "dragonfly-slingshot"
ROUNDTRIPS, WINDOWS, ALLTOALLS = 100_000, 1_280_000, 10
MARKS = {"roundtrips": 80_000.0, "windows": 1_000_000.0, "alltoall": 0.7, "memory": 300.0}
CONSTANT = 'name = "constant"\nnodes = 4096\n[messages]\nstartup = "1 us"\nper_byte = "1 ns/B"\n'
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


class Assay:
    """The programs under `assay mpirun`."""

    def __init__(self, folder: Path) -> None:
        """Compile them."""
        self.folder, self.program = folder, folder / "loops"
        subprocess.run(compiler_command("c", ["-O2", str(SOURCE), "-o", str(self.program)]), check=True)
        self.number = 0

    def run(self, machine: str, ranks: int, *words: object) -> tuple[float, str]:
        """CPU seconds and output."""
        self.number += 1
        options = ["-q", "--on", machine, "-n", str(ranks), "--out", f"run{self.number}"]
        command = [sys.executable, "-m", "assay", "mpirun", *options, str(self.program), *map(str, words)]
        return timed(command, self.folder)

    def net(self, times: int, ranks: int, *words: object) -> float:
        """CPU seconds beyond those of a command with as many ranks that do nothing: the least of so many."""
        idle = min(self.run(MACHINE, ranks, "nothing")[0] for _ in range(times))
        return max(1e-9, min(self.run(MACHINE, ranks, *words)[0] for _ in range(times)) - idle)


def line(name: str, value: float, unit: str, mark: float, more: bool) -> None:
    """Print a figure beside its mark."""
    reached = value >= mark if more else value <= mark
    print(f"{name:<52} {value:>12.4g} {unit:<18} mark {mark:g}: {'reached' if reached else 'NOT reached'}")


def smpi(assay: Assay, folder: Path, ranks: int, times: int) -> None:
    """The same all-to-alls under SMPI, pairwise, on a constant network."""
    if not (shutil.which("smpicc") and shutil.which("smpirun")):
        print("SimGrid's SMPI: not here (smpicc and smpirun on PATH)")
        return
    (folder / "constant.toml").write_text(CONSTANT)
    (folder / "platform.xml").write_text(PLATFORM.format(last=ranks - 1))
    subprocess.run(["smpicc", "-O2", str(SOURCE), "-o", str(folder / "loops.smpi")], check=True)
    options = ["--cfg=smpi/alltoall:pair", "--cfg=smpi/simulate-computation:no", "--log=root.thresh:critical"]
    command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", *options, "./loops.smpi", "alltoall"]
    theirs = [timed([*command, str(ALLTOALLS), "1024"], folder) for _ in range(times)]
    ours = [assay.run(str(folder / "constant.toml"), ranks, "alltoall", ALLTOALLS, 1024) for _ in range(times)]
    cpu = [statistics.median(each for each, _ in found) for found in (ours, theirs)]
    simulated = [float(re.findall(r"simulated (\S+)", found[0][1])[0]) for found in (ours, theirs)]
    print(
        f"all-to-all on a constant network, {ranks} ranks: {cpu[0]:.3g} CPU s; SMPI {cpu[1]:.3g}: {cpu[1] / cpu[0]:.3g}"
    )
    print(f"  simulated {simulated[0]:.6g} s; SMPI {simulated[1]:.6g} s")


def main(arguments: list[str]) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="./x bench mpirun", description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="runs of each, of which the least counts (3)")
    parser.add_argument("--ranks", type=int, default=1024, help="ranks whose memory is measured (1024)")
    given = parser.parse_args(arguments)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.environ["ASSAY_RUNS"] = str(folder / "state")
        assay = Assay(folder)
        rate = ROUNDTRIPS / assay.net(given.times, 2, "roundtrips", ROUNDTRIPS)
        line("blocking round trips, 8 B", rate, "per CPU second", MARKS["roundtrips"], True)
        rate = WINDOWS / assay.net(given.times, 2, "windows", WINDOWS)
        line("messages in windows of 64, 8 B", rate, "per CPU second", MARKS["windows"], True)
        took = assay.net(given.times, 128, "alltoall", ALLTOALLS, 1024)
        line(f"{ALLTOALLS} all-to-alls of 1 KiB on 128 ranks", took, "CPU s", MARKS["alltoall"], False)
        _, text = assay.run(MACHINE, given.ranks, "memory")
        used = float(re.findall(r"kilobytes (\d+)", text)[0])
        line(f"memory of one of {given.ranks} ranks, page tables too", used, "kB", MARKS["memory"], False)
        smpi(assay, folder, 128, given.times)
    return 0
