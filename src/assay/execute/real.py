"""Running on real processors: programs compiled by the user's compiler, started here or behind a launcher."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from assay import trusted
from assay.benchmark.own import cache_root
from assay.benchmark.record import Benchmark
from assay.benchmark.resolved import program_words
from assay.benchmark.variants import AnyVariant, MpiVariant, Variant, varied_by
from assay.errors import InputError, MeasurementError
from assay.execute import measured_timeline, progress_lines, transport_check
from assay.execute.build import Built, build
from assay.execute.folders import Folder
from assay.execute.job import Job, Launcher, Outcome, launcher
from assay.execute.ledger import Subfolder, track_folders
from assay.execute.local import on_this_host
from assay.execute.mpi import Mpi, find_mpi
from assay.execute.mpi_variants import compiler_of, environment_of, mpi_of
from assay.execute.mpi_variants import describe_variant as described_mpi
from assay.execute.mpiexec import MpiexecLauncher
from assay.execute.plan import Task
from assay.execute.preflight_tools import NO_MPI
from assay.execute.slurm import SlurmLauncher
from assay.execute.transports import LEAST_SEGMENTS, segments
from assay.execute.variants import VariedProgram
from assay.execute.vectorised import kernels_as_dicts
from assay.machine import reading
from assay.machine.batch import batch
from assay.machine.provenance import provenance
from assay.stored.provenance import OF_MPI


class Real:
    """This host, or the nodes behind a launcher."""

    def __init__(
        self,
        via: str | None,
        nodes: int | None,
        variants: Sequence[AnyVariant] = (),
        folders: Mapping[str, Mapping[str, Folder]] = MappingProxyType({}),
        timeline: str | None = None,
    ) -> None:
        """`folders`: the values of the benchmarks' parameters of kind `path`, by benchmark and parameter.

        `timeline`: a file for the calls of the first launch that succeeds, of an application.
        """
        self._timeline = timeline
        self.via, self.nodes, self.variants, self.folders = via, nodes, variants, folders
        self.machine = os.uname().nodename
        self.kept: Mapping[str, Built] = {}  # programs of an earlier run, which are used in place of compiling
        self.mpi: Mpi | None = None
        self._launchers: dict[str, Launcher] = {}
        self._built: dict[str, Built] = {}  # by the names of `_sources`: a variant's program has one of its own
        self._sources: dict[str, Benchmark | VariedProgram] = {}
        self._other: dict[tuple[Mpi, str], dict[str, Built]] = {}  # by MPI variants' MPIs and compilers: by name
        self._chosen: dict[str, MpiVariant] = {}  # by launch
        if via is not None:
            self._launcher(via)

    def _launcher(self, via: str) -> Launcher:
        if via not in self._launchers:
            self._launchers[via] = launcher(via, self.mpi)
        return self._launchers[via]

    def _via(self, record: Benchmark) -> Launcher:
        if on_this_host(self.via):  # on one host the record decides: messages need an mpiexec
            if record.kind == "ranks" and self.via == "local":
                raise InputError("needs ranks", key=record.name, value="--via local", accepted="--via mpiexec")
            return self._launcher("mpiexec" if record.kind == "ranks" else "local")
        assert self.via is not None
        return self._launcher(self.via)

    def admit(self, records: Sequence[Benchmark]) -> None:
        """Refuse by name what cannot be launched as wished, and a cache whose programs are not trusted."""
        trusted.check(cache_root() / "programs")
        for record in records:
            self._via(record).check()

    def prepare(self, records: list[Benchmark], say: Callable[[str], None]) -> None:
        """Compile what the records need with the user's compiler, and mpicxx where there are ranks."""
        if any(record.kind == "ranks" for record in records):
            first = next((each for each in self.variants if isinstance(each, MpiVariant)), None)
            self.mpi = mpi_of(first) if first else find_mpi()
            if self.mpi is None:
                raise MeasurementError(NO_MPI)
        sources: list[Benchmark | VariedProgram] = []
        for record in records:
            builds = [each for each in varied_by(record, self.variants) if isinstance(each, Variant)]
            sources += [VariedProgram(record, each) for each in builds] or [record]
        kept = {source.name: self.kept[source.name] for source in sources if source.name in self.kept}
        left = [source for source in sources if source.name not in kept]
        self._built = kept | (build(left, mpi=self.mpi, progress=say) if left else {})
        with_ranks = [record for record in records if record.kind == "ranks"]
        for variant in self.variants if with_ranks else ():
            if isinstance(variant, MpiVariant) and (key := (mpi_of(variant), variant.compiler)) not in self._other:
                by = compiler_of(variant)
                own = key[0] == self.mpi and by is None
                self._other[key] = self._built if own else build(with_ranks, mpi=key[0], progress=say, by=by)
        self._sources = {source.name: source for source in sources}

    def job(self, record: Benchmark, task: Task, out: Path, log: Path) -> Job:
        """Turn a task into what is launched; the launcher sees to it that the program's lines reach `out`."""
        variant = Variant.of(task.factors)
        built = self._built[record.name if variant is None else VariedProgram(record, variant).name]
        environment = {"ASSAY_PROCESS_TREE": "1"}
        exchange = MpiVariant.of(task.factors)
        if exchange is not None:
            self._chosen[task.name] = exchange
            built = self._other[mpi_of(exchange), exchange.compiler][record.name]
            environment |= environment_of(exchange, here=self._here)
        folders = {name: each.path for name, each in self.folders.get(record.name, {}).items()}
        by_node = record.kind == "node" and not on_this_host(self.via)
        subfolders = tuple(Subfolder.within(folder, by_node) for folder in folders.values())
        words = [str(built.path), *program_words(record, task.arguments, folders=folders)]
        for each in subfolders:
            words += ["--subfolder", f"{each.name}:{each.token}"]
        if record.kind == "ranks":
            words += ["--deadline", f"{0.8 * task.timeout:g}"]
        words += ["--timeline"] if self._timeline is not None else []
        return Job(
            name=task.name,
            command=tuple(words),
            ranks=task.ranks,
            nodes=self.nodes,
            ppn=task.ppn,
            out=out,
            log=log,
            timeout=task.timeout,
            environment=environment,
            spawns=record.host,
            threads=_threads(words) if record.kind == "ranks" else 1,
            subfolders=subfolders,
        )

    def perform(self, record: Benchmark, job: Job) -> Outcome:
        """Launch it and wait.

        MeasurementError where messages went by another MPI or transport than the requested one, by what the
        ranks report or, of TCP on this host, by what its kernel counted: a figure would have a wrong label.
        """
        variant, through = self._chosen.get(job.name), self._via(record)
        if variant is not None and isinstance(through, MpiexecLauncher):
            through.use(mpi_of(variant))
        counted = variant is not None and variant.transport == "tcp" and self._here and (job.ranks or 0) > 1
        before = segments() if counted else None
        with track_folders(job.subfolders), progress_lines.follow_progress(job):
            outcome = through.run(job)
        if variant is not None and counted and outcome.status == 0:
            after = segments()
            least = LEAST_SEGMENTS * (job.ranks or 0)
            sent = least if before is None or after is None else after - before
            if sent < least:
                raise MeasurementError(f"{variant.mpi}: messages did not go by TCP (the host sent {sent} segments)")
        if record.kind == "ranks" and outcome.status == 0 and self.mpi is not None:
            mpi = self.mpi if variant is None else mpi_of(variant)
            transport_check.check(job.out, mpi, None if variant is None else variant.transport, here=self._here)
        if self._timeline is not None and outcome.status == 0:
            measured_timeline.draw(job.out, Path(self._timeline))
            self._timeline = None
        return outcome

    @property
    def _here(self) -> bool:
        """Whether all ranks are on this host."""
        return on_this_host(self.via) and self.nodes in (None, 1)

    def circumstances(self) -> dict[str, object]:
        """The current activity of this host."""
        return provenance()

    def describe(self) -> dict[str, object]:
        """Describe how ranks are launched and what was compiled."""
        stated: dict[str, object] = {
            "via": self.via or "local and mpiexec",
            "nodes": self.nodes,
            "launchers": {name: self._launching(made) for name, made in self._launchers.items()},
            "mpi": None if self.mpi is None else vars(self.mpi) | {},
            "programs": self._programs(),
            **({"mpi_variants": self._exchanges()} if self._other else {}),
            **({"switches": switches} if (switches := self._switches()) else {}),
        }
        return stated | ({"folders": self._folders()} if self.folders else {})

    def _switches(self) -> str:
        """The tree of switches, where a batch system states one."""
        return next((made.switches() for made in self._launchers.values() if isinstance(made, SlurmLauncher)), "")

    def _launching(self, made: Launcher) -> dict[str, object]:
        """What launches; of a run with MPI variants without an MPI, which each launch has of its own."""
        stated = made.describe()
        return {key: value for key, value in stated.items() if key not in OF_MPI} if self._other else stated

    def _exchanges(self) -> list[dict[str, object]]:
        """What each MPI variant is here."""
        wanted = [each for each in self.variants if isinstance(each, MpiVariant)]
        return [{**each.factors, **described_mpi(each, here=self._here)} for each in wanted]

    def _folders(self) -> dict[str, object]:
        """Where the programs write files: no factor of a case, but of where a rate is of."""
        return {of: {name: each.to_dict() for name, each in named.items()} for of, named in self.folders.items()}

    def _programs(self) -> dict[str, dict[str, object]]:
        """What each program was made by, and the kernels of those that are varied by each of the variants."""
        programs: dict[str, dict[str, object]] = {}
        for name, source in self._sources.items():
            built = self._built[name]
            of: dict[str, object] = {"compiler": built.compiler, "flags": built.flags}
            of |= {"libraries": {each.name: each.origin for each in built.libraries}} if built.libraries else {}
            if isinstance(source, VariedProgram) and built.variant is not None:
                of = programs.setdefault(source.program.name, of | {"variants": {}})
                by = built.variant
                stated = {"by": by.compiler, "version": by.version, "commands": list(by.commands), "key": built.key}
                variants = of["variants"]
                assert isinstance(variants, dict)
                variants[name] = source.variant.factors | stated
            else:
                programs[name] = of | {"key": built.key}
        return programs

    def compiled(self) -> list[dict[str, object]]:
        """What the compilers made of kernels, for each program and variant: too long for every launch's provenance."""
        made: list[dict[str, object]] = []
        for name, source in self._sources.items():
            built = self._built[name]
            if isinstance(source, VariedProgram) and built.variant is not None:
                by = {"benchmark": source.program.name, **source.variant.factors}
            elif built.vectorised is not None:
                whole = {"compiler": built.compiler, "flags": built.flags, "isa": ""}  # all in its flags
                by = {"benchmark": name, **whole}
            else:
                continue
            made.append({**by, "vectorised": kernels_as_dicts(built.vectorised)})
        return made

    def allocation(self) -> str:
        """Name the batch job that this process is in, or that a launcher will hold; else this host since its start."""
        job = next((f"{system.name} {system.job}" for system in batch(ask=False).systems if system.job), None)
        if job is None and self.via is not None and self.via.partition(":")[0] == "slurm":
            return f"slurm, allocated by process {os.getpid()} since {time.time():.0f}"
        started = reading.text(Path("/proc/sys/kernel/random/boot_id"))
        return job or f"{self.machine} since start {started or 'unknown'}"

    def close(self) -> None:
        """Give back what a launcher holds between launches (an allocation)."""
        for made in self._launchers.values():
            made.close()


def _threads(words: Sequence[str]) -> int:
    """The maximum of threads per rank by a program's options (`--integer threads=1,2`)."""
    given = [word.removeprefix("threads=") for word in words if word.startswith("threads=")]
    return max((int(each) for text in given for each in text.split(",") if each.isdecimal()), default=1)
