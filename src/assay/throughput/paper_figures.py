"""Figures 6.2, 6.4 and 6.7 of van der Steen 2000 drawn again: activity of its 33 jobs on three clusters, simulated.

Single-user times and processors are those of the paper (catalogue/jobs), the policy is first fit, jobs that the paper
reports as never run are left out; nothing is fitted. The paper's makespan is in the same picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assay.throughput import job_table, schedule_file, simulated
from assay.throughput.activity import JobActivity, of_schedule
from assay.throughput.activity_svg import activity_svg

POLICY = "firstfit"


@dataclass(frozen=True)
class PaperFigure:
    """One figure: the cluster, its table of jobs, its processors, jobs that never ran (by number).

    `added`: seconds that the paper adds to its makespan for the jobs that never ran.
    """

    number: str
    machine: str
    table: str
    title: str
    processors: int
    absent: tuple[int, ...] = ()
    added: float = 0.0


FIGURES = (
    PaperFigure("6.2", "compaq-xp1000-cluster", "eurobench2000-compaq", "Compaq XP1000", 18, (15,), 11_000.0),
    PaperFigure("6.4", "ibm-netfinity-cluster", "eurobench2000-ibm", "IBM Netfinity", 16),
    PaperFigure("6.7", "sgi-l1200-cluster", "eurobench2000-sgi", "SGI L1200", 16, (29, 30)),
)


def printed(figure: PaperFigure) -> float:
    """The makespan (s) that the paper gives for the jobs that ran."""
    from assay.machine import catalogue
    from assay.machine.published import Result

    found = [
        float(each.value)
        for each in catalogue.load().of(Result)
        if (each.machine, each.benchmark, each.metric) == (figure.machine, "throughput", "time_total")
        and each.basis != "estimate"
        and isinstance(each.value, int | float)
    ]
    return found[0] - figure.added


def paper_activity(figure: PaperFigure) -> JobActivity:
    """The cluster's jobs under first fit, named by their number in the schedule as the paper's are (`primmod6`)."""
    table = job_table.load(job_table.find(figure.table))
    jobs = job_table.workload(schedule_file.published(), table, Path(schedule_file.PUBLISHED))
    names = tuple(f"{name.partition('_run')[0]}.{number}" for name, number in zip(jobs.names, jobs.number, strict=True))
    kept = replace(jobs, names=names).only(~np.isin(jobs.number, figure.absent))
    found = simulated.timed(kept, figure.processors, POLICY, 0.0)
    absent = f"; {', '.join(map(str, figure.absent))} never ran" if figure.absent else ""
    title = f"{figure.title}, {figure.processors} processors: first fit, simulated (figure {figure.number}{absent})"
    makespan = printed(figure)
    return replace(of_schedule(found, title), marks=((makespan, f"printed: {makespan:,.0f} s"),))


def paper_picture(figure: PaperFigure) -> str:
    """One figure as SVG."""
    return activity_svg([paper_activity(figure)])
