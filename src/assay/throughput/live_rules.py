"""Rules of a job table on a real batch system: obeyed, or refused by name before anything is submitted.

Each system lists the rules it obeys (`rules`) and turns them into its own options. `instances` is a chain: each job
depends on the end of the one that is so many before it of its name, so that no more of them ever run at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.errors import InputError
from assay.throughput.job_names import kind_of
from assay.throughput.live_jobs import LiveJob

PER_NODE, NODES, ALONE_NODES, ALONE_MACHINE = "per_node", "nodes", 'alone = "nodes"', 'alone = "machine"'
PORTS, INSTANCES, ON = "ports", "instances", "on"


def rules_of(job: LiveJob) -> Iterator[tuple[str, object]]:
    """The rules that a job has, with their values."""
    yield from ((PER_NODE, job.per_node),) if job.per_node and job.per_node < job.processors else ()
    yield from ((NODES, job.nodes),) if job.nodes > 1 else ()
    yield from ((f'alone = "{job.alone}"', job.alone),) if job.alone else ()
    yield from ((PORTS, list(job.ports)),) if job.ports else ()
    yield from ((INSTANCES, job.instances),) if job.instances else ()
    yield from ((ON, list(job.on)),) if job.on else ()


def check(jobs: Sequence[LiveJob], system: str, obeyed: frozenset[str], file: Path) -> None:
    """InputError for the first rule that the batch system does not obey; `file`: the table of jobs."""
    for job in jobs:
        for rule, value in rules_of(job):
            if rule not in obeyed:
                able = ", ".join(sorted(obeyed)) or "none"
                problem = f"is a rule that --via {system} cannot obey"
                accepted = f"of its rules {able}; all of them on a described machine (--on)"
                key = f"{kind_of(job.name)}.{rule.partition(' ')[0]}"
                raise InputError(problem, file=file, key=key, value=value, accepted=accepted)


def predecessor(job: LiveJob, submitted: Mapping[str, Sequence[str]]) -> str | None:
    """The id of the job that must have ended before this one starts; `submitted`: ids by name, in order. None: none."""
    before = submitted.get(kind_of(job.name), ())
    return before[-job.instances] if job.instances and len(before) >= job.instances else None
