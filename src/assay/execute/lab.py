"""`--via lab` or `lab:NAME`: ranks on the hosts of a laboratory that is up (`assay lab up`), by MPI over its TCP.

The MPI's own starter runs on the first host and reaches the others through the laboratory's agent, as through ssh.
Every MPI is made to use TCP: left to itself, one that finds all hosts on one kernel may share memory between them, so
what the links' process counted is compared with what the ranks must have sent. The starter and all that it starts are
in a PID namespace of their own, which ends with the launch (laboratory/enter.py).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.benchmark.record import Benchmark, PlainProgram, programs_root
from assay.errors import InputError, MeasurementError
from assay.execute.job import Job, Outcome
from assay.execute.mpi import Mpi
from assay.execute.mpiexec import MpiexecLauncher, launch
from assay.execute.transports import LEAST_SEGMENTS
from assay.laboratory import enter, running
from assay.laboratory.holder import ROOM
from assay.laboratory.running import Laboratory
from assay.laboratory.twin import described
from assay.stored.seal import intact, sealed_lines

ONE_MACHINE = "measures a node, and the hosts of a laboratory share this machine's processors"
_INTERFACE = "host0"  # the one with a host's address (laboratory/holder.py)
_AGENT = f"{ROOM}/agent"
MOST_LATE = 0.05  # of a launch's frames: more than 0.1 ms late
# By implementation: the variables by which ranks use TCP and the starter the agent.
_VARIABLES = {
    "Open MPI": {
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "tcp,self",
        "OMPI_MCA_btl_tcp_if_include": _INTERFACE,
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "PRTE_MCA_plm": "ssh",
        "PRTE_MCA_plm_ssh_agent": _AGENT,
        "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
        "PRTE_MCA_prte_leave_session_attached": "1",  # the daemons keep the priority of the session
        "PRTE_MCA_oob_tcp_if_include": _INTERFACE,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    },
    "MPICH": {
        "ASSAY_UNFINALIZED": "1",  # MPI_Finalize hung on slow links (MPICH 4.0 over UCX; programs/mpi/frame.cpp)
        "MPIR_CVAR_NOLOCAL": "1",
        "UCX_TLS": "tcp,self",
        "UCX_NET_DEVICES": _INTERFACE,
        "UCX_RNDV_THRESH": "inf",  # over TCP a rendezvous of several senders with one receiver hung (UCX 1.13)
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": _INTERFACE,
    },
}


def laboratory_of(via: str | None) -> Laboratory | None:
    """The laboratory that `--via` names; None where it names another launcher. InputError where it is not up."""
    kind, _, option = (via or "").partition(":")
    return running.named(option or None) if kind == "lab" else None


def nodes_of_laboratory(
    via: str | None, nodes: int | None, ranks: int | None, records: Sequence[Benchmark]
) -> int | None:
    """The number of nodes (-N) of a request: of a laboratory all hosts, where neither that nor `ranks` is given.

    InputError where the laboratory is not up, or a benchmark passes no messages.
    """
    laboratory = laboratory_of(via)
    if laboratory is None:
        return nodes
    for record in records:
        if record.kind == "node":
            raise InputError(ONE_MACHINE, key=record.name, value=f"--via {via}", accepted="a message-passing benchmark")
    there = laboratory.specification.layout.nodes
    if nodes is not None and nodes > there:
        raise InputError("the laboratory has fewer hosts", key="-N", value=nodes, accepted=f"1 to {there}")
    return there if nodes is None and ranks is None else nodes


def entered(laboratory: Laboratory, host: str) -> tuple[str, ...]:
    """The first words of a command that runs on a host of a laboratory."""
    return (sys.executable, "-I", "-S", enter.__file__, str(laboratory.holder), host)


class LabLauncher(MpiexecLauncher):
    """Starts ranks on a laboratory's hosts, one on each by default."""

    name = "lab"
    summary = "lab[:NAME], the hosts of a laboratory on this machine (assay lab up)"

    def __init__(self, option: str | None = None, mpi: Mpi | None = None) -> None:
        """`option`: the laboratory's name, where several are up."""
        super().__init__(None, mpi)
        self.option = option
        self._laboratory: Laboratory | None = None

    @property
    def laboratory(self) -> Laboratory:
        """The laboratory; InputError where it is not up."""
        if self._laboratory is None:
            self._laboratory = running.named(self.option)
        return self._laboratory

    def check(self) -> None:
        """InputError where the laboratory is not up."""
        self.laboratory  # noqa: B018 - looked for

    def describe(self) -> dict[str, object]:
        """Describe the launcher: the laboratory as it was built, slowed links included."""
        made = self.laboratory.specification
        about = {"topology": made.topology, "rate": made.rate, "delay": made.delay, "queue": made.queue}
        return {**super().describe(), "laboratory": about | {"slow": made.slow}}

    def run(self, job: Job) -> Outcome:
        """Start `job.ranks` ranks, `job.ppn` on each of the first `job.nodes` hosts (None: one on each of all)."""
        if job.ranks is None:
            raise InputError(ONE_MACHINE, key=job.name, value="--via lab", accepted="a message-passing benchmark")
        variables = _VARIABLES.get(self.mpi.implementation)
        if variables is None or (self.mpi.implementation == "Open MPI" and self.mpi.major < 5):
            raise MeasurementError(f"{self.mpi} is not known to start ranks in a laboratory; use Open MPI 5 or MPICH")
        job = replace(job, out=job.out.absolute(), log=job.log.absolute())
        hosts, ppn = self._hosts(job)
        hops = [str(each) for row in self.laboratory.specification.layout.hops for each in row]
        job = replace(job, environment=job.environment | {"ASSAY_HOPS": " ".join([str(ppn), *hops])})
        before = self.laboratory.counts()
        named = ",".join(f"{host}:{ppn}" for host in hosts)
        if self.mpi.implementation == "Open MPI":
            words = ["--host", named, "--map-by", f"ppr:{ppn}:node:OVERSUBSCRIBE", "--bind-to", "none"]
            exported = [*job.environment, "ASSAY_PROCESS_TREE", f"LD_PRELOAD={self._waiting()}"]
            words += [word for key in exported for word in ("-x", key)]
        else:
            words = ["-hosts", named, "-bind-to", "none", "-iface", _INTERFACE]
            words += ["-launcher", "rsh", "-launcher-exec", _AGENT, "-genv", "LD_PRELOAD", str(self._waiting())]
        command = (
            *entered(self.laboratory, hosts[0]),
            *(self.mpi.mpiexec, "-n", str(job.ranks), *words, *job.command, "--out", str(job.out)),
        )
        base = {**os.environ, **variables}
        outcome = launch(replace(job, nodes=len(hosts)), command, {}, "none", base=base, channel=_CHANNEL)
        crossed = self._crossed(job, len(hosts), before)
        if outcome.status == 0:
            self._add_ways(job, ppn)
        return replace(outcome, warnings=(*outcome.warnings, *_frame_warnings(crossed)))

    def _hosts(self, job: Job) -> tuple[list[str], int]:
        """The hosts that ranks run on, and how many on each."""
        hosts, ranks = self.laboratory.specification.layout.hosts, job.ranks or 1
        wanted = job.nodes or min(len(hosts), -(-ranks // (job.ppn or 1)))
        if wanted > len(hosts):
            raise InputError("the laboratory has fewer hosts", key="-N", value=wanted, accepted=f"1 to {len(hosts)}")
        ppn = job.ppn or -(-ranks // wanted)
        return hosts[: -(-ranks // ppn)], ppn

    @staticmethod
    def _waiting() -> Path:
        """The library that has ranks sleep while they wait (programs/laboratory/waiting.cpp)."""
        from assay.execute.build import build

        source = programs_root() / "laboratory" / "waiting.cpp"
        name = "laboratory-waiting"
        return build([PlainProgram(name, source, flags=("-shared", "-fPIC"))], mpi=None)[name].path

    def _crossed(self, job: Job, hosts: int, before: Mapping[str, float]) -> dict[str, float]:
        """Frames that crossed the links during a launch, those that were late, and those dropped.

        MeasurementError where they were so few that messages must have gone another way.
        """
        if not self.laboratory.alive():
            raise MeasurementError("the laboratory was taken down during the launch")
        now = self.laboratory.counts()
        crossed = {key: now.get(key, 0) - before.get(key, 0) for key in ("frames", "late", "dropped")}
        if hosts > 1 and crossed["frames"] < LEAST_SEGMENTS * (job.ranks or 0):
            raise MeasurementError(
                f"{self.mpi}: messages did not go over the laboratory's links ({crossed['frames']:g} frames)"
            )
        return crossed

    def _add_ways(self, job: Job, ppn: int) -> None:
        """Add to the times of all pairs the ways that the messages took, as built: nothing of what was slowed."""
        if not job.out.is_file() or b'"event":"pairs"' not in (text := job.out.read_bytes()):
            return
        from assay.described.ways import pairs_event

        twin = described(self.laboratory.specification, slowed=False)
        event = pairs_event(twin, [rank // ppn for rank in range(job.ranks or 0)])
        lines = text.splitlines()
        if not all(intact(line) for line in lines):
            return  # damaged: what is there is judged without ways
        texts = [_SEAL.sub(b"}", line).decode() for line in lines]
        last = max(at for at, line in enumerate(lines) if b'"event":"pairs"' in line)
        texts.insert(last + 1, json.dumps(event, separators=(",", ":")))
        job.out.write_text(sealed_lines(texts), encoding="utf-8")


def _frame_warnings(crossed: Mapping[str, float]) -> list[str]:
    """What a reader must know of a launch's frames: this machine was too busy for the links, or a queue was full."""
    frames, late, dropped = (crossed[key] for key in ("frames", "late", "dropped"))
    found = []
    if late > MOST_LATE * frames:
        share = late / frames
        found.append(f"the laboratory's links handed {share:.0%} of {frames:g} frames on more than 0.1 ms late: this "
                     "machine was busy")  # fmt: skip
    if dropped > 0:
        found.append(f"the laboratory's links dropped {dropped:g} of {frames:g} frames: a queue was full")
    return found


_SEAL = re.compile(rb',"seq":\d+,"crc":"[0-9a-f]{8}"\}\s*\Z')
_CHANNEL = "the first rank's own file; ranks by the MPI's starter on the laboratory's first host"
LAUNCHER = LabLauncher
