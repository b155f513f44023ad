"""`--via local`: one process on this host, without MPI; for node programs."""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import InputError
from assay.execute import placement, process_tree
from assay.execute.job import Job, Outcome
from assay.execute.mpi import Mpi, launch_environment


def on_this_host(via: str | None) -> bool:
    """Whether `--via` (None: not given) starts processes on this host alone, with an mpiexec or without."""
    return via in (None, "local", "mpiexec")


class LocalLauncher:
    """Starts one process on this host."""

    name = "local"
    summary = "one process on this host, no MPI"

    def __init__(self, option: str | None = None, mpi: Mpi | None = None) -> None:
        """`option`: none is accepted."""
        if option:
            raise InputError("takes nothing behind the colon", key="--via local", value=option)
        self.option = option

    def check(self) -> None:
        """Nothing is needed."""

    def describe(self) -> dict[str, object]:
        """Describe the launcher."""
        return {"launcher": self.name, "implementation": None, "version": None}

    def run(self, job: Job) -> Outcome:
        """Run the program here; InputError for ranks, which need an MPI launcher."""
        if job.ranks is not None:
            raise InputError(
                f"{job.name} passes messages between ranks", key="--via", value="local", accepted="mpiexec, …"
            )
        if job.nodes not in (None, 1):
            raise InputError("this is one node", key="-N", value=job.nodes, accepted="1, or --via hosts:FILE or slurm")
        return run_here(job)

    def close(self) -> None:
        """Nothing to release."""


def run_here(job: Job) -> Outcome:
    """Run a node program as one process on this host."""
    command = (*job.command, "--out", str(job.out))
    before, log_before = placement.sizes(job.out), _size(job.log)
    ended = process_tree.run(
        [process_tree.Command(command, job.log, job.log)],
        timeout=job.timeout,
        environment=launch_environment(os.environ) | job.environment,
        patience=placement.STOPPED_AT_MOST,
        stopped=lambda pids: placement.report_stopped(job, before, pids),
    )
    return placement.outcome(job, ended, before, command, log_before=log_before, processes=1)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


LAUNCHER = LocalLauncher
