"""Processor time of a test's jobs, by program: user and system seconds, from their starters and the batch system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from assay.document.json_form import WRITTEN_IF_SET
from assay.throughput.batch_system import AccountedTime
from assay.throughput.job_names import kind_of


class SpentJob(Protocol):
    """What is needed of a job: seconds, None of what never happened or is unknown."""

    @property
    def name(self) -> str:
        """Its own, which begins with its program's."""

    @property
    def processors(self) -> int:
        """As requested."""

    @property
    def started(self) -> float | None:
        """When."""

    @property
    def ended(self) -> float | None:
        """When."""

    @property
    def user_seconds(self) -> float | None:
        """In its own code."""

    @property
    def system_seconds(self) -> float | None:
        """In the kernel for it."""

    @property
    def accounted(self) -> AccountedTime | None:
        """By the batch system."""


@dataclass(frozen=True, kw_only=True)
class ProgramTime:
    """Jobs of one program with their processor time (s): what was started and waited for on the first node.

    `held`: processors times run time of the same jobs. `accounted`: user and system time together by the batch
    system's accounting, of all nodes, where it has that of each of them.
    """

    name: str
    jobs: int
    user: float
    system: float
    held: float
    accounted: Annotated[float | None, WRITTEN_IF_SET] = None


def by_program(jobs: Iterable[SpentJob]) -> list[ProgramTime]:
    """A program a row, in the order of their first jobs; jobs without it are left out."""
    kinds: dict[str, list[SpentJob]] = {}
    for job in jobs:
        if job.user_seconds is not None and job.system_seconds is not None:
            kinds.setdefault(kind_of(job.name), []).append(job)
    return [
        ProgramTime(
            name=name,
            jobs=len(each),
            user=sum(job.user_seconds or 0.0 for job in each),
            system=sum(job.system_seconds or 0.0 for job in each),
            held=sum(job.processors * ((job.ended or 0.0) - (job.started or 0.0)) for job in each),
            accounted=_accounted(each),
        )
        for name, each in kinds.items()
    ]


def _accounted(jobs: Sequence[SpentJob]) -> float | None:
    totals = [job.accounted.total for job in jobs if job.accounted is not None and job.accounted.total is not None]
    return sum(totals) if totals and len(totals) == len(jobs) else None


def rows(found: Sequence[ProgramTime]) -> list[tuple[str, ...]]:
    """As `HEAD` has it: seconds, shares of the processor time and of the processors that the jobs had."""
    made: list[tuple[str, ...]] = []
    for each in found:
        used = each.user + each.system
        share = f"{100 * each.system / used:.1f}%" if used else ""
        busy = f"{100 * used / each.held:.1f}%" if each.held else ""
        accounted = "" if each.accounted is None else f"{each.accounted:.4g} s"
        made.append((each.name, f"{each.jobs:,}", f"{each.user:.4g} s", f"{each.system:.4g} s", share, busy, accounted))
    return made


TITLE = "Processor time by program"
HEAD = ("program", "jobs", "user", "system", "system of both", "of the allocated processors", "by the batch system")
NOTE = "Of what was started on a job's first node; by the batch system: of all its nodes, where it accounts for it."
