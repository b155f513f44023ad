"""`./x bench ranks`: message-passing programs against plain C twins of their inner loops, and the simulator's scale.

METHOD rule 9, thirty launches. A launch holds both programs, and the plain one twice (A/A), block by block in a drawn
order (pair.cpp), with the same bytes, batch and readings; medians of launches are compared, two one-sided tests at 3%.
The scale marks are whole commands, everything compiled before: CPU time and memory beside their bounds; `--scale` does
only them. `--launches N` is for a quick look and claims nothing. Programs without a twin here: echo is in `./x bench
messages` and host's loop is echo's; fans have one neighbour. Spin and contention keep three and four processors busy:
where there are two, the rank that measures has one and the others share one; contention's stream then has no load.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from assay.analysis.comparison import ComparisonVerdict
from assay.execute.mpi import find_mpi
from bench._jobs import Jobs
from bench._pairs import in_one_launch
from bench._twins import Twin

TWINS = (
    Twin("dissemination", "barrier", ("algorithm=dissemination", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("doubling", "barrier", ("algorithm=recursive doubling", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("dimensions", "barrier", ("algorithm=dimension exchange", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("tree", "barrier", ("algorithm=tree", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("library", "barrier", ("algorithm=library", "ranks=2", "timing=back to back"), 8, 50, 500),
    Twin("forced", "forced", ("bytes=8", "send=ready"), 8, 50, 500, "round_trip"),
    Twin("rate", "message-rate", ("bytes=8", "pairs=1"), 8, 50, 20),
    Twin("self", "self", ("bytes=8",), 8, 50, 200, blocks=200, ranks=1, seats="1"),
    Twin("token", "ring", ("bytes=8", "scheme=token"), 8, 50, 500),
    Twin("shift", "ring", ("bytes=8", "scheme=shift"), 8, 50, 500),
    Twin("fan-in", "fan-in", ("bytes=8", "neighbours=1"), 8, 50, 50),
    Twin("fan-out", "fan-out", ("bytes=8", "neighbours=1"), 8, 50, 50),
    # the exchange among its loops: what a loop inside it hides depends on which rank happens to be ahead
    Twin("overlap", "overlap", ("bytes=1024",), 1024, 50, 50, "communicating"),
    # three ranks, the third of which only waits for the end, which takes a processor now and then
    Twin("routing-echo", "routing-echo", ("bytes=8", "between=idle"), 8, 400, 1, "round_trip", blocks=24, ranks=3),
    # the rank that loops or receives has a processor, and those that set it going share one
    Twin("spin", "spin", ("bytes=8", "loop=1e-4"), 8, 8, 1, "slowdown", ranks=3, seats="001", less=1),
    Twin("contention", "contention", ("bytes=8192", "load=0"), 8192, 20, 1, ranks=4, seats="0010"),
    # so long that a block of memory comes straight from the kernel, behind the allocator's 16 bytes
    Twin("exchange", "alltoall", ("bytes=1048576",), 1 << 20, 25, 1, "time", 16, 30),
)
# the command behind `assay run`, the greatest CPU time (s) and memory (GB) that it may take
MARKS = (
    (
        "a dissemination barrier of 1,048,576 ranks",
        "barrier --on ipsc860 --set machine.network.dimension=20 -n 1048576 --set algorithm=dissemination",
        20.0,
        2.5,
    ),
    (
        "an all-to-all of 1 KiB on 1,024 ranks",
        "alltoall --on ipsc860 --set machine.network.dimension=10 -n 1024 --set bytes=1024",
        2.0,
        2.5,
    ),
)


def mark(name: str, words: str, seconds: float, gigabytes: float) -> bool:
    """One scale mark, printed; whether it was kept. The child is this interpreter with Assay's command line."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "assay", "run", *shlex.split(words), "--json", "--out", f"{folder}/run"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    spent, most = used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e9
    kept = child.returncode == 0 and spent < seconds and most < gigabytes
    print(
        f"{name}: {'kept' if kept else 'MISSED'}: {spent:.2f} s of {seconds:g} s CPU time, {most:.2f} GB of "
        f"{gigabytes:g} GB; assay run {words}",
        flush=True,
    )
    return kept


def main(arguments: list[str]) -> int:
    """Run the comparisons and the marks; 1 where ours is slower than the plain program or a mark is missed."""
    parser = argparse.ArgumentParser(prog="./x bench ranks", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument("--only", help=f"one or more of {', '.join(t.mode for t in TWINS)}, with commas between")
    parser.add_argument("--scale", action="store_true", help="only the scale marks")
    given = parser.parse_args(arguments)
    failed = False
    mpi = None if given.scale else find_mpi()
    here = len(os.sched_getaffinity(0))
    print(f"{mpi or 'no comparison with MPI'}; load {os.getloadavg()[0]:.1f} on {here} processors")
    if mpi is not None:
        with tempfile.TemporaryDirectory() as folder:
            wanted = [t for t in TWINS if given.only is None or t.mode in given.only.split(",")]
            for twin in (t for t in wanted if t.processors > here):
                print(f"{twin.mode}: left out: it keeps {twin.processors} processors busy, of which there are {here}")
            wanted = [t for t in wanted if t.processors <= here]
            jobs = Jobs(Path(folder), "twins.c", [twin.program for twin in wanted], mpi)
            for twin in wanted:
                found = in_one_launch(partial(twin.launch, jobs), given.launches, twin.mode, unit=twin.unit)
                failed |= found.verdict is ComparisonVerdict.DIFFERS and found.ratio > 1
    for each in MARKS if given.only is None else ():
        failed |= not mark(*each)
    return int(failed)
