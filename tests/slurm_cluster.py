"""A Slurm cluster of eight nodes on this host, for tests: no root, no munge, no systemd; up in about a second.

All daemons run in the foreground (-D) under one leash, so that whatever becomes of the tests nothing stays behind.
A context manager; as a script with a command behind it, it runs that command on the cluster.
"""

import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from assay.execute import process_tree

NODES = 8
CONFIGURATION = """ClusterName=lab
SlurmctldHost=localhost
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/log/ctld.log
SlurmdLogFile={folder}/log/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_min_interval=100000,sched_interval=5
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=2
MinJobAge=3600
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobcomp.txt
NodeName=n[1-{nodes}] NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports} CPUs=2 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str | None:
    """What lacks for a cluster here, with the command that adds it; None when nothing does."""
    if shutil.which("slurmctld") and shutil.which("slurmd") and shutil.which("srun"):
        return None
    return "no Slurm here: apt-get install slurm-wlm slurmd slurmctld slurm-client"


def free_ports(count: int) -> int:
    """The first of `count` adjacent free ports outside the range that the kernel gives to clients."""
    for first in range(17000 + os.getpid() % 97 * 100, 31000, 100):
        try:
            with ExitStack() as held:
                for port in range(first, first + count):
                    held.enter_context(closing(socket.socket())).bind(("", port))
            return first
        except OSError:
            continue
    raise RuntimeError("no free ports")


class SlurmCluster:
    """Eight nodes n1..n8 of two processors each, on this host; a context manager."""

    def __enter__(self) -> "SlurmCluster":
        self.folder = Path(tempfile.mkdtemp(prefix="assay-slurm-", dir="/tmp"))
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "_daemons"):
            self._daemons.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def environment(self) -> dict[str, str]:
        """The process's environment with this cluster's configuration and without an outer job's variables."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "SBATCH"))}
        return {**kept, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"}

    def configuration(self, text: str) -> str:
        """The cluster's configuration, from the usual one."""
        return text

    def _start(self) -> None:
        first = free_ports(NODES + 1)
        for name in ("state", "log", *(f"spool/n{i}" for i in range(1, NODES + 1))):
            (self.folder / name).mkdir(parents=True)
        text = CONFIGURATION.format(
            user=getpass.getuser(), port=first, ports=f"[{first + 1}-{first + NODES}]", folder=self.folder, nodes=NODES
        )
        (self.folder / "slurm.conf").write_text(self.configuration(text))
        daemons = [("slurmctld", "-D"), *(("slurmd", "-D", "-N", f"n{i}") for i in range(1, NODES + 1))]
        log = self.folder / "log" / "daemons"
        self._daemons = process_tree.ProcessTree(
            [process_tree.Command(d, log, log) for d in daemons], environment=self.environment
        )
        end = time.monotonic() + 30
        while self.idle() < NODES:
            if time.monotonic() > end or not self._daemons.alive():
                words = "\n".join(p.read_text()[-1500:] for p in sorted((self.folder / "log").iterdir()))
                raise RuntimeError(f"the cluster did not start: {self.idle()} nodes of {NODES}\n{words}")
            time.sleep(0.1)

    def ask(self, *command: str) -> str:
        """Standard output of a Slurm command on this cluster."""
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60).stdout

    def idle(self) -> int:
        """How many nodes are idle and answer: one that does not is `idle*`, and no job may be started there."""
        states = dict(line.split() for line in self.ask("sinfo", "-h", "-N", "-o", "%N %T").splitlines())
        return list(states.values()).count("idle")

    def jobs(self) -> list[str]:
        """Ids of the jobs that wait or run."""
        return self.ask("squeue", "-h", "-o", "%i").split()

    def left(self, within: float = 10.0) -> list[str]:
        """Ids of the jobs that are still there after a while: Slurm ends jobs in its own time."""
        end = time.monotonic() + within
        while (found := self.jobs()) and time.monotonic() < end:
            time.sleep(0.1)
        return found


if __name__ == "__main__":
    with SlurmCluster() as cluster:
        sys.exit(subprocess.run(sys.argv[1:], env=cluster.environment).returncode)
