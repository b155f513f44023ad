"""Running on real processors: programs compiled by the user's compiler, started here or behind a launcher."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.benchmark.record import Benchmark
from assay.benchmark.resolved import program_words
from assay.errors import InputError, MeasurementError
from assay.execute.absent import NO_MPI
from assay.execute.build import Built, build
from assay.execute.job import Job, Launcher, Outcome, launcher
from assay.execute.mpi import Mpi, find_mpi
from assay.execute.plan import Task
from assay.machine import reading
from assay.machine.batch import batch
from assay.machine.provenance import provenance


class Real:
    """This host, or the nodes behind a launcher."""

    def __init__(self, via: str | None, nodes: int | None) -> None:
        self.via, self.nodes = via, nodes
        self.machine = os.uname().nodename
        self.mpi: Mpi | None = None
        self._launchers: dict[str, Launcher] = {}
        self._built: dict[str, Built] = {}
        if via is not None:
            self._launcher(via)

    def _launcher(self, via: str) -> Launcher:
        if via not in self._launchers:
            self._launchers[via] = launcher(via, self.mpi)
        return self._launchers[via]

    def _via(self, record: Benchmark) -> Launcher:
        if self.via in (None, "local", "mpiexec"):  # on one host the record decides: messages need an mpiexec
            if record.kind == "ranks" and self.via == "local":
                raise InputError("needs ranks", key=record.name, value="--via local", accepted="--via mpiexec")
            return self._launcher("mpiexec" if record.kind == "ranks" else "local")
        assert self.via is not None
        return self._launcher(self.via)

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Refuse by name what cannot be launched as wished."""
        for record in records:
            self._via(record).check()

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Compile what the records need with the user's compiler, and mpicxx where there are ranks."""
        if any(record.kind == "ranks" for record in records):
            self.mpi = find_mpi()
            if self.mpi is None:
                raise MeasurementError(NO_MPI)
        self._built = build(records, mpi=self.mpi, progress=say)

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        """Turn a task into what is launched; the launcher sees to it that the program's lines reach `out`."""
        words = [str(self._built[record.name].path), *program_words(record, task.arguments)]
        if record.kind == "ranks":
            words += ["--deadline", f"{0.8 * task.timeout:g}"]
        return Job(
            name=task.name,
            command=tuple(words),
            ranks=task.ranks,
            nodes=self.nodes,
            ppn=task.ppn,
            out=out,
            log=log,
            timeout=task.timeout,
            environment={"ASSAY_LEASH": "1"},
            spawns=bool(record.extra.get("host")),
        )

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        """Launch it and wait."""
        return self._via(record).run(job)

    def circumstances(self) -> dict[str, Any]:
        """Say what this host is doing now."""
        return provenance()

    def describe(self) -> dict[str, Any]:
        """Say how ranks are launched and what was compiled."""
        return {
            "via": self.via or "local and mpiexec",
            "nodes": self.nodes,
            "launchers": {name: made.describe() for name, made in self._launchers.items()},
            "mpi": None if self.mpi is None else vars(self.mpi) | {},
            "programs": {
                name: {"compiler": built.compiler, "flags": built.flags, "key": built.key}
                | ({"libraries": {each.name: each.origin for each in built.libraries}} if built.libraries else {})
                for name, built in self._built.items()
            },
        }

    def allocation(self) -> str:
        """Name the batch job that this process is in, or that a launcher will hold; else this host since its start."""
        job = next((f"{system.name} {system.job}" for system in batch(ask=False).systems if system.job), None)
        if job is None and self.via is not None and self.via.partition(":")[0] == "slurm":
            return f"slurm, held by process {os.getpid()} since {time.time():.0f}"
        started = reading.text(Path("/proc/sys/kernel/random/boot_id"))
        return job or f"{self.machine} since start {started or 'unknown'}"

    def close(self) -> None:
        """Give back what a launcher holds between launches (an allocation)."""
        for held in self._launchers.values():
            held.close()
