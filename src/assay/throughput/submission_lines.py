"""What the files of a throughput test hold: its plan, and the lines of its submission log (submission_log.py)."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from assay.throughput.batch_system import AccountedEntry


class PlanOfTest(TypedDict, total=False):
    """What a test was to do; `alone`: whether single programs are tested before, or of such a test the program."""

    workload: str | None
    jobs: str | None
    via: str | None
    policy: str
    processors: int
    slots: int | None
    compress: float
    alone: bool | str


class PlannedTest(TypedDict):
    """A test by its plan and its jobs, each the fields of a `LiveJob`."""

    plan: PlanOfTest
    jobs: list[dict[str, object]]


class PlanFile(PlannedTest):
    """The document of plan.json; `checksums`: of the results' sources, once the test has ended."""

    digest: str
    mark: str
    begun: float
    checksums: NotRequired[dict[str, str]]


class SettledJob(TypedDict):
    """What became of a job, once it had ended, by the batch system; None where it does not know."""

    accounted: AccountedEntry | None


class _Line(TypedDict):
    """What all lines have; `time`: s since 1970."""

    time: float
    job: NotRequired[str]


class WholeTestLine(_Line):
    """What happened to the whole test."""

    event: Literal["resumed", "cancelled", "finished"]


class OccupancyLine(_Line):
    """What was seen of others' use: the numbers of an `Occupancy`."""

    event: Literal["occupancy"]
    about: dict[str, int]


class SubmittingLine(_Line):
    """The submission command of a job is started."""

    event: Literal["submitting"]


class SubmittedLine(_Line):
    """A job was submitted, or found to be."""

    event: Literal["submitted", "found"]
    batch_id: str


class RefusedLine(_Line):
    """The batch system refused a job."""

    event: Literal["refused"]
    reason: str


class SettledLine(_Line):
    """A job came to its end."""

    event: Literal["settled"]
    about: SettledJob


LogLine = WholeTestLine | OccupancyLine | SubmittingLine | SubmittedLine | RefusedLine | SettledLine
