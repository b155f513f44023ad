"""The jobs of an experiment on a real batch system: what each runs, when it is due, with time compressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import InputError
from assay.machine.units import quantity
from assay.throughput import program_jobs
from assay.throughput.job_names import counted
from assay.throughput.job_table import SYNTHETIC, JobKind, rows_of, seconds_of, words_of
from assay.throughput.program_jobs import PlannedPart, ProgramPart
from assay.throughput.schedule_file import JobBatch
from assay.throughput.workload import Workload

SPARE, AT_LEAST = 10.0, 60.0  # of a job without a limit: it is ended after so many times what it takes, and s more
START_UP = 2.0  # s beyond a limit that is compressed: starting a process is not
MOST_COMPRESSION = 1e6


@dataclass(frozen=True, kw_only=True)
class LiveJob:
    """One job. `due`: seconds after the first submission; `expected`, `requested`, `limit`: seconds; all compressed.

    `nodes` to `on`: the rules of the job table, as JobNeeds has them.
    `requested` is what the batch system decides by; at `limit` the job is ended. `queue` empty: the batch system's
    usual one. `program`: a benchmark program, with the words of a task of `assay run` as `arguments`; or `parts`,
    several one after the other. Without any and a `command`: a synthetic job that `waits`, computes (`compute`) on its
    processors and communicates (`communicate`) for so many seconds.
    """

    id: str
    number: int
    name: str
    due: float
    processors: int
    per_node: int | None
    expected: float
    requested: float
    limit: float
    user: str
    priority: float
    queue: str = ""
    command: tuple[str, ...] = ()
    answer: str | None = None
    check: tuple[str, ...] = ()
    wait: float = 0.0
    compute: float = 0.0
    communicate: float = 0.0
    program: str = ""
    arguments: tuple[str, ...] = ()
    parts: tuple[PlannedPart, ...] = ()
    nodes: int = 0
    alone: str = ""
    ports: tuple[int, ...] = ()
    instances: int = 0
    on: tuple[int, ...] = ()


def of_schedule(
    batches: list[JobBatch], table: Mapping[str, JobKind], path: Path, folder: Path, compress: float, waits: bool
) -> list[LiveJob]:
    """The jobs of a schedule with its table, which lies in `folder`; InputError as `rows_of`.

    Where `waits`, jobs without a command or a program wait for their time; else they compute for it.
    """
    rows = rows_of(batches, table, path)
    names = counted([name for _, name, _ in rows])
    first = rows[0][0]
    return [
        _job(number, names[number - 1], (due - first) / compress, kind, folder, compress, waits)
        for number, (due, _, kind) in enumerate(rows, 1)
    ]


def _job(
    number: int, name: str, due: float, kind: JobKind, folder: Path, compress: float, waits: bool
) -> LiveJob:  # fmt: skip
    """One job of a table."""
    expected = seconds_of(kind, "time") / compress
    limit = SPARE * expected + AT_LEAST
    if kind.limit is not None:
        limit = seconds_of(kind, "limit") / compress + (START_UP if compress > 1 else 0.0)
    synthetic = {key: seconds_of(kind, key) / compress for key in SYNTHETIC if getattr(kind, key) is not None}
    if kind.command is None and kind.program is None and not kind.part and not synthetic:
        synthetic = {"wait" if waits else "compute": expected}
    arguments: tuple[str, ...] = ()
    if kind.program is not None:
        slice_ = None if kind.slice is None else seconds_of(kind, "slice") / compress
        arguments = program_jobs.arguments(kind.settings, slice_, kind.operations, number)
    parts = tuple(_part(each, kind, number, compress) for each in kind.part)
    put = {"processors": str(kind.processors), "folder": str(folder), "number": str(number)}
    return LiveJob(
        id=f"{number:04d}-{name}",
        number=number,
        name=name,
        due=due,
        processors=kind.processors,
        per_node=kind.per_node,
        expected=expected,
        requested=seconds_of(kind, "limit") / compress,
        limit=limit,
        user=kind.user,
        priority=kind.priority,
        queue=kind.queue,
        command=_filled(words_of(kind.command), put, folder),
        answer=kind.answer,
        check=_filled(words_of(kind.check), put, folder),
        program=kind.program or "",
        arguments=arguments,
        parts=parts,
        nodes=kind.nodes,
        alone=kind.alone,
        ports=tuple(kind.ports),
        instances=kind.instances or 0,
        on=tuple(kind.on),
        **synthetic,
    )


def _part(part: ProgramPart, kind: JobKind, number: int, compress: float) -> PlannedPart:
    """One of a job's programs."""
    slice_ = None if part.slice is None else float(quantity(part.slice, "s")) / compress
    words = program_jobs.arguments(part.settings, slice_, part.operations, number)
    return PlannedPart(part.program, words, part.processors or kind.processors)


def _filled(words: Sequence[str], put: Mapping[str, str], folder: Path) -> tuple[str, ...]:
    """Words with their values put in; a program that is named with a folder is looked for from the table's."""
    filled = list(words)
    for key, value in put.items():
        filled = [word.replace(f"{{{key}}}", value) for word in filled]
    if filled and "/" in filled[0]:
        filled[0] = str((folder / filled[0]).resolve())
    return tuple(filled)


def of_workload(workload: Workload, compress: float, waits: bool) -> list[LiveJob]:
    """The jobs of a workload in the Standard Workload Format: synthetic ones."""
    jobs = []
    for at in range(len(workload)):
        number, name = at + 1, workload.name(at).replace(" ", "-")
        runs, requested = float(workload.runs[at]) / compress, float(workload.requested[at]) / compress
        made = LiveJob(
            id=f"{number:04d}-{name}",
            number=number,
            name=name,
            due=float(workload.submitted[at]) / compress,
            processors=int(workload.processors[at]),
            per_node=None,
            expected=runs,
            requested=requested,
            limit=SPARE * requested + AT_LEAST,
            user=str(workload.user[at]),
            priority=float(workload.priority[at]),
            wait=runs if waits else 0.0,
            compute=0.0 if waits else runs,
        )
        jobs.append(made)
    return jobs


def compression(value: float) -> float:
    """The factor that `--compress` names; InputError where it is none."""
    if not 1e-3 <= value <= MOST_COMPRESSION:
        raise InputError("is no factor", key="--compress", value=value, accepted=f"0.001 to {MOST_COMPRESSION:g}")
    return value
