"""`--via hosts:FILE`: the hosts of a file, by ssh; one process a host for node programs, mpiexec across them for ranks.

FILE has a host a line, with its slots where they are known, in the forms of MPIs and batch systems (host_file.py).
A node program runs under a shell that ends it when the ssh connection closes, so nothing stays on a host when Assay
ends. Where the hosts do not see the run's folder (tried), the program is copied to a private folder there, which is
removed at the end, and its output comes through ssh.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from assay.errors import InputError, MeasurementError
from assay.execute import placement, process_tree
from assay.execute.host_file import read_hosts
from assay.execute.job import Job, Outcome, node_output
from assay.execute.mpi import Mpi, launch_environment
from assay.execute.mpiexec import MpiexecLauncher, launch, speak
from assay.execute.private_folder import PrivateFolder, put_by_ssh

SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
_ANSWERS_WITHIN = 30.0  # s, for a command that does nothing
# Runs "$@" until it ends or until standard input closes, which is when the connection does.
_TETHER = (
    'exec 3<&0; "$@" </dev/null 3<&- & p=$!; { cat <&3 >/dev/null; kill -9 $p; } 2>/dev/null & c=$!; '
    "wait $p; s=$?; kill $c; exit $s"
)
# What each implementation calls the file of hosts, and its option for ssh.
_HOSTFILE = {"Open MPI": "--hostfile", "MPICH": "-f", "Intel MPI": "-f"}


class HostsLauncher(MpiexecLauncher):
    """Starts processes on the hosts of a file."""

    name = "hosts"
    summary = "hosts:FILE, the hosts of a file by ssh"

    def __init__(self, option: str | None = None, mpi: Mpi | None = None) -> None:
        """`option`: the file."""
        super().__init__(None, mpi)
        if not option:
            raise InputError("needs a file of hosts", key="--via", value="hosts", accepted="hosts:FILE")
        self.option = option
        self.hosts = read_hosts(Path(option))
        self._seen: dict[tuple[str, Path, str], bool] = {}
        self._folders: dict[str, PrivateFolder] = {}  # on hosts that do not see the run's folder

    def check(self) -> None:
        """InputError where there is no ssh."""
        if shutil.which(SSH[0]) is None:
            raise InputError(
                "ssh is not here (apt-get install openssh-client)",
                key="--via",
                value="hosts",
                accepted="local, mpiexec",
            )

    def describe(self) -> dict[str, object]:
        """Describe the launcher."""
        return {"launcher": self.name, "implementation": "ssh", "version": None, "hosts": list(self.hosts)}

    def run(self, job: Job) -> Outcome:
        """Run on the first `job.nodes` hosts of the file (None: all of them)."""
        job = replace(job, out=job.out.absolute(), log=job.log.absolute())
        if not self.hosts:
            raise InputError("names no host", file=self.option)
        wanted = job.nodes or len(self.hosts)
        if wanted > len(self.hosts):
            raise InputError("the file has fewer hosts", key="-N", value=wanted, accepted=f"1 to {len(self.hosts)}")
        hosts = list(self.hosts)[:wanted]
        sees = self._reach(job, hosts)
        return self._node_program(job, hosts, sees) if job.ranks is None else self._ranks(job, hosts, sees)

    def close(self) -> None:
        """Remove what was copied to hosts."""
        while self._folders:
            self._folders.popitem()[1].close()

    def _reach(self, job: Job, hosts: list[str]) -> dict[str, bool]:
        """Whether each host sees the run's folder and the program; MeasurementError names those that do not answer."""
        unseen = [host for host in hosts if (host, job.out.parent, job.command[0]) not in self._seen]
        with tempfile.TemporaryDirectory(prefix=".seen-", dir=job.out.parent) as folder:
            test = f"test -d {shlex.quote(folder)} && test -x {shlex.quote(job.command[0])} && echo sees || echo blind"
            files = {host: Path(folder) / f"{number}" for number, host in enumerate(unseen)}
            commands = [
                process_tree.Command((*SSH, host, test), file, file.with_suffix(".err")) for host, file in files.items()
            ]
            ended = process_tree.run(commands, timeout=_ANSWERS_WITHIN, environment=launch_environment(os.environ))
            if ended.missing:
                raise MeasurementError(f"ssh is not here: {ended.missing}")
            silent = []
            for host, file in files.items():
                words = file.read_text().split() if file.exists() else []
                if words[-1:] not in (["sees"], ["blind"]):
                    error = file.with_suffix(".err")
                    why = error.read_text(errors="replace").strip().splitlines() if error.exists() else []
                    silent.append(f"{host} ({why[-1] if why else f'no answer in {_ANSWERS_WITHIN:g} s'})")
                else:
                    self._seen[host, job.out.parent, job.command[0]] = words[-1] == "sees"
        if silent:
            raise MeasurementError(f"unreachable by `{' '.join(SSH)} HOST`: {', '.join(silent)}")
        return {host: self._seen[host, job.out.parent, job.command[0]] for host in hosts}

    def _node_program(self, job: Job, hosts: list[str], sees: dict[str, bool]) -> Outcome:
        before, log_before = placement.sizes(job.out), job.log.stat().st_size if job.log.exists() else 0
        commands = []
        for host in hosts:
            out = node_output(job.out, host)
            program = (*job.command, "--out", str(out)) if sees[host] else self._copied(job, host)
            settings = {**job.environment, "ASSAY_NODE": host, "ASSAY_PROCESS_TREE": "1"}
            words = ("env", *(f"{key}={value}" for key, value in settings.items()), *program)
            remote = shlex.join(["sh", "-c", _TETHER, "assay", *words])
            commands.append(
                process_tree.Command((*SSH, host, remote), job.log if sees[host] else out, job.log, keep_stdin=True)
            )
        ended = process_tree.run(commands, timeout=job.timeout, environment=launch_environment(os.environ))
        blind = [host for host in hosts if not sees[host]]
        channel = "the program's own file on each host"
        if blind:
            channel = f"ssh's standard output (these do not see the run's folder: {', '.join(blind)})"
        command = commands[0].argv
        return placement.outcome(
            job, ended, before, command, log_before=log_before, processes=len(hosts), channel=channel
        )

    def _copied(self, job: Job, host: str) -> tuple[str, ...]:
        """The program's command after it was copied to a private folder on the host."""
        folder = self._folders.get(host)
        if folder is None or not folder.alive():
            environment = launch_environment(os.environ)
            folder = PrivateFolder((*SSH, host), host, quoted=True, environment=environment)
            self._folders[host] = folder
        return (put_by_ssh(SSH, host, folder, Path(job.command[0]), job.timeout), *job.command[1:])

    def _ranks(self, job: Job, hosts: list[str], sees: dict[str, bool]) -> Outcome:
        assert job.ranks is not None
        blind = [host for host in hosts if not sees[host]]
        if blind:
            raise MeasurementError(
                f"{', '.join(blind)} do not see {job.out.parent} or the program: put the run's folder "
                "(--out) and ASSAY_CACHE on a file system that all hosts share"
            )
        word = _HOSTFILE.get(self.mpi.implementation)
        if word is None:
            raise MeasurementError(f"{self.mpi} has no known option for a file of hosts; use --via mpiexec or slurm")
        addresses = [host for host in hosts if ":" in host]
        if addresses and self.mpi.implementation != "Open MPI":
            raise MeasurementError(
                f"{self.mpi} takes no IPv6 addresses in a file of hosts ({addresses[0]}): give the host a name"
            )
        slots = min((self.hosts[host] or placement.processors() for host in hosts), default=1)
        spread = replace(job, nodes=len(hosts))
        words, added, binding = speak(self.mpi, spread, elsewhere=True, processors=slots, cores=slots)
        if self.mpi.implementation == "Open MPI":
            exported = [*added, *job.environment, "ASSAY_PROCESS_TREE"]
            words += tuple(piece for key in exported for piece in ("-x", key))
            agent = " ".join(SSH[:1] + SSH[2:])
            added = added | {"PRTE_MCA_plm_ssh_agent": agent, "OMPI_MCA_plm_rsh_agent": agent}
        else:
            words += ("-launcher", "ssh")
        with tempfile.TemporaryDirectory(prefix=".hosts-", dir=job.out.parent) as folder:
            file = Path(folder) / "hosts"
            separator = " slots={}" if self.mpi.implementation == "Open MPI" else ":{}"
            file.write_text("".join(f"{h}{separator.format(self.hosts[h] or slots)}\n" for h in hosts))
            command = (
                *(self.mpi.mpiexec, word, str(file), "-n", str(job.ranks), *words),
                *(*job.command, "--out", str(job.out)),
            )
            return launch(spread, command, added, binding, channel="the first rank's own file")


LAUNCHER = HostsLauncher
