"""An MPI program's ranks as processes, and the simulator that plays their messages on a described machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.described.machine_file import CoreMachine
from assay.described.timeline import Log
from assay.execute.process_tree import Command, ProcessTree
from assay.mpi.fabric import Mpich

if TYPE_CHECKING:
    from assay._core.mpi import Served

TAG_OUTPUT = "ASSAY_MPI_TAG_OUTPUT"  # set: each line of a rank's output begins with its rank
SEGMENT = "ASSAY_MPI_SEGMENT"  # the number of a descriptor, for the library (programs/mpi_library/shared/segment.hpp)


@dataclass(frozen=True)
class Request:
    """A program to run: its words, each rank's place on the machine, and how.

    `machine`: the description as the core takes it. `places`: node * processors + which of its processors, by rank.
    `factor`: simulated seconds of a second of CPU time, 0: computing takes none; `in_regions`: only that of regions
    that the program marks does. `traced`: whether a GOAL schedule is wanted. `mpich`: the library in place of
    Assay's own; its launcher starts the ranks then.
    """

    words: Sequence[str]
    machine: CoreMachine
    places: Sequence[int]
    processors: int
    factor: float = 0.0
    in_regions: bool = False
    marks: bool = True
    logged: bool = False
    traced: bool = False
    output: int = 1  # the descriptor of this process that is the program's standard output
    environment: Mapping[str, str] | None = None
    folder: Path | None = None
    mpich: Mpich | None = None
    tag_output: bool = False  # each line with its rank

    @property
    def library(self) -> str:
        """The library's name, as `--library` has it."""
        return "own" if self.mpich is None else "mpich"


@dataclass(frozen=True)
class MpiLaunch:
    """What became of it. `statuses`: of each rank's process, as waitpid(2) has it, None where it was ended from here.

    `missing`: why the program could not be started; `started`: ranks that began.
    """

    served: Served
    statuses: Sequence[int | None]
    log: Log | None
    missing: str | None
    started: int
    mpich: bool = False  # its launcher's status is that of rank 0

    @property
    def exit_status(self) -> int:
        """The program's: of MPI_Abort, else of the first rank that did not end with 0, as a shell has it."""
        if self.served.aborted_by >= 0:
            return self.served.aborted & 0xFF or 1
        codes = [os.waitstatus_to_exitcode(status) for status in self.statuses if status]
        return next((code if code > 0 else 128 - code for code in codes if code), 0)


def launch(request: Request, library: Path) -> MpiLaunch:
    """Run the program to its end; everything that it started has ended then.

    ValueError for what the user can mend, RuntimeError for what goes wrong in the simulation.
    """
    from assay._core import mpi as core

    nodes = [place // request.processors for place in request.places]
    segment = core.Segment(nodes, request.factor, request.marks, request.in_regions)
    environment = dict(os.environ if request.environment is None else request.environment)
    words = list(request.words)
    if request.mpich is None:
        paths = [str(library), *filter(None, [environment.get("LD_LIBRARY_PATH")])]
        environment |= {"LD_LIBRARY_PATH": os.pathsep.join(paths), SEGMENT: str(segment.file)}
        if request.tag_output:
            environment[TAG_OUTPUT] = "1"
    else:
        shared = f"/proc/{os.getpid()}/fd/{segment.file}"
        words, besides = request.mpich.started(
            words, len(request.places), shared, library, tag_output=request.tag_output
        )
        environment |= besides
    streams = [os.dup(each) for each in (0, request.output, 2)]
    try:
        command = Command(tuple(words), streams[1], streams[2], False, streams[0], (segment.file,))
        tree = ProcessTree([command], environment=environment, folder=request.folder)
    finally:
        for each in streams:
            os.close(each)
    missing, statuses = None, None
    try:
        alive: Callable[[], bool] = tree.alive
        places = list(request.places)
        served, log = core.serve(segment, request.machine, places, alive, request.logged, request.traced)
        if segment.started == 0 or not (served.failure or served.waiting) or not alive():
            ended = tree.wait()
            missing, statuses = ended.missing, ended.statuses
    finally:
        tree.release()
    of_ranks = segment.statuses
    if request.mpich is not None and statuses:  # its launcher's status is all that is known of the ranks
        code = statuses[0]
        of_ranks = [(code << 8 if code >= 0 else -code), *[None] * (len(request.places) - 1)]
    return MpiLaunch(served, of_ranks, log, missing, segment.started, request.mpich is not None)
