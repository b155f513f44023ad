"""Peers of `./x bench node` that are there only where their path is given: EPCC, likwid-bench, lmbench.

Each prints one number a launch, reduced in its own way; ours is reduced the same way for it. EPCC: the overhead of an
OpenMP barrier, a mean. likwid-bench: its stream kernel over all of its time, a mean. lmbench: the least latency of a
random walk, and the median of fork and exit.

Tried with EPCC's OpenMP micro-benchmarks 4.0 (d4a904c), likwid-bench 5.5.1 (d9c523b) and lmbench 3-alpha4 (941a0dc):
* EPCC 4.0 calls omp_init_lock_with_hint, which gcc 12's runtime lacks: link a function of that name that calls
  omp_init_lock. Its other constructs are left out by --measureonly; version 3.1 does not know that word and does all.
* likwid-bench takes the clock from the processor's leaf 0x16, which hypervisors leave empty: its rate is then 0, and
  its own count of ticks stands, at the rate that the ticks have here.
* lmbench's walk goes through some 70 sizes before the one that is compared, and lays each out anew: with one
  repetition, and given what is enough, it still takes two minutes of a processor a launch. Few --launches, then.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import MeasurementError
from bench._program_output import run

TICK = Path(__file__).with_name("tick.c")
LONGEST = 600.0  # s, for a launch of a peer
# What lmbench else finds out at every start: microseconds that a reading must take, and what clock and loop cost.
ENOUGH = {"ENOUGH": "50000", "TIMING_O": "0", "LOOP_O": "0"}


@dataclass(frozen=True)
class Peer:
    """One comparison with a peer: its launch gives s an operation; ours with its settings, reduced alike."""

    option: str  # --epcc PATH
    name: str
    launch: Callable[[Path, int, int], float]  # path, threads, bytes of an array of triad
    program: str
    settings: tuple[str, ...]
    statistic: str
    threads: tuple[int, ...]


def reading(text: str, pattern: str, what: str) -> float:
    """The last number that `pattern` finds in what a peer printed."""
    found = re.findall(pattern, text, re.MULTILINE)
    if not found:
        raise MeasurementError(f"{what} printed no such figure; its output: {text.strip()[-300:]}")
    return float(found[-1])


def _output(command: list[str], threads: int, **more: str) -> str:
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", "OMP_PLACES": "cores"} | more
    ended = run(command, environment, LONGEST)
    return ended.stdout + ended.stderr  # lmbench answers on standard error


def epcc_barrier(path: Path, threads: int, _: int) -> float:
    """Overhead of OpenMP's barrier, s, as syncbench says it; asked again where its reference, taken off, was longer."""
    for _ in range(3):
        try:
            output = _output([str(path), "--measureonly", "BARRIER"], threads)
        except MeasurementError:  # version 3.1, which does not choose
            output = _output([str(path)], threads)
        overhead = reading(output, r"^BARRIER overhead\s*=\s*(-?[\d.]+) microseconds", "syncbench")
        if overhead > 0:
            return 1e-6 * overhead
    raise MeasurementError(f"syncbench's reference was disturbed three times: overhead {overhead} microseconds")


def likwid_stream(path: Path, threads: int, size: int) -> float:
    """Time of a byte, s, from likwid-bench's rate of a = b + c x over three arrays."""
    command = [str(path), "-t", "stream", "-W", f"N:{3 * size // 1000}kB:{threads}"]
    output = _output(command, threads)
    if (rate := reading(output, r"^MByte/s:\s*([\d.]+)", "likwid-bench")) > 0:
        return 1e-6 / rate
    ticks = reading(output, r"^Cycles:\s*(\d+)", "likwid-bench")
    return ticks * tick() / reading(output, r"^Data volume \(Byte\):\s*(\d+)", "likwid-bench")


@functools.cache
def tick() -> float:
    """Seconds a tick of the time stamp counter (x86): counted over a tenth of a second."""
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "tick")
        made = subprocess.run(["cc", "-O1", str(TICK), "-o", program], capture_output=True, text=True)
        if made.returncode:
            raise MeasurementError(f"tick.c does not compile: {made.stderr}")
        return float(_output([program], 1))


def lmbench_latency(path: Path, threads: int, _: int) -> float:
    """Latency, s, of a random walk through 128 MB with steps of 64 bytes."""
    output = _output([str(path / "lat_mem_rd"), "-P", str(threads), "-N", "1", "-t", "128", "64"], threads, **ENOUGH)
    return 1e-9 * reading(output, r"^[\d.]+ ([\d.]+)$", "lat_mem_rd")


def lmbench_fork(path: Path, threads: int, _: int) -> float:
    """Time of fork and exit, s."""
    output = _output([str(path / "lat_proc"), "-P", str(threads), "fork"], threads, **ENOUGH)
    return 1e-6 * reading(output, r"^Process fork\+exit:\s*([\d.]+) microseconds", "lat_proc")


PEERS = (
    Peer("epcc", "OpenMP barrier", epcc_barrier, "thread-barrier", ("kind=openmp",), "mean", (2,)),
    Peer("likwid", "triad", likwid_stream, "stream", ("kernel=triad",), "mean", (1, 2)),
    Peer("lmbench", "latency in 128 MiB", lmbench_latency, "latency", ("size=134217728", "pages=usual"), "best", (1,)),
    Peer("lmbench", "fork", lmbench_fork, "creation", ("what=fork", "threads=1"), "median", (1,)),
)
HELP = {
    "epcc": "EPCC's syncbench",
    "likwid": "likwid-bench",
    "lmbench": "the folder of lmbench's programs",
}
