"""The job table: what each name of a schedule is. A TOML file with a table `[NAME]` for each:

    [maya5_run]
    processors = 6
    time = "1000 s"          # how long it is expected to run on the machine
    limit = "2000 s"         # what it requests of the batch system: as long as `time` where it is left out
    user = "astro"
    queue = "short"          # of the machine's [[queue]], or of the batch system; the first or usual one without it
    nodes = 4                # at least so many nodes, though fewer would do
    alone = "nodes"          # no other job on its nodes; "machine": while no other runs
    ports = [2, 4]           # of each of its nodes: two jobs never use one port of one node
    instances = 1            # at most so many jobs of this name run at once
    on = [0, 4, 8]           # exactly these nodes of a simulated machine: rank 0 on the first

What it runs on a real batch system is a command, or a synthetic job; without either, one that takes its time:

    command = ["./maya5", "input"]      # no shell; {processors} and {folder} (of this file) are replaced
    answer = "energy -76.02"            # text that its output must hold for its answer to be right
    check = ["./compare", "output"]     # a command whose exit status is the answer, in the job's folder
    merit = 'rate: ([0-9.]+)'           # what a regular expression finds in a line of its output (`run --command`)
    merit_unit = "steps/s"
    wait = "10 s"                       # or synthetic: waits, computes on its processors, communicates between them
    compute = "10 s"
    communicate = "10 s"

or one of Assay's benchmark programs, whose own checks decide whether its answer is right (program_jobs.py):

    program = "sieve"                             # one that passes messages: a rank on each of its processors
    set = ["size=8190", "repetitions=100"]        # as `assay run sieve --set`
    slice = "0.5 s"                               # that each case is measured for, in each of its blocks
    operations = 1000                             # of each reading: with `repetitions`, the same work whenever it runs
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from assay import versions
from assay.errors import InputError
from assay.machine.units import quantity
from assay.throughput import program_jobs, rank_jobs
from assay.throughput.interference import JobUse
from assay.throughput.job_names import counted
from assay.throughput.job_needs import JobNeeds
from assay.throughput.program_jobs import BenchmarkName, ProgramPart
from assay.throughput.schedule_file import JobBatch, is_published
from assay.throughput.workload import TICKS, Times, Workload, rounded
from assay.toml.checking import Table, near, validate_tables
from assay.toml.source import Source, read


class JobKind(Table):
    """One name of the table."""

    processors: int = Field(ge=1, le=2**31 - 2, description="how many processors it needs")
    time: str = Field(description='expected time, such as "1000 s"')
    limit: str | None = Field(None, description='time that it requests, such as "2000 s"; else its expected time')
    user: str = Field("", description="whose job it is, for fair shares")
    queue: str = Field("", description="of the batch system, to which it is submitted; its usual one without it")
    priority: float = Field(0.0, description="its own priority, for the policy of that name")
    source: str = Field("", description="where its numbers are from")
    per_node: int | None = Field(None, ge=1, le=4096, description="at most so many of its processors on one node")
    nodes: int = Field(0, ge=0, le=10_000_000, description="at least so many nodes, though fewer would do")
    alone: Literal["", "nodes", "machine"] = Field("", description="nodes: shares none; machine: runs by itself")
    ports: list[Annotated[int, Field(ge=0, le=63)]] = Field([], description="of each of its nodes, from 0 to 63")
    instances: int | None = Field(None, ge=1, le=2**31 - 2, description="at most so many jobs of this name run at once")
    on: list[Annotated[int, Field(ge=0, le=2**31 - 2)]] = Field([], description="exactly these nodes, in this order")
    command: str | list[str] | None = Field(None, description="what it runs, started without a shell")
    answer: str | None = Field(None, min_length=1, description="text that a line of its output holds if it is right")
    check: str | list[str] | None = Field(None, description="a command that fails if the job's answer is wrong")
    merit: str | None = Field(None, description="a regular expression; its group is the figure of merit in the output")
    merit_unit: str = Field("", description="unit of the figure of merit")
    wait: str | None = Field(None, description='synthetic: waits so long, such as "10 s"')
    compute: str | None = Field(None, description="synthetic: processor time of computing on each of its processors")
    communicate: str | None = Field(None, description="synthetic: how long its processes pass messages round a ring")
    program: BenchmarkName | None = Field(None, description="a benchmark of Assay's, started without a shell")
    settings: list[str] = Field([], alias="set", description='of the program: "KEY=VALUE", as `assay run` takes them')
    slice: str | None = Field(None, description='of the program: measured time of a case in a block, such as "0.5 s"')
    operations: int | None = Field(None, ge=1, le=10**12, description="of the program: operations of each reading")
    uses: dict[str, JobUse] = Field({}, description="shared resources of the machine: what it demands of each")
    part: list[ProgramPart] = Field([], description="several programs, one after the other: [[NAME.part]]")


FINEST = TICKS[-1]  # of the times of a table, per second
SYNTHETIC = ("wait", "compute", "communicate")
SHIPPED = Path(__file__).resolve().parent.parent / "catalogue" / "jobs"
PAPERS_TABLE = "eurobench2000-ibm"  # of the paper's schedule by itself: none was lost there, and all have times


def find(name: str) -> Path:
    """The table that `--jobs NAME` means: a file, or one that ships with Assay."""
    known = {path.stem: path for path in sorted(SHIPPED.glob("*.toml"))}
    path = Path(name)
    if path.exists() or (name not in known and path.suffix == ".toml"):
        return path
    if name in known:
        return known[name]
    accepted = f"TABLE.toml, {', '.join(known)}"
    raise InputError(f"no such table of jobs{near(name, known)}", key="--jobs", value=name, accepted=accepted)


@dataclass(frozen=True)
class ScheduleTable:
    """The table of a schedule's jobs, and what both together are called."""

    path: Path
    title: str


def of_schedule(schedule: str, jobs: str | None) -> ScheduleTable:
    """The table `jobs`, or of the paper's own schedule PAPERS_TABLE; InputError where there is none."""
    if jobs is not None:
        return ScheduleTable(find(jobs), schedule)
    if not is_published(schedule):
        accepted = "TABLE.toml with a table [NAME] for each job"
        raise InputError("is missing: a schedule has names only", key="--jobs", accepted=accepted)
    return ScheduleTable(find(PAPERS_TABLE), f"{schedule} (jobs: {PAPERS_TABLE})")


def load(path: Path) -> dict[str, JobKind]:
    """Read a table of jobs; InputError at the line of what is wrong."""
    values, source = read(path, versions.JOBS)
    found = {}
    for name, about in values.items():
        if not isinstance(about, dict):
            raise source.error((name,), "is no job", value=about, accepted="a table for each job: [NAME]")
        entry = validate_tables(source, JobKind, about, (name,))
        for key in ("time", "limit", *SYNTHETIC):
            _seconds(source, name, key, entry)
        _check_commands(source, name, entry)
        _check_program(source, name, entry)
        _check_parts(source, name, entry)
        if len(set(entry.on)) < len(entry.on):
            raise source.error((name, "on"), "names a node twice", value=entry.on, accepted="each node once")
        if len(entry.on) > entry.processors:
            accepted = f"up to {entry.processors}, a processor on each"
            raise source.error((name, "on"), "names more nodes than the job has processors", value=entry.on,
                               accepted=accepted)  # fmt: skip
        found[name] = entry
    if not found:
        raise InputError("describes no job", file=path, accepted="a table for each job: [NAME]")
    return found


def words_of(command: str | list[str] | None) -> tuple[str, ...]:
    """A command's words: a text is split as a shell would, without its expansions. ValueError where it cannot be."""
    return tuple(shlex.split(command) if isinstance(command, str) else command or ())


def _check_commands(source: Source, name: str, entry: JobKind) -> None:
    accepted = 'a list of words, or one text, such as "./maya5 input"'
    for key in ("command", "check"):
        value = getattr(entry, key)
        try:
            empty = value is not None and not "".join(words_of(value)[:1])
        except ValueError as error:
            raise source.error((name, key), str(error).lower(), value=value, accepted=accepted) from None
        if empty:
            raise source.error((name, key), "is no command", value=value, accepted=accepted)
    try:
        groups = 1 if entry.merit is None else re.compile(entry.merit).groups
    except re.error:
        groups = 0
    if groups != 1:
        raise source.error((name, "merit"), "is no regular expression with one group", value=entry.merit,
                           accepted="such as 'rate: ([0-9.]+)'")  # fmt: skip
    synthetic = [key for key in SYNTHETIC if getattr(entry, key) is not None]
    if entry.command is not None and synthetic:
        problem = "is of a synthetic job, and this one has a command"
        raise source.error(
            (name, synthetic[0]), problem, value=getattr(entry, synthetic[0]), accepted="only one of the two"
        )
    own_check = entry.command is None and entry.program is None and not entry.part
    if (entry.answer is not None or entry.check is not None) and own_check:
        key = "check" if entry.answer is None else "answer"
        raise source.error((name, key), "is of a command; a synthetic job checks its own", value=getattr(entry, key))


def _check_program(source: Source, name: str, entry: JobKind) -> None:
    given = {"set": entry.settings or None, "slice": entry.slice, "operations": entry.operations}
    if entry.program is None:
        for key, value in given.items():
            if value is not None:
                raise source.error((name, key), "is of a benchmark program, and this job has none", value=value,
                                   accepted='program = "NAME" in the same entry')  # fmt: skip
        return
    for key in ("command", "answer", "check", *SYNTHETIC):
        if (value := getattr(entry, key)) is not None:
            problem = f"cannot be used with a benchmark program ({entry.program}), which checks its own answer"
            raise source.error((name, key), problem, value=value, accepted="only one of the two")
    program_jobs.check_slice(source, (name,), entry.slice, entry.settings)
    program_jobs.check(source, (name,), entry.program, entry.settings, entry.processors)


def _check_parts(source: Source, name: str, entry: JobKind) -> None:
    for key in ("program", "command", "answer", "check", *SYNTHETIC) if entry.part else ():
        if (value := getattr(entry, key)) is not None:
            problem = "cannot be used with parts, which are benchmark programs that check their own answers"
            raise source.error((name, key), problem, value=value, accepted="only one of the two")
    for at, part in enumerate(entry.part):
        where = (name, "part", at)
        if part.processors is not None and part.processors > entry.processors:
            problem, accepted = "are more than the job has", f"1 to {entry.processors}"
            raise source.error((*where, "processors"), problem, value=part.processors, accepted=accepted)
        program_jobs.check_slice(source, where, part.slice, part.settings)
        program_jobs.check(source, where, part.program, part.settings, part.processors or entry.processors)


def seconds_of(entry: JobKind, key: str) -> float:
    """Seconds of a key that a table that was read has; its expected time where the key was left out."""
    return _seconds(None, "", key, entry)


def _seconds(source: Source | None, name: str, key: str, entry: JobKind) -> float:
    text = getattr(entry, key) or entry.time
    try:
        seconds = float(quantity(text, "s"))
    except ValueError as error:
        assert source is not None  # only the first reading can fail
        raise source.error(
            (name, key), str(error), value=text, accepted='a time such as "1000 s", "2 h", "3 days"'
        ) from None
    if source is not None and not 0 <= seconds < 2**31:
        raise source.error((name, key), "is no time of a job", value=text, accepted="0 s to 68 years")
    return seconds


def rows_of(batches: list[JobBatch], jobs: Mapping[str, JobKind], path: Path) -> list[tuple[float, str, JobKind]]:
    """Each job's submission (s), name in the table and kind, in order. InputError at the line of an unknown name."""
    rows: list[tuple[float, str, JobKind]] = []
    for batch in sorted(batches, key=lambda each: each.time):
        if batch.name not in jobs:
            raise InputError(
                f"there is no such job in the table{near(batch.name, jobs)}",
                file=path,
                line=batch.line,
                value=batch.name,
                accepted=", ".join(sorted(jobs)),
            )
        rows += [(batch.time, batch.name, jobs[batch.name])] * batch.count
    return rows


def _needs(name: str, entry: JobKind) -> JobNeeds:
    return JobNeeds(
        per_node=entry.per_node or 0,
        nodes=entry.nodes,
        alone=entry.alone,
        ports=tuple(entry.ports),
        instances=entry.instances or 0,
        name=name,
        uses=tuple((key, use.demand, use.part) for key, use in sorted(entry.uses.items())),
        on=tuple(entry.on),
    )


def _played(time: float, name: str, entry: JobKind) -> rank_jobs.RankJob:
    length, limit = (_seconds(None, name, key, entry) for key in ("time", "limit"))
    parts = list(entry.part)
    if entry.program is not None:
        parts = [
            program_jobs.ProgramPart.model_validate(
                {"program": entry.program, "set": entry.settings, "operations": entry.operations}
            )
        ]
    programs = [
        program_jobs.PlannedPart(
            part.program,
            program_jobs.arguments(part.settings, None, part.operations, 1),
            part.processors or entry.processors,
        )
        for part in parts
    ]
    return rank_jobs.planned(time, length, limit, programs)


def workload(batches: list[JobBatch], jobs: Mapping[str, JobKind], path: Path) -> Workload:
    """The jobs of a schedule. InputError names the line of a job that the table does not have."""
    rows = rows_of(batches, jobs, path)
    users = {user: number for number, user in enumerate(dict.fromkeys(entry.user for _, _, entry in rows))}
    times = [_seconds(None, name, "time", entry) for _, name, entry in rows]
    limits = [_seconds(None, name, "limit", entry) for _, name, entry in rows]

    def whole(values: list[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array(values, dtype=np.int64)

    def fine(values: Sequence[float]) -> Times:
        return rounded(values, FINEST)

    requested = fine(limits)
    requested = np.where(requested > 0, requested, 1)
    submitted = fine([time for time, _, _ in rows])
    runs = fine(times)
    names = counted([name for _, name, _ in rows])
    queues = {queue: at for at, queue in enumerate(dict.fromkeys(entry.queue for _, _, entry in rows))}
    needs = tuple(_needs(name, entry) for _, name, entry in rows)
    cut = runs > requested
    return Workload(
        number=np.arange(1, len(rows) + 1),
        submitted=fine(submitted - submitted[0]),
        runs=np.minimum(runs, requested),
        requested=requested,
        processors=whole([entry.processors for _, _, entry in rows]),
        user=whole([users[entry.user] for _, _, entry in rows]),
        priority=np.array([entry.priority for _, _, entry in rows]),
        names=tuple(names),
        source=str(path),
        begins=submitted[0].item(),
        ticks=FINEST,
        changed={"run times cut at the requested time": int(np.count_nonzero(cut))} if cut.any() else {},
        cut=cut if cut.any() else None,
        queue=whole([queues[entry.queue] for _, _, entry in rows]) if any(queues) else None,
        queue_names=tuple(queues),
        user_names=tuple(users),
        needs=needs if any(each or each.per_node or each.uses for each in needs) else (),
        plays=rank_jobs.of_jobs([_played(time, name, entry) for time, name, entry in rows]),
    )
