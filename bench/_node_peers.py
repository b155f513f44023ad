"""Peers of `./x bench node` that are there only where their path is given: EPCC, likwid-bench, lmbench.

Each prints one number a launch, reduced in its own way; ours is reduced the same way for it. EPCC: the overhead of an
OpenMP barrier, a mean. likwid-bench: its stream kernel over all of its time, a mean. lmbench: the least latency of a
random walk, and the median of fork and exit.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.errors import MeasurementError


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


def told(text: str, pattern: str, what: str) -> float:
    """The last number that `pattern` finds in what a peer printed."""
    found = re.findall(pattern, text, re.MULTILINE)
    if not found:
        raise MeasurementError(f"{what} printed no such figure; it said: {text.strip()[-300:]}")
    return float(found[-1])


def _said(command: list[str], threads: int) -> str:
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
    ended = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    if ended.returncode:
        raise MeasurementError(f"{' '.join(command)}: {(ended.stderr or ended.stdout).strip()[-300:]}")
    return ended.stdout + ended.stderr  # lmbench answers on standard error


def epcc_barrier(path: Path, threads: int, _: int) -> float:
    """Overhead of OpenMP's barrier, s, as syncbench says it."""
    return 1e-6 * told(_said([str(path)], threads), r"^BARRIER overhead\s*=\s*(-?[\d.]+) microseconds", "syncbench")


def likwid_stream(path: Path, threads: int, size: int) -> float:
    """Time of a byte, s, from likwid-bench's rate of a = b + c x over three arrays."""
    command = [str(path), "-t", "stream", "-W", f"N:{3 * size // 1000}kB:{threads}"]
    return 1e-6 / told(_said(command, threads), r"^MByte/s:\s*([\d.]+)", "likwid-bench")


def lmbench_latency(path: Path, threads: int, _: int) -> float:
    """Latency, s, of a random walk through 128 MB with steps of 64 bytes."""
    said = _said([str(path / "lat_mem_rd"), "-P", str(threads), "-t", "128", "64"], threads)
    return 1e-9 * told(said, r"^[\d.]+ ([\d.]+)$", "lat_mem_rd")


def lmbench_fork(path: Path, threads: int, _: int) -> float:
    """Time of fork and exit, s."""
    said = _said([str(path / "lat_proc"), "-P", str(threads), "fork"], threads)
    return 1e-6 * told(said, r"^Process fork\+exit:\s*([\d.]+) microseconds", "lat_proc")


PEERS = (
    Peer("epcc", "OpenMP barrier", epcc_barrier, "thread_barrier", ("kind=openmp",), "mean", (2,)),
    Peer("likwid", "triad", likwid_stream, "stream", ("kernel=triad",), "mean", (1, 2)),
    Peer("lmbench", "latency in 128 MiB", lmbench_latency, "latency", ("size=134217728", "pages=usual"), "best", (1,)),
    Peer("lmbench", "fork", lmbench_fork, "creation", ("what=fork", "threads=1"), "median", (1,)),
)
HELP = {
    "epcc": "EPCC's syncbench",
    "likwid": "likwid-bench",
    "lmbench": "the folder of lmbench's programs",
}
