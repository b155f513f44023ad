"""Our programs beside the OSU micro-benchmarks', each launch reduced to the median of its readings.

OSU's programs print a mean, which a single preempted message doubles, and with -z50 the median as well.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import statistics
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.analysis.comparison import ComparisonVerdict
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.errors import MeasurementError
from assay.execute.build import build
from assay.execute.mpi import Mpi, launch_environment
from bench._pairs import Unit, against, against_itself
from bench._program_output import LIMIT, output_lines, readings
from bench._twin_cases import STREAM, operation, probe
from bench._twins import Twin


@dataclass(frozen=True)
class Peer:
    """One of OSU's programs with its options, our program, and seconds of ours from the number that OSU's prints."""

    program: str
    twin: Twin
    seconds: Callable[[float], float]
    options: tuple[str, ...] = ()
    unit: Unit = (1e6, "us")


def _microseconds(printed: float) -> float:
    return printed / 1e6


def _window(directions: int, size: int) -> Callable[[float], float]:
    """From MB/s to a window of 16 messages in each direction."""
    return lambda printed: directions * 16 * size / (printed * 1e6)


def _streams(size: int, batch: int) -> tuple[Peer, ...]:
    words = (f"bytes={size}", *STREAM[1:])
    return tuple(
        Peer(
            name,
            probe(name, "bandwidth", (*words, f"directions={ways}"), size, batch),
            _window(ways, size),
            ("-W", "16"),
        )
        for name, ways in (("osu_bw", 1), ("osu_bibw", 2))
    )


def _collective(name: str, kind: str, size: int) -> Peer:
    settings = (f"operation={kind}", "algorithm=library", f"bytes={size}")
    return Peer(name, operation(name, "collective", settings, size), _microseconds)


# A collective's time is not one thing: ours counts from the last entry to the last exit, each operation from a common
# start; OSU's is the mean over ranks of the time inside the call, after a barrier of the library's.
PEERS = (
    *_streams(1024, 50),
    *_streams(1 << 20, 2),
    _collective("osu_allreduce", "allreduce", 1024),
    _collective("osu_alltoall", "alltoall", 1024),
    _collective("osu_bcast", "broadcast", 1024),
)


class Medians:
    """Launches of our program and of OSU's, each reduced to its median time in seconds."""

    def __init__(self, mpi: Mpi, peer: Peer, osu: Path) -> None:
        self.peer, self.osu = peer, osu
        self.before, self.environment = [mpi.mpiexec, "-n", "2"], launch_environment(os.environ)
        self.program = build([benchmark(peer.twin.program)], mpi=mpi)[peer.twin.program].path
        theirs, ours = mpi_library(osu), mpi_library(self.program)
        if theirs and ours and not _alike(theirs, ours):
            raise MeasurementError(
                f"{osu} is linked to another MPI, {theirs}, than ours, {ours} ({mpi}): build it by {mpi.mpicxx}'s MPI, "
                "or name its own in MPICXX and MPIEXEC"
            )

    def ours(self, seed: int) -> float:
        """The median of a launch's readings."""
        twin = self.peer.twin
        counts = ["--repetitions", str(twin.readings), "--blocks", str(twin.blocks), "--seed", str(seed)]
        words = program_words(benchmark(twin.program), [*twin.options(), *counts])
        lines = output_lines([*self.before, str(self.program), *words], self.environment)
        return statistics.median(readings(lines, twin.metric))

    def theirs(self, _: int) -> float:
        """The median that OSU's program prints for the length, the last column."""
        twin = self.peer.twin
        iterations = str(twin.readings * twin.batch * twin.blocks)
        given = ["-m", f"{_length(twin)}:{_length(twin)}", "-i", iterations, "-z50", *self.peer.options]
        try:
            text = "\n".join(output_lines([*self.before, str(self.osu), *given], self.environment))
        except MeasurementError as error:
            raise MeasurementError(
                f"{self.osu} fails with {' '.join(given)}, options of OSU 7.4's programs: run it so to see why"
            ) from error
        found = re.search(rf"^{_length(twin)}\s+[\d.]+\s+([\d.]+)\s*$", text, re.MULTILINE)
        if not found:
            raise MeasurementError(f"{self.osu} printed no median of {_length(twin)} bytes: {text}")
        return self.peer.seconds(float(found.group(1)))


def mpi_library(program: Path) -> Path | None:
    """The MPI library that the loader finds for a program (its bare name where it finds none); None without one."""
    if shutil.which("ldd") is None:
        return None
    listing = subprocess.run(["ldd", str(program)], capture_output=True, text=True, timeout=LIMIT).stdout
    found = re.search(r"^\s*(libp?mpi(?:ch)?\.so\S*) => (/\S+)?", listing, re.MULTILINE)
    return Path(found[2] or found[1]) if found else None


def _alike(one: Path, other: Path) -> bool:
    return one == other or (one.exists() and other.exists() and filecmp.cmp(one, other, shallow=False))


def _length(twin: Twin) -> int:
    return next(int(each.removeprefix("bytes=")) for each in twin.settings if each.startswith("bytes="))


def beside(mpi: Mpi, peer: Peer, osu: Path, launches: int) -> bool:
    """OSU's with itself, then ours over OSU's, printed; whether they differ."""
    medians = Medians(mpi, peer, osu)
    name = f"{peer.twin.program} of {_length(peer.twin)} B"
    itself = against_itself(medians.theirs, launches, f"{name}, {peer.program} with itself", peer.unit)
    found = against(medians.theirs, medians.ours, launches, f"{name} over {peer.program}", itself, unit=peer.unit)
    return found.verdict is ComparisonVerdict.DIFFERS


def found_in(folder: Path, program: str) -> Path | None:
    """OSU's program of that name in a folder or below it."""
    return next((path for path in sorted(folder.rglob(program)) if path.is_file() and os.access(path, os.X_OK)), None)
