"""What jobs run, compiled before a test begins, so that no Python is in a job: what writes the record of every job, the
synthetic job, and the benchmark programs that the job table names (program_jobs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.throughput import program_jobs
from assay.throughput.batch_system import NodeCommand
from assay.throughput.live_jobs import LiveJob
from assay.throughput.program_jobs import SAMPLES, CompiledPrograms

WATCHED_FROM = 1.0  # s, that a job is expected to run, from which on its other nodes are looked at, too


@dataclass(frozen=True)
class JobProgram:
    """A program of `programs/jobs`, as the build needs it."""

    name: str
    path: Path
    kind: str = "node"


@dataclass(frozen=True)
class JobPrograms:
    """Where the compiled programs lie."""

    record: Path
    synthetic: Path
    benchmarks: CompiledPrograms = field(default_factory=CompiledPrograms)


def compiled(
    progress: Callable[[str], None] = lambda text: None, jobs: Sequence[LiveJob] = (), *, here: bool = True
) -> JobPrograms:
    """Compile what `jobs` need, or take it from the cache; MeasurementError as `build`.

    `here`: the batch system's processors are all of this host.
    """
    from assay.benchmark.record import programs_root
    from assay.execute.build import build

    names = ("job_record", "synthetic_job")
    sources = [JobProgram(name, programs_root() / "jobs" / f"{name}.cpp") for name in names]
    built = build(sources, mpi=None, progress=progress)
    wanted = [part.program for job in jobs for part in job.parts] + [job.program for job in jobs if job.program]
    benchmarks = program_jobs.compiled(wanted, here=here, progress=progress)
    return JobPrograms(built["job_record"].path, built["synthetic_job"].path, benchmarks)


def job_folder(out: Path, job: LiveJob) -> Path:
    """The folder of one job, which it runs in: OUT/jobs/ID."""
    return out / "jobs" / job.id


def node_files(out: Path, job: LiveJob) -> list[Path]:
    """The job's own record, which has what its first node did, and the files of its other nodes."""
    return [record_file(out, job), *sorted(job_folder(out, job).glob("node-*.jsonl"))]


def record_file(out: Path, job: LiveJob) -> Path:
    """The job's own record."""
    return job_folder(out, job) / "record.jsonl"


def command_of(job: LiveJob, programs: JobPrograms, out: Path, on_each_node: NodeCommand | None = None) -> list[str]:
    """The whole command that a batch system starts for a job.

    `on_each_node`: what starts a process on its other nodes, which reports what they do; of jobs expected to run
    for WATCHED_FROM or longer.
    """
    folder = job_folder(out, job)
    words = [str(programs.record), "--record", str(folder / "record.jsonl"), "--output", str(folder / "output")]
    words += ["--limit", f"{job.limit:.6f}"]
    if on_each_node is not None and job.processors > 1 and job.expected >= WATCHED_FROM:
        words += [word for each in on_each_node.words for word in ("--nodes", each)]
        named = {"--hosts": on_each_node.hosts, "--count": on_each_node.count}
        words += [word for key, value in named.items() if value for word in (key, value)]
    if job.parts:
        return [*words, *_parts(job, programs, folder)]
    if job.program:
        started = programs.benchmarks.command(job.program, job.arguments, job.processors, folder, job.limit)
        return [*words, "--samples", str(folder / SAMPLES), "--", *started]
    answer = job.answer if job.command else "answer right"
    if answer is not None:
        words += ["--answer", answer]
    for word in job.check:
        words += ["--check", word]
    if job.command:
        return [*words, "--", *job.command]
    phases = {"wait": job.wait, "compute": job.compute, "communicate": job.communicate}
    synthetic = [word for key, value in phases.items() if value for word in (f"--{key}", f"{value:.6f}")]
    return [*words, "--", str(programs.synthetic), "--processes", str(job.processors), *synthetic]


def _parts(job: LiveJob, programs: JobPrograms, folder: Path) -> list[str]:
    """The words of several programs, one after the other."""
    files = [program_jobs.samples_of(at) for at in range(len(job.parts))]
    words = [word for file in files for word in ("--samples", str(folder / file))]
    for at, (part, file) in enumerate(zip(job.parts, files, strict=True)):
        started = programs.benchmarks.command(
            part.program, part.arguments, part.processors, folder, job.limit, samples=file
        )
        words += ["--then" if at else "--", *started]
    return words
