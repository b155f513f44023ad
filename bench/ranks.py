"""`./x bench ranks`: message-passing programs against plain C twins of their inner loops, and the simulator's scale.

method.md, rule 9, thirty launches. A launch runs both programs, and the plain one twice (A/A), block by block in random
order (pair.cpp), with the same bytes, batch and readings; medians of launches are compared (of operations read one by
one, means of the middle half), two one-sided tests at 3%. The scale marks are whole commands, everything compiled
before: CPU time, the median of three runs and of it the system's part, and memory beside their bounds (a guest whose
memory its host has yet to supply takes seconds of system time the first time that a gigabyte is used); `--scale` does
only them. `--launches N` is for a quick look and claims nothing. `--osu FOLDER` compares with OSU's programs instead:
bandwidth one way and both, allreduce, all-to-all and broadcast. Programs without a twin: _twin_cases.py; echo is in
`./x bench messages`, fans have one neighbour. Spin and contention keep three and four processors busy: where there are
two, the rank that measures has one and the others share one; contention's stream then has no load.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from assay.analysis.comparison import ComparisonVerdict
from assay.execute.mpi import Mpi, find_mpi
from bench._jobs import Jobs
from bench._osu import PEERS, beside, found_in
from bench._pairs import in_one_launch
from bench._twin_cases import TWINS
from bench._twins import Twin

# the command behind `assay run` and its ranks, the greatest CPU time (s) and memory (GB) that it may take, and whether
# that is beyond what the same command takes with four ranks
MARKS = (
    (
        "a dissemination barrier of 1,048,576 ranks",
        "barrier --on ipsc860 --set machine.network.dimension=20 --set algorithm=dissemination",
        1048576,
        10.0,
        1.2,
        False,
    ),
    (
        "an all-to-all of 1 KiB on 1,024 ranks of a hypercube",
        "alltoall --on ipsc860 --set machine.network.dimension=10 --set bytes=1024",
        1024,
        2.0,
        2.5,
        False,
    ),
    (
        "an all-to-all of 1 KiB on 1,024 ranks of a dragonfly",
        "alltoall --on dragonfly-slingshot --set bytes=1024",
        1024,
        2.0,
        2.0,
        True,
    ),
    (
        "an all-to-all of 1 KiB on 4,096 ranks of a dragonfly",
        "alltoall --on dragonfly-slingshot --set machine.network.groups=16 --set bytes=1024",
        4096,
        40.0,
        2.0,
        False,
    ),
)


class Used(NamedTuple):
    """What a command took: whether it ended well, CPU time and the system's part of it (s), memory (GB)."""

    good: bool
    seconds: float
    system: float
    gigabytes: float


def run(words: str, ranks: int) -> Used:
    """`assay run`, and what it took. The child is this interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        given = [*shlex.split(words), "-n", str(ranks)]
        command = [sys.executable, "-m", "assay", "run", *given, "--json", "--out", f"{folder}/run"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return Used(child.returncode == 0, used.ru_utime + used.ru_stime, used.ru_stime, used.ru_maxrss * 1024 / 1e9)


def usual(words: str, ranks: int) -> Used:
    """The run of three whose CPU time is the median; ends well if all do, and takes the memory of the largest."""
    runs = sorted((run(words, ranks) for _ in range(3)), key=lambda used: used.seconds)
    return runs[1]._replace(good=all(used.good for used in runs), gigabytes=max(used.gigabytes for used in runs))


def mark(name: str, words: str, ranks: int, seconds: float, gigabytes: float, beyond: bool) -> bool:
    """One scale mark, printed; whether it was kept."""
    started = usual(words, 4).seconds if beyond else 0.0
    used = usual(words, ranks)
    spent = used.seconds - started
    kept = used.good and spent < seconds and used.gigabytes < gigabytes
    print(
        f"{name}: {'kept' if kept else 'MISSED'}: {spent:.2f} s of {seconds:g} s CPU time ({used.system:.2f} s system)"
        f"{f' beyond the start-up of {started:.2f} s' if beyond else ''}, {used.gigabytes:.2f} GB of {gigabytes:g} GB; "
        f"assay run {words} -n {ranks}",
        flush=True,
    )
    return kept


def jobs_of(folder: Path, source: str, twins: Sequence[Twin], mpi: Mpi) -> Jobs:
    """Programs whose twins are in that file, in a folder of their own."""
    own = folder / Path(source).stem
    own.mkdir()
    return Jobs(own, source, [twin.program for twin in twins if twin.source == source], mpi)


def beside_osu(mpi: Mpi, folder: Path, launches: int) -> bool:
    """Each of OSU's programs that is there and ours, printed; whether any two differ."""
    differs = False
    for peer in PEERS:
        osu = found_in(folder, peer.program)
        if osu is None:
            print(f"{peer.program}: left out: not in {folder}")
        else:
            differs |= beside(mpi, peer, osu, launches)
    return differs


def main(arguments: list[str]) -> int:
    """Run the comparisons and the marks; 1 where ours is slower than the plain program or a mark is missed."""
    parser = argparse.ArgumentParser(prog="./x bench ranks", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="launches (30 for a claim)")
    parser.add_argument("--only", help=f"one or more of {', '.join(t.title for t in TWINS)}, with commas between")
    parser.add_argument(
        "--osu", metavar="FOLDER", help="of OSU's programs, built with the same MPI: these and ours alone"
    )
    parser.add_argument("--scale", action="store_true", help="only the scale marks")
    given = parser.parse_args(arguments)
    failed = False
    mpi = None if given.scale else find_mpi()
    here = len(os.sched_getaffinity(0))
    if given.osu is not None and mpi is None:
        print("no MPI here", file=sys.stderr)
        return 2
    print(f"{mpi or 'no comparison with MPI'}; load {os.getloadavg()[0]:.1f} on {here} processors")
    if given.osu is not None and mpi is not None:
        return int(beside_osu(mpi, Path(given.osu), given.launches))
    if mpi is not None:
        with tempfile.TemporaryDirectory() as folder:
            wanted = [t for t in TWINS if given.only is None or t.title in given.only.split(",")]
            for twin in (t for t in wanted if t.processors > here):
                print(f"{twin.title}: left out: it keeps {twin.processors} processors busy, of which there are {here}")
            wanted = [t for t in wanted if t.processors <= here]
            jobs = {source: jobs_of(Path(folder), source, wanted, mpi) for source in {t.source for t in wanted}}
            for twin in wanted:
                measure = partial(twin.launch, jobs[twin.source])
                found = in_one_launch(measure, given.launches, twin.title, twin.statistic, twin.unit)
                failed |= found.verdict is ComparisonVerdict.DIFFERS and found.ratio > 1
    for each in MARKS if given.only is None else ():
        failed |= not mark(*each)
    return int(failed)
