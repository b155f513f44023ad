"""A described machine as the place of one launch of an MPI program, for a run's session."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.benchmark.record import Benchmark
from assay.described.machine_file import DescribedMachine
from assay.described.timeline import write_matrix, write_timeline
from assay.errors import InputError, MeasurementError
from assay.execute.described import SimulatedTarget
from assay.execute.job import Job, Outcome
from assay.execute.plan import Task
from assay.mpi import recorded
from assay.mpi.launch import MpiLaunch, Request, launch
from assay.network.refused import core_refusal


class MpiTarget(SimulatedTarget):
    """Where the program runs; `launched`: what became of it, once it has."""

    def __init__(
        self,
        description: DescribedMachine,
        request: Request,
        library: Path,
        compute: str,
        timeline: Path | None = None,
        matrix: Path | None = None,
        goal: Path | None = None,
    ) -> None:
        """The machine, the program, the folder of the library, and files for what happened."""
        self.description, self.request, self.library, self.compute = description, request, library, compute
        self.timeline, self.matrix, self.goal = timeline, matrix, goal
        self.machine = description.name
        self.launched: MpiLaunch | None = None

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Nothing to refuse: the program was looked at before."""

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Nothing to compile: the library was compiled before."""

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        """Turn a task into what is launched."""
        return Job(task.name, tuple(self.request.words), task.ranks, None, task.ppn, out, log, task.timeout)

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        """Run the program to its end."""
        began, cpu = recorded.now(), time.process_time()
        try:
            made = self.launched = launch(self.request, self.library)
        except ValueError as error:
            if core_refusal(error) is not None:
                raise self.description.refused(error) from None
            raise InputError(str(error), key=f"{self.request.words[0]} on {self.machine}") from None
        except (RuntimeError, IndexError, MemoryError) as error:
            raise MeasurementError(f"{self.request.words[0]}: {error or 'out of memory'}") from None
        on = [place // self.request.processors for place in self.request.places]
        if made.log is not None and self.timeline is not None:
            write_timeline(self.timeline, made.log, on)
        if made.log is not None and self.matrix is not None:
            write_matrix(self.matrix, made.log, on)
        if self.goal is not None and made.served.goal:
            _write_goal(self.goal, made.served.goal)
        try:
            recorded.write(job.out, self.request, made, self.machine, began)
        except OSError as error:
            raise MeasurementError(f"{job.out}: cannot write: {error.strerror}") from None
        why = recorded.reason(made)
        return Outcome(
            status=0 if why is None else made.exit_status or 1,
            reason=why,
            seconds=time.process_time() - cpu,
            command=job.command,
            hosts=(self.machine,),
            channel="simulated in this process",
        )

    def circumstances(self) -> dict[str, object]:
        """The version that simulated, the library, and what computing takes."""
        from assay import __version__

        return {"simulated": True, "assay": __version__, "library": self.request.library, "compute": self.compute}


def _write_goal(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from None
