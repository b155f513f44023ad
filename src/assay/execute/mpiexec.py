"""`--via mpiexec`: ranks by any MPI's own starter, on this host or on the allocation that the starter itself finds.

The options of each implementation are one entry of `SPEECH`: binding to cores while they suffice, to hardware threads
while those do, and to nothing when there are more ranks than those. What came of it is read from the ranks' own
masks (execute/binding.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from assay.errors import InputError, MeasurementError
from assay.execute import failure, placement, process_tree
from assay.execute.job import Job, Outcome
from assay.execute.local import run_here
from assay.execute.loopback import loopback
from assay.execute.mpi import Mpi, find_mpi, launch_environment
from assay.execute.scratch import scratch

Words = tuple[str, ...]


def _open_mpi(mpi: Mpi, binding: str, oversubscribed: bool, ppn: int | None) -> tuple[Words, dict[str, str]]:
    """Open MPI 4 (ORTE) and 5 (PRRTE) take the same words but for oversubscription, which is a mapping's qualifier."""
    qualifier = ":OVERSUBSCRIBE" if oversubscribed and mpi.major >= 5 else ""
    where = f"ppr:{ppn}:node{qualifier}" if ppn else f"slot{qualifier}" if oversubscribed else ""
    words: Words = ("--map-by", where) if where else ()
    if oversubscribed and mpi.major < 5:
        words += ("--oversubscribe",)
    if binding == "hwthread":
        words += ("--use-hwthread-cpus",)
    return (*words, "--bind-to", binding), {}


def _mpich(mpi: Mpi, binding: str, oversubscribed: bool, ppn: int | None) -> tuple[Words, dict[str, str]]:
    """MPICH's hydra maps by the host file and needs no leave to oversubscribe."""
    return (*(("-ppn", str(ppn)) if ppn else ()), "-bind-to", binding), {}


def _intel(mpi: Mpi, binding: str, oversubscribed: bool, ppn: int | None) -> tuple[Words, dict[str, str]]:
    """Intel MPI pins by its environment; its hydra takes -ppn."""
    pin = {"I_MPI_PIN": "0" if binding == "none" else "1"}
    if binding != "none":
        pin["I_MPI_PIN_CELL"] = "core" if binding == "core" else "unit"
    return (("-ppn", str(ppn)) if ppn else ()), pin


def _any(mpi: Mpi, binding: str, oversubscribed: bool, ppn: int | None) -> tuple[Words, dict[str, str]]:
    """Only what the MPI standard suggests: -n."""
    return (), {}


# What names nodes to a starter: batch systems, and files of hosts that a person has set.
_NODES = (
    *("SLURM_JOB_ID", "PBS_NODEFILE", "PBS_JOBID", "LSB_JOBID", "PE_HOSTFILE", "HYDRA_HOST_FILE"),
    *("I_MPI_HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"),
)

# How a site has Open MPI map ranks; the command line has precedence.
_MAPPING = ("PRTE_MCA_rmaps_default_mapping_policy", "OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_rmaps_ppr_pernode")

SPEECH: dict[str, Callable[[Mpi, str, bool, int | None], tuple[Words, dict[str, str]]]] = {
    "Open MPI": _open_mpi,
    "MPICH": _mpich,
    "Intel MPI": _intel,
}


class MpiexecLauncher:
    """Starts ranks by the starter of the MPI that compiled them."""

    name = "mpiexec"
    summary = "ranks by the starter of any MPI"

    def __init__(self, option: str | None = None, mpi: Mpi | None = None) -> None:
        """`option`: none is accepted."""
        if option:
            raise InputError("takes nothing behind the colon", key="--via mpiexec", value=option)
        self.option: str | None = option
        self._mpi = mpi

    @property
    def mpi(self) -> Mpi:
        """The MPI that launches; MeasurementError where there is none."""
        if self._mpi is None:
            self._mpi = find_mpi()
        if self._mpi is None:
            raise MeasurementError(
                "no MPI found: load the site's module, or put its mpicxx and mpiexec on PATH (or name them in MPICXX "
                "and MPIEXEC), or `pip install 'assay[mpi]'` for one node"
            )
        return self._mpi

    def use(self, mpi: Mpi) -> None:
        """Launch by another MPI from now on: that of a variant."""
        self._mpi = mpi

    def check(self) -> None:
        """Nothing is looked for yet: which MPI is used is decided when programs are compiled."""

    def describe(self) -> dict[str, object]:
        """Describe the launcher."""
        return {"launcher": self.name, **self.mpi.describe()}

    def run(self, job: Job) -> Outcome:
        """Start `job.ranks` ranks; a node program needs no starter and runs as one process here."""
        if job.ranks is None:
            if job.nodes not in (None, 1):
                raise InputError(
                    "a node program on several nodes", key="-N", value=job.nodes, accepted="hosts:FILE, slurm"
                )
            return run_here(job)
        words, added, binding = speak(self.mpi, job, elsewhere=job.nodes not in (None, 1))
        command = (self.mpi.mpiexec, "-n", str(job.ranks), *words, *job.command, "--out", str(job.out))
        say_slots(job, os.environ)
        here = job.nodes in (None, 1) and not finds_nodes()
        if here:
            added = added | loopback(self.mpi.implementation, {**os.environ, **job.environment}, spawns=job.spawns)
        return launch(job, command, added, binding, here=here)

    def close(self) -> None:
        """Nothing to release."""


def finds_nodes() -> bool:
    """Whether the starter may find nodes by itself: by a batch system's allocation, or a file of hosts."""
    return any(key in os.environ for key in _NODES)


def granted_slots(environment: Mapping[str, str]) -> int | None:
    """How many processes a batch system meant to start in this allocation; None where it is unknown.

    `salloc -n1 -c2` means one that has two hardware threads, as does one line of a file of nodes with a cpuset of two.
    """
    if tasks := environment.get("SLURM_NTASKS", "") or environment.get("LSB_DJOB_NUMPROC", ""):
        return int(tasks) if tasks.isdecimal() else None
    if file := environment.get("PBS_NODEFILE"):
        try:
            return len(Path(file).read_text(errors="replace").split()) or None
        except OSError:
            return None
    return None


def say_slots(job: Job, environment: Mapping[str, str]) -> None:
    """Report where ranks use hardware threads that the batch system gives to fewer processes."""
    slots, threads = granted_slots(environment), placement.processors()
    if job.ranks is not None and slots is not None and slots < job.ranks <= threads:
        job.say(
            f"{job.name}: the batch system grants {slots} {'process' if slots == 1 else 'processes'} with {threads} "
            f"hardware threads on this host; {job.ranks} ranks use these"
        )


def speak(
    mpi: Mpi, job: Job, *, elsewhere: bool, processors: int | None = None, cores: int | None = None
) -> tuple[Words, dict[str, str], str]:
    """Words and environment for the starter, and the requested binding.

    `elsewhere`: not only this host; `processors` and `cores` are those of a node (None: this host's).
    """
    processors = processors or placement.processors()
    cores = placement.cores() if cores is None else cores
    assert job.ranks is not None
    here = job.ranks if job.nodes is None else -(-job.ranks // job.nodes)
    here = min(here, job.ppn) if job.ppn else here
    oversubscribed = here > processors
    binding = "none" if oversubscribed or job.threads > 1 else "core" if here <= cores else "hwthread"
    ppn = here if elsewhere or job.ppn else None
    # Slots are what a batch system or a site counts in; where they are fewer than hardware threads, these are taken.
    slots_count = not elsewhere and (finds_nodes() or any(key in os.environ for key in _MAPPING))
    words, added = SPEECH.get(mpi.implementation, _any)(mpi, binding, oversubscribed or slots_count, ppn)
    if slots_count and not oversubscribed and mpi.implementation == "Open MPI":
        added = {"OMPI_MCA_mpi_yield_when_idle": "0"} | added  # which more ranks than slots would switch on
    return words, added, binding


def unbound_command(mpi: Mpi, ranks: int, *, here: bool, spawns: bool = False) -> Words:
    """A whole command's first words, for a job of a batch system: any number of ranks, bound to nothing.

    They stay on the hardware threads that the job itself is given. `here`: on this host alone; `spawns`: the program
    starts processes itself.
    """
    words, added = SPEECH.get(mpi.implementation, _any)(mpi, "none", True, None)
    added = launch_environment({}) | added | {"ASSAY_PROCESS_TREE": "1"}
    if here:
        added |= loopback(mpi.implementation, os.environ, spawns=spawns)
    return ("env", *(f"{key}={value}" for key, value in added.items()), mpi.mpiexec, "-n", str(ranks), *words)


def launch(
    job: Job,
    command: Words,
    added: dict[str, str],
    binding: str,
    *,
    base: Mapping[str, str] | None = None,
    cleanup: Sequence[Sequence[str]] = (),
    settle: Callable[[], None] = lambda: None,
    here: bool = False,
    processes: int | None = None,
    channel: str = Outcome.channel,
) -> Outcome:
    """Run a starter under the leash, in the environment `base` (None: Assay's own), and verify what it started.

    `cleanup` commands run when it had to be ended; `settle` puts the output in its place before it is read; `here`:
    all ranks are on this host.
    """
    environment = launch_environment(os.environ if base is None else base) | added | job.environment
    folders, named = scratch(environment) if here else ([], {})
    before, log_before = placement.sizes(job.out), job.log.stat().st_size if job.log.exists() else 0
    ended = process_tree.run(
        [process_tree.Command(command, job.log, job.log)],
        timeout=job.timeout,
        environment=environment | named,
        cleanup=cleanup,
        scratch=folders,
        patience=placement.STOPPED_AT_MOST,
        watched=process_tree.Watched(job.log, log_before, failure.IN_VAIN),
        stopped=lambda pids: placement.report_stopped(job, before, pids),
    )
    settle()
    return placement.outcome(
        job, ended, before, command, log_before=log_before, processes=processes, binding=binding, channel=channel
    )


LAUNCHER = MpiexecLauncher
