"""The entries of a run's journal, by event; journal.py checks the keys that everything relies on."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from assay.case import ParameterValue


class StatedCircumstance(TypedDict, total=False):
    """What all rows of a task share, as a line has it; `journal.circumstance` checks it."""

    run: str
    benchmark: str
    part: str
    machine: str
    allocation: int
    launch: int
    attempt: int
    provenance: str
    factors: dict[str, ParameterValue]


class BegunEntry(TypedDict):
    """A task is started, and its lines go to `file`; `recovered`: the file was found without an entry."""

    event: Literal["begun"]
    t: NotRequired[float]
    task: str
    file: str
    about: StatedCircumstance
    recovered: NotRequired[bool]


class EndedEntry(TypedDict):
    """A task has ended: how, what it printed of the launcher, and its files' sizes and checksums."""

    event: Literal["ended"]
    t: NotRequired[float]
    task: str
    status: int
    file: NotRequired[str | None]
    reason: NotRequired[str | None]
    seconds: NotRequired[float | None]
    command: NotRequired[list[str] | None]
    hosts: NotRequired[list[str] | None]
    binding: NotRequired[str | None]
    channel: NotRequired[str | None]
    warnings: NotRequired[list[str] | None]
    beside: NotRequired[list[dict[str, object]] | None]
    files: NotRequired[dict[str, int] | None]
    checksums: NotRequired[dict[str, str] | None]
    rejected: NotRequired[bool]
    cut: NotRequired[bool]


class AllocationEntry(TypedDict):
    """The batch system's allocation in which what follows runs."""

    event: Literal["allocation"]
    t: NotRequired[float]
    mark: str


class CompiledEntry(TypedDict):
    """A program was compiled in a variant; `vectorised`: what the compiler made of its kernels."""

    event: Literal["compiled"]
    t: NotRequired[float]
    benchmark: str
    compiler: str
    flags: str
    isa: str
    vectorised: NotRequired[list[dict[str, object]] | None]


class LookEntry(TypedDict):
    """A look at the intervals so far of a benchmark, and whether it stops there."""

    event: Literal["look"]
    t: NotRequired[float]
    benchmark: str
    launches: int
    stop: bool
    reached: NotRequired[bool | None]
    reason: NotRequired[str | None]
    level: NotRequired[float | None]


class LeftOutEntry(TypedDict):
    """A task could not be placed."""

    event: Literal["left out"]
    t: NotRequired[float]
    benchmark: str
    reason: str


class CutEntry(TypedDict):
    """Tasks for which no time was left."""

    event: Literal["cut"]
    t: NotRequired[float]
    tasks: list[str]


JournalEntry = BegunEntry | EndedEntry | AllocationEntry | CompiledEntry | LookEntry | LeftOutEntry | CutEntry
