"""`./x bench ranks`: message-passing programs against plain C twins of their inner loops, and the simulator's scale.

METHOD rule 9, as `./x bench messages` does it for echo: the plain program against itself first, then thirty launches of
each, interleaved, with the same bytes, batch and readings; medians of launches, two one-sided tests at 3%. The scale
marks are whole commands, everything compiled before: CPU time and memory beside their bounds; `--scale` does only them.
`--launches N` is for a quick look and claims nothing. Programs without a twin here: echo has its own (`./x bench
messages`) and host's loop is echo's; fans have one neighbour. Contention, spin and routing echo need more ranks than
two: their loops are message rate's and echo's.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.analysis.comparison import Verdict
from assay.benchmark.record import benchmark
from assay.errors import MeasurementError
from assay.execute.build import build
from assay.execute.mpi import Mpi, find_mpi, launch_environment
from bench._pairs import against, against_itself
from bench.messages import offsets

PLAIN = Path(__file__).with_name("ranks.c")
BLOCKS = 4
LIMIT = 120  # s, one launch


@dataclass(frozen=True)
class Twin:
    """One comparison: the plain program's mode; ours with its settings; bytes, readings a block, operations a reading.

    Both have their buffers at the same offsets from a page's start, drawn by the launch, or at a fixed one where ours
    takes them as the allocator gives them.
    """

    mode: str
    program: str
    settings: tuple[str, ...]
    size: int
    readings: int
    batch: int
    metric: str = "time"
    offset: int | None = None


TWINS = (
    Twin("dissemination", "barrier", ("algorithm=dissemination", "ranks=2", "timing=back to back"), 8, 100, 500),
    Twin("tree", "barrier", ("algorithm=tree", "ranks=2", "timing=back to back"), 8, 100, 500),
    Twin("library", "barrier", ("algorithm=library", "ranks=2", "timing=back to back"), 8, 100, 500),
    Twin("forced", "forced", ("bytes=8", "send=ready"), 8, 100, 500, "round_trip"),
    Twin("rate", "message-rate", ("bytes=8", "pairs=1"), 8, 100, 20),
    Twin("self", "self", ("bytes=8",), 8, 100, 1000),
    Twin("token", "ring", ("bytes=8", "scheme=token"), 8, 100, 500),
    Twin("shift", "ring", ("bytes=8", "scheme=shift"), 8, 100, 500),
    Twin("fan-in", "fan-in", ("bytes=8", "neighbours=1"), 8, 100, 50),
    Twin("fan-out", "fan-out", ("bytes=8", "neighbours=1"), 8, 100, 50),
    # the exchange among its loops: what a loop inside it hides depends on which rank happens to be ahead
    Twin("overlap", "overlap", ("bytes=1024",), 1024, 100, 50, "communicating"),
    # so long that a block of memory comes straight from the kernel, behind the allocator's 16 bytes
    Twin("exchange", "alltoall", ("bytes=1048576",), 1 << 20, 100, 1, "time", 16),
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


class Programs:
    """The compiled programs; each method is one launch, reduced to its median in seconds an operation."""

    def __init__(self, mpi: Mpi, folder: Path) -> None:
        self.mpi = mpi
        self.environment = dict(launch_environment(os.environ))
        self.built = build([benchmark(name) for name in dict.fromkeys(t.program for t in TWINS)], mpi=mpi)
        self.plain_program = folder / "ranks"
        compiler = Path(mpi.mpicxx).with_name("mpicc")
        command = [str(compiler), "-O3", "-march=native", str(PLAIN), "-o", str(self.plain_program)]
        made = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        if made.returncode:
            raise MeasurementError(f"ranks.c does not compile: {made.stderr}")

    def _launch(self, *command: str) -> str:
        words = [self.mpi.mpiexec, "-n", "2", *command]
        try:
            ended = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, env=self.environment)
        except subprocess.TimeoutExpired:
            raise MeasurementError(f"{' '.join(words)}: not done after {LIMIT} s; is the machine busy?") from None
        if ended.returncode:
            raise MeasurementError(f"{' '.join(words)}: {ended.stderr.strip()[-300:]}")
        return ended.stdout

    def plain(self, twin: Twin, launch: int) -> float:
        """One launch of the plain C program."""
        counts = [twin.size, twin.readings, twin.batch, BLOCKS]
        places = offsets(launch) if twin.offset is None else [str(twin.offset)] * 4
        said = self._launch(str(self.plain_program), twin.mode, *map(str, counts), *places)
        return statistics.median(float(line) for line in said.split())

    def ours(self, twin: Twin, launch: int) -> float:
        """One launch of Assay's program."""
        settings = [word for setting in twin.settings for word in ("--set", setting)]
        counts = ["--batch", str(twin.batch), "--repetitions", str(twin.readings), "--blocks", str(BLOCKS)]
        said = self._launch(str(self.built[twin.program].path), *settings, *counts, "--seed", str(launch))
        events = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        values = [v for e in events if e["event"] == "block" and e["metric"] == twin.metric for v in e["values"]]
        return float(statistics.median(values))


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
    parser.add_argument("--launches", type=int, default=30, help="pairs of launches (30 for a claim)")
    parser.add_argument("--only", help=f"one or more of {', '.join(t.mode for t in TWINS)}, with commas between")
    parser.add_argument("--scale", action="store_true", help="only the scale marks")
    given = parser.parse_args(arguments)
    failed = False
    mpi = None if given.scale else find_mpi()
    print(
        f"{mpi or 'no comparison with MPI'}; load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors"
    )
    if mpi is not None:
        with tempfile.TemporaryDirectory() as folder:
            programs = Programs(mpi, Path(folder))
            for twin in (t for t in TWINS if given.only is None or t.mode in given.only.split(",")):
                plain, ours = partial(programs.plain, twin), partial(programs.ours, twin)
                itself = against_itself(plain, given.launches, f"{twin.mode}, plain with itself", (1e6, "us"))
                found = against(plain, ours, given.launches, f"{twin.mode}, ours over plain", itself, unit=(1e6, "us"))
                failed |= found.verdict is Verdict.DIFFERS and found.ratio > 1
    for each in MARKS if given.only is None else ():
        failed |= not mark(*each)
    return int(failed)
