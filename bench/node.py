"""`./x bench node`: stream, lock and barrier against plain C, pthread and OpenMP loops, and against peers.

METHOD rule 9: the plain program against itself first; then thirty launches of each, interleaved, on the same
processors, with the same sizes, counts and readings; best with best for triad, as STREAM has it, medians for the rest;
two one-sided tests at 3%. Faster is as good as equal. A lock is compared twice: POSIX's own call with a plain loop of
it (mutex), and std::mutex, which looks at what that call returns, with a loop that does so too (checked). EPCC,
likwid-bench and lmbench where their path is given: what they do differs a little from ours, so that a difference to
them is a finding and no failure. `--launches N` is for a quick look and claims nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assay.analysis.comparison import Verdict
from assay.benchmark.record import benchmark
from assay.errors import MeasurementError
from assay.execute.build import build
from bench._node_peers import HELP, PEERS, PLAIN, Peer
from bench._pairs import against, against_itself


@dataclass(frozen=True)
class Match:
    """One comparison: the plain program's mode, ours with its settings, operations and readings a launch."""

    mode: str
    program: str
    settings: tuple[str, ...]
    count: int  # operations a reading; 0: a pass over the arrays
    readings: int
    statistic: str
    threads: tuple[int, ...] = (1, 2)


MATCHES = (
    Match("triad", "stream", ("kernel=triad",), 0, 8, "best"),
    Match("mutex", "lock", ("kind=pthread", "sharing=one"), 100_000, 30, "median"),
    Match("checked", "lock", ("kind=mutex", "sharing=one"), 100_000, 30, "median"),
    Match("omplock", "lock", ("kind=openmp", "sharing=one"), 100_000, 30, "median"),
    Match("ompbarrier", "thread_barrier", ("kind=openmp",), 20_000, 30, "median"),
)
REDUCE: dict[str, Callable[[Sequence[float]], float]] = {
    "best": min,
    "median": statistics.median,
    "mean": statistics.fmean,
}


def processors(system: Path = Path("/sys/devices/system/cpu")) -> list[int]:
    """The processors of this process as our threads take them: one of each core before any second."""
    cores: dict[str, list[int]] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = system / f"cpu{cpu}" / "topology" / "thread_siblings_list"
        cores.setdefault(siblings.read_text().strip() if siblings.exists() else str(cpu), []).append(cpu)
    deepest = max(len(threads) for threads in cores.values())
    return [threads[i] for i in range(deepest) for threads in cores.values() if i < len(threads)]


class Programs:
    """The compiled programs; each method is one launch, reduced to one value in seconds an operation."""

    def __init__(self, folder: Path, size: int, names: Sequence[str]) -> None:
        self.size = size
        self.built = build([benchmark(name) for name in dict.fromkeys(names)], mpi=None)
        self.plain_program = folder / "node"
        self.cpus = ",".join(map(str, processors()))
        command = ["cc", "-O3", "-march=native", "-fopenmp", str(PLAIN), "-o", str(self.plain_program)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise MeasurementError(f"node.c does not compile: {made.stderr}")

    def plain(self, match: Match, threads: int, _: int) -> float:
        """One launch of the plain program."""
        counts = [str(match.count or self.size), str(match.readings), str(threads), self.cpus]
        return REDUCE[match.statistic]([float(line) for line in said(str(self.plain_program), match.mode, *counts)])

    def ours(self, match: Match, threads: int, launch: int) -> float:
        """One launch of Assay's program with the same operations and readings."""
        settings = [*match.settings, f"threads={threads}", *([] if match.count else [f"size={self.size}"])]
        counts = ["--batch", str(match.count or 1), "--repetitions", str(match.readings), "--blocks", "1"]
        values = self._values(match.program, settings, counts, launch)
        if len(values) < match.readings:
            raise MeasurementError(f"{match.program} gave {len(values)} readings, not {match.readings}")
        return REDUCE[match.statistic](values[: match.readings])  # a look may come some readings later

    def ours_like(self, peer: Peer, threads: int, launch: int) -> float:
        """One launch of Assay's program with readings of its own choice."""
        size = [f"size={self.size}"] if peer.program == "stream" else []
        count = [f"threads={threads}"] if "threads" in benchmark(peer.program).parameters else []
        settings = [*peer.settings, *size, *([] if any("threads=" in s for s in peer.settings) else count)]
        return REDUCE[peer.statistic](self._values(peer.program, settings, ["--slice", "0.3", "--blocks", "2"], launch))

    def _values(self, program: str, settings: Sequence[str], counts: Sequence[str], launch: int) -> list[float]:
        words = [word for setting in settings for word in ("--set", setting)]
        lines = said(str(self.built[program].path), *words, *counts, "--seed", str(launch))
        events = [json.loads(line) for line in lines]
        return [v for e in events if e["event"] == "block" and e["metric"] == "time" for v in e["values"]]


def said(*command: str) -> list[str]:
    """What a program prints, line by line; MeasurementError with its complaint where it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if ended.returncode:
        raise MeasurementError(f"{' '.join(command)}: {ended.stderr.strip()[-300:]}")
    return ended.stdout.splitlines()


def main(arguments: list[str]) -> int:
    """Run the comparisons; 1 where ours is slower than the plain program."""
    parser = argparse.ArgumentParser(prog="./x bench node", description=__doc__)
    parser.add_argument("--launches", type=int, default=30, help="pairs of launches (30 for a claim)")
    parser.add_argument("--size", type=int, default=150_000_000, help="bytes of each array of triad")
    parser.add_argument("--only", help="triad, mutex, checked, omplock or ompbarrier, with commas between; or none")
    for option, text in HELP.items():
        parser.add_argument(f"--{option}", type=Path, metavar="PATH", help=text)
    given = parser.parse_args(arguments)
    here = len(processors())
    matches = [m for m in MATCHES if given.only is None or m.mode in given.only.split(",")]
    peers = [peer for peer in PEERS if getattr(given, peer.option) is not None]
    print(f"load {os.getloadavg()[0]:.1f} on {here} processors; {given.launches} pairs of launches")
    slower = False
    with tempfile.TemporaryDirectory() as folder:
        names = [*(match.program for match in matches), *(peer.program for peer in peers)]
        programs = Programs(Path(folder), given.size, names)
        for match in matches:
            for threads in (count for count in match.threads if count <= here):
                name = f"{match.mode}, {threads} thread{'s' if threads > 1 else ''}"
                plain, ours = partial(programs.plain, match, threads), partial(programs.ours, match, threads)
                itself = against_itself(plain, given.launches, f"{name}, plain with itself")
                found = against(plain, ours, given.launches, f"{name}, ours over plain", itself, match.statistic)
                slower |= found.verdict is Verdict.DIFFERS and found.ratio > 1
        for peer in peers:
            path = getattr(given, peer.option)
            for threads in (count for count in peer.threads if count <= here):
                name = f"{peer.name}, {threads} thread{'s' if threads > 1 else ''}"

                def theirs(_: int, peer: Peer = peer, path: Path = path, threads: int = threads) -> float:
                    return peer.launch(path, threads, given.size)

                ours = partial(programs.ours_like, peer, threads)
                try:
                    itself = against_itself(theirs, given.launches, f"{name}, {peer.option} with itself")
                    against(theirs, ours, given.launches, f"{name}, ours over {peer.option}", itself, peer.statistic)
                except MeasurementError as error:  # a peer's failure is a finding, and no word on the next
                    print(f"{name}: {error}", flush=True)
    return 1 if slower else 0
