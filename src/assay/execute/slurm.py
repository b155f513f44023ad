"""`--via slurm` or `slurm:SALLOC-OPTIONS`: job steps (srun) in the allocation that Assay runs in, or in one of its own.

Outside an allocation the whole run gets one (salloc), so that launches do not queue one by one; its supervisor
cancels it when Assay ends, however Assay ends, and a time limit ends it when even the supervisor is gone. Ranks come by
srun where an --mpi plugin of Slurm serves the MPI in use (tried, not only listed), else by the MPI's own starter inside
the allocation. Where all nodes see the run's folder (tried), programs write their lines and their complaints to files
of their node's: srun, set to end a step with its first failure, loses the last output of the failing task (Slurm
22.05, 6 of 60 steps on a busy host). Where they do not see it srun carries both, and sbcast the program there.
"""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from assay.errors import InputError, MeasurementError
from assay.execute import placement, process_tree
from assay.execute.allocation import Allocation, last_words
from assay.execute.job import Job, Outcome, node_output, outputs
from assay.execute.mpi import Mpi
from assay.execute.mpiexec import MpiexecLauncher, launch, speak
from assay.execute.private_folder import PrivateFolder

# Which of Slurm's --mpi plugins may start an implementation's ranks, best first; none: its own starter does it better.
PLUGINS = {"Open MPI": ("pmix",), "MPICH": ("pmi2", "pmix"), "Intel MPI": (), "MPI": ("cray_shasta", "pmi2", "pmix")}
_ANSWERS_WITHIN = 60.0  # s, for a step that does nothing


class SlurmLauncher(MpiexecLauncher):
    """Starts job steps; holds one allocation where there is none."""

    name = "slurm"
    summary = "job steps of a Slurm allocation: the one Assay runs in, or one that it holds; slurm:OPTIONS go to salloc"

    def __init__(self, option: str | None = None, mpi: Mpi | None = None) -> None:
        """`option`: words for salloc, e.g. `--partition=short --account=x`."""
        super().__init__(None, mpi)
        self.option = option
        try:
            self._options = shlex.split(option or "")
        except ValueError as error:
            raise InputError(
                f"cannot be split into words ({str(error).lower()})",
                key="--via slurm",
                value=option,
                accepted="slurm:OPTIONS with options of salloc, e.g. slurm:--partition=short",
            ) from None
        self._held: Allocation | None = None
        self._folder: PrivateFolder | None = None  # on nodes that do not see the run's folder
        self._answered = False
        self._plugin: dict[str, str | None] = {}
        self._sees: dict[tuple[Path, str, int], bool] = {}
        self._switches: str | None = None

    def check(self) -> None:
        """InputError where Slurm's commands are not here, or no controller answers them."""
        absent = [name for name in ("srun", "salloc", "squeue", "sinfo") if shutil.which(name) is None]
        if absent:
            raise InputError(
                f"Slurm is not here: no {', '.join(absent)} on PATH (load the site's module, or apt-get install "
                "slurm-client)",
                key="--via",
                value="slurm",
                accepted="local, mpiexec, hosts:FILE",
            )
        if self._answered or "SLURM_JOB_ID" in os.environ:
            return
        ended, output = process_tree.ask(["sinfo", "-h", "-o", "%P"], timeout=_ANSWERS_WITHIN)
        if ended.timed_out or any(ended.statuses):
            raise InputError(
                f"Slurm's controller does not answer: {last_words(output) or 'no output'}",
                key="--via",
                value="slurm",
                accepted="a cluster whose slurmctld runs, or local, mpiexec, hosts:FILE",
            )
        self._answered = True

    def describe(self) -> dict[str, object]:
        """Describe the launcher, without requesting an allocation."""
        ended, output = process_tree.ask(["srun", "--version"], timeout=_ANSWERS_WITHIN)
        version = "missing" if ended.missing else (output.split() or ["unknown"])[-1]
        job = os.environ.get("SLURM_JOB_ID")
        return {"launcher": self.name, "implementation": "Slurm", "version": version, "allocation": job}

    def switches(self) -> str:
        """The tree of switches that Slurm states (`machine/switch_tree.py` reads it); empty where it has none."""
        if self._switches is None:
            ended, output = process_tree.ask(["scontrol", "show", "topology"], timeout=_ANSWERS_WITHIN)
            failed = ended.missing or ended.timed_out or any(ended.statuses)
            lines = [] if failed else [line for line in output.splitlines() if line.startswith("SwitchName=")]
            self._switches = "\n".join(lines)
        return self._switches

    def run(self, job: Job) -> Outcome:
        """Run a job step on `job.nodes` nodes (None: all of the allocation that Assay runs in, else one)."""
        allocation = self._allocation(job)
        nodes = job.nodes or (1 if allocation.held else allocation.nodes)
        if nodes > allocation.nodes:
            raise InputError(
                "the allocation has fewer nodes", key="-N", value=nodes, accepted=f"1 to {allocation.nodes}"
            )
        shared = self._shared(job, allocation, nodes)
        if job.ranks is None:
            return self._node_program(job, allocation, nodes, shared)
        return self._ranks(job, allocation, nodes, shared)

    def close(self) -> None:
        """Remove what was copied to the nodes, and give the allocation back."""
        if self._folder:
            self._folder.close()
            self._folder = None
        if self._held:
            self._held.release()
            self._held = None

    def _allocation(self, job: Job) -> Allocation:
        if "SLURM_JOB_ID" in os.environ:
            return Allocation.around(dict(os.environ))
        held, wanted = self._held, job.nodes or 1
        if held and held.alive() and held.nodes >= wanted and held.left() > job.timeout:
            return held
        self.close()
        self._held = Allocation.hold(wanted, self._options)
        return self._held

    def _srun(self, allocation: Allocation, nodes: int, tasks: int, ppn: int, *words: str) -> tuple[str, ...]:
        return (
            *("srun", f"--nodes={nodes}", f"--ntasks={tasks}", f"--ntasks-per-node={ppn}", "--overlap"),
            *("--kill-on-bad-exit=1", f"--job-name={allocation.mark}", *words),
        )

    def _probe(self, allocation: Allocation, nodes: int, *words: str) -> tuple[bool, str]:
        ended, output = process_tree.ask(
            words, timeout=_ANSWERS_WITHIN, environment=allocation.environment, folder=Path("/")
        )
        if ended.missing:
            raise MeasurementError(f"Slurm's commands are not here: {ended.missing}")
        if ended.timed_out:
            raise MeasurementError(
                f"Slurm hangs: a step that does nothing timed out after {_ANSWERS_WITHIN:g} s on {nodes} nodes: "
                f"{' '.join(words)}"
            )
        return not any(ended.statuses), output

    def _shared(self, job: Job, allocation: Allocation, nodes: int) -> bool:
        """Whether every node sees the run's folder and the program (tried once for each)."""
        key = (job.out.parent, job.command[0], nodes)
        if key not in self._sees:
            with tempfile.NamedTemporaryFile(prefix=".seen-", dir=job.out.parent) as file:
                test = f"test -e {shlex.quote(file.name)} && test -x {shlex.quote(job.command[0])} || exit 7"
                step = self._srun(allocation, nodes, nodes, 1, "--cpu-bind=none", "--mpi=none")
                seen, output = self._probe(allocation, nodes, *step, "sh", "-c", test)
            if not seen and "exit code 7" not in output and "Exited with" not in output:
                raise MeasurementError(f"Slurm starts nothing on {nodes} nodes: {last_words(output)}")
            self._sees[key] = seen
        return self._sees[key]

    def _node_program(self, job: Job, allocation: Allocation, nodes: int, shared: bool) -> Outcome:
        if shared:
            script, words = node_script(job.log, job.out), ["--label"]
            channel = "the program's own file on each node"
        else:
            script = node_script()
            words = [f"--output={node_output(job.out, '%t')}", "--open-mode=append", f"--error={job.log}"]
            channel = "srun's standard output (the nodes do not see the run's folder)"
        step = self._srun(allocation, nodes, nodes, 1, "--cpu-bind=none", "--mpi=none", *words)
        command = (*step, "sh", "-c", script, "assay", *self._program(job, allocation, shared))
        settle = (lambda: None) if shared else (lambda: _name_by_node(job.out, nodes))
        return self._launch(job, allocation, command, "none", processes=nodes, channel=channel, settle=settle)

    def _ranks(self, job: Job, allocation: Allocation, nodes: int, shared: bool) -> Outcome:
        assert job.ranks is not None
        ppn = job.ppn or -(-job.ranks // nodes)
        crowded = ppn > allocation.processors
        plugin = self._plugin_for(allocation)
        script = node_script(job.log) if shared else node_script()
        program = ("sh", "-c", script, "assay", *self._program(job, allocation, shared))
        out = ("--out", str(job.out)) if shared else ()
        if plugin is None:
            words, added, binding = speak(
                self.mpi, job, elsewhere=True, processors=allocation.processors, cores=allocation.processors // 2
            )
            if not shared:
                raise MeasurementError(
                    f"the nodes do not see {job.out.parent} and no --mpi plugin of this Slurm serves "
                    f"{self.mpi}: put the run's folder (--out) and ASSAY_CACHE on a shared file system"
                )
            starter = (self.mpi.mpiexec, "-n", str(job.ranks), *words)
            channel = f"the first rank's own file; ranks by {Path(self.mpi.mpiexec).name} in the allocation"
            return self._launch(job, allocation, (*starter, *program, *out), binding, added, channel=channel)
        binding = "none" if crowded or job.threads > 1 else "cores"
        words = (f"--mpi={plugin}", f"--cpu-bind={binding}", "--distribution=block")
        words += ("--overcommit",) if crowded else ()
        words += ("--label",) if shared else (f"--output={job.out}", "--open-mode=append", f"--error={job.log}")
        channel = "the first rank's own file" if shared else "srun's standard output"
        command = (*self._srun(allocation, nodes, job.ranks, ppn, *words), *program, *out)
        return self._launch(job, allocation, command, binding, channel=f"{channel}; ranks by srun --mpi={plugin}")

    def _launch(
        self,
        job: Job,
        allocation: Allocation,
        command: tuple[str, ...],
        binding: str,
        added: dict[str, str] | None = None,
        settle: Callable[[], None] = lambda: None,
        *,
        processes: int | None = None,
        channel: str,
    ) -> Outcome:
        def settled() -> None:
            settle()
            _collect_words(job.log)

        return launch(
            job,
            command,
            added or {},
            binding,
            base=allocation.environment,
            cleanup=[allocation.end_steps()],
            settle=settled,
            processes=processes,
            channel=channel,
        )

    def _program(self, job: Job, allocation: Allocation, shared: bool) -> tuple[str, ...]:
        """The program's command; where it is not seen on the nodes, it is copied to a private folder there first."""
        if shared:
            return job.command
        if self._folder is None or not self._folder.alive():
            nodes = allocation.nodes
            step = self._srun(allocation, nodes, nodes, 1, "--cpu-bind=none", "--mpi=none", "--input=all")
            self._folder = PrivateFolder(
                step, f"{nodes} nodes", count=nodes, quoted=False, environment=allocation.environment
            )
        place = f"{self._folder.path}/{Path(job.command[0]).name}"
        if place not in self._folder.holds:
            done, output = self._probe(allocation, allocation.nodes, "sbcast", "--force", job.command[0], place)
            if not done:
                raise MeasurementError(f"the program could not be copied to the nodes: {last_words(output)}")
            self._folder.holds.add(place)
        return (place, *job.command[1:])

    def _plugin_for(self, allocation: Allocation) -> str | None:
        """The first of Slurm's plugins that suits this MPI and starts a step."""
        implementation = self.mpi.implementation
        if implementation not in self._plugin:
            listed = self._probe(allocation, 1, "srun", "--mpi=list")[1].split()
            self._plugin[implementation] = next(
                (
                    plugin
                    for plugin in PLUGINS.get(implementation, PLUGINS["MPI"])
                    if plugin in listed
                    and self._probe(allocation, 1, *self._srun(allocation, 1, 1, 1, f"--mpi={plugin}"), "true")[0]
                ),
                None,
            )
        return self._plugin[implementation]


def node_script(log: Path | None = None, out: Path | None = None) -> str:
    """A shell script that runs `"$@"`, its standard error to this node's part of `log`, its lines to that of `out`."""
    words = ['ASSAY_NODE=${SLURMD_NODENAME:-$(hostname)}; export ASSAY_NODE; exec "$@"']
    for option, file in (("--out ", out), ("2>>", log)):
        if file:
            before, after = shlex.quote(str(file.with_suffix(""))), shlex.quote(file.suffix)
            words.append(f'{option}{before}@"$ASSAY_NODE"{after}')
    return " ".join(words)


def _collect_words(log: Path) -> None:
    """Append each node's output to the log, after srun's own."""
    for node, path in outputs(log):
        if node:
            lines = path.read_text(errors="replace").splitlines()
            with log.open("a") as file:
                file.writelines(f"{node}: {line}\n" for line in lines)
            path.unlink()


def _name_by_node(out: Path, nodes: int) -> None:
    """Rename what srun wrote by task number (%N is the host's name, not the node's) to what the program calls it."""
    for task in range(nodes):
        path = node_output(out, str(task))
        lines = placement.read_launches(path, 0) if path.exists() else []
        if lines and lines[0].get("placement"):
            with node_output(out, str(lines[0]["placement"][0]["host"])).open("ab") as named:
                named.write(path.read_bytes())
            path.unlink()


LAUNCHER = SlurmLauncher
