"""The job table: what each name of a schedule is. A TOML file with a table `[NAME]` for each:

    [maya5_run]
    processors = 6
    time = "1000 s"          # how long it is expected to run on the machine
    limit = "2000 s"         # what it requests of the batch system: as long as `time` where it is left out
    user = "astro"

A name may stand for several jobs that a submission starts, each with a table of its own: `parts = ["a", "b"]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from assay import versions
from assay.errors import InputError
from assay.machine.units import quantity
from assay.throughput.schedule_file import JobBatch
from assay.throughput.workload import Workload
from assay.toml.checking import Table, near, validated
from assay.toml.source import Source, read


class JobKind(Table):
    """One name of the table."""

    processors: int = Field(ge=1, le=2**31 - 2, description="how many processors it needs")
    time: str = Field(description='expected time, such as "1000 s"')
    limit: str | None = Field(None, description='time that it requests, such as "2000 s"; else its expected time')
    user: str = Field("", description="whose job it is, for fair shares")
    priority: float = Field(0.0, description="its own priority, for the policy of that name")
    source: str = Field("", description="where its numbers are from")


SHIPPED = Path(__file__).resolve().parent.parent / "catalogue" / "jobs"


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


def load(path: Path) -> dict[str, JobKind]:
    """Read a table of jobs; InputError at the line of what is wrong."""
    values, source = read(path, versions.JOBS)
    found = {}
    for name, about in values.items():
        if not isinstance(about, dict):
            raise source.error((name,), "is no job", value=about, accepted="a table for each job: [NAME]")
        entry = validated(source, JobKind, about, (name,))
        for key in ("time", "limit"):
            _seconds(source, name, key, entry)
        found[name] = entry
    if not found:
        raise InputError("describes no job", file=path, accepted="a table for each job: [NAME]")
    return found


def _seconds(source: Source | None, name: str, key: str, entry: JobKind) -> float:
    text = getattr(entry, key) or entry.time
    try:
        seconds = float(quantity(text, "s"))
    except ValueError as error:
        assert source is not None  # only the first reading can fail
        raise source.error((name, key), str(error), value=text, accepted='a time such as "1000 s"') from None
    if source is not None and not 0 <= seconds < 2**31:
        raise source.error((name, key), "is no time of a job", value=text, accepted="0 s to 68 years")
    return seconds


def workload(batches: list[JobBatch], jobs: Mapping[str, JobKind], path: Path) -> Workload:
    """The jobs of a schedule. InputError names the line of a job that the table does not have."""
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
    users = {user: number for number, user in enumerate(dict.fromkeys(entry.user for _, _, entry in rows))}
    times = [_seconds(None, name, "time", entry) for _, name, entry in rows]
    limits = [_seconds(None, name, "limit", entry) for _, name, entry in rows]

    def whole(values: list[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.rint(np.array(values, dtype=np.float64)).astype(np.int64)

    requested = np.maximum(whole(limits), 1)
    submitted = whole([time for time, _, _ in rows])
    counts: dict[str, int] = {}
    names = []
    for _, name, _ in rows:
        counts[name] = counts.get(name, 0) + 1
        names.append(f"{name}.{counts[name]}")
    cut = int(np.count_nonzero(whole(times) > requested))
    return Workload(
        number=np.arange(1, len(rows) + 1),
        submitted=submitted - submitted[0],
        runs=np.minimum(whole(times), requested),
        requested=requested,
        processors=whole([entry.processors for _, _, entry in rows]),
        user=whole([users[entry.user] for _, _, entry in rows]),
        priority=np.array([entry.priority for _, _, entry in rows]),
        names=tuple(names),
        source=str(path),
        begins=int(submitted[0]),
        changed={"run times cut at the requested time": cut} if cut else {},
    )
